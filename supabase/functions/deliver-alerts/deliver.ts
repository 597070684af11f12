import type { SupabaseContext } from '@supabase/server';
import { dataOf } from '../_shared/database.ts';
import type { Delivery, Outcome } from './delivery.ts';
import { leisurely } from './leisurely.ts';

export type Backend = SupabaseContext['supabaseAdmin'];

/** What a call came to, as it is answered. `more`: it is worth calling again at once. */
export type Told = { claimed: number; sent: number; again: number; dropped: number; more: boolean };

/** How the deliveries of one way go out. A group's outcomes by their ids; one that is missing is unclear. */
export type Way = (group: Delivery[]) => Promise<Map<string, Outcome>>;

/** Of one claim: the database answers nobody else meanwhile. */
const MOST = 60;
/** A process that is killed leaves at most so many of each way of which nobody knows. */
const GROUP = 20;
/** After so long no group is begun any more; a lease is 60 s. */
const BUDGET_MS = 20_000;

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
      const group = waiting.splice(0, GROUP);
      const ids = group.map(({ id }) => id);
      const begun: string[] = await inTurn(() => dataOf(backend.rpc('begin_deliveries', { ids })));
      const outcomes = await ways[channel](group.filter(({ id }) => begun.includes(id)));
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
    const claimed: Delivery[] = await inTurn(() => dataOf(backend.rpc('claim_deliveries', { most: MOST })));
    if (claimed.length > 0 || round === ROUNDS) return claimed;
    const due: number | null = await inTurn(() => dataOf(backend.rpc('alerts_due')));
    if (due !== 0) return claimed;
  }
}

/** Between tries, in milliseconds: what was sent must be known to have been. */
const PAUSES = [200, 1_000, 3_000];

async function record(backend: Backend, outcomes: Map<string, Outcome>): Promise<void> {
  if (outcomes.size === 0) return;
  const results = [...outcomes].map(([id, outcome]) => ({ id, ...outcome }));
  for (const pause of [...PAUSES, undefined]) {
    try {
      return await inTurn(() => dataOf(backend.rpc('record_deliveries', { results })));
    } catch (error) {
      if (pause === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
