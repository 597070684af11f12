import { atom, type ReadableAtom } from 'nanostores';
import type { Refusal } from '../../lib/http/errors.ts';
import { refusalOf } from './refusal-of.ts';

/** State of a short operation. */
export type TaskState = { step: 'idle' } | { step: 'doing' } | { step: 'refused'; refusal: Refusal };

export type Task = {
  $state: ReadableAtom<TaskState>;
  /**
   * Runs the operation, unless one is running.
   * @returns whether it succeeded
   */
  run(operation: () => Promise<unknown>): Promise<boolean>;
};

export function makeTask(): Task {
  const $state = atom<TaskState>({ step: 'idle' });
  return {
    $state,
    async run(operation) {
      if ($state.get().step === 'doing') return false;
      $state.set({ step: 'doing' });
      try {
        await operation();
        $state.set({ step: 'idle' });
        return true;
      } catch (error) {
        $state.set({ step: 'refused', refusal: refusalOf(error) });
        return false;
      }
    },
  };
}
