import { useStore } from '@nanostores/react';
import type { ReadableAtom } from 'nanostores';

/**
 * The value of a shared store. During hydration it is the server's value, because another island may have changed the
 * store already and the markup would not match; afterwards it is the store's value.
 * @param served the server's value, if it differs from the store's initial value; the same object at every rendering
 */
export function useShared<Value>(store: ReadableAtom<Value>, served?: Value): Value {
  return useStore(store, { ssr: served === undefined ? 'initial' : () => served });
}
