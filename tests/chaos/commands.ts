import { setTimeout as wait } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { Ledger } from './ledger.ts';

/** Outcome of one attempt: a result, a refusal, or a temporary failure that allows a retry. */
export type Attempt<Result> = { result: Result } | { refused: string } | { temporary: string };

/** Returns whether a status is temporary. The outbox keeps a command with such a status and retries it. */
export const isTemporary = (status: number) => status === 0 || status >= 500 || status === 429;

const RETRY_MS = 60;

/** Runs commands as the outbox does: repeatedly, until they are answered. */
export type CommandRunner = {
  ledger: Ledger;
  /** Runs after each acknowledged write, with the start time of the successful attempt. */
  acknowledged(startedAt: number): void;
  /** Ends the retries. */
  signal: AbortSignal;
};

/** Repeats an attempt until it is answered. @returns its result, or undefined if refused. @throws the abort reason */
export async function retryUntilAnswered<Result>(
  { ledger, acknowledged, signal }: CommandRunner,
  name: string,
  attempt: () => Promise<Attempt<Result>>,
): Promise<Result | undefined> {
  for (;;) {
    signal.throwIfAborted();
    const startedAt = performance.now();
    const outcome = await attempt();
    if ('result' in outcome) {
      ledger.acknowledged += 1;
      acknowledged(startedAt);
      return outcome.result;
    }
    if ('refused' in outcome) {
      ledger.refused.push(`${name}: ${outcome.refused}`);
      return undefined;
    }
    await wait(RETRY_MS);
  }
}

/** Calls a database function once. */
export async function tryCall<Result>(
  client: SupabaseClient,
  name: string,
  args: Record<string, unknown>,
): Promise<Attempt<Result>> {
  const { data, error, status } = await client.rpc(name, args);
  if (!error) return { result: data as Result };
  const message = `${status} ${error.code} ${error.message}`;
  return isTemporary(status) ? { temporary: message } : { refused: message };
}

/** Runs a command and records its result. */
export async function runCommand<Result>(
  runner: CommandRunner,
  client: SupabaseClient,
  name: string,
  args: { idempotency_key: string } & Record<string, unknown>,
): Promise<Result | undefined> {
  const result = await retryUntilAnswered(runner, name, () => tryCall<Result>(client, name, args));
  if (result === undefined) return undefined;
  const { commandResults, differingResults } = runner.ledger;
  const known = commandResults.get(args.idempotency_key);
  if (known === undefined) commandResults.set(args.idempotency_key, result);
  else if (JSON.stringify(known) !== JSON.stringify(result))
    differingResults.push(`${name} ${args.idempotency_key}`);
  return result;
}
