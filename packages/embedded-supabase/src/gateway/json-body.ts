import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { createMiddleware } from 'hono/factory';
import { semaphoreByClient } from '../rest/caller-class.ts';
import type { RequestVariables } from './context.ts';
import { retryLater } from './responses.ts';

/** Bodies of one client network that are read at once: each is in memory until it is whole, however slowly it comes. */
const BODIES_AT_ONCE = 64;

type JsonBodyOptions = {
  /** Maximum bytes of a body. */
  maxSize: (c: Context<RequestVariables>) => number;
  tooLarge: () => Response;
  tooDeep: () => Response;
  /** The client has too many bodies under way. */
  tooMany: () => Response;
};

/**
 * Two checks of bodies: refuses one that is too large, then reads it and refuses one that is nested too deeply. A client
 * network may send so many at once.
 */
export function checkJsonBody({ maxSize, tooLarge, tooDeep, tooMany }: JsonBodyOptions) {
  const reading = semaphoreByClient(BODIES_AT_ONCE);

  /** @returns undefined for a client that has too many under way */
  async function read(c: Context<RequestVariables>): Promise<ArrayBuffer | undefined> {
    const address = c.get('address');
    if (!address) return c.req.arrayBuffer();
    const semaphore = reading(address);
    return semaphore.isLocked() ? undefined : semaphore.runExclusive(() => c.req.arrayBuffer());
  }

  return [
    createMiddleware<RequestVariables>(async (c, next) => {
      // The HTTP server discards a body that nothing has begun to read, and keeps the connection. It closes the
      // connection of a body that was read in part, so a declared length is checked without touching the body.
      const declared = c.req.header('content-length');
      if (declared !== undefined) return Number(declared) > maxSize(c) ? tooLarge() : next();
      const onError = () => {
        c.header('connection', 'close');
        return tooLarge();
      };
      return bodyLimit({ maxSize: maxSize(c), onError })(c, next);
    }),
    createMiddleware<RequestVariables>(async (c, next) => {
      if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
      const body = await read(c);
      if (!body) {
        // The rest of the body is not read.
        c.header('connection', 'close');
        return retryLater(tooMany(), 1);
      }
      return !isBinaryBroadcast(c) && nestsTooDeep(new Uint8Array(body)) ? tooDeep() : next();
    }),
  ] as const;
}

/** The only body that is not JSON. Storage checks its JSON routes only. */
export const isBinaryBroadcast = (c: Context) =>
  c.req.path.startsWith('/realtime/') && c.req.header('content-type') === 'application/octet-stream';

/** Deeper than any argument of a function. The database reads nested values by recursion, with a small stack. */
const MAX_DEPTH = 64;

const [QUOTE, BACKSLASH] = ['"', '\\'].map((sign) => sign.charCodeAt(0));
const OPENING = new Set(['[', '{'].map((sign) => sign.charCodeAt(0)));
const CLOSING = new Set([']', '}'].map((sign) => sign.charCodeAt(0)));

/** Whether JSON nests too deep. Invalid JSON is not checked. */
export function nestsTooDeep(json: Uint8Array): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < json.length; at++) {
    const sign = json[at] as number;
    if (quoted) {
      if (sign === BACKSLASH) at++;
      else if (sign === QUOTE) quoted = false;
    } else if (sign === QUOTE) quoted = true;
    else if (OPENING.has(sign)) {
      if (++depth > MAX_DEPTH) return true;
    } else if (CLOSING.has(sign)) depth--;
  }
  return false;
}
