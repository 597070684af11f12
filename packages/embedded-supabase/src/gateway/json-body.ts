import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { createMiddleware } from 'hono/factory';
import { semaphoreByClient } from '../rest/caller-class.ts';
import type { RequestVariables } from './context.ts';
import { withRetryAfter } from './responses.ts';

/**
 * Maximum number of bodies per client network that are read at once. Each body stays in memory until it is complete,
 * however slowly it arrives.
 */
const MAX_CONCURRENT_BODIES = 64;

type JsonBodyOptions = {
  /** Maximum bytes of a body. */
  maxSize: (c: Context<RequestVariables>) => number;
  tooLarge: () => Response;
  tooDeep: () => Response;
  /** Response to a client that sends too many bodies at once. */
  tooMany: () => Response;
};

/**
 * Creates two middlewares. The first one rejects bodies that are too large. The second one reads the body and rejects
 * JSON that is nested too deeply. It also limits how many bodies a client network may send at once.
 */
export function checkJsonBody({ maxSize, tooLarge, tooDeep, tooMany }: JsonBodyOptions) {
  const semaphoreOf = semaphoreByClient(MAX_CONCURRENT_BODIES);

  /** Reads the body. @returns undefined if the client sends too many bodies at once */
  async function readBody(c: Context<RequestVariables>): Promise<ArrayBuffer | undefined> {
    const address = c.get('address');
    if (!address) return c.req.arrayBuffer();
    const semaphore = semaphoreOf(address);
    return semaphore.isLocked() ? undefined : semaphore.runExclusive(() => c.req.arrayBuffer());
  }

  return [
    createMiddleware<RequestVariables>(async (c, next) => {
      // The HTTP server discards an unread body and keeps the connection. If the body was read in part, the server
      // closes the connection. A declared length is therefore checked without reading the body.
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
      const body = await readBody(c);
      if (!body) {
        // The rest of the body is not read.
        c.header('connection', 'close');
        return withRetryAfter(tooMany(), 1);
      }
      return !isBinaryBroadcast(c) && isNestedTooDeep(new Uint8Array(body)) ? tooDeep() : next();
    }),
  ] as const;
}

/**
 * Returns true for a broadcast with a binary payload, the only body here that is not JSON. Storage applies these checks
 * to its JSON routes only.
 */
export const isBinaryBroadcast = (c: Context) =>
  c.req.path.startsWith('/realtime/') && c.req.header('content-type') === 'application/octet-stream';

/**
 * Maximum nesting of JSON. No argument of a database function nests so deeply. The database parses nested values
 * recursively, with a small stack.
 */
const MAX_DEPTH = 64;

const [QUOTE, BACKSLASH] = ['"', '\\'].map((sign) => sign.charCodeAt(0));
const OPENING_BRACKETS = new Set(['[', '{'].map((sign) => sign.charCodeAt(0)));
const CLOSING_BRACKETS = new Set([']', '}'].map((sign) => sign.charCodeAt(0)));

/** Returns true if JSON is nested too deeply. Does not check whether the JSON is valid. */
export function isNestedTooDeep(json: Uint8Array): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index] as number;
    if (isInString) {
      if (byte === BACKSLASH) index++;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (OPENING_BRACKETS.has(byte)) {
      if (++depth > MAX_DEPTH) return true;
    } else if (CLOSING_BRACKETS.has(byte)) depth--;
  }
  return false;
}
