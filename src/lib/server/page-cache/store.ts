import { LRUCache } from 'lru-cache';
import { type Copy, sizeOf } from './stored-copy.ts';

/** `stale`: may be served when rendering fails. `gone`: is never served again. */
export type How = 'stale' | 'gone';

/** Maximum part of the memory for a single response. */
const LARGEST = 1 / 8;

/** Maximum number of responses, whatever their size. */
const MOST = 20_000;

export type Store = ReturnType<typeof openStore>;

/** Stores responses by key and indexes them by tag. The least recently used ones are evicted above `maxBytes`. */
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

    /** Reads a response without marking it as recently used. */
    peek: (key: string) => copies.peek(key),

    /** Stores a response, unless the stored one was rendered later. */
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

    /** Number of responses, tags and evictions, and the bytes in use. */
    size: () => ({ bytes: copies.calculatedSize, copies: copies.size, tags: byTag.size, evicted }),
  };
}
