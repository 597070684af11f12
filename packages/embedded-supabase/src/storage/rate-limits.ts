import { createMiddleware } from 'hono/factory';
import type { GatewayContext, RequestVariables } from '../gateway/context.ts';
import { retryLater } from '../gateway/responses.ts';
import { classBeforeToken, rateLimit, semaphoreByClient } from '../rest/caller-class.ts';
import { StorageError, storageErrorResponse } from './errors.ts';

/** Uploads under way at once of one line: a browser opens six connections to a place, and an office has some. */
const UPLOADS_AT_ONCE = 24;

export const slowDown = (message: string) => storageErrorResponse(new StorageError(429, 'SlowDown', message));

/** As many questions of one line as of tables. Those of this machine itself are not counted. */
export function limitRequests({ tokens }: Pick<GatewayContext, 'tokens'>) {
  const take = rateLimit();
  return createMiddleware<RequestVariables>(async (c, next) => {
    const wait = take(c.get('address'), await classBeforeToken(c.var, tokens));
    if (wait > 0) return retryLater(slowDown('Wait a moment, then try again.'), wait);
    return next();
  });
}

/** So many uploads of one line at once; each holds a connection and a file. */
export function limitUploads(most = UPLOADS_AT_ONCE) {
  const uploads = semaphoreByClient(most);
  return createMiddleware<RequestVariables>(async (c, next) => {
    const address = c.get('address');
    if (!address) return next();
    const semaphore = uploads(address);
    if (semaphore.isLocked()) return slowDown('Too many uploads are under way. Let one finish first.');
    return semaphore.runExclusive(() => next());
  });
}
