import { AsyncLocalStorage } from 'node:async_hooks';

/** Limits of the statements that belong to one piece of work, such as a request. */
type WorkLimits = {
  /** Maximum size of the rows that one statement returns, in bytes as PostgreSQL sends them. */
  maxResultBytes?: number;
  /**
   * How long one transaction may keep PGlite busy, in ms. Default: 5 seconds. On PostgreSQL, `statement_timeout` limits
   * statements instead.
   */
  maxHoldMs?: number;
  /** Name of the work in the log if it exceeds its limit. */
  name?: string;
  /**
   * Client network on whose behalf the work runs. Networks take turns for the database. Undefined for the website,
   * which renders pages for all readers, and for the backend's own work.
   */
  client?: string;
};

/** Failures of the statements of a piece of work. They are recorded because the layers above may replace the errors. */
type Outcome = {
  /** The database could not be reached, or had to restart. */
  wasUnavailable: boolean;
  /** A statement exceeded its time limit. */
  timedOut: boolean;
};

export type WorkContext = WorkLimits & { outcome: Outcome };

const workStorage = new AsyncLocalStorage<WorkContext>();

const newOutcome = (): Outcome => ({ wasUnavailable: false, timedOut: false });

/** Returns the current work. Outside of any work, returns a new one without limits. */
export const currentWorkContext = (): WorkContext => workStorage.getStore() ?? { outcome: newOutcome() };

/**
 * Runs work with limits for all of its statements, whichever layer sends them. Inner limits replace outer ones.
 *
 * A statement whose rows exceed `maxResultBytes` fails with `PT413` before all rows are read, and its transaction is
 * rolled back. The limit is checked between rows, so a single row can exceed it. The query must limit the parts that
 * make a row large: embedded tables, casts and aliases.
 */
export const runWithLimits = <Result>(limits: WorkLimits, work: () => Result): Result =>
  workStorage.run({ ...currentWorkContext(), ...limits }, work);

/**
 * Runs the backend's own work without a limit on how long it keeps PGlite busy, such as a backup, a migration or a
 * restore. Meanwhile requests wait, or are refused. Do not use it for work on behalf of a client. On PostgreSQL the
 * owner's transactions have no time limit.
 */
export const runWithoutTimeLimit = <Result>(name: string, work: () => Result): Result =>
  runWithLimits({ name, maxHoldMs: Number.POSITIVE_INFINITY }, work);

/** Sets `maxHoldMs` for the rest of a request. It has no effect on work of `runWithoutTimeLimit`. */
export function setHoldLimit(maxHoldMs: number | undefined): void {
  const work = workStorage.getStore();
  if (work && work.maxHoldMs !== Number.POSITIVE_INFINITY) work.maxHoldMs = maxHoldMs;
}

/** Runs work and returns whether a statement timed out or found the database unavailable. */
export async function trackOutcome(limits: WorkLimits, work: () => Promise<void>): Promise<Outcome> {
  const outcome = newOutcome();
  await workStorage.run({ ...limits, outcome }, work);
  return outcome;
}
