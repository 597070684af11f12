import { type Kysely, sql } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import { MAX_HOLD_MS } from '../engine/hold-watchdog.ts';
import { limitHold } from '../engine/work.ts';
import type { Claims, DatabaseRole } from '../tokens.ts';

/** The HTTP side of a request, for functions that read `request.*`. Header names are lower-case. */
export type HttpContext = {
  method: string;
  path: string;
  readOnly: boolean;
  requestHeaders?: Record<string, string>;
};

export type RequestContext = {
  /** Reads the settings of the database that concern requests. To be called after a change of schema. */
  learn(): Promise<void>;
  /**
   * Sets, for the transaction at hand, the role, the claims that policies read and the time limit of a statement, and
   * calls the function that the database names for every request.
   * @throws the error that this function refuses the request with
   */
  enter(transaction: Kysely<unknown>, claims?: Claims, http?: HttpContext): Promise<void>;
};

const ANONYMOUS: Claims = { role: 'anon' };

/** Does what PostgREST does between BEGIN and a request's own statement. */
export function requestContext({ db, kind }: Pick<Engine, 'db' | 'kind'>): RequestContext {
  let preRequest: string | undefined;
  let timeouts: Timeouts = { roles: new Map(), functions: new Map() };

  /** In ms; undefined where the session's own limit counts. */
  function timeoutOf(role: DatabaseRole, http?: HttpContext): number | undefined {
    const name = http && /\/rpc\/([^/?]+)$/.exec(http.path)?.[1];
    const own = name === undefined ? undefined : timeouts.functions.get(decodeURIComponent(name));
    if (kind === 'postgres' || own !== undefined) return own ?? timeouts.roles.get(role);
    // A server answers others meanwhile; PGlite does not.
    return Math.min(timeouts.roles.get(role) ?? MAX_HOLD_MS, MAX_HOLD_MS);
  }

  return {
    async learn() {
      preRequest = await readPreRequest(db);
      timeouts = await readTimeouts(db);
    },
    async enter(transaction, claims = ANONYMOUS, http) {
      const timeout = timeoutOf(claims.role, http);
      limitHold(timeout);
      const put = settings(claims, http, kind === 'postgres' ? timeout : undefined);
      // In one statement, the settings first: lite's own six to eleven cost a quarter of every request.
      const entering = preRequest
        ? sql`with request as materialized (${put}) select ${sql.raw(preRequest)}() from request`
        : put;
      await entering.execute(transaction);
    },
  };
}

/**
 * Role, claims, the request and the time limit for the rest of a transaction. The names are PostgREST's. A setting of a
 * role counts when it signs in, not when a session takes the role, so the limit is set here, as PostgREST does it.
 */
const settings = (claims: Claims, http?: HttpContext, timeout?: number) => sql`select
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
 * PostgREST's `db-pre-request`, where migrations set it: on the role that it signs in with, for this database
 * before all. A role belongs to every database of a cluster, so the function may be one that this one never had.
 * @returns its name as SQL, quoted by the database itself
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
 * The time limits that the database sets with `alter role … set statement_timeout` and, for one function, with
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
  const of = (kind: string) =>
    new Map(
      rows
        .filter((row) => row.kind === kind)
        .map(({ name, setting }) => [name, milliseconds(setting.slice(setting.indexOf('=') + 1))]),
    );
  return { roles: of('role'), functions: of('function') };
}

const UNITS: Record<string, number> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time as PostgreSQL writes it: `8s`, `500ms`, or milliseconds without a unit. */
function milliseconds(setting: string): number {
  const [, count = '0', unit = 'ms'] = /^(\d+)\s*(ms|s|min|h|d)?$/.exec(setting.trim()) ?? [];
  return Number(count) * (UNITS[unit] ?? 1);
}
