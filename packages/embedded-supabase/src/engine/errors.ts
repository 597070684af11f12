import { currentWorkContext } from './work.ts';

/** The fields of a PostgreSQL error that a response contains. */
export type DatabaseError = { code: string; message: string; detail?: string; hint?: string };

/**
 * SQLSTATEs contain a digit, except the one with which functions describe a response. The codes of Node's system errors,
 * such as `EPIPE`, contain none.
 */
const SQLSTATE = /^(?:(?=.*\d)[0-9A-Z]{5}|PGRST)$/;

/** Returns whether an error has an SQLSTATE. It then comes from the database, through any driver or layer. */
export function isDatabaseError(error: unknown): error is Error & DatabaseError {
  return error instanceof Error && 'code' in error && SQLSTATE.test(String(error.code));
}

/** Returns whether the database lacks resources of its machine (class 53), mostly disk space. */
export const isOutOfResources = (error: unknown) => isDatabaseError(error) && error.code.startsWith('53');

/** Returns whether a statement tried to write in a read-only transaction. */
export const isReadOnlyError = (error: unknown) => isDatabaseError(error) && error.code === '25006';

/**
 * Returns whether a prepared statement can no longer run because the schema has changed. Its next run prepares it
 * again.
 */
export const isStaleStatement = (error: unknown) =>
  isDatabaseError(error) &&
  (error.code === '26000' || (error.code === '0A000' && /^cached plan/.test(error.message)));

/** Returns whether a statement was cancelled because it exceeded its time limit. */
export const isTimeoutError = (error: unknown) => isDatabaseError(error) && error.code === '57014';

/** Violations whose detail quotes the values of the key only: of a foreign key, a unique key and an exclusion. */
const KEY_VIOLATIONS = ['23503', '23505', '23P01'];

/** A database error with only the parts that may be logged and returned. */
export class DatabaseFault extends Error {
  override name = 'DatabaseFault';
  /** SQLSTATE. */
  readonly code: string;
  /** Not enumerable if it quotes values, so that it appears in no log. */
  declare readonly detail?: string;
  declare readonly hint?: string;
  /** Name of the violated constraint. */
  declare readonly constraint?: string;

  constructor({ code, message, detail, hint, ...rest }: DriverError) {
    super(message);
    this.code = code;
    const constraint = rest.constraint ?? rest.constraint_name;
    // For other violations of a constraint (class 23) PostgreSQL quotes the whole row. It may contain columns that the
    // caller did not send, and people's words and addresses.
    const quotesKey = KEY_VIOLATIONS.includes(code);
    if (detail && (quotesKey || !code.startsWith('23'))) {
      Object.defineProperty(this, 'detail', { value: detail, enumerable: !quotesKey });
    }
    if (hint) Object.assign(this, { hint });
    if (constraint) Object.assign(this, { constraint });
  }
}

/** Creates the error of a statement for which PGlite was restarted: that of a server's `statement_timeout`. */
export const timeoutError = () =>
  new DatabaseFault({ code: '57014', message: 'canceling statement due to statement timeout' });

/** Creates the error of a statement whose rows exceed its size limit. */
export const resultTooLargeError = () =>
  new DatabaseFault({ code: 'PT413', message: 'too_large', hint: 'Ask for less at once.' });

type DriverError = DatabaseError & {
  /** PGlite calls it `constraint`, postgres.js `constraint_name`. */
  constraint?: string;
  constraint_name?: string;
};

/** Removes the data that a driver adds to an error: the statement, its values and the line of a COPY. */
export function redactDriverError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (isDatabaseError(error)) {
    const fault = new DatabaseFault(error);
    if (error.stack) fault.stack = error.stack;
    return fault;
  }
  for (const part of ['query', 'params', 'queryOptions']) Reflect.deleteProperty(error, part);
  return error;
}

/**
 * The database cannot be reached, ended the session or has no free session. The request is not at fault and may be
 * repeated soon.
 */
export class UnavailableError extends Error {
  override name = 'UnavailableError';
}

/**
 * Creates an UnavailableError, and marks the current work as unavailable. The mark is needed because lite answers an unknown
 * error as its own fault.
 */
export function markUnavailable(reason = 'The database cannot be reached.'): UnavailableError {
  currentWorkContext().outcome.wasUnavailable = true;
  return new UnavailableError(reason);
}
