import webPush from 'web-push';
import { dataOf } from '../_shared/database.ts';
import type { AdminClient } from './deliver.ts';
import type { PushKeys } from './push.ts';
import { CALL_TIMEOUT_MS } from './throttle.ts';

/**
 * Records which delivery channels are available, so that pages offer no others, and returns the newsroom's push keys.
 * The first key pair is stored permanently, because push subscriptions are bound to it.
 */
export async function saveChannels(backend: AdminClient, mail: boolean): Promise<PushKeys> {
  const generated = webPush.generateVAPIDKeys();
  const stored: { push_public: string; push_private: string } = await dataOf(
    backend
      .rpc('save_alert_settings', {
        push_public: generated.publicKey,
        push_private: generated.privateKey,
        mail,
      })
      .abortSignal(AbortSignal.timeout(CALL_TIMEOUT_MS)),
  );
  return { publicKey: stored.push_public, privateKey: stored.push_private };
}
