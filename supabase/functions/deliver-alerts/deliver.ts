import type { SupabaseContext } from '@supabase/server';
import { dataOf } from '../_shared/database.ts';
import type { Delivery, Outcome } from './delivery.ts';
import { leisurely } from './leisurely.ts';

export type Backend = SupabaseContext['supabaseAdmin'];

/** What a call came to, as it is answered. `more`: it is worth calling again at once. */
export type Told = { claimed: number; sent: number; again: number; dropped: number; more: boolean };

/**
 * How the deliveries of one way go out.
 * @param until when the group has to be done, by `performance.now()`
 * @returns a group's outcomes by their ids; one that is missing is unclear
 */
export type Way = (group: Delivery[], until: number) => Promise<Map<string, Outcome>>;

/** Of one claim: the database answers nobody else meanwhile. */
const MOST = 60;
/**
 * A process that is killed leaves at most so many of each way of which nobody knows. Pushes of a group go all at once;
 * mails go a few at once, and new pushes wait until the last of the group has gone.
 */
const GROUP: Record<Delivery['channel'], number> = { push: 20, mail: 6 };
/** After so long no group is begun any more. */
const BUDGET_MS = 15_000;
/** From the question that begins a group until it has to be done: its lease is 60 s, and what became of it is to be written down. */
const GROUP_MS = 40_000;

/** Whoever reads or writes comes first, also of those who are told by another call of this process. */
const inTurn = leisurely();

/** Claims what is due, and has it sent: each way by itself, so that a slow mail server keeps no push waiting. */
export async function deliver(backend: Backend, ways: Record<Delivery['channel'], Way>): Promise<Told> {
  const end = performance.now() + BUDGET_MS;
  const claimed = await claim(backend);
  const told = { claimed: claimed.length, sent: 0, again: 0, dropped: 0 };
  const errors = new Map<string, number>();

  async function send(channel: Delivery['channel']): Promise<void> {
    const waiting = claimed.filter((delivery) => delivery.channel === channel);
    while (waiting.length > 0 && performance.now() < end) {
      const group = waiting.splice(0, GROUP[channel]);
      const { begun, until } = await begin(backend, group);
      if (begun.length === 0) continue;
      const outcomes = await ways[channel](begun, until);
      await record(backend, outcomes);
      for (const { outcome, error } of outcomes.values()) {
        told[outcome === 'sent' ? 'sent' : outcome === 'again' ? 'again' : 'dropped'] += 1;
        if (error) errors.set(error, (errors.get(error) ?? 0) + 1);
      }
    }
  }

  await Promise.all([send('push'), send('mail')]);
  for (const [error, count] of errors) console.error(`not told: ${count} × ${error}`);
  return { ...told, more: claimed.length > 0 };
}

/** What is due may be nothing that is still to be told: so often the next is asked for. */
const ROUNDS = 20;

async function claim(backend: Backend): Promise<Delivery[]> {
  for (let round = 1; ; round++) {
    const claimed: Delivery[] = await inTurn((signal) =>
      dataOf(backend.rpc('claim_deliveries', { most: MOST }).abortSignal(signal)),
    );
    if (claimed.length > 0 || round === ROUNDS) return claimed;
    const due: number | null = await inTurn((signal) =>
      dataOf(backend.rpc('alerts_due').abortSignal(signal)),
    );
    if (due !== 0) return claimed;
  }
}

/** @returns those of a group that may still be sent */
async function begin(backend: Backend, group: Delivery[]): Promise<{ begun: Delivery[]; until: number }> {
  const ids = group.map(({ id }) => id);
  let until = 0;
  try {
    const begun: string[] = await inTurn((signal) => {
      until = performance.now() + GROUP_MS;
      return dataOf(backend.rpc('begin_deliveries', { ids }).abortSignal(signal));
    });
    return { begun: group.filter(({ id }) => begun.includes(id)), until };
  } catch (error) {
    // They may be begun, and nobody was told: without a word of it a mail would count as unclear.
    await record(backend, new Map(ids.map((id) => [id, { outcome: 'again', error: 'not begun' }])));
    throw error;
  }
}

/** Between tries, in milliseconds: what was sent must be known to have been. */
const PAUSES = [200, 1_000, 3_000];

async function record(backend: Backend, outcomes: Map<string, Outcome>): Promise<void> {
  if (outcomes.size === 0) return;
  const results = [...outcomes].map(([id, outcome]) => ({ id, ...outcome }));
  for (const pause of [...PAUSES, undefined]) {
    try {
      return await inTurn((signal) =>
        dataOf(backend.rpc('record_deliveries', { results }).abortSignal(signal)),
      );
    } catch (error) {
      if (pause === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
