import { type Kysely, sql } from 'kysely';
import type { Claims } from './caller.ts';

/** The HTTP side of a request, for functions that read `request.*`. Header names are lower-case. */
export type HttpContext = {
  method: string;
  path: string;
  readOnly: boolean;
  requestHeaders?: Record<string, string>;
};

export type RequestContext = {
  /** Reads which function the database wants asked before each request. To be called after a change of schema. */
  learn(): Promise<void>;
  /**
   * Puts on, for the transaction at hand, the role and the claims that policies read, and asks that function.
   * @throws what the function refuses the request with
   */
  enter(transaction: Kysely<unknown>, claims?: Claims, http?: HttpContext): Promise<void>;
};

const ANONYMOUS: Claims = { role: 'anon' };

/** What PostgREST does between BEGIN and a request's own statement. */
export function requestContext(db: Kysely<unknown>): RequestContext {
  let asked: string | undefined;
  return {
    async learn() {
      asked = await preRequest(db);
    },
    async enter(transaction, claims = ANONYMOUS, http) {
      const putOn = settings(claims, http);
      // In one statement, the settings first: lite's own six to eleven cost a quarter of every request.
      const entering = asked
        ? sql`with request as materialized (${putOn}) select ${sql.raw(asked)}() from request`
        : putOn;
      await entering.execute(transaction);
    },
  };
}

/** Role, claims and the request for the rest of a transaction. The names are PostgREST's. */
const settings = (claims: Claims, http?: HttpContext) => sql`select
  set_config('role', ${claims.role}, true),
  set_config('request.jwt.claims', ${JSON.stringify(claims)}, true),
  set_config('request.method', ${http?.method ?? ''}, true),
  set_config('request.path', ${http?.path ?? ''}, true),
  set_config('request.headers', ${JSON.stringify(http?.requestHeaders ?? {})}, true),
  set_config('response.status', '', true),
  set_config('response.headers', '', true),
  set_config('transaction_read_only', ${http?.readOnly ? sql`'on'` : sql`current_setting('transaction_read_only')`}, true)`;

/**
 * PostgREST's `db-pre-request`, where migrations set it: on the role that it signs in with, for this database
 * before all. A role belongs to every database of a cluster, so the function may be one that this one never had.
 * @returns its name as SQL, quoted by the database itself
 */
async function preRequest(db: Kysely<unknown>): Promise<string | undefined> {
  const { rows } = await sql<{ name: string | null }>`
    select to_regproc(substr(setting, strpos(setting, '=') + 1))::text as name
    from pg_db_role_setting s, unnest(s.setconfig) setting
    where s.setrole = to_regrole('authenticator')
      and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
      and starts_with(setting, 'pgrst.db_pre_request=')
    order by s.setdatabase desc limit 1`.execute(db);
  return rows[0]?.name ?? undefined;
}
