import { useEffect, useRef, useState } from 'react';
import { desk } from '../../../lib/text/desk.ts';
import { tipQueue as messages } from '../../../lib/text/tip-queue.ts';
import { makeTask } from '../../stores/task.ts';
import { doToTip } from '../../stores/tip-acts.ts';
import type { DoneTip, TipQueue } from '../../stores/tip-queue.ts';
import { CloseButton } from '../desk/CloseButton.tsx';
import { useShared } from '../desk/useShared.ts';
import { goOnFrom } from './focus.ts';
import { nameOfTip } from './naming.ts';
import { Quicker } from './Quicker.tsx';
import { useLate } from './useLate.ts';

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
