import { randomBytes } from 'node:crypto';
import { App } from '@supabase/lite';
import type { Kysely } from 'kysely';
import type { Config } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import { isDatabaseError, UnavailableError } from '../engine/errors.ts';
import { createRequestContext, type HttpContext, type RequestContext } from '../gateway/request-context.ts';
import {
  databaseErrorResponse,
  internalErrorResponse,
  restError,
  unavailableResponse,
} from '../gateway/responses.ts';
import { runBootstrapScripts } from '../migrations.ts';
import type { Claims } from '../tokens.ts';
import type { AccessList } from './access-list.ts';
import {
  isResponseTooLarge,
  limitResponseSize,
  responseTooLargeError,
  writeRowLimit,
} from './answer-size.ts';
import { qualifyComputedFields } from './computed-fields.ts';
import { checkQuery, type Query } from './query-check.ts';
import { type CallerClass, QUERY_LIMITS } from './query-limits.ts';
import {
  filterSchema,
  type Introspection,
  prepareCall,
  prepareValues,
  type RawBody,
  readRawBody,
} from './request-values.ts';

/** Messages of lite's parsers for invalid queries. They contain only parts of the query. */
const INVALID_QUERY_MESSAGE =
  /^(?:Expected |Invalid filter|Unexpected |Unknown operator|Unsupported operator|"failed to parse|Operator "|Cannot )/;

/** Maximum length of an error message that repeats parts of a query, in characters. */
const MAX_MESSAGE_LENGTH = 200;

/** An error that contains the response. lite's own server responds with the result of its `getResponse`. */
class ResponseError extends Error {
  override name = 'ResponseError';
  readonly getResponse: () => Response;
  constructor(response: Response) {
    super('Answered.');
    this.getResponse = () => response;
  }
}

/**
 * Replaces the method that lite calls for errors that it does not know. lite would print each such error with its
 * stack, and visitors can cause any number of them. lite would also return the error's message, whatever it reveals.
 * @throws ResponseError with the response, always
 */
function throwErrorResponse(error: unknown): never {
  throw new ResponseError(errorResponse(error));
}

function errorResponse(error: unknown): Response {
  if (error instanceof ResponseError) return error.getResponse();
  if (isDatabaseError(error)) return databaseErrorResponse(error, 'anon');
  if (!(error instanceof Error)) return internalErrorResponse(error);
  const message = error.message.slice(0, MAX_MESSAGE_LENGTH);
  if ('relation' in error) return restError(404, 'PGRST205', message);
  if (error instanceof URIError || INVALID_QUERY_MESSAGE.test(error.message))
    return restError(400, 'PGRST100', message);
  if (error instanceof RangeError && error.message.startsWith('Maximum call stack')) {
    return restError(400, 'PGRST100', 'The query nests too deep.');
  }
  // The driver does not check array parameters. A value that is not an array fails when the driver sends it.
  if ('code' in error && error.code === 'ERR_INVALID_ARG_TYPE') {
    return restError(400, '22P02', 'invalid input syntax for an array');
  }
  return internalErrorResponse(error);
}

/*
 * @supabase/lite handles PostgREST's requests and creates the tables of the schema `auth`. Its own auth service is not
 * used. lite is young, so its version is pinned exactly, and only this file uses it, apart from its connection to an
 * engine. This file, or code in front of lite, replaces each behaviour that we cannot accept. Each replacement has its
 * own contract test.
 */

export type RestApi = {
  db: Kysely<unknown>;
  /** Sets the role and claims of a caller in a transaction, as for lite's own requests. */
  requestContext: RequestContext;
  /** Runs a request to `/rest/v1` as this caller. Ignores the keys and tokens of the request itself. */
  handle(request: Request, claims: Claims, callerClass: CallerClass): Promise<Response>;
  /** Returns the number of requests that a call of this function counts as in the rate limit. */
  functionCost(name: string | undefined): number;
  /**
   * Makes lite read the schema. Call it after every change of the schema from outside lite, and before the first
   * request: each request that arrives while lite knows no schema would read the whole schema.
   */
  reloadSchema(): Promise<void>;
};

/** Placeholder API key for lite. The gateway has already checked the real key. */
const PLACEHOLDER_KEY = 'checked-by-the-gateway';

/**
 * Starts lite on an engine.
 * @param accessList limits `/rest/v1` for callers without the secret key. If undefined, only general limits apply
 */
