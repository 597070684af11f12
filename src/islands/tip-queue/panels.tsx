import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import {
  isAssignedToOther,
  type QueueTip,
  readHandlers,
  type TipHandler,
  tipActionsOn,
} from '../../lib/data/tip-queue.ts';
import type { TipActionName } from '../../lib/domain/tips.ts';
import { type Refusal, sentenceOf } from '../../lib/i18n/refusals.ts';
import { CloseButton, Panel, PanelEnd, RefusalNote, TaskNote } from '../desk/controls.tsx';
import { useReload } from '../desk/hooks.ts';
import { type DeskMessages, useMessages } from '../desk/messages.tsx';
import { makeTask, type TaskState } from '../desk/task.ts';
import { useShared } from '../shared/use-shared.ts';
import { runTipAction } from './actions.ts';
import { restoreFocusFrom, tipLabel, useDelayedState } from './hooks.ts';
import type { DoneTip, TipQueueStore } from './tip-queue.ts';

type Props = {
  queue: TipQueueStore;
  /** The tip as it is now. */
  tip: QueueTip;
  state: TaskState;
  /** Whether typed input is kept. */
  hasInput?: boolean;
  /** Called after the tip was assigned to this person. */
  afterTakeOver?: () => void;
};

/**
 * Status of an action on a tip. When a colleague was faster, it names the colleague and offers to take the tip over.
 */
export function TipTaskNote({ queue, tip, state, hasInput = false, afterTakeOver }: Props) {
  const messages = useMessages();
  const [task] = useState(makeTask);
  const takeOverState = useDelayedState(task);
  const refused = state.step === 'refused' ? state.refusal : null;
  // To continue, the tip must be assigned to this person again.
  const takeOverAction =
    refused && isTipChanged(refused) ? tipActionsOn(tip, queue.me.id).find(isTakeOver) : undefined;
  const takeOver = async () => {
    if (!takeOverAction) return;
    if (await task.run(() => runTipAction(messages, queue, tip, { kind: takeOverAction }))) afterTakeOver?.();
  };
  return (
    <>
      <span className="status" role="status">
        {(state.step === 'doing' || takeOverState.step === 'doing') && messages.desk.status.sending}
      </span>
      {refused && (
        <RefusalNote
          refusal={refused}
          slug={queue.deskPath}
          sentence={[
            tipSentenceOf(messages, refused, tip, queue.me.id),
            ...(hasInput ? [messages.tipQueue.refused.stillTyped] : []),
          ].join(' ')}
        />
      )}
      {takeOverState.step === 'refused' && (
        <RefusalNote
          refusal={takeOverState.refusal}
          slug={queue.deskPath}
          sentence={tipSentenceOf(messages, takeOverState.refusal, tip, queue.me.id)}
        />
      )}
      {takeOverAction && (
        <p className="actions">
          <button
            type="button"
            className="main"
            data-action={takeOverAction}
            aria-label={messages.desk.about(messages.tipQueue.acts[takeOverAction], tipLabel(tip))}
            onClick={takeOver}
          >
            {messages.tipQueue.acts[takeOverAction]}
          </button>
        </p>
      )}
    </>
  );
}

/** Whether the action failed because the tip has changed. */
const isTipChanged = ({ code, version }: Refusal) =>
  code === 'conflict' || (code === 'bad_state' && version !== undefined);

const isTakeOver = (act: TipActionName): act is 'takeOver' | 'reopen' =>
  act === 'takeOver' || act === 'reopen';

/** Names the assigned colleague if that is the reason. */
function tipSentenceOf(messages: DeskMessages, refusal: Refusal, tip: QueueTip, me: string): string {
  return isTipChanged(refusal) && isAssignedToOther(tip, me)
    ? messages.tipQueue.refused.assignedElsewhere(tip.assigned?.name ?? '')
    : sentenceOf(refusal, messages);
}

export type TipPanelProps = { queue: TipQueueStore; tip: QueueTip; onClose: () => void };

/** Assigns a tip to a colleague or back to the queue. */
export function HandOverPanel({ queue, tip, onClose }: TipPanelProps) {
  const messages = useMessages();
  const [handlers, setHandlers] = useState<TipHandler[]>();
  const [loading] = useState(makeTask);
  const [task] = useState(makeTask);
  const state = useDelayedState(task);
  const load = useCallback(async () => setHandlers(await queue.backend.read(readHandlers)), [queue]);
  useReload(loading, 'handlers', load);
  const loaded = useDelayedState(loading);

  const assign = async (person: TipHandler | null) => {
    if (await task.run(() => runTipAction(messages, queue, tip, { kind: 'handOver', person }))) onClose();
  };
  const others = handlers?.filter(({ id }) => id !== queue.me.id);
  return (
    <Panel onClose={onClose}>
      <h3>{messages.tipQueue.handOver.title}</h3>
      <div className="tip-choices">
        <button type="button" onClick={() => assign(null)}>
          {messages.tipQueue.handOver.queue}
        </button>
        {others?.map((person) => (
          <button key={person.id} type="button" onClick={() => assign(person)}>
            {person.display_name} <small>{messages.desk.roles[person.role]}</small>
          </button>
        ))}
      </div>
      {others?.length === 0 && <p className="help">{messages.tipQueue.handOver.noOtherPerson}</p>}
      <TaskNote state={loaded} slug={queue.deskPath} />
      <TipTaskNote queue={queue} tip={tip} state={state} />
      <div className="actions">
        <CloseButton about={tipLabel(tip)} onClose={onClose} />
      </div>
    </Panel>
  );
}

