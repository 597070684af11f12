import { createMiddleware } from 'hono/factory';
import { retryLater } from '../answers.ts';
import type { Visit } from '../house.ts';
import { network, tokenBuckets } from '../limits.ts';
import { RATES } from '../rest-routes.ts';
import { refusedAnswer, StorageRefused } from './storage-refused.ts';

/** Uploads under way at once of one line: a browser opens six connections to a place, and an office has some. */
const UPLOADS_AT_ONCE = 24;

const slowDown = (message: string) => refusedAnswer(new StorageRefused(429, 'SlowDown', message));

/** As many questions of one line as of tables. Those of this machine itself are not counted. */
export function paceQuestions() {
  const buckets = { stranger: tokenBuckets(RATES.stranger), member: tokenBuckets(RATES.member) };
  return createMiddleware<Visit>(async (c, next) => {
    const address = c.get('address');
    const wait = address ? buckets[c.get('token') ? 'member' : 'stranger'].take(network(address)) : 0;
    if (wait > 0) return retryLater(slowDown('Wait a moment, then try again.'), wait);
    return next();
  });
}

/** So many uploads of one line at once; each holds a connection and a file. */
export function boundUploads(most = UPLOADS_AT_ONCE) {
  const underWay = new Map<string, number>();
  return createMiddleware<Visit>(async (c, next) => {
    const address = c.get('address');
    if (!address) return next();
    const line = network(address);
    const count = underWay.get(line) ?? 0;
    if (count >= most) return slowDown('Too many uploads are under way. Let one finish first.');
    underWay.set(line, count + 1);
    try {
      await next();
    } finally {
      const left = (underWay.get(line) ?? 1) - 1;
      if (left > 0) underWay.set(line, left);
      else underWay.delete(line);
    }
  });
}