export async function openRestApi(engine: Engine, config: Config, accessList?: AccessList): Promise<RestApi> {
  // Names of a query must not become properties of Object.prototype.
  Object.preventExtensions(Object.prototype);
  const { connection, db } = engine;
  const context = createRequestContext(engine);
  const queries: Queries = new WeakMap();
  replaceRequestSetup(connection, db, context, queries, config.api.maxRows);
  checkQueries(connection, queries, accessList);
  connection.normalizeDbError = throwErrorResponse;

  const restCallers = new WeakMap<Request, Claims>();
  // The configuration is written in code. lite would parse a config.toml strictly and, if it is invalid, print it with
  // its secrets.
  const app = new App({
    connection,
    api: {
      enabled: true,
      schemas: ['public'],
      max_rows: config.api.maxRows,
      // As on hosted, where it also applies inside functions (`safeupdate`).
      pg_safe_update: true,
    },
    // Enabled for its tables only; no request reaches the rest. Without a secret, lite would use a public default.
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
  // Runs after lite's own setup, which replaces auth.uid() by lite's version at every start.
  await runBootstrapScripts(engine);

  return {
    db,
    requestContext: context,
    async handle(request, claims, callerClass) {
      const rawBody = await readRawBody(request);
      const liteRequest = rawBody ? withoutRawBody(request) : withQuotedValues(request);
      liteRequest.headers.set('apikey', PLACEHOLDER_KEY);
      liteRequest.headers.delete('authorization');
      const caller = { ...claims };
      restCallers.set(liteRequest, caller);
      queries.set(caller, { callerClass, rawBody });
      return app.fetch(liteRequest);
    },
    functionCost: (name) => (name && accessList?.functions.get(name)?.cost) || 1,
    async reloadSchema() {
      await connection.clearSchemaCache();
      await connection.introspect({ useCache: true });
      await context.loadSettings();
    },
  };
}

/** Returns a request whose body lite can parse. `prepareCall` replaces its arguments. */
function withoutRawBody({ url, method, headers }: Request): Request {
  const jsonHeaders = new Headers(headers);
  jsonHeaders.set('content-type', 'application/json');
  return new Request(url, { method, headers: jsonHeaders, body: '{}' });
}

/** Parameters that do not filter by a column. */
const NO_FILTERS = new Set(['select', 'order', 'limit', 'offset', 'on_conflict', 'columns']);
const LOGIC_TREE = /^(?:.+\.)?(?:or|and)$/;
const COMPARISON_FILTER = /^((?:not\.)?(?:eq|neq|gt|gte|lt|lte)\.)(.*)$/s;
const LIST_FILTER = /^((?:not\.)?in\.\()(.*)(\))$/s;
// Each alternative also matches the character after the value. A lookahead would read a long text again from every
// position.
const COMPARISON_IN_TREE = /(\.(?:eq|neq|gt|gte|lt|lte)\.)([^,()"{}]+)([,)]?)|(\.in\.\()([^()"]+)(\)?)/g;

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

/** Quotes the value of a filter: `eq.true` becomes `eq."true"`. lite removes these quotes and changes nothing else. */
const quoteFilter = (filter: string): string =>
  filter
    .replace(COMPARISON_FILTER, (_all, operator: string, value: string) => `${operator}"${value}"`)
    .replace(LIST_FILTER, (_all, start: string, list: string, end: string) => start + quoteList(list) + end);

/** Quotes the values of an `or` or `and`, except those that have quotes already. */
const quoteTree = (tree: string): string =>
  outsideQuotes(tree, (part) =>
    part.replace(COMPARISON_IN_TREE, (all, operator, value, next, start, list, end) => {
      if (next) return `${operator}"${value}"${next}`;
      return end ? start + quoteList(list) + end : all;
    }),
  );

const quoteList = (list: string): string =>
  outsideQuotes(list, (part) => part.replace(/[^,]+/g, (value) => `"${value.replace(/[\\]/g, '\\$&')}"`));

/** Changes the parts of a text that are outside of double quotes. */
const outsideQuotes = (text: string, change: (part: string) => string): string =>
  text
    .split(/("(?:[^"\\]|\\.)*(?:"|\\?$))/s)
    .map((part, n) => (n % 2 === 0 ? change(part) : part))
    .join('');

/** Removes all schemas except `public` from lite's introspection. Filters each result once and caches it. */
function limitIntrospection(connection: Engine['connection']): void {
  const introspect = connection.introspect.bind(connection);
  const filtered = new WeakMap<Introspection, Introspection>();
  connection.introspect = async (options) => {
    const full = await introspect(options);
    const limited = filtered.get(full) ?? filterSchema(full, 'public');
    filtered.set(full, limited);
    return limited;
  };
}

/**
 * Checks the limit `max-affected` of a function call with `handling=strict`. lite applies this limit to tables only.
 * @throws ResponseError if the function returned more rows, or does not return a set of rows
 */
async function checkMaxAffected(response: unknown, http: HttpContext | undefined): Promise<void> {
  const prefer = http?.method === 'POST' ? (http.requestHeaders?.prefer ?? '') : '';
  const maxAffected = /(?:^|[\s,])max-affected=(\d+)/.exec(prefer)?.[1];
  if (maxAffected === undefined || !/handling=strict/.test(prefer)) return;
  if (!(response instanceof Response) || !response.ok) return;
  const rows: unknown = await response.clone().json();
  if (!Array.isArray(rows)) {
    const message =
      'Function must return SETOF or TABLE when max-affected preference is used with handling=strict';
    throw new ResponseError(restError(400, 'PGRST128', message));
  }
  if (rows.length <= Number(maxAffected)) return;
  const message = 'Query result exceeds max-affected preference constraint';
  throw new ResponseError(restError(400, 'PGRST124', message, null, `The query affects ${rows.length} rows`));
}

/**
 * Makes an estimated count exact. PostgREST estimates only counts above its maximum number of rows, where lite would
 * return the planner's guess for a table of four rows.
 */
function countExactly({ $meta }: Query): void {
  if ($meta?.count === 'estimated') $meta.count = 'exact';
}

/** Corrects the schema in lite's error about a table without foreign keys, for which lite has a placeholder. */
function nameSchema(error: unknown): void {
  if (!(error instanceof Error) || !('details' in error) || typeof error.details !== 'string') return;
  error.details = error.details.replace("in the schema 'test', but", "in the schema 'public', but");
}

type Vars = { auth?: { jwt?: Claims | null } };

/** Requests in progress. The key is the claims object, which lite passes along with each request. */
type Queries = WeakMap<Claims, { callerClass: CallerClass; rawBody?: RawBody; refusal?: Error }>;

/**
 * Replaces lite's own setup of a request. At its first run, lite's setup grants ALL on every table to all roles, which
 * undoes the revokes of the migrations. It takes up to eleven statements. Ours takes one and grants nothing. It also
 * maps database errors as PostgREST does, where lite turns a violated check into a 500.
 */
function replaceRequestSetup(
  connection: Engine['connection'],
  db: Kysely<unknown>,
  context: RequestContext,
  queries: Queries,
  maxRows: number,
) {
  const rowLimit = writeRowLimit(maxRows);
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
        await context.apply(transaction, claims, options?.rpc);
        if (query?.refusal) throw query.refusal;
        const sized = limits ? limitResponseSize(transaction, limits.responseBytes) : transaction;
        const result = await run(sized.withPlugin(rowLimit));
        await checkMaxAffected(result, options?.rpc);
        return result;
      });
    } catch (caught) {
      const error =
        limits && isResponseTooLarge(caught) ? responseTooLargeError(limits.responseBytes) : caught;
      // Every caller inside lite returns this value as its response.
      if (error instanceof ResponseError) return error.getResponse() as T;
      if (error instanceof UnavailableError) return unavailableResponse() as T;
      if (isDatabaseError(error)) return databaseErrorResponse(error, claims?.role ?? 'anon') as T;
      nameSchema(error);
      throw error;
    }
  };
}

