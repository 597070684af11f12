import type { RefObject } from 'react';
import { tipQueue } from '../../../lib/text/tip-queue.ts';
import type { TipAct } from '../../../lib/tips/acts.ts';
import type { TipQueue } from '../../stores/tip-queue.ts';
import { useRowKeys } from '../desk/useRowKeys.ts';
import { useShortcuts } from '../desk/useShortcuts.ts';

/** Which key presses which act of the tip that one is at. */
const ACTS: [key: string, label: keyof typeof tipQueue.keys, acts: (TipAct | 'photo')[]][] = [
  ['t', 'take', ['take', 'takeOver']],
  ['e', 'use', ['use']],
  ['d', 'decline', ['decline']],
  ['x', 'spam', ['spam']],
  ['h', 'handOver', ['handOver']],
  ['r', 'release', ['release']],
  ['v', 'photo', ['photo']],
];

/**
 * The keys of the queue.
 * @param queue as it stands on the page
 * @param search the id of the field in which one searches
 * @param isAlone no other list of the page has these keys
 */
export function useQueueKeys(
  { list, $open }: TipQueue,
  place: RefObject<HTMLElement | null>,
  { search, isAlone }: { search: string; isAlone: boolean },
): void {
  const messages = tipQueue.keys;
  const isActive = () =>
    isAlone || (document.activeElement?.closest('.tip-queue')?.contains(place.current) ?? false);
  useRowKeys(place, {
    next: messages.next,
    previous: messages.previous,
    actionKeys: ACTS.map(([key, label, acts]) => [key, messages[label], acts]),
    searchField: [messages.find, search],
    newRows: [messages.news, () => list.$list.get().waiting > 0, list.letGo],
    isActive,
  });
  // The newest: it is what was done by mistake.
  const undo = () => [...document.querySelectorAll<HTMLElement>('.tip-done [data-action="undo"]')].at(-1);
  useShortcuts([
    {
      key: 'z',
      label: messages.undo,
      when: () => $open.get() === null && undo() !== undefined,
      run: () => undo()?.click(),
    },
  ]);
}
