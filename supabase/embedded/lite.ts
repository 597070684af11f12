import type { PGlite } from '@electric-sql/pglite';
import { App } from '@supabase/lite';
import { PgliteConnection } from '@supabase/lite/pglite';
import { SignJWT } from 'jose';
import type { Kysely } from 'kysely';
import { bootstrap } from './bootstrap.ts';
import type { Claims } from './caller.ts';
import { databaseRefusal, isDatabaseError } from './database-errors.ts';
import { engineOptions, makeCommitsDurable } from './engine.ts';
import { enterRequest, type HttpContext } from './request-context.ts';
import { type Bound, boundQuery, type Query } from './rest-bounds.ts';
import { openKysely } from './transactions.ts';

/*
 * @supabase/lite answers PostgREST's and GoTrue's requests. It is young, so it is pinned exactly, it is used in
 * this file and nowhere else, and each habit of it that we cannot live with is taken away here or in front of
 * it, under a contract test of its own.
 */

export type LiteSettings = {
  /** Folder of the database; its parent exists. */
  folder: string;
  /** Signs lite's own tokens, which the gateway never lets out. */
  internalSecret: string;
  siteUrl: string;
};

export type Lite = {
  pg: PGlite;
  db: Kysely<unknown>;
  /** Answers a request to `/rest/v1` as this caller; what the request itself says of keys and tokens is ignored. */
  rest(request: Request, claims: Claims, bound: Bound): Promise<Response>;
  /** Answers a request to `/auth/v1`, in the name of the person whose claims these are, if any. */
  auth(request: Request, claims?: Claims): Promise<Response>;
  /**
   * To be called after every change of schema from outside lite, and before the first request: those that come
   * while it knows no schema would each read the whole of it.
   */
  learnSchema(): Promise<void>;
  close(): Promise<void>;
};

/** An access token lives for an hour, a session ends after 30 idle days; passwords have 10 characters. */
const auth = {
  jwt_expiry: 3600,
  minimum_password_length: 10,
  sessions: { inactivity_timeout: '720h' },
  email: { enable_signup: true, enable_confirmations: false },
};

/** Stands where lite wants an API key: the gateway has checked the real one. */
const CHECKED = 'checked-by-the-gateway';

/** Most rows of one answer, for whoever has no tighter limit. */
const MAX_ROWS = 1000;

export async function openLite(settings: LiteSettings): Promise<Lite> {
  const connection = new PgliteConnection({ url: settings.folder, pgliteOptions: engineOptions });
  await makeCommitsDurable(connection.driver);
  const db = openKysely<unknown>(connection.driver);
  connection.kysely = db;
  takeOverContext(connection, db);

  const restCallers = new WeakMap<Request, Claims>();
  const bounds = boundQueries(connection);
  // Written out in code: lite reads a config.toml strictly and prints it, secrets and all, when it finds a fault.
  const app = new App({
    connection,
    api: { enabled: true, schemas: ['public'], max_rows: MAX_ROWS },
    auth: { ...auth, enabled: true, jwt_secret: settings.internalSecret, site_url: settings.siteUrl },
    db: { migrations: { enabled: false } },
    storage: { enabled: false },
    studio: { enabled: false },
    options: {
      drivers: { email: { send: refuseMail } },
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
  // After lite's own, which puts auth.uid() back to what lite makes of it at every start.
  await bootstrap(connection.driver);

  const internalToken = (claims: Claims) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(settings.internalSecret));

  return {
    pg: connection.driver,
    db,
    async rest(request, claims, bound) {
      request.headers.set('apikey', CHECKED);
      request.headers.delete('authorization');
      const caller = { ...claims };
      restCallers.set(request, caller);
      bounds.set(caller, bound);
      return app.fetch(request);
    },
    async auth(request, claims) {
      request.headers.set('apikey', CHECKED);
      request.headers.delete('authorization');
      if (claims) request.headers.set('authorization', `Bearer ${await internalToken(claims)}`);
      return app.fetch(request);
    },
    async learnSchema() {
      await connection.clearSchemaCache();
      await connection.introspect({ useCache: true });
    },
    close: () => connection.close(),
  };
}

type Vars = { auth?: { jwt?: Claims | null } };

/**
 * lite's own way into a request grants ALL on every table to everybody the first time it runs, which undoes
 * what the migrations revoked, and takes up to eleven statements. Ours takes one, grants nothing, and answers
 * the database's refusals by PostgREST's table, where lite turns a broken check into a 500.
 */
function takeOverContext(connection: PgliteConnection, db: Kysely<unknown>) {
  connection.withContext = async <T>(
    vars: Vars | undefined,
    run: (db: Kysely<unknown>) => Promise<T>,
    options?: { rpc?: HttpContext },
  ) => {
    const claims = vars?.auth?.jwt ?? undefined;
    try {
      return await db.transaction().execute(async (transaction) => {
        await enterRequest(transaction, claims, options?.rpc);
        return run(transaction);
      });
    } catch (error) {
      if (!isDatabaseError(error)) throw error;
      // Every caller inside lite returns this value as its response.
      return databaseRefusal(error, claims?.role ?? 'anon') as T;
    }
  };
}

/** Judges every query as lite has read it. The claims, which lite carries along, are what a caller is known by. */
function boundQueries(connection: PgliteConnection): WeakMap<Claims, Bound> {
  const bounds = new WeakMap<Claims, Bound>();
  const resolve = connection.onPostgrestAST.bind(connection);
  // lite passes a second argument that this method of its own type does not name.
  connection.onPostgrestAST = async (ast: Parameters<typeof resolve>[0], vars?: Vars) => {
    const caller = vars?.auth?.jwt;
    boundQuery(ast as Query, (caller && bounds.get(caller)) ?? 'stranger');
    return resolve(ast);
  };
  return bounds;
}

/** There is no mailer: the gateway lets nothing in that sends mail, and this holds the door a second time. */
async function refuseMail(): Promise<never> {
  throw new Error('No mail can be sent.');
}
