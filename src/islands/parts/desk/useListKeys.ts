import type { RefObject } from 'react';
import type { UpdateAction } from '../../../lib/desk/rights.ts';
import { deskList } from '../../../lib/text/desk-list.ts';
import type { Desk } from '../../stores/desk.ts';
import type { Shortcut } from '../../stores/shortcuts.ts';
import { useShortcuts } from './useShortcuts.ts';

/** Which key presses which action of the row that one is at. */
const ACTIONS: [key: string, label: keyof typeof deskList.keys, actions: UpdateAction[]][] = [
  ['e', 'edit', ['edit']],
  ['p', 'publish', ['publish']],
  ['s', 'submit', ['submit']],
  ['x', 'spike', ['spike']],
  ['t', 'pin', ['pin', 'unpin']],
  ['w', 'withdraw', ['withdraw']],
];

/** The keys of the list: from row to row, and what is done to the one that has the focus. */
export function useListKeys(desk: Desk, list: RefObject<HTMLElement | null>): void {
  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>(':scope > li') ?? [])];
  const here = () => rows().find((row) => row.contains(document.activeElement));
  /** Not while something is written in it. */
  const isAtRow = () => here() !== undefined && !here()?.querySelector('.panel');
  const isOnRow = () => here() === document.activeElement;

  function go(by: 1 | -1): void {
    const all = rows();
    const at = all.findIndex((row) => row.contains(document.activeElement));
    const next = at < 0 ? firstInView(all) : all[Math.min(Math.max(at + by, 0), all.length - 1)];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  }
  const buttonOf = (actions: UpdateAction[]) =>
    actions
      .map((action) => here()?.querySelector<HTMLButtonElement>(`button[data-action="${action}"]:enabled`))
      .find((button) => button);
  const press = (actions: UpdateAction[]) => buttonOf(actions)?.click();

  const keys: Shortcut[] = [
    { key: 'j', label: deskList.keys.next, run: () => go(1) },
    { key: 'k', label: deskList.keys.previous, run: () => go(-1) },
    { key: 'ArrowDown', label: deskList.keys.next, when: isOnRow, run: () => go(1) },
    { key: 'ArrowUp', label: deskList.keys.previous, when: isOnRow, run: () => go(-1) },
    { key: 'Enter', label: deskList.keys.edit, when: isOnRow, run: () => press(['edit']) },
    ...ACTIONS.map(([key, label, actions]) => ({
      key,
      label: deskList.keys[label],
      when: () => isAtRow() && buttonOf(actions) !== undefined,
      run: () => press(actions),
    })),
    { key: 'f', label: deskList.keys.find, run: () => document.getElementById('list-search')?.focus() },
    {
      key: 'u',
      label: deskList.keys.news,
      when: () => desk.list.$list.get().waiting > 0,
      run: desk.list.letGo,
    },
  ];
  useShortcuts(keys);
}

/** Of a list that was scrolled, the first row that is seen whole. */
function firstInView(rows: HTMLElement[]): HTMLElement | undefined {
  return rows.find((row) => row.getBoundingClientRect().top >= 0) ?? rows[0];
}
