import { atom, computed, type ReadableAtom } from 'nanostores';
import type { Panel } from './desk.ts';

export type Editing = {
  /** The update that this person is seen to be changing, `new` for one that is being written, or nothing. */
  $editing: ReadableAtom<string | null>;
  /** To be told of words that come into an editor. @param what the update's id or `new`; null when they are gone */
  wrote(what: string | null): void;
  /** Notices when nobody looks at the page. Returns what ends it. */
  watch(): () => void;
};

/** Somebody who has stopped typing, or looks at another page, is soon not seen as editing any more. */
const IDLE_MS = 60_000;

/** What is open in a row counts for as long as it is open, what is typed until the words stop coming. */
export function makeEditing($open: ReadableAtom<Panel | null>): Editing {
  const $typing = atom<string | null>(null);
  const $isAway = atom(false);
  let idle: ReturnType<typeof setTimeout> | undefined;
  return {
    $editing: computed([$open, $typing, $isAway], (open, typing, isAway) => {
      if (isAway) return null;
      return open?.panel === 'edit' ? open.id : typing;
    }),
    wrote(what) {
      clearTimeout(idle);
      $typing.set(what);
      if (what) idle = setTimeout(() => $typing.set(null), IDLE_MS);
    },
    watch() {
      let leaving: ReturnType<typeof setTimeout> | undefined;
      const onVisibility = () => {
        clearTimeout(leaving);
        if (document.visibilityState === 'visible') $isAway.set(false);
        else leaving = setTimeout(() => $isAway.set(true), IDLE_MS);
      };
      document.addEventListener('visibilitychange', onVisibility);
      return () => {
        clearTimeout(leaving);
        document.removeEventListener('visibilitychange', onVisibility);
      };
    },
  };
}
