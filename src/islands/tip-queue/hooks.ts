import { type RefObject, useEffect, useState } from 'react';
import type { QueueTip } from '../../lib/data/tip-queue.ts';
import { oneLine, shorten } from '../../lib/domain/body/blocks.ts';
import type { TipActionName } from '../../lib/domain/tips.ts';
import { useShortcuts } from '../desk/KeyboardShortcuts.tsx';
import { type DeskMessages, useMessages } from '../desk/messages.tsx';
import type { Task, TaskState } from '../desk/task.ts';
import { useShared } from '../shared/use-shared.ts';
import { useRowKeys } from '../update-list/list-hooks.ts';
import type { TipQueueStore } from './tip-queue.ts';

/** Delay before a running task is shown, in milliseconds. */
const SHOW_DELAY_MS = 300;

/** State of a task; it counts as running only after a delay. */
export function useDelayedState({ $state }: Task): TaskState {
  const state = useShared($state);
  const [late, setLate] = useState<TaskState | null>(null);
  useEffect(() => {
    if (state.step !== 'doing') return;
    const timer = setTimeout(() => setLate(state), SHOW_DELAY_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return state.step === 'doing' && late !== state ? IDLE : state;
}

const IDLE: TaskState = { step: 'idle' };

/** Keys and the actions that they run on the focused tip. */
const ACTIONS: [
  key: string,
  label: keyof DeskMessages['tipQueue']['keys'],
  acts: (TipActionName | 'photo')[],
][] = [
  ['t', 'take', ['take', 'takeOver']],
  ['e', 'use', ['use']],
  ['d', 'decline', ['decline']],
  ['x', 'spam', ['spam']],
  ['h', 'handOver', ['handOver']],
  ['r', 'release', ['release']],
  ['v', 'photo', ['photo']],
];

/**
 * Keyboard shortcuts of the tip queue.
 * @param queue the queue on the page
 * @param search id of the search field
 * @param isAlone whether no other list on the page has these keys
 */
export function useQueueKeys(
  { list, $open }: TipQueueStore,
  container: RefObject<HTMLElement | null>,
  { search, isAlone }: { search: string; isAlone: boolean },
): void {
  const messages = useMessages();
  const { keys } = messages.tipQueue;
  const isActive = () =>
    isAlone || (document.activeElement?.closest('.tip-queue')?.contains(container.current) ?? false);
  useRowKeys(container, {
    next: keys.next,
    previous: keys.previous,
    actionKeys: ACTIONS.map(([key, label, actions]) => [key, keys[label], actions]),
    searchField: [keys.find, search],
    newRows: [keys.news, () => list.$list.get().waiting > 0, list.showAll],
    isActive,
  });
  // The newest action is the one to undo.
  const undoButton = () =>
    [...document.querySelectorAll<HTMLElement>('.tip-done [data-action="undo"]')].at(-1);
  useShortcuts([
    {
      key: 'z',
      label: keys.undo,
      when: () => $open.get() === null && undoButton() !== undefined,
      run: () => undoButton()?.click(),
    },
  ]);
}

/**
 * Moves the focus after the pressed button has disappeared: to the row, or to the queue if the row is gone and no other
 * row has the focus.
 */
export function restoreFocusFrom(element: HTMLElement | null): void {
  const queue =
    element?.closest<HTMLElement>('.tip-queue') ?? document.querySelector<HTMLElement>('.tip-queue');
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    (element?.closest<HTMLElement>('li.tip-row') ?? queue)?.focus();
  });
}

/** Length of a label in characters. */
const LABEL_LENGTH = 40;

/** Label of a tip in the accessible names of its buttons. */
export const tipLabel = ({ body }: Pick<QueueTip, 'body'>): string => shorten(oneLine(body), LABEL_LENGTH);
