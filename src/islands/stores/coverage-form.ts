import { atom, computed, type ReadableAtom } from 'nanostores';
import type { DeskCoverage } from '../../lib/desk/coverage.ts';
import type { Desk } from './desk.ts';
import { makeTask, type TaskState } from './task.ts';

/** What of the coverage was seen when the first of it was typed: it is saved over that and nothing newer. */
type Seen = { coverage_id: string; version: number };

type Draft<Typed> = {
  typed: Typed;
  /** The version that it is written over; once it is saved, the one that it has become. */
  version: number;
  isSaved: boolean;
};

/** A part of the coverage as it is typed anew. */
export type CoverageForm<Typed> = {
  /** What stands, until something is typed, and again when that is saved and seen. */
  $typed: ReadableAtom<Typed>;
  $state: ReadableAtom<TaskState>;
  type(typed: Typed): void;
  /**
   * Saves what is typed, and looks.
   * @param send answers with what the database made of the coverage
   * @param said what is announced when it is done
   * @returns whether nothing is left in the form: not when more was typed meanwhile, or it cannot be seen yet
   */
  save(send: (typed: Typed, seen: Seen) => Promise<unknown>, said: string): Promise<boolean>;
};

/** @param read what the form shows of a coverage while nothing is typed */
export function makeCoverageForm<Typed>(
  { $coverage, $said, refresh }: Pick<Desk, '$coverage' | '$said' | 'refresh'>,
  read: (coverage: DeskCoverage) => Typed,
): CoverageForm<Typed> {
  const task = makeTask();
  const $draft = atom<Draft<Typed> | null>(null);

  /** What is typed and not yet seen on the desk. */
  function open(draft: Draft<Typed> | null, { version }: DeskCoverage): Draft<Typed> | null {
    return draft?.isSaved && version >= draft.version ? null : draft;
  }
  const draftNow = (): Draft<Typed> => {
    const coverage = $coverage.get();
    const fresh = { typed: read(coverage), version: coverage.version, isSaved: false };
    return open($draft.get(), coverage) ?? fresh;
  };

  return {
    $typed: computed([$draft, $coverage], (draft, coverage) => {
      const now = open(draft, coverage);
      return now ? now.typed : read(coverage);
    }),
    $state: task.$state,
    type(typed) {
      $draft.set({ ...draftNow(), typed, isSaved: false });
    },
    async save(send, said) {
      const sent = draftNow();
      $draft.set(sent);
      const done = await task.run(async () => {
        const seen = { coverage_id: $coverage.get().id, version: sent.version };
        const { version } = (await send(sent.typed, seen)) as { version: number };
        const now = $draft.get() ?? sent;
        $draft.set({ typed: now.typed, version, isSaved: now.typed === sent.typed });
      });
      await refresh();
      const state = task.$state.get();
      if (state.step === 'refused' && state.refusal.code === 'conflict') {
        // What is newer stands beside the form now: whoever saves again has seen it.
        const now = draftNow();
        $draft.set({ ...now, version: Math.max(now.version, $coverage.get().version) });
      }
      if (done) $said.set(said);
      return done && open($draft.get(), $coverage.get()) === null;
    },
  };
}
