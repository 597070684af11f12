import type { DatabaseError } from '../engine/errors.ts';
import { backendLog, newRequestId, requestId, runWithRequestId } from '../log/log.ts';
import type { DatabaseRole } from '../tokens.ts';

/* Errors in the shapes that supabase-js expects from each service. The messages reveal no internals. */

/** Returns an error of the gateway, as on a hosted project: the request did not reach a service. */
export function gatewayError(message: string, hint: string): Response {
  return Response.json({ message, hint }, { status: 401 });
}

/** Returns an error in PostgREST's format. */
export function restError(
  status: number,
  code: string,
  message: string,
  hint: string | null = null,
  details: string | null = null,
): Response {
  return Response.json({ code, message, details, hint }, { status });
}

/** Returns true for Node's error that says that a client closed the connection before its request had arrived. */
const isClientGone = (error: unknown): boolean =>
  error instanceof Error && error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET';

/**
 * Logs a fault and returns the 500 response with the id of the log entry. If the client has closed the connection,
 * returns a 400 response instead.
 */
export function internalErrorResponse(error: unknown): Response {
  if (isClientGone(error)) {
    backendLog.debug('A client closed the connection before its request had arrived.');
    return Response.json({ code: 'invalid', message: 'The request was cut off.' }, { status: 400 });
  }
  return Response.json(
    { code: 'internal', message: 'Something went wrong.', id: logError(error) },
    { status: 500 },
  );
}

/** Logs an error as a fault. @returns the id of the log entry: the request's id, or a new one outside requests */
export function logError(error: unknown): string {
  const id = requestId() ?? newRequestId();
  runWithRequestId(id, () => backendLog.error('Internal backend error.', { error }));
  return id;
}

/**
 * Returns the 503 response for an unavailable database. It is not logged as an error, because the database recovers
 * automatically.
 */
export function unavailableResponse(): Response {
  return Response.json({ code: 'unavailable', message: 'Try again in a moment.' }, { status: 503 });
}

/** Adds a `retry-after` header. @param seconds seconds until the client may try again */
export function withRetryAfter(response: Response, seconds: number): Response {
  response.headers.set('retry-after', String(Math.ceil(seconds)));
  return response;
}

/** HTTP statuses by SQLSTATE, from PostgREST's documentation ("Errors": HTTP status codes). Longest prefix first. */
const HTTP_STATUSES: [prefix: string, status: number][] = [
  ['23503', 409],
  ['23505', 409],
  ['25006', 405],
  ['42883', 404],
  ['42P01', 404],
  ['42P17', 500],
  ['P0001', 400],
  ['08', 503],
  ['09', 500],
  ['0L', 403],
  ['0P', 403],
  ['25', 500],
  ['28', 403],
  ['2D', 500],
  ['38', 500],
  ['39', 500],
  ['3B', 500],
  ['40', 500],
  ['53', 503],
  // The request needs too many resources; PostgREST responds with 500.
  ['54', 413],
  ['55', 500],
  ['57', 500],
  ['58', 500],
  ['F0', 500],
  ['HV', 500],
  ['P0', 500],
  ['XX', 500],
];

function httpStatus({ code, message }: DatabaseError, role: DatabaseRole): number {
  // Our database functions set the status by the error code: PT409 means 409.
  if (/^PT[2-5]\d\d$/.test(code)) return Number(code.slice(2));
  if (code === '42501') return role === 'anon' ? 401 : 403;
  // A change without a condition is the client's mistake, and other violations of cardinality are not.
  if (code === '21000') return message.endsWith('requires a WHERE clause') ? 400 : 500;
  return HTTP_STATUSES.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 400;
}

/**
 * Returns the response that a function describes by an exception with the SQLSTATE `PGRST`, as in PostgREST: its message
 * is JSON with code, message, details and hint, its detail JSON with status and headers.
 */
function raisedResponse({ message, detail }: DatabaseError): Response {
  try {
    const { code, message: text, details = null, hint = null } = JSON.parse(message);
    const { status, headers } = JSON.parse(detail ?? '');
    return Response.json({ code, message: text, details, hint }, { status, headers });
  } catch {
    const sentence = `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`;
    return restError(500, 'PGRST121', sentence, null, detail ?? 'DETAIL is missing in the RAISE statement');
  }
}

/** Returns the response to a statement that the database refused, as hosted PostgREST does. */
export function databaseErrorResponse(error: DatabaseError, role: DatabaseRole): Response {
  // The statement exceeded its time limit, so nothing was changed.
  if (error.code === '57014') return restError(504, '57014', 'timeout', 'Ask for less at once.');
  if (error.code === 'PGRST') return raisedResponse(error);
  const { code, message, detail = null, hint = null } = error;
  const status = httpStatus(error, role);
  const headers = status === 401 ? { 'www-authenticate': 'Bearer' } : undefined;
  return Response.json({ code, message, details: detail, hint }, { status, headers });
}
