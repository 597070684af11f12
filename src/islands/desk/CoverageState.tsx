import { type ReactNode, type SubmitEvent, useCallback, useEffect, useId, useRef, useState } from 'react';
import {
  type CoverageState,
  isPublicState,
  nextStates,
  transitionMessageKey,
} from '../../lib/domain/desk.ts';
import { Field } from '../shared/Field.tsx';
import { useShared } from '../shared/use-shared.ts';
import { CopyBrief } from './CopyBrief.tsx';
import { TaskNote } from './controls.tsx';
import type { Desk } from './desk.ts';
import { useMessages } from './messages.tsx';
import { makeTask, type TaskState } from './task.ts';

/** Parts of the desk that change the coverage's state. */
type StateDesk = Pick<Desk, '$coverage' | 'sync' | 'view' | 'backend'>;

/** Changes of state that are confirmed, because readers notice them at once or they cannot be undone. */
type ConfirmedState = 'ended' | 'archived' | 'withdrawn';

const isConfirmed = (state: CoverageState): state is ConfirmedState =>
  state === 'ended' || state === 'archived' || state === 'withdrawn';

/** Changes the state and shows the new one. */
async function enterState(desk: StateDesk, state: CoverageState): Promise<void> {
  const { id: coverage_id } = desk.$coverage.get();
  await desk.backend.execute('set_coverage_state', { coverage_id, state });
  // The desk's channel may have reported the new state already.
  if (desk.$coverage.get().state !== state) await desk.sync.refresh();
}

type ConfirmStateProps = { desk: StateDesk; state: ConfirmedState; onClose(): void };

