import type { ReadableAtom } from 'nanostores';
import { type RefObject, useEffect, useRef } from 'react';

/** Where somebody is in a list: the row that has the focus, what of it, and how high it stands. */
type Place = { row: HTMLElement; index: number; focused: Element; top: number };

/**
 * Keeps the focus where it is when rows move or go, and the row that has it where it stands on the screen: it stays at its
 * row, else at the one that took its place.
 */
export function usePlace(list: RefObject<HTMLElement | null>, $rows: ReadableAtom<unknown>): void {
  const before = useRef<Place>(undefined);
  // Told before anything is drawn anew: React draws after all who listen were told.
  useEffect(
    () =>
      $rows.listen(() => {
        before.current = placeIn(list.current);
      }),
    [$rows, list],
  );
  // A store's change is drawn at once, and with it this.
  useEffect(() => {
    const place = before.current;
    before.current = undefined;
    if (place && list.current) restore(list.current, place);
  });
}

function placeIn(list: HTMLElement | null): Place | undefined {
  const focused = document.activeElement;
  if (!list || !focused || !list.contains(focused)) return undefined;
  const row = [...list.children].find((child) => child.contains(focused));
  if (!(row instanceof HTMLElement)) return undefined;
  return { row, index: [...list.children].indexOf(row), focused, top: row.getBoundingClientRect().top };
}

function restore(list: HTMLElement, { row, index, focused, top }: Place): void {
  if (!row.isConnected) {
    const next = list.children[Math.min(index, list.children.length - 1)];
    if (document.activeElement === document.body && next instanceof HTMLElement) next.focus();
    return;
  }
  // What moves in the page loses the focus on its way.
  if (document.activeElement === document.body) {
    const again = focused instanceof HTMLElement && focused.isConnected ? focused : row;
    again.focus({ preventScroll: true });
  }
  const moved = row.getBoundingClientRect().top - top;
  if (moved !== 0) window.scrollBy({ top: moved, behavior: 'instant' });
}
