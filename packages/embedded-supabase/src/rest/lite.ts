import { randomBytes } from 'node:crypto';
import { App } from '@supabase/lite';
import type { Kysely } from 'kysely';
import type { Config } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import { isDatabaseError, Unavailable } from '../engine/errors.ts';
import { type HttpContext, type RequestContext, requestContext } from '../gateway/request-context.ts';
import { internalError, restError, unavailableResponse } from '../gateway/responses.ts';
import { bootstrap } from '../migrations.ts';
import type { Claims } from '../tokens.ts';
import type { AccessList } from './access-list.ts';
import { isTooLarge, limitResponseSize, responseTooLarge } from './answer-size.ts';
import { databaseErrorResponse } from './database-errors.ts';
import { checkQuery, type Query } from './query-check.ts';
import { type CallerClass, QUERY_LIMITS } from './query-limits.ts';
import { type Introspection, onlySchema, prepareValues } from './request-values.ts';

/** Messages of lite's parsers for invalid queries. They contain only parts of the query. */
const UNREADABLE =
  /^(?:Expected |Invalid filter|Unexpected |Unknown operator|Unsupported operator|"failed to parse|Operator "|Cannot )/;

/** Characters of a query that an error message repeats. */
const SAID_AGAIN = 200;

/** Thrown to lite's own server, which answers with what an error brings along. */
class Answered extends Error {
  override name = 'Answered';
  readonly getResponse: () => Response;
  constructor(response: Response) {
    super('Answered.');
    this.getResponse = () => response;
  }
}

/**
 * Stands where lite asks what an error means that it does not know. It would print the error with its stack, which a
 * visitor makes as many of as they like, and answer with its words, whatever those tell.
 * @throws always: what is to be answered
 */
function answerError(error: unknown): never {
  throw new Answered(answerTo(error));
}

function answerTo(error: unknown): Response {
  if (isDatabaseError(error)) return databaseErrorResponse(error, 'anon');
  if (!(error instanceof Error)) return internalError(error);
  const message = error.message.slice(0, SAID_AGAIN);
  if ('relation' in error) return restError(404, 'PGRST205', message);
  if (error instanceof URIError || UNREADABLE.test(error.message)) return restError(400, 'PGRST100', message);
  if (error instanceof RangeError && error.message.startsWith('Maximum call stack')) {
    return restError(400, 'PGRST100', 'The query nests too deep.');
  }
  // The driver writes an array as it comes: of what is none it finds that out on the wire.
  if ('code' in error && error.code === 'ERR_INVALID_ARG_TYPE') {
    return restError(400, '22P02', 'invalid input syntax for an array');
  }
  return internalError(error);
}

/*
 * @supabase/lite answers PostgREST's requests and makes the tables of the schema `auth`, which it does not get to use.
 * It is young, so it is pinned exactly, it is used in this file and nowhere else (but for its handle of an engine),
 * and each habit of it that we cannot live with is taken away here or in front of it, under a contract test of its
 * own.
 */

export type Lite = {
  db: Kysely<unknown>;
  /** What puts a caller's role and claims on, as lite's own requests get them. */
  context: RequestContext;
  /** Answers a request to `/rest/v1` as this caller; what the request itself says of keys and tokens is ignored. */
  rest(request: Request, claims: Claims, callerClass: CallerClass): Promise<Response>;
  /** Requests that a call of this function counts as in the rate limit. */
  costOf(name: string | undefined): number;
  /**
   * To be called after every change of schema from outside lite, and before the first request: those that come
   * while it knows no schema would each read the whole of it.
   */
  learnSchema(): Promise<void>;
};

/** Stands where lite wants an API key: the gateway has checked the real one. */
const CHECKED = 'checked-by-the-gateway';

