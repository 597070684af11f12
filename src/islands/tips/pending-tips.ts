import { atom } from 'nanostores';
import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import { doTipsWait } from './draft.ts';
import type { TipSender } from './sender.ts';
import type { RefusedTip, TipStatus } from './store.ts';

/** Tips that were pressed on this device before, by their ids. */
export type Left = Record<string, TipStatus>;

/**
 * What a form for tips has behind it: what sends them, and who is signed in. It is fetched when somebody touches the
 * form, so that whoever reads on pays nothing for it; or at once, when a tip that was pressed here before waits. Then
 * that goes out too.
 */
export function tipOffice(backend: BrowserBackend) {
  const $me = atom<{ id: string; name: string } | null>(null);
  const $left = atom<Left>({});
  const stops = new Map<string, AbortController>();
  let recall = (_: RefusedTip) => false;
  let loading: Promise<TipSender | null> | undefined;

  async function open(): Promise<TipSender | null> {
    try {
      const { tipSender } = await import('./sender.ts');
      const sender = tipSender(backend);
      void sender.who().then((me) => $me.set(me));
      void sender.sendOn(
        (id) => ({
          tell: (status) => {
            if (!stops.get(id)?.signal.aborted) change(id, status);
          },
          giveBack(refused) {
            const isBack = recall(refused);
            change(id, isBack ? null : refused);
            return isBack;
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
      // The next touch tries again.
      loading = undefined;
      return null;
    }
  }
  function load(): Promise<TipSender | null> {
    loading ??= open();
    return loading;
  }
  function change(id: string, status: TipStatus | null) {
    const { [id]: _, ...others } = $left.get();
    $left.set(status ? { ...others, [id]: status } : others);
  }

  return {
    $me,
    $left,
    load,
    /** @param back shows what was refused of tips that were left, and answers whether there was room for it */
    start(back: (refused: RefusedTip) => boolean): void {
      recall = back;
      if (doTipsWait()) void load();
    },
    async expectPhoto(): Promise<void> {
      (await load())?.expectPhoto();
    },
    /** Brings what was refused of a tip that was left to where it can be changed. @returns whether there was room for it */
    async giveBack(id: string, refused: RefusedTip): Promise<boolean> {
      const isBack = (await (await load())?.giveBackNow(id, refused, recall)) ?? false;
      if (isBack) change(id, null);
      return isBack;
    },
    async throwAway(id: string): Promise<void> {
      stops.get(id)?.abort();
      change(id, null);
      await (await load())?.throwAway(id);
    },
  };
}
