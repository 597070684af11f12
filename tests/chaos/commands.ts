import { setTimeout as wait } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { Ledger } from './ledger.ts';

/** What came of one try. A refusal is an answer; no answer, or one that is for now, is none. */
export type Tried<Result> = { result: Result } | { refused: string } | { later: string };

/** Whether an answer is for now: the outbox keeps the press and makes it again. */
export const isForNow = (status: number) => status === 0 || status >= 500 || status === 429;

const AGAIN_MS = 60;

/** A press as the outbox makes it: over and over, until it is answered. */
export type Hand = {
  ledger: Ledger;
  /** Runs whenever a write was acknowledged, with the moment when this try of it began. */
  acknowledged(began: number): void;
  /** Presses end when nobody wants an answer any more. */
  signal: AbortSignal;
};

/** @throws what the signal says, when it is over without an answer */
export async function insist<Result>(
  { ledger, acknowledged, signal }: Hand,
  what: string,
  attempt: () => Promise<Tried<Result>>,
): Promise<Result | undefined> {
  for (;;) {
    signal.throwIfAborted();
    const began = performance.now();
    const tried = await attempt();
    if ('result' in tried) {
      ledger.acknowledged += 1;
      acknowledged(began);
      return tried.result;
    }
    if ('refused' in tried) {
      ledger.refused.push(`${what}: ${tried.refused}`);
      return undefined;
    }
    await wait(AGAIN_MS);
  }
}

/** One call of a function of the database. */
export async function tryCall<Result>(
  client: SupabaseClient,
  name: string,
  args: Record<string, unknown>,
): Promise<Tried<Result>> {
  const { data, error, status } = await client.rpc(name, args);
  if (!error) return { result: data as Result };
  const said = `${status} ${error.code} ${error.message}`;
  return isForNow(status) ? { later: said } : { refused: said };
}

/** Presses, and writes down what was answered. */
export async function press<Result>(
  hand: Hand,
  client: SupabaseClient,
  name: string,
  args: { idempotency_key: string } & Record<string, unknown>,
): Promise<Result | undefined> {
  const result = await insist(hand, name, () => tryCall<Result>(client, name, args));
  if (result === undefined) return undefined;
  const { ops, differed } = hand.ledger;
  const known = ops.get(args.idempotency_key);
  if (known === undefined) ops.set(args.idempotency_key, result);
  else if (JSON.stringify(known) !== JSON.stringify(result)) differed.push(`${name} ${args.idempotency_key}`);
  return result;
}
