import { log, newRequestId, requestId, underRequest } from '../log/log.ts';

/** Refusals in the shapes that supabase-js expects of each service. Messages say nothing of the inside. */

/** Hosted's gateway, before any service. */
export function gatewayError(message: string, hint: string): Response {
  return Response.json({ message, hint }, { status: 401 });
}

/** PostgREST's. */
export function restError(
  status: number,
  code: string,
  message: string,
  hint: string | null = null,
  details: string | null = null,
): Response {
  return Response.json({ code, message, details, hint }, { status });
}

/** Whether reading a request failed because its client has closed the connection: Node's own error for it. */
const isClientGone = (error: unknown): boolean =>
  error instanceof Error && error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET';

/** The answer to a fault of ours: an id to quote, the same that stands beside the fault in the log. */
export function internalError(error: unknown): Response {
  if (isClientGone(error)) {
    log.debug('A client closed the connection before its request had arrived.');
    return Response.json({ code: 'invalid', message: 'The request broke off.' }, { status: 400 });
  }
  return Response.json(
    { code: 'internal', message: 'Something went wrong.', id: logError(error) },
    { status: 500 },
  );
}

/** @returns the id that stands beside it in the log: that of the request */
export function logError(error: unknown): string {
  const id = requestId() ?? newRequestId();
  underRequest(id, () => log.error('A fault of the backend.', { error }));
  return id;
}

/** The database is unavailable and recovers automatically, so this is not logged as an error. */
export function unavailableResponse(): Response {
  return Response.json({ code: 'unavailable', message: 'Try again in a moment.' }, { status: 503 });
}

/** @param seconds until it is worth trying again */
export function retryLater(response: Response, seconds: number): Response {
  response.headers.set('retry-after', String(Math.ceil(seconds)));
  return response;
}
