import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { decodeJwt } from 'jose';
import { AuthError, authErrorResponse } from '../auth/errors.ts';
import { clientNetwork } from '../gateway/client-network.ts';
import type { RequestVariables } from '../gateway/context.ts';
import { bearerToken, createLruCache, requestAddress } from '../gateway/rate-limits.ts';
import { restError, withRetryAfter } from '../gateway/responses.ts';
import type { Keys } from '../keys.ts';
import { backendLog } from '../log/log.ts';
import { StorageError, storageErrorResponse } from '../storage/errors.ts';
import { trackOutcome } from './work.ts';

/** `Retry-After` in seconds. The database is back within seconds, or the operator has to act. */
const RETRY_AFTER_S = 1;

/** Time for which a client is refused a query shape, in s, after the first timeout. Each further timeout doubles it. */
const REFUSED_S = { client: 600, website: 10 };
const MAX_REFUSED_S = { client: 24 * 3600, website: 600 };

/**
 * Number of timeouts, of any shape, after which all requests of a client are refused. The count restarts after
 * `MAX_REFUSED_S.client` without a timeout or refusal.
 */
const MAX_TIMEOUTS = 3;

/** Maximum number of remembered entries: one for each client, and one for each client and shape. */
const MAX_REMEMBERED = 10_000;

type Client = { kind: 'client' | 'website'; name: string };
type Refusal = { until: number; times: number };

/**
 * Replaces the response to a request for which the database was unavailable or took too long. Other layers may have
 * misread the failure: without the rows, a token looks revoked and a table looks missing.
 *
 * - The database was unavailable, or restarted: 503.
 * - A statement exceeded its time limit: 504 with code `57014`. The same client is then refused the same query shape
 *   with 429, for ten minutes the first time and longer each further time. Other clients and other shapes are not
 *   refused. For the website, the first refusal lasts ten seconds, because its pages are for all readers.
 */
export function limitDatabaseTime(keys: Keys, now: () => number = () => performance.now() / 1000) {
  const refusals = createLruCache<Refusal>(MAX_REMEMBERED);

  const waitOf = (key: string) => Math.max(0, (refusals.get(key)?.until ?? 0) - now());

  function refuse({ kind, name }: Client, shape: string): void {
    const countTimeout = (key: string, threshold: number) => {
      const previous = refusals.get(key);
      // A refusal is forgotten once MAX_REFUSED_S has passed since its end.
      const isOld = !previous || now() - previous.until > MAX_REFUSED_S[kind];
      const times = isOld ? 1 : previous.times + 1;
      const seconds =
        times < threshold ? 0 : Math.min(REFUSED_S[kind] * 2 ** (times - threshold), MAX_REFUSED_S[kind]);
      refusals.set(key, { until: now() + seconds, times });
    };
    countTimeout(`${name} ${shape}`, 1);
    if (kind === 'client') countTimeout(name, MAX_TIMEOUTS);
  }

  return createMiddleware<RequestVariables>(async (c, next) => {
    const [client, shape] = [clientOf(c, keys), queryShape(c.req.method, c.req.url)];
    const waitS = Math.max(waitOf(client.name), waitOf(`${client.name} ${shape}`));
    if (waitS > 0 && c.req.method !== 'OPTIONS') {
      return withRetryAfter(
        refusal(c.req.path, 429, 'PT429', 'rate_limited', 'Ask for less at once.'),
        waitS,
      );
    }
    const { wasUnavailable, timedOut } = await trackOutcome(
      { name: shape, client: networkOf(c, keys) },
      next,
    );
    if (timedOut) {
      refuse(client, shape);
      backendLog.warn('A request took too long in the database. Requests like it are refused for a while.', {
        shape,
      });
      return replace(c, refusal(c.req.path, 504, '57014', 'timeout', 'Ask for less at once.'));
    }
    if (!wasUnavailable || c.res.ok) return;
    const response = refusal(c.req.path, 503, 'PT503', 'unavailable', 'Try again in a moment.');
    return replace(c, withRetryAfter(response, RETRY_AFTER_S));
  });
}

