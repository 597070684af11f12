import { type Refusal, Refused, refusal } from '../../lib/i18n/refusals.ts';
import { network } from '../network/network.ts';
import { notify, type PauseReason } from './broadcast.ts';
import { moveReopenedDrafts, nextCommand, readCommands, replaceBase } from './commands.ts';
import type { StoreTransaction } from './database.ts';
import type { CommandCall, CommandResult, QueuedCommand } from './entries.ts';
import { SendError } from './retry.ts';
import type { Send } from './rpc.ts';
import { withLock } from './sender.ts';
import { writeStore } from './store.ts';

/** Result of sending the outbox: why commands are left, or null. `retryAfter` is in seconds. */
export type SendResult = { pauseReason: PauseReason | null; retryAfter?: number };

/** Internal errors of the backend before a command counts as refused. */
const MAX_FAULTS = 5;

/**
 * Sends the waiting commands in order, until none is left or sending must pause. A lock allows one sender per device; a
 * second caller waits for it.
 * @param signal stops before the next command
 */
export function sendCommands(person: string, send: Send, signal?: AbortSignal): Promise<SendResult> {
  return withLock(`commands.${person}`, () => sendAll(person, send, signal));
}

async function sendAll(person: string, send: Send, signal?: AbortSignal): Promise<SendResult> {
  let result: SendResult = { pauseReason: null };
  while (!signal?.aborted) {
    // A command that is not attempted can still be recalled.
    if (!network().isOnline) result = { pauseReason: 'line' };
    if (result.pauseReason) break;
    const command = nextCommand(await readCommands(person));
    if (!command) break;
    notify({ type: 'sending', person, command: command.id, pauseReason: null });
    result = await sendCommand(command, send);
  }
  notify({ type: 'sending', person, command: null, pauseReason: result.pauseReason });
  return result;
}

/** @returns why sending must pause; null after any final answer */
async function sendCommand({ id }: QueuedCommand, send: Send): Promise<SendResult> {
  // Counted before the first call, because a command that may have been executed cannot be recalled.
  const command = await updateCommand(id, (command) =>
    command.state === 'waiting' ? { ...command, attempts: command.attempts + 1 } : command,
  );
  if (command?.state !== 'waiting') return CONTINUE;
  let { version } = command.base;
  let response: CallResult = {};
  try {
    for (const call of command.calls) {
      if (call.isDone) continue;
      response = parseCallResult(await send(call.action, argumentsOf(call, version)));
      if (call.isVersioned) version = response.version ?? version;
      const isLast = call === command.calls.at(-1);
      if (!isLast) await markCallDone(id, call.idempotencyKey, version);
    }
  } catch (error) {
    const refusal = toRefusal(error);
    // The call was not sent or not authenticated, so it was not executed and does not count as an attempt.
    if (error instanceof SendError || refusal.code === 'signed_out') {
      await updateCommand(id, (now) => ({ ...now, attempts: command.attempts - 1 }));
    }
    return handleRefusal(command, refusal);
  }
  await finishCommand(id, version, response);
  return CONTINUE;
}

const CONTINUE: SendResult = { pauseReason: null };

type CallResult = { version?: number; number?: number | null; state?: string };

/** Every call is answered with an object. Anything else comes from a proxy, for example a captive portal. */
function parseCallResult(response: unknown): CallResult {
  if (typeof response === 'object' && response !== null) return response as CallResult;
  throw new Refused('unavailable');
}

function argumentsOf(
  { idempotencyKey, args, isVersioned }: CommandCall,
  version: number | null,
): Record<string, unknown> {
  return {
    idempotency_key: idempotencyKey,
    ...args,
    ...(isVersioned && version !== null ? { version } : {}),
  };
}

async function handleRefusal(command: QueuedCommand, refusal: Refusal): Promise<SendResult> {
  const { code } = refusal;
  if (code === 'signed_out') return { pauseReason: 'session' };
  if (code === 'unavailable') return { pauseReason: 'line' };
  const faults = (command.faults ?? 0) + 1;
  if (code === 'internal' && faults < MAX_FAULTS) {
    await updateCommand(command.id, (now) => ({ ...now, faults }));
    return { pauseReason: 'line' };
  }
  if (code === 'rate_limited') {
    return { pauseReason: 'line', ...(refusal.retryAfter ? { retryAfter: refusal.retryAfter } : {}) };
  }
  await refuseCommand(command.id, refusal);
  return CONTINUE;
}

/** A refused autosave is deleted. Its draft gets the error, which the editor shows. */
async function refuseCommand(id: string, refusal: Refusal): Promise<void> {
  await updateAndNotify(id, async (command, transaction) => {
    if (command.kind !== 'auto')
      return transaction.put('commands', id, { ...command, state: 'refused', refusal });
    await transaction.delete('commands', id);
    for (const draft of await transaction.all('drafts')) {
      if (draft.base.command === id) await transaction.put('drafts', draft.key, { ...draft, refusal });
    }
    await replaceBase(transaction, id, command.base);
  });
}

/** Marks one of several calls as done. The next call is based on the version that it created. */
async function markCallDone(id: string, idempotencyKey: string, version: number | null): Promise<void> {
  await updateCommand(id, (command) => ({
    ...command,
    base: { version, command: null },
    calls: command.calls.map((call) =>
      call.idempotencyKey === idempotencyKey ? { ...call, isDone: true } : call,
    ),
  }));
}

async function finishCommand(
  id: string,
  version: number | null,
  { number, state }: CallResult,
): Promise<void> {
  await updateAndNotify(id, async (command, transaction) => {
    const result: CommandResult = { at: Date.now(), version, number: number ?? null, state: state ?? null };
    await replaceBase(transaction, id, { version, command: null }, command.changeId);
    await moveReopenedDrafts(transaction, command, version);
    if (command.kind === 'auto') await transaction.delete('commands', id);
    else await transaction.put('commands', id, { ...command, state: 'done', result });
  });
}

async function updateAndNotify(
  id: string,
  task: (command: QueuedCommand, transaction: StoreTransaction) => Promise<unknown>,
): Promise<void> {
  const person = await writeStore(async (transaction) => {
    const command = await transaction.get('commands', id);
    if (command) await task(command, transaction);
    return command?.person;
  });
  if (!person) return;
  notify({ type: 'drafts', person });
  notify({ type: 'commands', person });
}

async function updateCommand(
  id: string,
  change: (command: QueuedCommand) => QueuedCommand,
): Promise<QueuedCommand | undefined> {
  return writeStore(async (transaction) => {
    const command = await transaction.get('commands', id);
    if (!command) return undefined;
    const next = change(command);
    await transaction.put('commands', id, next);
    return next;
  });
}

function toRefusal(error: unknown): Refusal {
  if (error instanceof Refused) return error.refusal;
  // The owner gets the error; the person gets a general message.
  if (typeof reportError === 'function') reportError(error);
  return refusal('internal');
}
