import { LRUCache } from 'lru-cache';
import { type Copy, sizeOf } from './stored-copy.ts';

/** `stale` may still be served when no new rendering can be had; `gone` never again. */
export type How = 'stale' | 'gone';

/** What one page may take of the whole, as a part of it. */
const LARGEST = 1 / 8;

/** More copies than this are not kept, however small they are. */
const MOST = 20_000;

export type Store = ReturnType<typeof openStore>;

/** The copies by key, the last used ones within a number of bytes, and by the names of what they are made of. */
export function openStore(maxBytes: number) {
  const byTag = new Map<string, Set<string>>();
  let evicted = 0;

  const copies = new LRUCache<string, Copy>({
    max: MOST,
    maxSize: maxBytes,
    maxEntrySize: Math.ceil(maxBytes * LARGEST),
    sizeCalculation: sizeOf,
    dispose(copy, key, reason) {
      if (reason === 'evict') evicted += 1;
      for (const tag of copy.tags) {
        const keys = byTag.get(tag);
        keys?.delete(key);
        if (keys?.size === 0) byTag.delete(tag);
      }
    },
  });

  function drop(key: string, how: How) {
    const copy = copies.peek(key);
    if (how === 'stale' && copy?.lifetime && copy.lifetime.ifDown > copy.lifetime.fresh) copy.stale = true;
    else copies.delete(key);
  }

  return {
    get: (key: string) => copies.get(key),

    /** As it is kept, without counting as used. */
    peek: (key: string) => copies.peek(key),

    /** Keeps a copy, unless there is one whose rendering began later. */
    put(key: string, copy: Copy): void {
      if ((copies.peek(key)?.order ?? -1) > copy.order) return;
      copies.set(key, copy);
      if (copies.peek(key) !== copy) return;
      for (const tag of copy.tags) {
        const keys = byTag.get(tag) ?? new Set();
        byTag.set(tag, keys.add(key));
      }
    },

    drop(tags: Iterable<string>, how: How): void {
      for (const tag of tags) for (const key of [...(byTag.get(tag) ?? [])]) drop(key, how);
    },

    dropAll(how: How): void {
      for (const key of [...copies.keys()]) drop(key, how);
    },

    /** Bytes and copies that are kept. */
    size: () => ({ bytes: copies.calculatedSize, copies: copies.size, tags: byTag.size, evicted }),
  };
}
