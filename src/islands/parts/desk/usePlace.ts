import type { ReadableAtom } from 'nanostores';
import { type RefObject, useEffect, useRef } from 'react';

/** The focused element in a list, its row, and the row's position on the screen. */
type FocusPosition = { row: HTMLElement; index: number; focused: Element; top: number };

/** Keeps the focus and the scroll position of the focused row when rows move or disappear. */
export function useFocusRestoration(list: RefObject<HTMLElement | null>, $rows: ReadableAtom<unknown>): void {
  const before = useRef<FocusPosition>(undefined);
  // Measured before React renders: stores notify listeners first.
  useEffect(
    () =>
      $rows.listen(() => {
        before.current = focusPositionIn(list.current);
      }),
    [$rows, list],
  );
  // A change of the store renders synchronously, and this effect runs after it.
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
  // A moved element loses the focus.
  if (document.activeElement === document.body) {
    const target = focused instanceof HTMLElement && focused.isConnected ? focused : row;
    target.focus({ preventScroll: true });
  }
  const moved = row.getBoundingClientRect().top - top;
  if (moved !== 0) window.scrollBy({ top: moved, behavior: 'instant' });
}
