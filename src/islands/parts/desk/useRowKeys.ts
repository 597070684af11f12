import type { RefObject } from 'react';
import type { Shortcut } from '../../stores/shortcuts.ts';
import { useShortcuts } from './useShortcuts.ts';

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
