import { randomUUID } from 'node:crypto';
import type { DatabaseSession, Engine } from '../../packages/embedded-supabase/src/engine/engine.ts';
import { isDatabaseError } from '../../packages/embedded-supabase/src/engine/errors.ts';
import { openEngine } from '../../packages/embedded-supabase/src/engine/open.ts';
import { runWithoutTimeLimit } from '../../packages/embedded-supabase/src/engine/work.ts';
import type { Claims } from '../../packages/embedded-supabase/src/tokens.ts';
import { dataEnvironment, newDataFolder, removeData } from './data-folders.ts';
import type { Role } from './newsroom.ts';

/** A row of realtime.messages, without the id that realtime.send adds to the payload. */
export type Broadcast = { topic: string; event: string; payload: Record<string, unknown> };

/** A database function and its arguments. */
export type Call = [name: string, args: Record<string, unknown>];

/** Claims of the site's server. */
export const SERVER: Claims = { role: 'service_role' };
/** Claims of a client without a session. */
export const VISITOR: Claims = { role: 'anon' };

/**
 * A database that the test opens itself, without the backend's interfaces. Statements run with the claims that the
 * gateway would set.
 */
export type TestDatabase = {
  /** The data folder. */
  data: string;
  engine: Engine;
  /** Runs a query as the owner of the database. */
  rows<Row>(query: string, parameters?: unknown[]): Promise<Row[]>;
  /** Creates a person with a session. */
  createUser(role?: Role): Promise<Claims & { sub: string }>;
  /** Runs a transaction with these claims. Does not check the session: the policies must do so. */
  as<Result>(who: Claims, work: (session: DatabaseSession) => Promise<Result>): Promise<Result>;
  /**
   * Calls functions in one transaction, with a new idempotency key where a function takes one. @returns the last
   * result
   */
  call(who: Claims, ...calls: Call[]): Promise<unknown>;
  /** Runs the work. @returns the messages that were broadcast meanwhile, in order */
  broadcastsOf(work: () => Promise<unknown>): Promise<Broadcast[]>;
  close(): Promise<void>;
};

/** Details that name the subject of an error. The other details are the reason and its parameters. */
const NAMED_DETAILS = ['field', 'version', 'state', 'by', 'number', 'change'];

/**
 * Returns the code of an expected error and the details that name its subject. For PostgreSQL's own errors, the code is
 * the SQLSTATE.
 * @throws if the work succeeds, or fails with an error that is not the database's
 */
export async function errorOf(work: Promise<unknown>): Promise<{ code: string; field?: string }> {
  try {
    await work;
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    if (!error.code.startsWith('PT')) return { code: error.code };
    const details: Record<string, unknown> = JSON.parse(error.detail ?? '{}');
    const named = Object.entries(details).filter(([key]) => NAMED_DETAILS.includes(key));
    return { code: error.message, ...Object.fromEntries(named) };
  }
  throw new Error('The database refuses the call, but it succeeded.');
}

/** Returns an engine that runs the test's statements without the time limits of requests. */
const unlimited = (engine: Engine): Engine => ({
  ...engine,
  exec: (script) => runWithoutTimeLimit('test', () => engine.exec(script)),
  execOutsideTransaction: (script) =>
    runWithoutTimeLimit('test', () => engine.execOutsideTransaction(script)),
  transaction: (work) => runWithoutTimeLimit('test', () => engine.transaction(work)),
});

