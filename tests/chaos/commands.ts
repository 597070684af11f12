import { setTimeout as wait } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { Ledger } from './ledger.ts';

/** Result of one attempt: a result, a final refusal, or no final response. */
export type Tried<Result> = { result: Result } | { refused: string } | { later: string };

/** Whether a status is temporary, so that the outbox repeats the command. */
export const isForNow = (status: number) => status === 0 || status >= 500 || status === 429;

const AGAIN_MS = 60;

/** Sends commands as the outbox does: repeatedly until they are answered. */
export type Hand = {
  ledger: Ledger;
  /** Called after an acknowledged write, with the start of its attempt. */
  acknowledged(began: number): void;
  /** Ends waiting commands. */
  signal: AbortSignal;
};

/** @throws the signal's reason if it ends without a response */
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

/** Calls a database function once. */
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

/** Sends a command and records its result. */
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
