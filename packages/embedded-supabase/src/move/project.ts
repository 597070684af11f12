import postgres, { type Sql } from 'postgres';
import { openSession } from '../engine/postgres.ts';
import type { DatabaseSession } from '../engine/session.ts';
import { StartError } from '../start-error.ts';

/** The database of a project, as `postgres`, which is no superuser. */
export type ProjectDatabase = DatabaseSession & {
  /** Commits when the work is done, rolls back when it throws. */
  transaction<Result>(work: (session: DatabaseSession) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

const CONNECT_WITHIN_S = 15;

/** Texts are written and read alike on both sides; and a newsroom takes longer than a request may. */
const SESSION = {
  application_name: 'embedded-supabase move',
  TimeZone: 'UTC',
  statement_timeout: 0,
  lock_timeout: 10_000,
};

/**
 * Connects to the database of a project: directly, or by its pooler in session mode.
 * @throws StartError without the URL, which holds a password
 */
export async function openProject(url: string): Promise<ProjectDatabase> {
  const sql = postgres(url, {
    max: 1,
    prepare: false,
    connect_timeout: CONNECT_WITHIN_S,
    connection: SESSION,
    onnotice: () => {},
    ...(!isHere(url) && !/[?&]ssl(mode)?=/.test(url) && { ssl: 'require' }),
  });
  try {
    await sql`select 1`;
  } catch (error) {
    await sql.end({ timeout: 1 });
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new StartError(
      `The database of MOVE_DATABASE_URL cannot be reached (${code}): take the URL from the project's Connect page, direct or by the pooler in session mode, with its password.`,
    );
  }
  return {
    ...openSession(sql, sql),
    transaction: async <Result>(work: (session: DatabaseSession) => Promise<Result>) =>
      (await sql.begin((transaction) => work(openSession(transaction, sql as Sql)))) as Result,
    close: () => sql.end({ timeout: CONNECT_WITHIN_S }),
  };
}

const isHere = (url: string) => /^(127\.0\.0\.1|localhost|\[::1\])$/.test(new URL(url).hostname);
