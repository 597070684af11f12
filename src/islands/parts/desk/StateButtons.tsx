import { useEffect, useId, useRef, useState } from 'react';
import { type CoverageState, meaningOf, nextStates } from '../../../lib/desk/coverage.ts';
import { desk as messages } from '../../../lib/text/desk.ts';
import { running } from '../../../lib/text/running.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeTask } from '../../stores/task.ts';
import { ArchiveCoverage } from './ArchiveCoverage.tsx';
import { TaskNote } from './TaskNote.tsx';
import { useShared } from './useShared.ts';
import { WithdrawCoverage } from './WithdrawCoverage.tsx';

/** What cannot be recalled takes a second thought. */
const ASKS: CoverageState[] = ['archived', 'withdrawn'];

/** The ways that the coverage may go from its state, each with what it means for readers. */
export function StateButtons({ desk }: { desk: Desk }) {
  const coverage = useShared(desk.$coverage);
  const [task] = useState(makeTask);
  const [asking, setAsking] = useState<CoverageState | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const moveList = useRef<HTMLUListElement>(null);
  const progress = useShared(task.$state);
  const id = useId();

  const hadFocus = useRef(false);
  // The way that was gone is no way any more, and its button is gone with it.
  useEffect(() => {
    const isLost = coverage.state && document.activeElement === document.body;
    if (hadFocus.current && isLost) moveList.current?.focus();
    hadFocus.current = moveList.current?.contains(document.activeElement) ?? false;
  }, [coverage.state]);
  const enter = (state: CoverageState) => {
    hadFocus.current = true;
    void task.run(async () => {
      await desk.press('set_coverage_state', { coverage_id: coverage.id, state });
      // Where the desk was told already, the next press may follow at once.
      if (desk.$coverage.get().state !== state) await desk.refresh();
    });
  };
  const close = () => {
    setAsking(null);
    (opener.current ?? moveList.current)?.focus();
  };
  const moves: Partial<Record<CoverageState, string>> = messages.coverage.moves[coverage.state];
  const next = nextStates(coverage);
  // Somebody else may have taken it to where this is no way any more.
  const isAsked = (state: CoverageState) => asking === state && next.includes(state);
  return (
    <>
      <ul className="moves" ref={moveList} tabIndex={-1} aria-label={messages.coverage.title}>
        {next.map((state) => (
          <li key={state}>
            {ASKS.includes(state) ? (
              <button
                ref={asking === state ? opener : undefined}
                type="button"
                className="quiet"
                aria-expanded={asking === state}
                aria-describedby={`${id}-${state}`}
                onClick={() => setAsking(asking === state ? null : state)}
              >
                {moves[state]}
              </button>
            ) : (
              <button
                type="button"
                aria-disabled={progress.step === 'doing'}
                aria-describedby={`${id}-${state}`}
                onClick={() => enter(state)}
              >
                {moves[state]}
              </button>
            )}
            <span className="help" id={`${id}-${state}`}>
              {running.means[meaningOf(coverage.state, state)]}
            </span>
          </li>
        ))}
      </ul>
      <TaskNote state={progress} slug={coverage.slug} />
      {isAsked('archived') && <ArchiveCoverage desk={desk} onClose={close} />}
      {isAsked('withdrawn') && <WithdrawCoverage desk={desk} onClose={close} />}
    </>
  );
}
