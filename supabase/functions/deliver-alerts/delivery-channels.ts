import webPush from 'web-push';
import { dataOf } from '../_shared/database.ts';
import type { Backend } from './deliver.ts';
import { LONGEST_QUESTION_MS } from './throttle.ts';
import type { PushKeys } from './push.ts';

/**
 * Records which delivery channels are available, so that pages offer no others, and returns the newsroom's push keys.
 * The first key pair is stored permanently, because push subscriptions are bound to it.
 */
export async function openMeans(backend: Backend, mail: boolean): Promise<PushKeys> {
  const made = webPush.generateVAPIDKeys();
  const kept: { push_public: string; push_private: string } = await dataOf(
    backend
      .rpc('save_alert_settings', {
        push_public: made.publicKey,
        push_private: made.privateKey,
        mail,
      })
      .abortSignal(AbortSignal.timeout(LONGEST_QUESTION_MS)),
  );
  return { publicKey: kept.push_public, privateKey: kept.push_private };
}