/**
 * Replaces the response. Sets it to undefined first, because Hono would otherwise keep headers of the old response. The
 * CORS headers are kept: without them, a browser could not read the status.
 */
function replace(c: Context<RequestVariables>, response: Response): void {
  const cors = [...c.res.headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary');
  c.res = undefined;
  c.res = response;
  for (const [name, value] of cors) c.header(name, value);
}

function refusal(path: string, status: 429 | 503 | 504, code: string, message: string, hint: string) {
  if (path.startsWith('/auth/')) return authErrorResponse(new AuthError(status, message, hint));
  if (path.startsWith('/storage/')) return storageErrorResponse(new StorageError(status, message, hint));
  return restError(status, code, message, hint);
}

/** Returns the client network of a request, whatever accounts it uses; undefined for the website itself. */
function networkOf(c: Context<RequestVariables>, keys: Keys): string | undefined {
  const address = requestAddress(c, keys);
  return address && clientNetwork(address);
}

/**
 * Returns the signed-in user, or else the client network. The token is not verified yet, and need not be. Only a
 * request with a valid token reaches the database and can cause a refusal. A forged token can only get its own sender
 * refused.
 */
function clientOf(c: Context<RequestVariables>, keys: Keys): Client {
  const network = networkOf(c, keys);
  const user = subjectOf(c.req.header('authorization'));
  if (user) return { kind: 'client', name: `user ${user}` };
  if (network) return { kind: 'client', name: `address ${network}` };
  return { kind: 'website', name: 'website' };
}

/** Returns the unverified `sub` of a bearer token. */
function subjectOf(authorization: string | undefined): string | undefined {
  try {
    return decodeJwt(bearerToken(authorization) ?? '').sub?.slice(0, 100);
  } catch {
    return undefined;
  }
}

/** Maximum length of a shape in characters, because shapes are stored and logged. */
const MAX_SHAPE_LENGTH = 500;

/** Parameters whose value is a list of names. */
const LISTS_OF_NAMES = new Set(['select', 'order', 'columns', 'on_conflict']);

const OPERATOR = '(?:not\\.)?[a-z]+(?:\\([a-z]+\\))?';
const FILTER = new RegExp(`^(${OPERATOR})\\.`);
const LOGIC_PARAMETER = /^(?:.+\.)?(?:or|and)$/;
const FILTER_IN_LOGIC = new RegExp(`([\\w>-]+)\\.(${OPERATOR})\\.`, 'g');

/**
 * Describes a request without its values: method, path, columns and operators, or the name of a function. Two requests
 * have the same shape if they differ only in values, in the order of parameters or in repetitions.
 */
function queryShape(method: string, url: string): string {
  const { pathname, searchParams } = new URL(url);
  const path = pathname
    .split('/')
    .map((part) => (/^[0-9]+$/.test(part) || /[0-9a-f]{8}-[0-9a-f]{4}-/i.test(part) ? ':id' : part));
  // Names of files and folders are values.
  const namedPath = path[1] === 'storage' ? path.slice(0, 6) : path;
  if (path[1] !== 'rest') return `${method} ${namedPath.join('/')}`.slice(0, MAX_SHAPE_LENGTH);
  const parts = new Set([...searchParams].map(([name, value]) => parameterShape(name, value)));
  return `${method} ${path.join('/')} ${[...parts].sort().join(' ')}`.trim().slice(0, MAX_SHAPE_LENGTH);
}

function parameterShape(name: string, value: string): string {
  if (LISTS_OF_NAMES.has(name)) return `${name}=${value}`;
  if (LOGIC_PARAMETER.test(name)) {
    const filters = [...value.matchAll(FILTER_IN_LOGIC)].map(
      ([, column, operator]) => `${column}.${operator}`,
    );
    return `${name}=(${[...new Set(filters)].sort().join(',')})`;
  }
  const operator = FILTER.exec(value)?.[1];
  return operator ? `${name}=${operator}` : name;
}
