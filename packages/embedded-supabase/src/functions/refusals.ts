import { withRetryAfter } from '../gateway/responses.ts';

/**
 * Errors that a hosted project returns in place of a function's response, by their code in `sb-error-code`. They reveal
 * no internals.
 */
const REFUSALS = {
  NOT_FOUND: [404, 'Requested function was not found'],
  UNAUTHORIZED_NO_AUTH_HEADER: [401, 'Missing authorization header'],
  UNAUTHORIZED_INVALID_JWT_FORMAT: [401, 'Auth header is not "Bearer {token}"'],
  UNAUTHORIZED_ASYMMETRIC_JWT: [401, 'Invalid JWT'],
  BOOT_ERROR: [503, 'Function failed to start (please check logs)'],
  WORKER_ERROR: [500, 'Function exited due to an error (please check logs)'],
  WORKER_RESOURCE_LIMIT: [
    546,
    'Function failed due to not having enough compute resources (please check logs)',
  ],
  IDLE_TIMEOUT: [504, 'Function did not answer in time (please check logs)'],
  INVALID_RESPONSE_STATUS_CODE: [500, 'Function returned an invalid HTTP status code (please check logs)'],
  TOO_MANY_REQUESTS: [429, 'Wait a moment, then try again.'],
  TOO_LARGE: [413, 'The request is too large. Send less at once.'],
} as const;

export type FunctionErrorCode = keyof typeof REFUSALS;

/**
 * Creates the response for an error. Pages of other origins may read it, like the response of a function.
 * @param waitS seconds until the caller may try again; used for `TOO_MANY_REQUESTS` only
 */
export function functionError(code: FunctionErrorCode, waitS = 1): Response {
  const [status, message] = REFUSALS[code];
  const response = Response.json({ code, message }, { status });
  response.headers.set('sb-error-code', code);
  response.headers.set('access-control-allow-origin', '*');
  response.headers.set('access-control-expose-headers', 'sb-error-code, x-relay-error, retry-after');
  // functions-js then returns a FunctionsRelayError: the call did not reach the function.
  if (code === 'BOOT_ERROR') response.headers.set('x-relay-error', 'true');
  return code === 'TOO_MANY_REQUESTS' ? withRetryAfter(response, waitS) : response;
}