/** @param accessList what callers without the secret key may ask of `/rest/v1`; undefined: general limits only */
export async function openLite(engine: Engine, config: Config, accessList?: AccessList): Promise<Lite> {
  // Names of a query must not become properties of Object.prototype.
  Object.preventExtensions(Object.prototype);
  const { connection, db } = engine;
  const context = requestContext(engine);
  const queries: Queries = new WeakMap();
  takeOverContext(connection, db, context, queries);
  checkQueries(connection, queries, accessList);
  connection.normalizeDbError = answerError;

  const restCallers = new WeakMap<Request, Claims>();
  // Written out in code: lite reads a config.toml strictly and prints it, secrets and all, when it finds a fault.
  const app = new App({
    connection,
    api: { enabled: true, schemas: ['public'], max_rows: config.api.maxRows },
    // For its tables; nothing reaches the rest of it. Without a secret of its own lite takes one that is public.
    auth: { enabled: true, jwt_secret: randomBytes(48).toString('base64url') },
    db: { migrations: { enabled: false } },
    storage: { enabled: false },
    studio: { enabled: false },
    options: {
      server: {
        disableStudio: true,
        apiKeys: {
          resolver: async (_key, context) => ({
            type: 'publishable',
            claims: restCallers.get(context.req.raw) ?? { role: 'anon' },
          }),
        },
      },
    },
  });
  await app.ensureSystemSchema();
  limitIntrospection(connection);
  // After lite's own, which puts auth.uid() back to what lite makes of it at every start.
  await bootstrap(engine);

  return {
    db,
    context,
    async rest(request, claims, callerClass) {
      const exact = withQuotedValues(request);
      exact.headers.set('apikey', CHECKED);
      exact.headers.delete('authorization');
      const caller = { ...claims };
      restCallers.set(exact, caller);
      queries.set(caller, { callerClass });
      return app.fetch(exact);
    },
    costOf: (name) => (name && accessList?.functions.get(name)?.cost) || 1,
    async learnSchema() {
      await connection.clearSchemaCache();
      await connection.introspect({ useCache: true });
      await context.learn();
    },
  };
}

/** Parameters that are no filters on a column. */
const NO_FILTERS = new Set(['select', 'order', 'limit', 'offset', 'on_conflict', 'columns']);
const LOGIC_TREE = /^(?:.+\.)?(?:or|and)$/;
const COMPARED = /^((?:not\.)?(?:eq|neq|gt|gte|lt|lte)\.)(.*)$/s;
const LISTED = /^((?:not\.)?in\.\()(.*)(\))$/s;
// Each alternative takes what may follow the value, too: a look ahead would read a long text again from every place.
const COMPARED_IN_TREE = /(\.(?:eq|neq|gt|gte|lt|lte)\.)([^,()"{}]+)([,)]?)|(\.in\.\()([^()"]+)(\)?)/g;

/**
 * Quotes the values that a query compares columns with. lite guesses the type of a value without quotes (`true`,
 * `null`, `1e3`), so the text that a text column is compared with would be lost. PostgreSQL reads a quoted value by
 * the type of its column, as it does behind PostgREST.
 */
function withQuotedValues(request: Request): Request {
  const url = new URL(request.url);
  if (url.search === '' || url.pathname.startsWith('/rest/v1/rpc/')) return request;
  const quoted = [...url.searchParams].map(([name, value]): [string, string] => {
    if (NO_FILTERS.has(name)) return [name, value];
    return [name, LOGIC_TREE.test(name) ? quoteTree(value) : quoteFilter(value)];
  });
  url.search = new URLSearchParams(quoted).toString();
  return new Request(url, request);
}

/** The value of one filter: `eq.true` becomes `eq."true"`. lite removes the outer quotes and changes nothing else. */
const quoteFilter = (filter: string): string =>
  filter
    .replace(COMPARED, (_all, operator: string, value: string) => `${operator}"${value}"`)
    .replace(LISTED, (_all, start: string, list: string, end: string) => start + quoteList(list) + end);

/** The values of an `or` or `and`, but for those that have quotes already. */
const quoteTree = (tree: string): string =>
  outsideQuotes(tree, (part) =>
    part.replace(COMPARED_IN_TREE, (all, operator, value, next, start, list, end) => {
      if (next) return `${operator}"${value}"${next}`;
      return end ? start + quoteList(list) + end : all;
    }),
  );

const quoteList = (list: string): string =>
  outsideQuotes(list, (part) => part.replace(/[^,]+/g, (value) => `"${value.replace(/[\\]/g, '\\$&')}"`));

