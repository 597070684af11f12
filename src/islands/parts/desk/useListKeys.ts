import type { RefObject } from 'react';
import type { UpdateAction } from '../../../lib/desk/rights.ts';
import { deskList } from '../../../lib/text/desk-list.ts';
import type { Desk } from '../../stores/desk.ts';
import { useRowKeys } from './useRowKeys.ts';

/** Which key presses which action of the row that one is at. */
const ACTIONS: [key: string, label: keyof typeof deskList.keys, actions: UpdateAction[]][] = [
  ['e', 'edit', ['edit']],
  ['p', 'publish', ['publish']],
  ['s', 'submit', ['submit']],
  ['x', 'spike', ['spike']],
  ['t', 'pin', ['pin', 'unpin']],
  ['w', 'withdraw', ['withdraw']],
];

/** The keys of the list of updates. */
export function useListKeys({ list }: Desk, container: RefObject<HTMLElement | null>): void {
  const words = deskList.keys;
  useRowKeys(container, {
    next: words.next,
    previous: words.previous,
    enter: [words.edit, ['edit']],
    actionKeys: ACTIONS.map(([key, label, actions]) => [key, words[label], actions]),
    searchField: [words.find, 'list-search'],
    newRows: [words.news, () => list.$list.get().waiting > 0, list.letGo],
  });
}
