import { log, newRequestId, requestId, runWithRequestId } from '../log/log.ts';

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
    log.debug('A client closed the connection before its request had arrived.');
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
  runWithRequestId(id, () => log.error('Internal backend error.', { error }));
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
