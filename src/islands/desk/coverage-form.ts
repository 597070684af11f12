import { atom, computed, type ReadableAtom } from 'nanostores';
import type { DeskCoverage } from '../../lib/domain/desk.ts';
import type { Desk } from './desk.ts';
import { makeTask, type TaskState } from './task.ts';

/** The version that was shown when typing began. The save is based on it. */
type Seen = { coverage_id: string; version: number };

type Draft<Typed> = {
  typed: Typed;
  /** Version that the save is based on; after the save, the new version. */
  version: number;
  isSaved: boolean;
};

/** Form of a part of the coverage. */
export type CoverageForm<Typed> = {
  /** The coverage's value, or the typed value until it is saved and refetched. */
  $typed: ReadableAtom<Typed>;
  $state: ReadableAtom<TaskState>;
  type(typed: Typed): void;
  /**
   * Saves the typed value and refetches.
   * @param send returns the coverage that the database saved
   * @param message announced after success
   * @returns whether the form is empty: false when more was typed meanwhile or the refetch failed
   */
  save(send: (typed: Typed, seen: Seen) => Promise<unknown>, message: string): Promise<boolean>;
};

/** @param read the coverage's value that the form shows while nothing is typed */
export function makeCoverageForm<Typed>(
  { $coverage, view, sync }: Pick<Desk, '$coverage' | 'view' | 'sync'>,
  read: (coverage: DeskCoverage) => Typed,
): CoverageForm<Typed> {
  const task = makeTask();
  const $draft = atom<Draft<Typed> | null>(null);

  /** The typed value while the desk does not show it. */
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
    async save(send, message) {
      const sent = draftNow();
      $draft.set(sent);
      const done = await task.run(async () => {
        const seen = { coverage_id: $coverage.get().id, version: sent.version };
        const { version } = (await send(sent.typed, seen)) as { version: number };
        const now = $draft.get() ?? sent;
        $draft.set({ typed: now.typed, version, isSaved: now.typed === sent.typed });
      });
      await sync.refresh();
      const state = task.$state.get();
      if (state.step === 'refused' && state.refusal.code === 'conflict') {
        // The newer value is now shown beside the form, so the next save may replace it.
        const now = draftNow();
        $draft.set({ ...now, version: Math.max(now.version, $coverage.get().version) });
      }
      if (done) view.$announcement.set(message);
      return done && open($draft.get(), $coverage.get()) === null;
    },
  };
}
