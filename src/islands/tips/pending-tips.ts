import { atom } from 'nanostores';
import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import type { Language } from '../../lib/i18n/language.ts';
import { hasQueuedTips } from './draft.ts';
import type { TipSender } from './sender.ts';
import type { RefusedTip, SubmissionStatus } from './store.ts';

/** Status of tips that were queued on this device before, by id. */
export type QueuedTips = Record<string, SubmissionStatus>;

/**
 * Sends tips for a form and knows who is signed in. Its code is loaded when the form is used, or at once when tips are
 * queued on this device, which are then sent.
 */
export function openTipService(backend: BrowserBackend, language: Language) {
  const $me = atom<{ id: string; name: string } | null>(null);
  const $queued = atom<QueuedTips>({});
  const stops = new Map<string, AbortController>();
  let restoreInForm = (_: RefusedTip) => false;
  let loading: Promise<TipSender | null> | undefined;

  async function open(): Promise<TipSender | null> {
    try {
      const { tipSender } = await import('./sender.ts');
      const sender = tipSender(backend, language);
      void sender.person().then((me) => $me.set(me));
      void sender.sendQueued(
        (id) => ({
          onStatus: (status) => {
            if (!stops.get(id)?.signal.aborted) change(id, status);
          },
          restore(refused) {
            const isRestored = restoreInForm(refused);
            change(id, isRestored ? null : refused);
            return isRestored;
          },
        }),
        (id) => {
          const stop = new AbortController();
          stops.set(id, stop);
          return stop.signal;
        },
      );
      return sender;
    } catch {
      // The next use of the form tries again.
      loading = undefined;
      return null;
    }
  }
  function load(): Promise<TipSender | null> {
    loading ??= open();
    return loading;
  }
  function change(id: string, status: SubmissionStatus | null) {
    const { [id]: _, ...others } = $queued.get();
    $queued.set(status ? { ...others, [id]: status } : others);
  }

  return {
    $me,
    $queued: $queued,
    load,
    /** @param restore shows a refused queued tip in the form; returns whether the form was free */
    start(restore: (refused: RefusedTip) => boolean): void {
      restoreInForm = restore;
      if (hasQueuedTips()) void load();
    },
    async expectPhoto(): Promise<void> {
      (await load())?.expectPhoto();
    },
    /**
     * Restores a refused queued tip in the form.
     * @returns whether the form was free
     */
    async restore(id: string, refused: RefusedTip): Promise<boolean> {
      const isRestored = (await (await load())?.restoreNow(id, refused, restoreInForm)) ?? false;
      if (isRestored) change(id, null);
      return isRestored;
    },
    async discard(id: string): Promise<void> {
      stops.get(id)?.abort();
      change(id, null);
      await (await load())?.discard(id);
    },
  };
}
