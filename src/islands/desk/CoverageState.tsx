import { type SubmitEvent, useEffect, useId, useRef, useState } from 'react';
import { type CoverageState, nextStates, transitionMessageKey } from '../../lib/domain/desk-coverages.ts';
import { Field } from '../shared/Field.tsx';
import { useShared } from '../shared/use-shared.ts';
import { Panel, PanelEnd, TaskNote } from './controls.tsx';
import type { Desk } from './desk.ts';
import { useMessages } from './messages.tsx';
import { makeTask } from './task.ts';

/** Parts of the desk that change the coverage's state. */
type StateDesk = Pick<Desk, '$coverage' | 'sync' | 'backend'>;

/** Archives a coverage after a confirmation. */
export function ArchiveCoverage({ desk, onClose }: { desk: StateDesk; onClose: () => void }) {
  const messages = useMessages();
  const { id, slug } = useShared(desk.$coverage);
  const [task] = useState(makeTask);
  const progress = useShared(task.$state);
  const archive = async () => {
    const done = await task.run(() =>
      desk.backend.execute('set_coverage_state', { coverage_id: id, state: 'archived' }),
    );
    if (!done) return;
    await desk.sync.refresh();
    onClose();
  };
  return (
    <Panel onClose={onClose}>
      <p>
        <b>{messages.running.archiveTitle}</b>
      </p>
      <p className="help">{messages.running.means.archived}</p>
      <PanelEnd
        state={progress}
        slug={slug}
        confirm={messages.running.archiveConfirm}
        onConfirm={archive}
        onClose={onClose}
        about={messages.running.archiveTitle}
      />
    </Panel>
  );
}

/** Withdraws a coverage after its slug was typed. */
export function WithdrawCoverage({ desk, onClose }: { desk: StateDesk; onClose: () => void }) {
  const messages = useMessages();
  const { id, slug } = useShared(desk.$coverage);
  const [task] = useState(makeTask);
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  const progress = useShared(task.$state);

  const withdraw = async (event: SubmitEvent) => {
    event.preventDefault();
    setProblem(typed.trim() === slug ? undefined : messages.desk.coverage.withdrawMismatch(slug));
    if (typed.trim() !== slug) return;
    const done = await task.run(() =>
      desk.backend.execute('set_coverage_state', { coverage_id: id, state: 'withdrawn' }),
    );
    if (!done) return;
    await desk.sync.refresh();
    onClose();
  };
  return (
    <Panel onClose={onClose}>
      <form onSubmit={withdraw} noValidate>
        <Field
          label={messages.desk.coverage.withdrawLabel(slug)}
          help={messages.desk.coverage.withdrawWarning}
          problem={problem}
        >
          {(control) => (
            <input
              {...control}
              value={typed}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
        <PanelEnd
          state={progress}
          slug={slug}
          confirm={messages.desk.coverage.withdrawConfirm}
          onClose={onClose}
          about={messages.desk.coverage.withdrawConfirm}
        />
      </form>
    </Panel>
  );
}

/** States that cannot be undone need a confirmation. */
const NEEDS_CONFIRMATION: CoverageState[] = ['archived', 'withdrawn'];

/** Buttons for the next states of the coverage, with their effect for readers. */
export function StateButtons({ desk }: { desk: StateDesk }) {
  const messages = useMessages();
  const coverage = useShared(desk.$coverage);
  const [task] = useState(makeTask);
  const [confirming, setConfirming] = useState<CoverageState | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const moveList = useRef<HTMLUListElement>(null);
  const progress = useShared(task.$state);
  const id = useId();

  const hadFocus = useRef(false);
  // After the change the pressed button may be gone.
  useEffect(() => {
    const isLost = coverage.state && document.activeElement === document.body;
    if (hadFocus.current && isLost) moveList.current?.focus();
    hadFocus.current = moveList.current?.contains(document.activeElement) ?? false;
  }, [coverage.state]);
  const enter = (state: CoverageState) => {
    hadFocus.current = true;
    void task.run(async () => {
      await desk.backend.execute('set_coverage_state', { coverage_id: coverage.id, state });
      // The desk's channel may have reported the new state already.
      if (desk.$coverage.get().state !== state) await desk.sync.refresh();
    });
  };
  const close = () => {
    setConfirming(null);
    (opener.current ?? moveList.current)?.focus();
  };
  const moves: Partial<Record<CoverageState, string>> = messages.desk.coverage.moves[coverage.state];
  const next = nextStates(coverage);
  // A colleague may have changed the state meanwhile.
  const isConfirming = (state: CoverageState) => confirming === state && next.includes(state);
  return (
    <>
      <ul className="moves" ref={moveList} tabIndex={-1} aria-label={messages.desk.coverage.title}>
        {next.map((state) => (
          <li key={state}>
            {NEEDS_CONFIRMATION.includes(state) ? (
              <button
                ref={confirming === state ? opener : undefined}
                type="button"
                className="quiet"
                aria-expanded={confirming === state}
                aria-describedby={`${id}-${state}`}
                onClick={() => setConfirming(confirming === state ? null : state)}
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
              {messages.running.means[transitionMessageKey(coverage.state, state)]}
            </span>
          </li>
        ))}
      </ul>
      <TaskNote state={progress} slug={coverage.slug} />
      {isConfirming('archived') && <ArchiveCoverage desk={desk} onClose={close} />}
      {isConfirming('withdrawn') && <WithdrawCoverage desk={desk} onClose={close} />}
    </>
  );
}
