import { createMiddleware } from 'hono/factory';
import { restRefusal, retryLater } from './answers.ts';
import { AuthRefused, refusedAnswer } from './auth/refused.ts';
import { meetsUnavailable } from './engine/unavailable.ts';
import type { Visit } from './house.ts';

/** The database comes back within seconds, or somebody has to see to it. */
const RETRY_AFTER_S = 1;

/**
 * Says that the database was unavailable where a request met that, whatever else was made of it: without its rows
 * a token looks revoked, and a table looks missing.
 */
export const tellOutages = createMiddleware<Visit>(async (c, next) => {
  const met = await meetsUnavailable(next);
  if (!met || c.res.ok) return;
  // Not merged with the answer it stands for, whose headers belong to another body.
  c.res = undefined;
  c.res = retryLater(refusal(c.req.path), RETRY_AFTER_S);
});

function refusal(path: string): Response {
  return path.startsWith('/auth/')
    ? refusedAnswer(new AuthRefused(503, 'unavailable', 'Try again in a moment.'))
    : restRefusal(503, 'PT503', 'unavailable', 'Try again in a moment.');
}
