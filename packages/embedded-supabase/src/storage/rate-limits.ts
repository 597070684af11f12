import { createMiddleware } from 'hono/factory';
import type { House, Visit } from '../gateway/context.ts';
import { retryLater } from '../gateway/responses.ts';
import { classBeforeToken, concurrencyLimit, rateLimit } from '../rest/caller-class.ts';
import { refusedAnswer, StorageRefused } from './errors.ts';

/** Uploads under way at once of one line: a browser opens six connections to a place, and an office has some. */
const UPLOADS_AT_ONCE = 24;

const slowDown = (message: string) => refusedAnswer(new StorageRefused(429, 'SlowDown', message));

/** As many questions of one line as of tables. Those of this machine itself are not counted. */
export function paceQuestions({ tokens }: Pick<House, 'tokens'>) {
  const take = rateLimit();
  return createMiddleware<Visit>(async (c, next) => {
    const wait = take(c.get('address'), await classBeforeToken(c.var, tokens));
    if (wait > 0) return retryLater(slowDown('Wait a moment, then try again.'), wait);
    return next();
  });
}

/** So many uploads of one line at once; each holds a connection and a file. */
export function boundUploads(most = UPLOADS_AT_ONCE) {
  const lines = concurrencyLimit(most);
  return createMiddleware<Visit>(async (c, next) => {
    const leave = lines.enter(c.get('address'));
    if (!leave) return slowDown('Too many uploads are under way. Let one finish first.');
    try {
      return await next();
    } finally {
      leave();
    }
  });
}
