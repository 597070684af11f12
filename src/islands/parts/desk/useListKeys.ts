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
export function useListKeys({ list }: Desk, place: RefObject<HTMLElement | null>): void {
  const words = deskList.keys;
  useRowKeys(place, {
    next: words.next,
    previous: words.previous,
    enter: [words.edit, ['edit']],
    acts: ACTIONS.map(([key, label, actions]) => [key, words[label], actions]),
    find: [words.find, 'list-search'],
    news: [words.news, () => list.$list.get().waiting > 0, list.letGo],
  });
}