/** Reopens a tip after a confirmation, which discards its unpublished update. */
export function ReopenPanel({ queue, tip, onClose }: TipPanelProps) {
  const messages = useMessages();
  const [task] = useState(makeTask);
  const state = useDelayedState(task);
  const reopen = async () => {
    if (await task.run(() => runTipAction(messages, queue, tip, { kind: 'reopen' }))) onClose();
  };
  return (
    <Panel onClose={onClose}>
      <p>{messages.tipQueue.reopen.sure}</p>
      <PanelEnd
        state={state}
        slug={queue.deskPath}
        confirm={messages.tipQueue.reopen.confirm}
        onConfirm={reopen}
        onClose={onClose}
        about={tipLabel(tip)}
      />
    </Panel>
  );
}

/**
 * Shown when a colleague was faster: who has the tip, and a button to take it over. The row stays until the panel is
 * closed.
 */
export function RefusedPanel({ queue, tip, refusal, onClose }: TipPanelProps & { refusal: Refusal }) {
  const state = useMemo<TaskState>(() => ({ step: 'refused', refusal }), [refusal]);
  return (
    <Panel onClose={onClose}>
      <TipTaskNote queue={queue} tip={tip} state={state} afterTakeOver={onClose} />
      <div className="actions">
        <CloseButton about={tipLabel(tip)} onClose={onClose} />
      </div>
    </Panel>
  );
}

/** How long a decision can be undone here, as on the desk. Later the tip is reopened in its list. */
const UNDO_MS = 10_000;

/** Last actions at the foot of the screen, with a button to undo or a link to the created update. */
export function DoneBar({ queue }: { queue: TipQueueStore }) {
  const done = useShared(queue.$done);
  if (done.length === 0) return null;
  return (
    <ul className="tip-done">
      {done.map((item) => (
        <DoneRow key={item.id} queue={queue} done={item} />
      ))}
    </ul>
  );
}

function DoneRow({ queue, done: { id, kind, tip, madeUpdate } }: { queue: TipQueueStore; done: DoneTip }) {
  const messages = useMessages();
  const row = useRef<HTMLLIElement>(null);
  const [task] = useState(makeTask);
  const state = useDelayedState(task);
  const canUndo = kind !== 'use';
  useEffect(() => {
    if (!canUndo) return;
    const remove = () => removeDone(queue, id);
    const timer = setTimeout(() => {
      // A focused entry stays until it loses the focus.
      if (!row.current?.contains(document.activeElement)) return remove();
      row.current.addEventListener('focusout', remove, { once: true });
    }, UNDO_MS);
    return () => clearTimeout(timer);
  }, [queue, id, canUndo]);

  const undoAction = async () => {
    const shown = [...queue.$tips.get(), ...queue.list.$list.get().rows].find((item) => item.id === id);
    if (!(await task.run(() => runTipAction(messages, queue, shown ?? tip, { kind: 'reopen' })))) return;
    removeDone(queue, id);
    requestAnimationFrame(() => document.getElementById(id)?.focus());
  };
  const close = () => {
    const place = row.current;
    removeDone(queue, id);
    restoreFocusFrom(place);
  };
  return (
    <li ref={row} className={kind}>
      <p>
        <b>{messages.tipQueue.undone[kind]}</b> <span dir="auto">{tipLabel(tip)}</span>
      </p>
      {canUndo ? (
        <button
          type="button"
          data-action="undo"
          aria-label={messages.desk.about(messages.tipQueue.undo, tipLabel(tip))}
          onClick={undoAction}
        >
          {messages.tipQueue.undo}
        </button>
      ) : (
        <>
          {madeUpdate && (
            <a href={`/desk/${madeUpdate.slug}#update-${madeUpdate.update}`}>{messages.tipQueue.itsDesk}</a>
          )}
          <CloseButton about={tipLabel(tip)} onClose={close} />
        </>
      )}
      <TipTaskNote queue={queue} tip={tip} state={state} />
    </li>
  );
}

function removeDone({ $done }: TipQueueStore, id: string): void {
  $done.set($done.get().filter((item) => item.id !== id));
}
