import type { RefObject } from 'react';
import type { UpdateAction } from '../../../lib/desk/rights.ts';
import { deskList } from '../../../lib/text/desk-list.ts';
import type { Desk } from '../../stores/desk.ts';
import { useRowKeys } from './useRowKeys.ts';

/** Keys and the actions that they run on the focused row. */
const ACTIONS: [key: string, label: keyof typeof deskList.keys, actions: UpdateAction[]][] = [
  ['e', 'edit', ['edit']],
  ['p', 'publish', ['publish']],
  ['s', 'submit', ['submit']],
  ['x', 'spike', ['spike']],
  ['t', 'pin', ['pin', 'unpin']],
  ['w', 'withdraw', ['withdraw']],
];

/** Keyboard shortcuts of the list of updates. */
export function useListKeys({ list }: Desk, container: RefObject<HTMLElement | null>): void {
  const messages = deskList.keys;
  useRowKeys(container, {
    next: messages.next,
    previous: messages.previous,
    enter: [messages.edit, ['edit']],
    actionKeys: ACTIONS.map(([key, label, actions]) => [key, messages[label], actions]),
    searchField: [messages.find, 'list-search'],
    newRows: [messages.news, () => list.$list.get().waiting > 0, list.letGo],
  });
}
