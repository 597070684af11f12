import type { ReadableAtom } from 'nanostores';
import { type RefObject, useEffect, useRef } from 'react';

/** Where somebody is in a list: the row that has the focus, what of it, and how high it stands. */
type FocusPosition = { row: HTMLElement; index: number; focused: Element; top: number };

/**
 * Keeps the focus where it is when rows move or go, and the row that has it where it stands on the screen: it stays at its
 * row, else at the one that took its place.
 */
export function useFocusRestoration(list: RefObject<HTMLElement | null>, $rows: ReadableAtom<unknown>): void {
  const before = useRef<FocusPosition>(undefined);
  // Told before anything is drawn anew: React draws after all who listen were told.
  useEffect(
    () =>
      $rows.listen(() => {
        before.current = focusPositionIn(list.current);
      }),
    [$rows, list],
  );
  // A store's change is drawn at once, and with it this.
  useEffect(() => {
    const position = before.current;
    before.current = undefined;
    if (position && list.current) restore(list.current, position);
  });
}

function focusPositionIn(list: HTMLElement | null): FocusPosition | undefined {
  const focused = document.activeElement;
  if (!list || !focused || !list.contains(focused)) return undefined;
  const row = [...list.children].find((child) => child.contains(focused));
  if (!(row instanceof HTMLElement)) return undefined;
  return { row, index: [...list.children].indexOf(row), focused, top: row.getBoundingClientRect().top };
}

function restore(list: HTMLElement, { row, index, focused, top }: FocusPosition): void {
  if (!row.isConnected) {
    const next = list.children[Math.min(index, list.children.length - 1)];
    if (document.activeElement === document.body && next instanceof HTMLElement) next.focus();
    return;
  }
  // What moves in the page loses the focus on its way.
  if (document.activeElement === document.body) {
    const target = focused instanceof HTMLElement && focused.isConnected ? focused : row;
    target.focus({ preventScroll: true });
  }
  const moved = row.getBoundingClientRect().top - top;
  if (moved !== 0) window.scrollBy({ top: moved, behavior: 'instant' });
}
