import { type Refusal, Refused, refusal } from '../http/errors.ts';
import type { Answered, Call, Press } from './kept.ts';
import { type HoldUp, tell } from './news.ts';
import { nextOf } from './order.ts';
import { follow, readPresses } from './presses.ts';
import { writing } from './shelf-here.ts';

/** Makes a call under the person's own session, and under nobody else's. @throws Refused */
export type Send = (action: string, args: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** A call that never left the device: nothing has happened. */
export class Unsent extends Refused {}

/** What a delivery came to: everything is gone, or what holds up what is left. */
export type Delivered = { holdUp: HoldUp | null; retryAfter?: number };

/** So often a fault of the newsroom's own may meet a press before somebody has to look at it. */
const PATIENCE = 5;

/**
 * Sends what waits, in the order in which it was pressed, until nothing does or something holds it up. One sender on a
 * device: whoever comes second waits, and finds less to do.
 * @param signal stops it before the next press
 */
export function deliver(person: string, send: Send, signal?: AbortSignal): Promise<Delivered> {
  return alone(`stoppress-outbox-${person}`, () => sendAll(person, send, signal));
}

async function sendAll(person: string, send: Send, signal?: AbortSignal): Promise<Delivered> {
  let delivered: Delivered = { holdUp: null };
  while (!signal?.aborted) {
    if (isOffline()) delivered = { holdUp: 'line' };
    if (delivered.holdUp) break;
    const press = nextOf(await readPresses(person));
    if (!press) break;
    tell({ of: 'sending', person, press: press.id, holdUp: null });
    delivered = await sendOne(press, send);
  }
  tell({ of: 'sending', person, press: null, holdUp: delivered.holdUp });
  return delivered;
}

/** Whether the device knows that it has no line: then nothing is tried, and can be taken back still. */
const isOffline = () => typeof navigator !== 'undefined' && navigator.onLine === false;

/** @returns what holds it up, unless it was answered, whatever the answer */
async function sendOne({ id }: Press, send: Send): Promise<Delivered> {
  // Before the first call: what may have happened is not replaced or taken back.
  const press = await changed(id, (press) =>
    press.state === 'waiting' ? { ...press, attempts: press.attempts + 1 } : press,
  );
  if (press?.state !== 'waiting') return GOES_ON;
  let { version } = press.base;
  let answer: Answer = {};
  try {
    for (const call of press.calls) {
      if (call.isDone) continue;
      answer = read(await send(call.action, argumentsOf(call, version)));
      if (call.isVersioned) version = answer.version ?? version;
      const isLast = call === press.calls.at(-1);
      if (!isLast) await made(id, call.op, version);
    }
  } catch (error) {
    const refused = refusalIn(error);
    // Refused at the door, or not sent at all: it has not happened, and is not tried yet.
    if (error instanceof Unsent || refused.code === 'signed_out') {
      await changed(id, (now) => ({ ...now, attempts: press.attempts - 1 }));
    }
    return failed(press, refused);
  }
  await settled(id, version, answer);
  return GOES_ON;
}

const GOES_ON: Delivered = { holdUp: null };

type Answer = { version?: number; number?: number | null; state?: string };

/** The newsroom answers every call with what it has made. Anything else is somebody's on the way: it was not there. */
function read(answer: unknown): Answer {
  if (typeof answer === 'object' && answer !== null) return answer as Answer;
  throw new Refused(refusal('unavailable'));
}

function argumentsOf({ op, args, isVersioned }: Call, version: number | null): Record<string, unknown> {
  return { op, ...args, ...(isVersioned && version !== null ? { version } : {}) };
}

async function failed(press: Press, refused: Refusal): Promise<Delivered> {
  const { code } = refused;
  if (code === 'signed_out') return { holdUp: 'session' };
  if (code === 'unavailable') return { holdUp: 'line' };
  const faults = (press.faults ?? 0) + 1;
  if (code === 'internal' && faults < PATIENCE) {
    await changed(press.id, (now) => ({ ...now, faults }));
    return { holdUp: 'line' };
  }
  if (code === 'rate_limited') {
    return { holdUp: 'line', ...(refused.retryAfter ? { retryAfter: refused.retryAfter } : {}) };
  }
  await refuse(press.id, refused);
  return GOES_ON;
}

/** What nobody pressed is mended where it is written: the words are in their editor, which is told. */
async function refuse(id: string, refusal: Refusal): Promise<void> {
  await settle(id, async (press, hand) => {
    if (press.kind !== 'auto') return hand.put('presses', id, { ...press, state: 'refused', refusal });
    await hand.drop('presses', id);
    for (const draft of await hand.all('drafts')) {
      if (draft.base.press === id) await hand.put('drafts', draft.key, { ...draft, refusal });
    }
    await follow(hand, id, press.base);
  });
}

/** One of several calls is done: what follows is over the version that it has made. */
async function made(id: string, op: string, version: number | null): Promise<void> {
  await changed(id, (press) => ({
    ...press,
    base: { version, press: null },
    calls: press.calls.map((call) => (call.op === op ? { ...call, isDone: true } : call)),
  }));
}

async function settled(id: string, version: number | null, { number, state }: Answer): Promise<void> {
  await settle(id, async (press, hand) => {
    const answered: Answered = { at: Date.now(), version, number: number ?? null, state: state ?? null };
    await follow(hand, id, { version, press: null }, press.stamp);
    if (press.kind === 'auto') await hand.drop('presses', id);
    else await hand.put('presses', id, { ...press, state: 'done', answered });
  });
}

type Hand = Parameters<Parameters<typeof writing>[0]>[0];

async function settle(id: string, work: (press: Press, hand: Hand) => Promise<unknown>): Promise<void> {
  const person = await writing(async (hand) => {
    const press = await hand.get('presses', id);
    if (press) await work(press, hand);
    return press?.person;
  });
  if (!person) return;
  tell({ of: 'drafts', person });
  tell({ of: 'presses', person });
}

async function changed(id: string, change: (press: Press) => Press): Promise<Press | undefined> {
  return writing(async (hand) => {
    const press = await hand.get('presses', id);
    if (!press) return undefined;
    const next = change(press);
    await hand.put('presses', id, next);
    return next;
  });
}

function refusalIn(error: unknown): Refusal {
  if (error instanceof Refused) return error.refusal;
  // A fault of ours is seen by whoever looks after the site, not by whoever pressed.
  if (typeof reportError === 'function') reportError(error);
  return refusal('internal');
}

/** Does something while nobody else on this device does. */
function alone<T>(name: string, work: () => Promise<T>): Promise<T> {
  return typeof navigator !== 'undefined' && navigator.locks ? navigator.locks.request(name, work) : work();
}
