import { useStore } from '@nanostores/react';
import { useRef, useState } from 'react';
import { type CoverageState, nextStates } from '../../../lib/desk/coverage.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeTask } from '../../stores/task.ts';
import { TaskNote } from './TaskNote.tsx';
import { WithdrawCoverage } from './WithdrawCoverage.tsx';

/** The ways that the coverage may go from its state. Withdrawing all of it takes a second thought. */
export function StateButtons({ desk }: { desk: Desk }) {
  const coverage = useStore(desk.$coverage);
  const [task] = useState(makeTask);
  const [withdrawing, setWithdrawing] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const progress = useStore(task.$state);

  const enter = (state: CoverageState) =>
    task.run(async () => {
      await desk.press('set_coverage_state', { coverage_id: coverage.id, state });
      // Where the desk was told already, the next press may follow at once.
      if (desk.$coverage.get().state !== state) await desk.refresh();
    });
  const close = () => {
    setWithdrawing(false);
    opener.current?.focus();
  };
  const moves: Partial<Record<CoverageState, string>> = words.coverage.moves[coverage.state];
  return (
    <>
      <div className="actions">
        {nextStates(coverage).map((state) =>
          state === 'withdrawn' ? (
            <button
              key={state}
              ref={opener}
              type="button"
              className="quiet"
              aria-expanded={withdrawing}
              onClick={() => setWithdrawing(!withdrawing)}
            >
              {moves[state]}
            </button>
          ) : (
            <button
              key={state}
              type="button"
              aria-disabled={progress.step === 'doing'}
              onClick={() => enter(state)}
            >
              {moves[state]}
            </button>
          ),
        )}
      </div>
      <TaskNote state={progress} slug={coverage.slug} />
      {withdrawing && <WithdrawCoverage desk={desk} onClose={close} />}
    </>
  );
}
