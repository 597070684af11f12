import { currentWork } from './work.ts';

/** The parts of PostgreSQL's error report that an answer is made of. */
export type DatabaseError = { code: string; message: string; detail?: string; hint?: string };

/** Whether an error has an SQLSTATE: the database's own, whichever driver or layer handed it on. */
export function isDatabaseError(error: unknown): error is Error & DatabaseError {
  return error instanceof Error && 'code' in error && /^[0-9A-Z]{5}$/.test(String(error.code));
}

/** Whether the database lacks resources of its machine, mostly disk space (class 53). */
export const isExhausted = (error: unknown) => isDatabaseError(error) && error.code.startsWith('53');

/** Whether a statement would have written where that is not allowed. */
export const isReadOnly = (error: unknown) => isDatabaseError(error) && error.code === '25006';

/**
 * Whether a prepared statement cannot run any more, because the schema has changed under it. It is prepared again when it
 * runs the next time.
 */
export const isOutdated = (error: unknown) =>
  isDatabaseError(error) &&
  (error.code === '26000' || (error.code === '0A000' && /^cached plan/.test(error.message)));

/** Whether a statement was ended because it took longer than it may. */
export const isTimeout = (error: unknown) => isDatabaseError(error) && error.code === '57014';

/** Parts of a database error that may be logged and returned. */
export class DatabaseFault extends Error {
  override name = 'DatabaseFault';
  /** SQLSTATE. */
  readonly code: string;
  declare readonly detail?: string;
  declare readonly hint?: string;
  /** Name of the constraint that was broken. */
  declare readonly constraint?: string;

  constructor({ code, message, detail, hint, ...more }: Report) {
    super(message);
    this.code = code;
    const constraint = more.constraint ?? more.constraint_name;
    // PostgreSQL quotes the row that broke a constraint (class 23): people's words and addresses.
    if (detail && !code.startsWith('23')) Object.assign(this, { detail });
    if (hint) Object.assign(this, { hint });
    if (constraint) Object.assign(this, { constraint });
  }
}

/** The error of a statement that PGlite was restarted for, as a server ends one by `statement_timeout`. */
export const timedOut = () =>
  new DatabaseFault({ code: '57014', message: 'canceling statement due to statement timeout' });

/** The error of a statement whose rows are larger than it may return. */
export const resultTooLarge = () =>
  new DatabaseFault({ code: 'PT413', message: 'too_large', hint: 'Ask for less at once.' });

type Report = DatabaseError & {
  /** PGlite's name for it, and postgres.js's. */
  constraint?: string;
  constraint_name?: string;
};

/** A driver's error without what it hangs on it: the statement, its values, the line of a COPY. */
export function withoutValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (isDatabaseError(error)) {
    const fault = new DatabaseFault(error);
    if (error.stack) fault.stack = error.stack;
    return fault;
  }
  for (const part of ['query', 'params', 'queryOptions']) Reflect.deleteProperty(error, part);
  return error;
}

/** The database cannot be reached, ended the session or has no free session. The request is not at fault, and may be repeated soon. */
export class Unavailable extends Error {
  override name = 'Unavailable';
}

/** @returns an Unavailable; the work that met it is marked, because lite answers an unknown error as a fault of its own */
export function unavailable(reason = 'The database cannot be reached.'): Unavailable {
  currentWork().outcome.wasUnavailable = true;
  return new Unavailable(reason);
}
