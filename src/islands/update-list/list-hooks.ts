import type { ReadableAtom } from 'nanostores';
import { type RefObject, useEffect, useRef } from 'react';
import type { UpdateActionName } from '../../lib/domain/permissions.ts';
import type { DeskUpdates } from '../desk/desk.ts';
import type { FrozenRows } from '../desk/frozen-rows.ts';
import { type Shortcut, useShortcuts } from '../desk/KeyboardShortcuts.tsx';
import { type DeskMessages, useMessages } from '../desk/messages.tsx';

type RowKeys = {
  /** Labels of the keys that move between rows. */
  next: string;
  previous: string;
  /** Keys that press the first button of the focused row with one of these `data-action` values. */
  actionKeys: readonly [key: string, label: string, actions: readonly string[]][];
  /** Actions that Enter runs on a row. */
  enter?: readonly [label: string, actions: readonly string[]];
  /** Id of the search field. */
  searchField: readonly [label: string, id: string];
  newRows: readonly [label: string, hasNews: () => boolean, show: () => void];
  /** Whether the shortcuts apply, on pages with two lists. */
  isActive?: () => boolean;
};

/** Keyboard shortcuts of a list: moving between rows, and actions on the focused row. */
export function useRowKeys(
  list: RefObject<HTMLElement | null>,
  { next, previous, actionKeys, enter, searchField, newRows, isActive = () => true }: RowKeys,
): void {
  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>(':scope > li') ?? [])];
  const currentRow = () => rows().find((row) => row.contains(document.activeElement));
  /** False while a panel of the row is open. */
  const isAtRow = () => currentRow() !== undefined && !currentRow()?.querySelector('.panel');
  const isOnRow = () => currentRow() === document.activeElement;

  function moveFocus(by: 1 | -1): void {
    const all = rows();
    const at = all.findIndex((row) => row.contains(document.activeElement));
    const row = at < 0 ? firstInView(all) : all[Math.min(Math.max(at + by, 0), all.length - 1)];
    row?.focus();
    row?.scrollIntoView({ block: 'nearest' });
  }
  const buttonOf = (actions: readonly string[]) =>
    actions
      .map((action) =>
        currentRow()?.querySelector<HTMLElement>(
          `[data-action="${action}"]:enabled, summary[data-action="${action}"]`,
        ),
      )
      .find((button) => button);
  const press = (actions: readonly string[]) => buttonOf(actions)?.click();

  const keys: Shortcut[] = [
    { key: 'j', label: next, when: isActive, run: () => moveFocus(1) },
    { key: 'k', label: previous, when: isActive, run: () => moveFocus(-1) },
    { key: 'ArrowDown', label: next, when: isOnRow, run: () => moveFocus(1) },
    { key: 'ArrowUp', label: previous, when: isOnRow, run: () => moveFocus(-1) },
    ...(enter ? [{ key: 'Enter', label: enter[0], when: isOnRow, run: () => press(enter[1]) }] : []),
    ...actionKeys.map(([key, label, actions]) => ({
      key,
      label,
      when: () => isAtRow() && buttonOf(actions) !== undefined,
      run: () => press(actions),
    })),
    {
      key: 'f',
      label: searchField[0],
      when: isActive,
      run: () => document.getElementById(searchField[1])?.focus(),
    },
    { key: 'u', label: newRows[0], when: () => isActive() && newRows[1](), run: newRows[2] },
  ];
  useShortcuts(keys);
}

/** The first row that is completely in view. */
function firstInView(rows: HTMLElement[]): HTMLElement | undefined {
  return rows.find((row) => row.getBoundingClientRect().top >= 0) ?? rows[0];
}

/** Keys and the actions that they run on the focused row. */
const ACTIONS: [key: string, label: keyof DeskMessages['deskList']['keys'], actions: UpdateActionName[]][] = [
  ['e', 'edit', ['edit']],
  ['p', 'publish', ['publish']],
  ['s', 'submit', ['submit']],
  ['x', 'spike', ['spike']],
  ['t', 'pin', ['pin', 'unpin']],
  ['w', 'withdraw', ['withdraw']],
];

/** Keyboard shortcuts of the list of updates. */
export function useListKeys(
  { list }: Pick<DeskUpdates, 'list'>,
  container: RefObject<HTMLElement | null>,
): void {
  const messages = useMessages();
  const { keys } = messages.deskList;
  useRowKeys(container, {
    next: keys.next,
    previous: keys.previous,
    enter: [keys.edit, ['edit']],
    actionKeys: ACTIONS.map(([key, label, actions]) => [key, keys[label], actions]),
    searchField: [keys.find, 'list-search'],
    newRows: [keys.news, () => list.$list.get().waiting > 0, list.showAll],
  });
}

/** Reports activity on a list. Scrolling by touch counts; a mouse counts only while it moves. */
export function useListActivity(
  list: RefObject<HTMLElement | null>,
  { onUse, onLeave }: Pick<FrozenRows, 'onUse' | 'onLeave'>,
): void {
  useEffect(() => {
    const element = list.current;
    if (!element) return;
    const events = ['pointermove', 'pointerdown', 'keydown'];
    for (const type of events) element.addEventListener(type, onUse, { passive: true });
    element.addEventListener('pointerleave', onLeave);
    return () => {
      for (const type of events) element.removeEventListener(type, onUse);
      element.removeEventListener('pointerleave', onLeave);
    };
  }, [list, onUse, onLeave]);
}

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