/** Opens a new database on which every migration has run. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const data = await newDataFolder();
  const engine = unlimited(
    await openEngine({ data, databaseUrl: dataEnvironment(data).DATABASE_URL }, () => {}),
  );
  const rows = async <Row>(query: string, parameters: unknown[] = []) =>
    (await engine.transaction((session) => session.query<Row>(query, parameters))).rows;
  const withoutKey = new Set(
    (
      await rows<{ name: string }>(`select proname as name from pg_proc
        where pronamespace = 'public'::regnamespace and not coalesce('idempotency_key' = any (proargnames), false)`)
    ).map(({ name }) => name),
  );

  const database: TestDatabase = {
    data,
    engine,
    rows,
    async createUser(role = 'reader') {
      const sub = randomUUID();
      const session_id = randomUUID();
      await rows('insert into auth.users (id, email) values ($1, $2)', [sub, `${sub}@example.com`]);
      await rows('insert into auth.sessions (id, user_id) values ($1, $2)', [session_id, sub]);
      if (role !== 'reader') await database.call(SERVER, ['set_role', { person_id: sub, role }]);
      return { role: 'authenticated', sub, session_id };
    },
    as: (who, work) =>
      engine.transaction(async (session) => {
        const claims = JSON.stringify(who);
        await session.query(
          "select set_config('request.jwt.claims', $2, true), set_config('role', $1, true)",
          [who.role, claims],
        );
        return work(session);
      }),
    call: (who, ...calls) =>
      database.as(who, async (session) => {
        let answer: unknown;
        for (const [name, args] of calls) {
          const all = withoutKey.has(name) ? args : { idempotency_key: randomUUID(), ...args };
          const named = Object.keys(all).map((key, n) => `${key} => $${n + 1}`);
          const values = Object.values(all).map((value) =>
            value !== null && typeof value === 'object' ? JSON.stringify(value) : value,
          );
          const { rows } = await session.query<{ answer: unknown }>(
            `select public.${name}(${named}) as answer`,
            values,
          );
          answer = rows[0]?.answer;
        }
        return answer;
      }),
    async broadcastsOf(work) {
      const [last] = await rows<{ position: string }>(
        'select coalesce(max(position), 0)::text as position from realtime.messages',
      );
      await work();
      return rows<Broadcast>(
        `select topic, event, payload - 'id' as payload from realtime.messages
         where position > $1::bigint and private and extension = 'broadcast' order by position`,
        [last?.position],
      );
    },
    async close() {
      await engine.close();
      await removeData(data);
    },
  };
  return database;
}

export type Catalog = {
  rows<Row>(query: string): Promise<Row[]>;
  /** Runs work in a transaction and rolls it back. @returns the result of the work */
  rolledBack<Result>(work: (session: DatabaseSession) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

/** Opens an empty database on which every migration has run, as its owner. */
export async function openCatalog(): Promise<Catalog> {
  const data = await newDataFolder();
  const engine = await openEngine({ data, databaseUrl: dataEnvironment(data).DATABASE_URL }, () => {});
  const undo = new Error('Undone on purpose.');
  return {
    rows: async <Row>(query: string) =>
      (await engine.transaction((session) => session.query<Row>(query))).rows,
    async rolledBack<Result>(work: (session: DatabaseSession) => Promise<Result>) {
      const came: Result[] = [];
      const trying = engine.transaction(async (session) => {
        came.push(await work(session));
        throw undo;
      });
      await trying.catch((error: unknown) => {
        if (error !== undo) throw error;
      });
      return came[0] as Result;
    },
    async close() {
      await engine.close();
      await removeData(data);
    },
  };
}

/** Returns all tables and views of the schemas public and private, with their columns in order. */
export async function relationsOf({ rows }: Catalog): Promise<Map<string, string[]>> {
  const relations = await rows<{ relation: string; columns: string[] }>(`
    select n.nspname || '.' || c.relname as relation, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where n.nspname in ('public', 'private') and c.relkind in ('r', 'v', 'm', 'p', 'f')
    group by 1 order by 1`);
  return new Map(relations.map(({ relation, columns }) => [relation, columns]));
}

/** Returns the names and columns of the tables and views of the API. */
export const apiTables = (relations: Map<string, string[]>) =>
  [...relations]
    .filter(([name]) => name.startsWith('public.'))
    .map(([name, columns]) => [name.slice('public.'.length), columns] as [table: string, columns: string[]]);

export const newReceipt = () => randomUUID() + randomUUID();

/** Makes each tip different. */
let tipCount = 0;

export type NewTip = { tip_id?: string; content?: object; receipt?: unknown; sender?: object };
type AddedTip = { id: string; held: boolean; photo: string | null };

/** Adds a tip as the function submit-tip does. */
export const addTip = (
  database: TestDatabase,
  { tip_id = randomUUID(), content = {}, receipt = newReceipt(), sender = {} }: NewTip = {},
): Promise<AddedTip> =>
  database.call(SERVER, [
    'add_tip',
    { tip_id, content: { body: `A dam broke: ${++tipCount}.`, ...content }, receipt, sender },
  ]) as Promise<AddedTip>;

/** Returns the row of a tip. */
export const tipRow = async (database: TestDatabase, id: string) =>
  (await database.rows<Record<string, unknown>>('select * from public.tips where id = $1', [id]))[0];

export type QueuedTip = Record<string, unknown> & {
  id: string;
  version: number;
  photo: Record<string, unknown> | null;
};

/** Returns the tip queue as the caller sees it. */
export const readTipQueue = (database: TestDatabase, who: Claims, filters: object) =>
  database.call(who, ['tip_queue', { filters }]) as Promise<QueuedTip[]>;

export const RENDITIONS = [{ width: 480, height: 320, bytes: 9_000 }];

/** Marks a photo as processed, as the site's server does. */
export const markPhotoReady = (database: TestDatabase, photo_id: string | null) =>
  database.call(SERVER, [
    'mark_photo_ready',
    { photo_id, renditions: RENDITIONS, placeholder_colour: '#0a1b2c' },
  ]);

/** Creates a coverage and sets these states in turn. */
export async function createCoverageIn(database: TestDatabase, ...states: string[]) {
  const coverage_id = randomUUID();
  const slug = `case-${coverage_id}`;
  await database.call(
    SERVER,
    ['create_coverage', { coverage_id, content: { slug, headline: 'A case' } }],
    ...states.map((state): [string, Record<string, unknown>] => [
      'set_coverage_state',
      { coverage_id, state },
    ]),
  );
  return { coverage_id, slug };
}
