import { notify } from './broadcast.ts';
import type { StoreTransaction } from './database.ts';
import { type BaseVersion, type Draft, draftKey, type NewCommand, type QueuedCommand } from './entries.ts';
import { deleteFollowUps, storeFollowUp } from './follow-ups.ts';
import { readStore, writeStore } from './store.ts';

/** Commands in the order of creation. */
const sortCommands = (commands: QueuedCommand[]): QueuedCommand[] =>
  commands.toSorted((a, b) => a.position - b.position);

/** The command to send next. A refused or held command blocks only later commands of its subject. */
export function nextCommand(commands: QueuedCommand[]): QueuedCommand | undefined {
  const blockedSubjects = new Set<string>();
  for (const command of sortCommands(commands)) {
    if (command.state === 'refused' || command.state === 'held') blockedSubjects.add(command.subject);
    if (command.state === 'waiting' && !blockedSubjects.has(command.subject)) return command;
  }
  return undefined;
}

/**
 * The unsent autosave that `base` refers to, which a newer save makes unnecessary.
 * @param commands commands of one subject
 */
function replaceableAutosave(commands: QueuedCommand[], base: BaseVersion): QueuedCommand | undefined {
  const last = commands.find(({ id }) => id === base.command);
  return last?.kind === 'auto' && last.state === 'waiting' && last.attempts === 0 ? last : undefined;
}

/** The last unfinished command of a subject. */
function lastPending(
  commands: QueuedCommand[],
  { person, subject }: Pick<QueuedCommand, 'person' | 'subject'>,
): QueuedCommand | undefined {
  const own = commands.filter((command) => command.person === person && command.subject === subject);
  return sortCommands(own.filter(({ state }) => state !== 'done')).at(-1);
}

/** How long the result of a command is shown and can be undone, in milliseconds. */
export const RESULT_SHOWN_MS = 10_000;

/** Source of a new command. */
export type CommandSource = {
  draft?: Draft | null;
  /** Id of a refused or held command that the new one replaces. */
  replaces?: string;
  /** Use the version that all pending commands of the subject will create, instead of the version that was seen. */
  isAfterPending?: boolean;
};

/**
 * Stores a command and removes its draft in one transaction. An autosave keeps its draft and becomes the draft's base.
 * An unsent autosave of the same draft is replaced.
 */
export async function addCommand(
  { followUp, ...created }: NewCommand,
  { draft, replaces, isAfterPending }: CommandSource = {},
): Promise<QueuedCommand> {
  const command = await writeStore(async (transaction) => {
    const commands = await transaction.all('commands');
    await deleteShownResults(transaction, commands);
    const stored = draft ? await transaction.get('drafts', draft.key) : undefined;
    const isCurrent = stored !== undefined && stored.changeId === draft?.changeId;
    const resolved = resolveBase(commands, isCurrent ? stored.base : created.base);
    const base = isAfterPending
      ? { ...resolved, command: lastPending(commands, created)?.id ?? resolved.command }
      : resolved;
    const superseded = replaceableAutosave(commands, base);
    if (superseded) await transaction.delete('commands', superseded.id);
    const target = commands.find(({ id }) => id === replaces);
    const command: QueuedCommand = {
      ...created,
      position: target?.position ?? Math.max(0, ...commands.map(({ position }) => position)) + 1,
      base: superseded?.base ?? base,
      changeId: isCurrent && created.kind === 'auto' ? stored.changeId : null,
      calls: created.calls.map((call) => ({ ...call, idempotencyKey: crypto.randomUUID(), isDone: false })),
      attempts: 0,
      state: 'waiting',
      refusal: null,
      result: null,
    };
    await transaction.put('commands', command.id, command);
    if (target) {
      await transaction.delete('commands', target.id);
      await deleteReopenedDrafts(transaction, target.id);
      await deleteFollowUps(transaction, target.id);
      await replaceBase(transaction, target.id, { version: command.base.version, command: command.id });
    }
    if (followUp) await storeFollowUp(transaction, command, followUp);
    if (isCurrent && created.kind === 'auto') {
      await transaction.put('drafts', stored.key, {
        ...stored,
        base: { version: base.version, command: command.id },
      });
    } else if (isCurrent) await transaction.delete('drafts', stored.key);
    return command;
  });
  // An autosave is the new base of its draft.
  if (command.kind === 'auto') notify({ type: 'drafts', person: command.person });
  notify({ type: 'commands', person: command.person });
  return command;
}

