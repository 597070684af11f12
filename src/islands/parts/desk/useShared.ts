import { useStore } from '@nanostores/react';
import type { ReadableAtom } from 'nanostores';

/**
 * The value of a store, as every part of the desk reads it. While an island takes over what the server has rendered it
 * is the value that the server had: an island that starts late finds stores that others have changed meanwhile, and
 * what it would make of those is not what stands in the page. Right after that it is the store's value.
 * @param served what the server had, where that is not what the store began with; the same object at every rendering
 */
export function useShared<Value>(store: ReadableAtom<Value>, served?: Value): Value {
  return useStore(store, { ssr: served === undefined ? 'initial' : () => served });
}