/** Checks every query after lite has parsed it. The claims that lite passes along identify the caller. */
function checkQueries(
  connection: Engine['connection'],
  queries: Queries,
  accessList: AccessList | undefined,
): void {
  const resolve = connection.onPostgrestAST.bind(connection);
  // lite passes a second argument, which the type of its own method does not declare.
  connection.onPostgrestAST = async (ast: Parameters<typeof resolve>[0], vars?: Vars) => {
    const resolved = await resolve(ast);
    const introspection = await connection.introspect({ useCache: true });
    const caller = vars?.auth?.jwt;
    const query = caller && queries.get(caller);
    if (resolved.type === 'rpc' && (resolved as Query).httpMethod === 'POST') {
      const refused = prepareCall(resolved as Query, query?.rawBody, introspection);
      if (refused) throw new ResponseError(refused);
    }
    prepareValues(resolved as Query, introspection);
    countExactly(resolved as Query);
    const callerClass = query?.callerClass ?? 'visitor';
    const refusal = checkQuery(resolved as Query, { callerClass, role: caller?.role ?? 'anon' }, accessList);
    if (query && refusal) query.refusal = refusal;
    else if (refusal) throw refusal;
    qualifyComputedFields(resolved as Query, introspection);
    // As on hosted, every request commits. lite would report that it has rolled back.
    delete (resolved as Query).$meta?.tx;
    return resolved;
  };
}
