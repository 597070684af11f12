import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { actsOn, isOthers } from '../../lib/data/tip-actions.ts';
import { type QueueTip, readHandlers, type TipHandler } from '../../lib/data/tip-queue.ts';
import type { TipAct } from '../../lib/domain/tips.ts';
import { desk } from '../../lib/i18n/desk.ts';
import type { Refusal } from '../../lib/i18n/refusals.ts';
import { tipQueue as messages } from '../../lib/i18n/tip-queue.ts';
import { CloseButton, Panel, PanelEnd, RefusalNote, TaskNote } from '../desk/controls.tsx';
import { useFresh, useShared } from '../desk/hooks.ts';
import { makeTask, type TaskState } from '../desk/task.ts';
import { doToTip } from './actions.ts';
import { goOnFrom, nameOfTip, useLate } from './hooks.ts';
import type { DoneTip, TipQueue } from './tip-queue.ts';

type Props = {
  queue: TipQueue;
  /** As it is now. */
  tip: QueueTip;
  state: TaskState;
  /** What was typed, and is not lost. */
  hasWords?: boolean;
  /** It is with this person now. */
  onTaken?: () => void;
};

/** What becomes of a press: that it is being sent, or why it was not done; where somebody was quicker, who has it and the way on. */
export function Quicker({ queue, tip, state, hasWords = false, onTaken }: Props) {
  const [task] = useState(makeTask);
  const taking = useLate(task);
  const refused = state.step === 'refused' ? state.refusal : null;
  // To go on it has to be one's own again.
  const back = refused && isTips(refused) ? actsOn(tip, queue.me.id).find(isBack) : undefined;
  const take = async () => {
    if (!back) return;
    if (await task.run(() => doToTip(queue, tip, { act: back }))) onTaken?.();
  };
  return (
    <>
      <span className="status" role="status">
        {(state.step === 'doing' || taking.step === 'doing') && desk.status.sending}
      </span>
      {refused && (
        <RefusalNote
          refusal={refused}
          slug={queue.place}
          sentence={[
            sentenceOf(refused, tip, queue.me.id),
            ...(hasWords ? [messages.refused.stillTyped] : []),
          ].join(' ')}
        />
      )}
      {taking.step === 'refused' && (
        <RefusalNote
          refusal={taking.refusal}
          slug={queue.place}
          sentence={sentenceOf(taking.refusal, tip, queue.me.id)}
        />
      )}
      {back && (
        <p className="actions">
          <button
            type="button"
            className="main"
            data-action={back}
            aria-label={desk.about(messages.acts[back], nameOfTip(tip))}
            onClick={take}
          >
            {messages.acts[back]}
          </button>
        </p>
      )}
    </>
  );
}

/** Whether the tip itself is why. */
const isTips = ({ code, version }: Refusal) =>
  code === 'conflict' || (code === 'bad_state' && version !== undefined);

const isBack = (act: TipAct): act is 'takeOver' | 'reopen' => act === 'takeOver' || act === 'reopen';

/** Who has it now, where that is why. */
function sentenceOf(refusal: Refusal, tip: QueueTip, me: string): string {
  return isTips(refusal) && isOthers(tip, me)
    ? messages.refused.taken(tip.assigned?.name ?? '')
    : refusal.sentence;
}

export type TipPanelProps = { queue: TipQueue; tip: QueueTip; onClose: () => void };

/** Gives a tip to somebody else who handles tips, or back to the queue: one press each. */
export function HandOverPanel({ queue, tip, onClose }: TipPanelProps) {
  const [handlers, setHandlers] = useState<TipHandler[]>();
  const [loading] = useState(makeTask);
  const [task] = useState(makeTask);
  const state = useLate(task);
  const load = useCallback(async () => setHandlers(await queue.backend.read(readHandlers)), [queue]);
  useFresh(loading, 'handlers', load);
  const loaded = useLate(loading);

  const give = async (to: TipHandler | null) => {
    if (await task.run(() => doToTip(queue, tip, { act: 'handOver', to }))) onClose();
  };
  const others = handlers?.filter(({ id }) => id !== queue.me.id);
  return (
    <Panel onClose={onClose}>
      <h3>{messages.handOver.title}</h3>
      <div className="tip-choices">
        <button type="button" onClick={() => give(null)}>
          {messages.handOver.queue}
        </button>
        {others?.map((person) => (
          <button key={person.id} type="button" onClick={() => give(person)}>
            {person.display_name} <small>{desk.roles[person.role]}</small>
          </button>
        ))}
      </div>
      {others?.length === 0 && <p className="help">{messages.handOver.nobody}</p>}
      <TaskNote state={loaded} slug={queue.place} />
      <Quicker queue={queue} tip={tip} state={state} />
      <div className="actions">
        <CloseButton about={nameOfTip(tip)} onClose={onClose} />
      </div>
    </Panel>
  );
}

