import { type RefObject, useEffect, useState } from 'react';
import type { QueueTip } from '../../lib/data/tip-queue.ts';
import { shorten } from '../../lib/domain/body/blocks.ts';
import type { TipAct } from '../../lib/domain/tips.ts';
import { tipQueue } from '../../lib/i18n/tip-queue.ts';
import { useShared } from '../desk/hooks.ts';
import { useShortcuts } from '../desk/shortcuts.ts';
import type { Task, TaskState } from '../desk/task.ts';
import { useRowKeys } from '../update-list/list-hooks.ts';
import type { TipQueue } from './tip-queue.ts';

/** What is answered sooner needs no word. */
const LATE_MS = 300;

/** How a task stands, as it is said: under way not before it has taken a while. */
export function useLate({ $state }: Task): TaskState {
  const state = useShared($state);
  const [late, setLate] = useState<TaskState | null>(null);
  useEffect(() => {
    if (state.step !== 'doing') return;
    const timer = setTimeout(() => setLate(state), LATE_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return state.step === 'doing' && late !== state ? IDLE : state;
}

const IDLE: TaskState = { step: 'idle' };

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

/**
 * With the button that was pressed the focus is gone too: it stays at the row. Where the row is gone the list has given
 * it to the one in its place, or there is none, and the queue itself has it.
 */
export function goOnFrom(place: HTMLElement | null): void {
  const queue =
    place?.closest<HTMLElement>('.tip-queue') ?? document.querySelector<HTMLElement>('.tip-queue');
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    (place?.closest<HTMLElement>('li.tip-row') ?? queue)?.focus();
  });
}

/** Characters of the first words, to tell a tip by. */
const FIRST = 40;

/** What a tip is called in the name of a button: there is one like it for others too. */
export const nameOfTip = ({ body }: Pick<QueueTip, 'body'>): string =>
  shorten(body.replace(/\s+/g, ' ').trim(), FIRST);