/** Asks before a change of state, and says what it does. Withdrawing also needs the slug. */
export function ConfirmState({ desk, state, onClose }: ConfirmStateProps) {
  const messages = useMessages();
  const { slug } = useShared(desk.$coverage);
  const [task] = useState(makeTask);
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  const progress = useShared(task.$state);
  const { title, confirm } = messages.running.confirm[state];
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const enter = async () => {
    const isWrong = state === 'withdrawn' && typed.trim() !== slug;
    setProblem(isWrong ? messages.desk.coverage.withdrawMismatch(slug) : undefined);
    if (isWrong || !(await task.run(() => enterState(desk, state)))) return;
    desk.view.$announcement.set(messages.running.stands[state]);
    // The new state may have arrived first and removed this dialog. By now another one may be open.
    if (isShown.current) onClose();
  };
  return (
    <ConfirmDialog
      title={title}
      confirm={confirm}
      state={progress}
      slug={slug}
      onConfirm={() => void enter()}
      onClose={onClose}
    >
      <p>{messages.running.means[state]}</p>
      {state === 'withdrawn' && (
        <Field label={messages.desk.coverage.withdrawLabel(slug)} problem={problem}>
          {(control) => (
            <input
              {...control}
              data-first
              value={typed}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
      )}
    </ConfirmDialog>
  );
}

/** Before the first publication, going live is the main action and has its own button. */
const isPreparing = (state: CoverageState) => state === 'draft' || state === 'scheduled';

/** Items that the style sheet shows. */
const itemsOf = (container: HTMLElement | null) =>
  [...(container?.querySelectorAll<HTMLElement>('.state-menu :is(button, a)') ?? [])].filter((item) =>
    item.checkVisibility(),
  );

function moveFocus(container: HTMLElement | null, by: 1 | -1): void {
  const items = itemsOf(container);
  const index = items.indexOf(document.activeElement as HTMLElement);
  items.at((index + by + items.length) % items.length)?.focus();
}

/** The state of the coverage, and a menu of the actions that change it. */
export function StateMenu({ desk }: { desk: StateDesk }) {
  const messages = useMessages();
  const coverage = useShared(desk.$coverage);
  const { state, slug } = coverage;
  const [task] = useState(makeTask);
  const progress = useShared(task.$state);
  const [isOpen, setOpen] = useState(false);
  const [confirming, setConfirming] = useState<ConfirmedState | null>(null);
  const container = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const id = useId();
  const moves: Partial<Record<CoverageState, string>> = messages.desk.coverage.moves[state];
  const next = nextStates(coverage);
  const main = isPreparing(state) ? next.find((other) => other === 'live') : undefined;

  useEffect(() => {
    if (!isOpen) return;
    itemsOf(container.current)[0]?.focus();
    const onPointerDown = ({ target }: PointerEvent) => {
      if (!(target instanceof Node && container.current?.contains(target))) setOpen(false);
    };
    const onFocusOut = ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget instanceof Node && !container.current?.contains(relatedTarget)) setOpen(false);
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape') {
        setOpen(false);
        opener.current?.focus();
      }
      const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
      if (by === 0) return;
      event.preventDefault();
      moveFocus(container.current, by);
    };
    const element = container.current;
    document.addEventListener('pointerdown', onPointerDown);
    element?.addEventListener('focusout', onFocusOut);
    element?.addEventListener('keydown', onKeyDown);
    return () => {
      document.removeEventListener('pointerdown', onPointerDown);
      element?.removeEventListener('focusout', onFocusOut);
      element?.removeEventListener('keydown', onKeyDown);
    };
  }, [isOpen]);

  const close = () => {
    setOpen(false);
    opener.current?.focus();
  };
  const choose = (chosen: CoverageState) => {
    if (progress.step === 'doing') return;
    close();
    if (isConfirmed(chosen)) setConfirming(chosen);
    else
      void task.run(async () => {
        await enterState(desk, chosen);
        desk.view.$announcement.set(messages.running.stands[chosen]);
        opener.current?.focus();
      });
  };
  const endConfirming = useCallback(() => {
    setConfirming(null);
    opener.current?.focus();
  }, []);
  // The state may have changed meanwhile, by this person's command or by another person.
  const isObsolete = confirming !== null && !next.includes(confirming);
  useEffect(() => {
    if (isObsolete) endConfirming();
  }, [isObsolete, endConfirming]);
  return (
    <div ref={container} className="state-control">
      <button
        ref={opener}
        type="button"
        className="state-button"
        aria-expanded={isOpen}
        aria-controls={`${id}-menu`}
        aria-label={messages.running.menu(messages.desk.states[state])}
        onClick={() => setOpen(!isOpen)}
      >
        <b className={state === 'live' ? 'live' : undefined}>{messages.desk.states[state]}</b>{' '}
        <span aria-hidden="true">▾</span>
      </button>
      {main && (
        <button
          type="button"
          className="main"
          aria-disabled={progress.step === 'doing' || undefined}
          onClick={() => choose(main)}
        >
          {moves[main]}
        </button>
      )}
      <ul className="state-menu" id={`${id}-menu`} hidden={!isOpen}>
        {next
          .filter((other) => other !== main)
          .map((other) => (
            <li key={other} className="menu-item">
              <button
                type="button"
                aria-disabled={progress.step === 'doing' || undefined}
                aria-describedby={`${id}-${other}`}
                onClick={() => choose(other)}
              >
                {moves[other]}
              </button>
              <span className="help" id={`${id}-${other}`}>
                {messages.running.means[transitionMessageKey(state, other)]}
              </span>
            </li>
          ))}
        {isPublicState(state) && (
          <li className="menu-item menu-view">
            <a className="menu-link" href={`/live/${slug}`}>
              {messages.desk.coverage.readersPage}
            </a>
          </li>
        )}
        {isPublicState(state) && <CopyBrief desk={desk} slug={slug} onCopied={close} />}
        <li className="menu-item">
          <a className="menu-link" href={`/desk/${slug}/settings`}>
            {messages.running.settings}
          </a>
        </li>
      </ul>
      <TaskNote state={progress} slug={slug} />
      {confirming && !isObsolete && <ConfirmState desk={desk} state={confirming} onClose={endConfirming} />}
    </div>
  );
}

type ConfirmDialogProps = {
  title: string;
  /** Effects of the action, and fields that it needs. */
  children: ReactNode;
  /** Label of the button that runs the action. */
  confirm: string;
  state: TaskState;
  slug: string;
  onConfirm(): void;
  /** Called when the dialog was closed, also by Escape. The caller moves the focus. */
  onClose(): void;
};

/** Asks before an action. The focus is on the element marked `data-first`, or on the button that cancels. */
function ConfirmDialog({ title, children, confirm, state, slug, onConfirm, onClose }: ConfirmDialogProps) {
  const messages = useMessages();
  const dialog = useRef<HTMLDialogElement>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
    (dialog.current?.querySelector<HTMLElement>('[data-first]') ?? cancel.current)?.focus();
  }, []);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onConfirm();
  };
  return (
    <dialog ref={dialog} className="confirm" aria-labelledby={`${id}-title`} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <h2 id={`${id}-title`}>{title}</h2>
        {children}
        <TaskNote state={state} slug={slug} />
        <div className="actions">
          <button type="submit" className="main" aria-disabled={state.step === 'doing' || undefined}>
            {confirm}
          </button>
          <button ref={cancel} type="button" onClick={() => dialog.current?.close()}>
            {messages.desk.cancel}
          </button>
        </div>
      </form>
    </dialog>
  );
}
