import type { BaseVersion, QueuedCommand } from './kept.ts';

/** Delay before the first retry, and the longest delay. */
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;

/**
 * Milliseconds to wait after a number of failed attempts.
 * @param jitter 0 to 1; spreads devices that lost the connection together
 */
export function retryDelay(attempts: number, jitter = Math.random()): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 10)) * (0.5 + jitter / 2);
}

/** Commands in the order of creation. */
export const inOrder = (commands: QueuedCommand[]): QueuedCommand[] =>
  commands.toSorted((a, b) => a.position - b.position);

/** The command to send next. A refused or held command blocks only later commands of its subject. */
export function nextCommand(commands: QueuedCommand[]): QueuedCommand | undefined {
  const blockedSubjects = new Set<string>();
  for (const command of inOrder(commands)) {
    if (command.state === 'refused' || command.state === 'held') blockedSubjects.add(command.subject);
    if (command.state === 'waiting' && !blockedSubjects.has(command.subject)) return command;
  }
  return undefined;
}

/**
 * The unsent autosave that `base` refers to, which a newer save makes unnecessary.
 * @param commands commands of one subject
 */
export function replaceableAutosave(commands: QueuedCommand[], base: BaseVersion): QueuedCommand | undefined {
  const last = commands.find(({ id }) => id === base.command);
  return last?.kind === 'auto' && last.state === 'waiting' && last.attempts === 0 ? last : undefined;
}

/** The last unfinished command of a subject. */
export function lastPending(
  commands: QueuedCommand[],
  { person, subject }: Pick<QueuedCommand, 'person' | 'subject'>,
): QueuedCommand | undefined {
  const own = commands.filter((command) => command.person === person && command.subject === subject);
  return inOrder(own.filter(({ state }) => state !== 'done')).at(-1);
}
