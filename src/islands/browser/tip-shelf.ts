import { createStore, del, get, set, type UseStore, values } from 'idb-keyval';
import type { Taken, TipText } from '../../lib/tips/tip.ts';
import { LONGEST_KEPT_MS } from './kept-tip.ts';
import { setTipsWait } from './tips-wait.ts';

/** A tip that was pressed, as it is kept on this device until the newsroom has all of it. */
export type PressedTip = {
  /** Made at the press: however often it is sent, it is one tip. */
  id: string;
  /** When it was pressed: milliseconds. */
  at: number;
  /** What it says, and how it was written. Gone from here as soon as the newsroom has it. */
  said: { text: TipText; website: string; took_ms?: number | undefined } | null;
  /** The id of whose account shows it; null for nobody's. */
  person: string | null;
  /** Made small; kept until it has arrived. */
  photo: { id: string; blob: Blob } | null;
  /** Once the newsroom has the words: what shows what becomes of them. */
  receipt: string | null;
  /** Where the photo goes, and how far along its upload is. */
  upload: Taken['upload'];
  uploadUrl?: string;
};

/** Keeps pressed tips on this device; where it keeps nothing, for as long as the page is open. */
export function tipShelf() {
  const here = new Map<string, PressedTip>();
  let opened: UseStore | undefined;
  async function having<T>(work: (store: UseStore) => Promise<T>): Promise<T | undefined> {
    try {
      opened ??= createStore('stoppress-tips', 'tips');
      return await work(opened);
    } catch {
      return undefined;
    }
  }
  const kept = async () => (await having((store) => values<PressedTip>(store))) ?? [];

  return {
    /** @returns whether the device keeps it, and not only this page */
    async put(tip: PressedTip): Promise<boolean> {
      const isKept = (await having((store) => set(tip.id, tip, store).then(() => true))) ?? false;
      if (isKept) setTipsWait(true);
      else here.set(tip.id, tip);
      return isKept;
    },
    get: async (id: string): Promise<PressedTip | undefined> =>
      here.get(id) ?? (await having((store) => get<PressedTip>(id, store))),
    async drop(id: string): Promise<void> {
      here.delete(id);
      await having((store) => del(id, store));
      if ((await kept()).length === 0) setTipsWait(false);
    },
    /** What waits on this device. What is a day old is thrown away: it is no news any more. */
    async all(): Promise<PressedTip[]> {
      const tips = await kept();
      for (const { id, at } of tips) if (Date.now() - at > LONGEST_KEPT_MS) await this.drop(id);
      return tips.filter(({ at }) => Date.now() - at <= LONGEST_KEPT_MS).sort((a, b) => a.at - b.at);
    },
  };
}

export type TipShelf = ReturnType<typeof tipShelf>;