/** Changes the parts of a text that stand outside of double quotes. */
const outsideQuotes = (text: string, change: (part: string) => string): string =>
  text
    .split(/("(?:[^"\\]|\\.)*(?:"|\\?$))/s)
    .map((part, n) => (n % 2 === 0 ? change(part) : part))
    .join('');

/** Lets lite know the schema `public` alone. Each result is filtered once. */
function limitIntrospection(connection: Engine['connection']): void {
  const introspect = connection.introspect.bind(connection);
  const filtered = new WeakMap<Introspection, Introspection>();
  connection.introspect = async (options) => {
    const whole = await introspect(options);
    const known = filtered.get(whole) ?? onlySchema(whole, 'public');
    filtered.set(whole, known);
    return known;
  };
}

/**
 * The limit `max-affected` of a call with `handling=strict`, which lite applies to tables only.
 * @throws Answered when the function returned more rows, or none because it is no set-returning one
 */
async function checkMaxAffected(response: unknown, http: HttpContext | undefined): Promise<void> {
  const prefer = http?.method === 'POST' ? (http.requestHeaders?.prefer ?? '') : '';
  const most = /(?:^|[\s,])max-affected=(\d+)/.exec(prefer)?.[1];
  if (most === undefined || !/handling=strict/.test(prefer)) return;
  if (!(response instanceof Response) || !response.ok) return;
  const rows: unknown = await response.clone().json();
  if (!Array.isArray(rows)) {
    const message =
      'Function must return SETOF or TABLE when max-affected preference is used with handling=strict';
    throw new Answered(restError(400, 'PGRST128', message));
  }
  if (rows.length <= Number(most)) return;
  const message = 'Query result exceeds max-affected preference constraint';
  throw new Answered(restError(400, 'PGRST124', message, null, `The query affects ${rows.length} rows`));
}

type Vars = { auth?: { jwt?: Claims | null } };

/** Requests under way, by the claims that lite carries along with each. */
type Queries = WeakMap<Claims, { callerClass: CallerClass; refusal?: Error }>;

/**
 * lite's own request setup grants ALL on every table to all roles at its first run, which undoes the migrations'
 * revokes, and takes up to eleven statements. Ours takes one, grants nothing, and maps database errors as PostgREST
 * does, where lite turns a violated check into a 500.
 */
function takeOverContext(
  connection: Engine['connection'],
  db: Kysely<unknown>,
  context: RequestContext,
  queries: Queries,
) {
  connection.withContext = async <T>(
    vars: Vars | undefined,
    run: (db: Kysely<unknown>) => Promise<T>,
    options?: { rpc?: HttpContext },
  ) => {
    const claims = vars?.auth?.jwt ?? undefined;
    const query = claims && queries.get(claims);
    const limits = query && query.callerClass !== 'server' ? QUERY_LIMITS[query.callerClass] : undefined;
    try {
      return await db.transaction().execute(async (transaction) => {
        await context.enter(transaction, claims, options?.rpc);
        if (query?.refusal) throw query.refusal;
        const result = await run(limits ? limitResponseSize(transaction, limits.answerBytes) : transaction);
        await checkMaxAffected(result, options?.rpc);
        return result;
      });
    } catch (caught) {
      const error = limits && isTooLarge(caught) ? responseTooLarge(limits.answerBytes) : caught;
      // Every caller inside lite returns this value as its response.
      if (error instanceof Answered) return error.getResponse() as T;
      if (error instanceof Unavailable) return unavailableResponse() as T;
      if (isDatabaseError(error)) return databaseErrorResponse(error, claims?.role ?? 'anon') as T;
      throw error;
    }
  };
}

/** Checks every query as lite has parsed it. The claims, which lite carries along, tell whose it is. */
function checkQueries(
  connection: Engine['connection'],
  queries: Queries,
  accessList: AccessList | undefined,
): void {
  const resolve = connection.onPostgrestAST.bind(connection);
  // lite passes a second argument that this method of its own type does not name.
  connection.onPostgrestAST = async (ast: Parameters<typeof resolve>[0], vars?: Vars) => {
    const resolved = await resolve(ast);
    prepareValues(resolved as Query, await connection.introspect({ useCache: true }));
    const caller = vars?.auth?.jwt;
    const query = caller && queries.get(caller);
    const callerClass = query?.callerClass ?? 'visitor';
    const refusal = checkQuery(
      resolved as Query,
      { class: callerClass, role: caller?.role ?? 'anon' },
      accessList,
    );
    if (query && refusal) query.refusal = refusal;
    else if (refusal) throw refusal;
    return resolved;
  };
}