/** Takes back the update that was made of a tip, after asking: it was never published. */
export function ReopenPanel({ queue, tip, onClose }: TipPanelProps) {
  const [task] = useState(makeTask);
  const state = useLate(task);
  const reopen = async () => {
    if (await task.run(() => doToTip(queue, tip, { act: 'reopen' }))) onClose();
  };
  return (
    <Panel onClose={onClose}>
      <p>{messages.reopen.sure}</p>
      <PanelEnd
        state={state}
        slug={queue.place}
        confirm={messages.reopen.confirm}
        onConfirm={reopen}
        onClose={onClose}
        about={nameOfTip(tip)}
      />
    </Panel>
  );
}

/** Somebody was quicker: who has the tip now, and the way to take it over. The row stays until that was read. */
export function RefusedPanel({ queue, tip, refusal, onClose }: TipPanelProps & { refusal: Refusal }) {
  const state = useMemo<TaskState>(() => ({ step: 'refused', refusal }), [refusal]);
  return (
    <Panel onClose={onClose}>
      <Quicker queue={queue} tip={tip} state={state} onTaken={onClose} />
      <div className="actions">
        <CloseButton about={nameOfTip(tip)} onClose={onClose} />
      </div>
    </Panel>
  );
}

/** So long a decision can be recalled here; later it is reopened where it went. As long as at a desk. */
const UNDO_MS = 10_000;

/** What was done just now, at the foot of the screen: the way to take it back, or to what was made of it. */
export function DoneBar({ queue }: { queue: TipQueue }) {
  const done = useShared(queue.$done);
  if (done.length === 0) return null;
  return (
    <ul className="tip-done">
      {done.map((one) => (
        <DoneRow key={one.id} queue={queue} done={one} />
      ))}
    </ul>
  );
}

function DoneRow({ queue, done: { id, act, tip, made } }: { queue: TipQueue; done: DoneTip }) {
  const row = useRef<HTMLLIElement>(null);
  const [task] = useState(makeTask);
  const state = useLate(task);
  const undoes = act !== 'use';
  useEffect(() => {
    if (!undoes) return;
    const go = () => drop(queue, id);
    const timer = setTimeout(() => {
      // Whoever is at it has begun to press: it goes when they leave.
      if (!row.current?.contains(document.activeElement)) return go();
      row.current.addEventListener('focusout', go, { once: true });
    }, UNDO_MS);
    return () => clearTimeout(timer);
  }, [queue, id, undoes]);

  const undo = async () => {
    const shown = [...queue.$tips.get(), ...queue.list.$list.get().rows].find((one) => one.id === id);
    if (!(await task.run(() => doToTip(queue, shown ?? tip, { act: 'reopen' })))) return;
    drop(queue, id);
    requestAnimationFrame(() => document.getElementById(id)?.focus());
  };
  const close = () => {
    const place = row.current;
    drop(queue, id);
    goOnFrom(place);
  };
  return (
    <li ref={row} className={act}>
      <p>
        <b>{messages.undone[act]}</b> <span dir="auto">{nameOfTip(tip)}</span>
      </p>
      {undoes ? (
        <button
          type="button"
          data-action="undo"
          aria-label={desk.about(messages.undo, nameOfTip(tip))}
          onClick={undo}
        >
          {messages.undo}
        </button>
      ) : (
        <>
          {made && <a href={`/desk/${made.slug}#update-${made.update}`}>{messages.itsDesk}</a>}
          <CloseButton about={nameOfTip(tip)} onClose={close} />
        </>
      )}
      <Quicker queue={queue} tip={tip} state={state} />
    </li>
  );
}

function drop({ $done }: TipQueue, id: string): void {
  $done.set($done.get().filter((one) => one.id !== id));
}
