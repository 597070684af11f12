import { atom, type ReadableAtom } from 'nanostores';
import { type Refusal, Refused, refusal } from '../../lib/i18n/refusals.ts';

/** Error to show for a failed operation. Unexpected errors are reported to the console and shown without details. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refused) return error.refusal;
  reportError(error);
  return refusal('internal');
}

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