/**
 * Deletes a draft that the backend does not have, together with its unsent autosave. A version that another page has
 * written since stays, and so does its autosave.
 * @returns false, and deletes nothing, if the backend has the draft or may get it from an autosave that was tried
 */
export async function deleteUnsentDraft({
  key,
  changeId,
  person,
}: Pick<Draft, 'key' | 'changeId' | 'person'>): Promise<boolean> {
  const isUnsent = await writeStore(async (transaction) => {
    const stored = await transaction.get('drafts', key);
    if (stored?.changeId !== changeId) return true;
    const autosave = replaceableAutosave(await transaction.all('commands'), stored.base);
    const base = autosave?.base ?? stored.base;
    if (base.version !== null || base.command !== null) return false;
    await transaction.delete('drafts', key);
    if (autosave) {
      await transaction.delete('commands', autosave.id);
      await replaceBase(transaction, autosave.id, base);
    }
    return true;
  });
  notify({ type: 'drafts', person });
  notify({ type: 'commands', person });
  return isUnsent;
}

/** All stored commands of a person in order: waiting, held, refused and recently finished ones. */
export async function readCommands(person: string): Promise<QueuedCommand[]> {
  const all = await readStore((transaction) => transaction.all('commands'));
  return sortCommands(all.filter((command) => command.person === person));
}

/**
 * Commands of a person that are not finished.
 * @param coverage id of a coverage; without it, commands of all coverages
 */
export async function readPendingCommands(person: string, coverage?: string): Promise<QueuedCommand[]> {
  const commands = await readCommands(person);
  return commands.filter(
    (command) => command.state !== 'done' && (!coverage || command.coverage === coverage),
  );
}

/**
 * Holds an unsent command so that its content can be edited.
 * @returns the command; undefined when it was sent meanwhile or no longer exists
 */
export async function holdCommand(id: string): Promise<QueuedCommand | undefined> {
  const command = await writeStore(async (transaction) => {
    const command = await transaction.get('commands', id);
    if (command?.state !== 'waiting' || command.attempts > 0) return undefined;
    const held: QueuedCommand = { ...command, state: 'held' };
    await transaction.put('commands', id, held);
    return held;
  });
  if (command) notify({ type: 'commands', person: command.person });
  return command;
}

/**
 * Deletes a command that is refused, held or unsent. Later commands based on it get its base.
 * @returns the command; undefined when it does not exist or was sent
 */
export async function deleteCommand(id: string): Promise<QueuedCommand | undefined> {
  const command = await writeStore(async (transaction) => {
    const command = await transaction.get('commands', id);
    if (!command || command.state === 'done' || (command.state === 'waiting' && command.attempts > 0))
      return undefined;
    await transaction.delete('commands', id);
    await deleteReopenedDrafts(transaction, id);
    await deleteFollowUps(transaction, id);
    await replaceBase(transaction, id, command.base);
    return command;
  });
  if (command) notify({ type: 'commands', person: command.person });
  return command;
}

/**
 * Turns a held or refused command into a draft with the same base.
 * @param scope see `Draft`
 */
export async function commandToDraft(id: string, scope: string): Promise<Draft | undefined> {
  const draft = await writeStore(async (transaction) => {
    const command = await transaction.get('commands', id);
    if (command?.state !== 'held' && command?.state !== 'refused') return undefined;
    const { person, coverage, subject, base, refusal } = command;
    const edited = command.edited as Pick<Draft, 'form' | 'before'>;
    const changeId = crypto.randomUUID();
    const address = { person, coverage, scope, id: subject };
    const created: Draft = {
      ...address,
      key: `${draftKey(address)}/${changeId}`,
      base,
      form: edited.form,
      before: edited.before ?? null,
      isSaved: false,
      refusal,
      changeId,
      at: Date.now(),
    };
    await transaction.delete('commands', id);
    await deleteFollowUps(transaction, id);
    await transaction.put('drafts', created.key, created);
    await replaceBase(transaction, id, base);
    return created;
  });
  if (!draft) return undefined;
  notify({ type: 'drafts', person: draft.person });
  notify({ type: 'commands', person: draft.person });
  return draft;
}

