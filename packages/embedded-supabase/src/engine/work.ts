import { AsyncLocalStorage } from 'node:async_hooks';

/** Limits of the statements that belong to one piece of work, such as a request. */
type WorkLimits = {
  /** Most bytes that one statement may return, counted as PostgreSQL sends its values. */
  maxResultBytes?: number;
  /**
   * Most milliseconds that one transaction may keep PGlite busy; 5 seconds where it is unset. On PostgreSQL
   * `statement_timeout` does this.
   */
  maxHoldMs?: number;
  /** Names the work in the log when it takes longer. */
  name?: string;
  /**
   * The client network that the work is for, with which it shares the database. Unset for the website, whose pages are
   * for all readers, and for work of the backend itself.
   */
  client?: string;
};

/** What became of the statements of a piece of work, whatever the layers above made of their errors. */
type Outcome = {
  /** The database could not be reached, or had to restart. */
  wasUnavailable: boolean;
  /** A statement took longer than it may. */
  timedOut: boolean;
};

export type Work = WorkLimits & { outcome: Outcome };

const current = new AsyncLocalStorage<Work>();

const newOutcome = (): Outcome => ({ wasUnavailable: false, timedOut: false });

/** The work at hand; outside any, one that is new and without limits. */
export const currentWork = (): Work => current.getStore() ?? { outcome: newOutcome() };

/**
 * Runs work whose statements have these limits, whichever layer sends them. Inner limits replace outer ones.
 *
 * `maxResultBytes` bounds the rows of one statement before they reach this process: the statement then fails with
 * `PT413` and its transaction is rolled back. It is checked between rows, so one row can be larger: bound what makes a
 * row large (embedded tables, casts, aliases) in the query.
 */
export const withLimits = <Result>(limits: WorkLimits, work: () => Result): Result =>
  current.run({ ...currentWork(), ...limits }, work);

/**
 * Runs work of our own that may keep PGlite busy for as long as it takes: a backup, a migration, a restore. Requests
 * wait meanwhile, or are refused. Nothing that a request asks for runs like this. On PostgreSQL the owner's transactions
 * have no time limit.
 */
export const longRunning = <Result>(name: string, work: () => Result): Result =>
  withLimits({ name, maxHoldMs: Number.POSITIVE_INFINITY }, work);

/** Sets the longest hold for the rest of a request. Work of our own that runs for long keeps its own. */
export function limitHold(maxHoldMs: number | undefined): void {
  const work = current.getStore();
  if (work && work.maxHoldMs !== Number.POSITIVE_INFINITY) work.maxHoldMs = maxHoldMs;
}

/** Runs work and tells what became of its statements. */
export async function trackOutcome(limits: WorkLimits, work: () => Promise<void>): Promise<Outcome> {
  const outcome = newOutcome();
  await current.run({ ...limits, outcome }, work);
  return outcome;
}
