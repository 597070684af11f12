import { type Kysely, sql } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import { MAX_HOLD_MS } from '../engine/hold-watchdog.ts';
import { setHoldLimit } from '../engine/work.ts';
import type { Claims, DatabaseRole } from '../tokens.ts';

/** HTTP data of a request, for database functions that read `request.*`. Header names are lower-case. */
export type HttpContext = {
  method: string;
  path: string;
  readOnly: boolean;
  requestHeaders?: Record<string, string>;
};

export type RequestContext = {
  /** Reads the database's settings for requests. Call it after each change of the schema. */
  loadSettings(): Promise<void>;
  /**
   * Sets the role, the claims that policies read, and the statement timeout for the rest of the transaction. Then calls
   * the database's pre-request function, if there is one.
   * @throws the error with which the pre-request function refuses the request
   */
  apply(transaction: Kysely<unknown>, claims?: Claims, http?: HttpContext): Promise<void>;
};

const ANONYMOUS: Claims = { role: 'anon' };

/** Prepares transactions for requests, as PostgREST does between BEGIN and the statement of a request. */
export function createRequestContext({ db, kind }: Pick<Engine, 'db' | 'kind'>): RequestContext {
  let preRequest: string | undefined;
  let timeouts: Timeouts = { roles: new Map(), functions: new Map() };

  /** Returns the statement timeout in milliseconds; undefined if the session's own timeout applies. */
  function timeoutOf(role: DatabaseRole, http?: HttpContext): number | undefined {
    const name = http && /\/rpc\/([^/?]+)$/.exec(http.path)?.[1];
    const functionTimeout = name === undefined ? undefined : timeouts.functions.get(decodeURIComponent(name));
    if (kind === 'postgres' || functionTimeout !== undefined)
      return functionTimeout ?? timeouts.roles.get(role);
    // PGlite cannot serve other requests meanwhile. A PostgreSQL server can.
    return Math.min(timeouts.roles.get(role) ?? MAX_HOLD_MS, MAX_HOLD_MS);
  }

  return {
    async loadSettings() {
      preRequest = await readPreRequest(db);
      timeouts = await readTimeouts(db);
    },
    async apply(transaction, claims = ANONYMOUS, http) {
      const timeout = timeoutOf(claims.role, http);
      setHoldLimit(timeout);
      const applySettings = settingsStatement(claims, http, kind === 'postgres' ? timeout : undefined);
      // One statement makes all settings and then calls the function. lite's own six to eleven statements cost a
      // quarter of every request.
      const statement = preRequest
        ? sql`with request as materialized (${applySettings}) select ${sql.raw(preRequest)}() from request`
        : applySettings;
      await statement.execute(transaction);
    },
  };
}

/**
 * Returns the statement that sets role, claims, request and timeout for the rest of a transaction. The names are
 * PostgREST's. PostgreSQL applies the settings of a role when the role logs in, but not when a session switches to it.
 * The timeout is therefore set here, as in PostgREST.
 */
const settingsStatement = (claims: Claims, http?: HttpContext, timeout?: number) => sql`select
  set_config('role', ${claims.role}, true),
  set_config('request.jwt.claims', ${JSON.stringify(claims)}, true),
  set_config('request.method', ${http?.method ?? ''}, true),
  set_config('request.path', ${http?.path ?? ''}, true),
  set_config('request.headers', ${JSON.stringify(http?.requestHeaders ?? {})}, true),
  set_config('response.status', '', true),
  set_config('response.headers', '', true),
  set_config('transaction_read_only', ${http?.readOnly ? sql`'on'` : sql`current_setting('transaction_read_only')`}, true)
  ${timeout === undefined ? sql`` : sql`, set_config('statement_timeout', ${String(timeout)}, true)`}`;

/**
 * Reads PostgREST's `db-pre-request`, which migrations set on PostgREST's login role. A setting for this database takes
 * precedence over one for all databases. All databases of a cluster share their roles, so the named function may not
 * exist in this one.
 * @returns the function's name as SQL, quoted by the database; undefined if there is no such function
 */
async function readPreRequest(db: Kysely<unknown>): Promise<string | undefined> {
  const { rows } = await sql<{ name: string | null }>`
    select to_regproc(substr(setting, strpos(setting, '=') + 1))::text as name
    from pg_db_role_setting s, unnest(s.setconfig) setting
    where s.setrole = to_regrole('authenticator')
      and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
      and starts_with(setting, 'pgrst.db_pre_request=')
    order by s.setdatabase desc limit 1`.execute(db);
  return rows[0]?.name ?? undefined;
}

/** `statement_timeout` in ms, by role, and by function of the schema public. */
type Timeouts = { roles: Map<string, number>; functions: Map<string, number> };

/**
 * Reads the timeouts that are set in the database with `alter role … set statement_timeout` and, for one function, with
 * `create function … set statement_timeout`.
 */
async function readTimeouts(db: Kysely<unknown>): Promise<Timeouts> {
  const { rows } = await sql<{ kind: 'role' | 'function'; name: string; setting: string }>`
    select 'role' as kind, rolname::text as name, setting
    from pg_db_role_setting s join pg_roles on pg_roles.oid = s.setrole, unnest(s.setconfig) setting
    where rolname in ('anon', 'authenticated', 'service_role')
      and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
      and starts_with(setting, 'statement_timeout=')
    union all
    select 'function', proname::text, setting from pg_proc, unnest(proconfig) setting
    where pronamespace = 'public'::regnamespace and starts_with(setting, 'statement_timeout=')`.execute(db);
  const timeoutsOf = (kind: string) =>
    new Map(
      rows
        .filter((row) => row.kind === kind)
        .map(({ name, setting }) => [name, milliseconds(setting.slice(setting.indexOf('=') + 1))]),
    );
  return { roles: timeoutsOf('role'), functions: timeoutsOf('function') };
}

const UNITS: Record<string, number> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration as PostgreSQL writes it: `8s`, `500ms`, or milliseconds without a unit. */
function milliseconds(setting: string): number {
  const [, count = '0', unit = 'ms'] = /^(\d+)\s*(ms|s|min|h|d)?$/.exec(setting.trim()) ?? [];
  return Number(count) * (UNITS[unit] ?? 1);
}
