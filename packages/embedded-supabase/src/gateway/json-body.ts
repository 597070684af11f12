import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { createMiddleware } from 'hono/factory';
import type { RequestVariables } from './context.ts';

type JsonBodyOptions = {
  /** Maximum bytes of a body. */
  maxSize: (c: Context<RequestVariables>) => number;
  tooLarge: () => Response;
  tooDeep: () => Response;
};

/** Two checks of JSON bodies: refuses one that is too large, then reads it and refuses one that is nested too deeply. */
export const checkJsonBody = ({ maxSize, tooLarge, tooDeep }: JsonBodyOptions) =>
  [
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
      if (c.req.method === 'GET' || c.req.method === 'HEAD' || isBinaryBroadcast(c)) return next();
      return nestsTooDeep(new Uint8Array(await c.req.arrayBuffer())) ? tooDeep() : next();
    }),
  ] as const;

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
