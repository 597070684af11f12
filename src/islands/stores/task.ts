import { atom, type ReadableAtom } from 'nanostores';
import type { Refusal } from '../../lib/http/errors.ts';
import { refusalOf } from './refusal-of.ts';

/** Something small that is being done: nothing yet, under way, or refused. */
export type TaskState = { step: 'idle' } | { step: 'doing' } | { step: 'refused'; refusal: Refusal };

export type Task = {
  $state: ReadableAtom<TaskState>;
  /** Does it, unless it is under way. @returns whether it was done */
  run(work: () => Promise<unknown>): Promise<boolean>;
};

export function makeTask(): Task {
  const $state = atom<TaskState>({ step: 'idle' });
  return {
    $state,
    async run(work) {
      if ($state.get().step === 'doing') return false;
      $state.set({ step: 'doing' });
      try {
        await work();
        $state.set({ step: 'idle' });
        return true;
      } catch (error) {
        $state.set({ step: 'refused', refusal: refusalOf(error) });
        return false;
      }
    },
  };
}