/** Sends a refused or held command again without changes. */
export async function retryCommand(id: string): Promise<void> {
  const person = await writeStore(async (transaction) => {
    const command = await transaction.get('commands', id);
    if (command?.state !== 'refused' && command?.state !== 'held') return undefined;
    // An internal error may have occurred after the command was executed.
    const attempts = command.refusal?.code === 'internal' ? command.attempts : 0;
    await transaction.put('commands', id, {
      ...command,
      state: 'waiting',
      refusal: null,
      attempts,
      faults: 0,
    });
    return command.person;
  });
  if (person) notify({ type: 'commands', person });
}

/** Deletes all commands and drafts of a person on this device. */
export async function deletePersonData(person: string): Promise<void> {
  await writeStore(async (transaction) => {
    for (const { key, ...draft } of await transaction.all('drafts')) {
      if (draft.person === person) await transaction.delete('drafts', key);
    }
    for (const command of await transaction.all('commands')) {
      if (command.person === person) await transaction.delete('commands', command.id);
    }
  });
  notify({ type: 'drafts', person });
  notify({ type: 'commands', person });
}

/**
 * Replaces `command` by `base` in every command and draft that is based on it.
 * @param savedChangeId marks the draft with this change id as saved
 */
export async function replaceBase(
  transaction: StoreTransaction,
  command: string,
  base: BaseVersion,
  savedChangeId: string | null = null,
): Promise<void> {
  for (const other of await transaction.all('commands')) {
    if (other.base.command === command) await transaction.put('commands', other.id, { ...other, base });
  }
  for (const draft of await transaction.all('drafts')) {
    if (draft.base.command === command)
      await transaction.put('drafts', draft.key, {
        ...draft,
        base,
        isSaved: draft.changeId === savedChangeId,
      });
  }
}

/** Replaces a finished command by the version that it created. */
function resolveBase(commands: QueuedCommand[], base: BaseVersion): BaseVersion {
  const result = commands.find(({ id }) => id === base.command)?.result;
  return result ? { version: result.version, command: null } : base;
}

/** Draft scope of a coverage's summary. */
export const SUMMARY_SCOPE = 'summary';

/** Draft scope of a refused or held command that is being edited. */
export const reopenedScope = (command: string): string => `command:${command}`;

/** Deletes drafts that belong to a deleted command, because nothing would show them again. */
async function deleteReopenedDrafts(transaction: StoreTransaction, command: string): Promise<void> {
  for (const { key, scope } of await transaction.all('drafts')) {
    if (scope === reopenedScope(command)) await transaction.delete('drafts', key);
  }
}

/**
 * Makes the text of drafts that belong to a finished command a draft of what the command saved, because the command is
 * not opened again. A page that still edits such a draft goes on saving it there.
 */
export async function moveReopenedDrafts(
  transaction: StoreTransaction,
  { id, kind, subject }: QueuedCommand,
  version: number | null,
): Promise<void> {
  const scope = kind === 'summary' ? SUMMARY_SCOPE : subject;
  for (const draft of await transaction.all('drafts')) {
    if (draft.scope === reopenedScope(id))
      await transaction.put('drafts', draft.key, { ...draft, scope, base: { version, command: null } });
  }
}

async function deleteShownResults(transaction: StoreTransaction, commands: QueuedCommand[]): Promise<void> {
  for (const { id, result } of commands) {
    if (result && Math.abs(Date.now() - result.at) > 6 * RESULT_SHOWN_MS)
      await transaction.delete('commands', id);
  }
}
