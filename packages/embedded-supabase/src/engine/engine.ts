import type { PostgresConnection } from '@supabase/lite/postgres';
import type { Kysely } from 'kysely';
import type { DatabaseSession } from './session.ts';

/** The database under the backend: PGlite in a thread of this process, or a PostgreSQL server. */
export type Engine = {
  kind: 'pglite' | 'postgres';
  /** Its own version, and PostgreSQL's major one. */
  version: string;
  postgres: number;
  /** lite's own handle of it, for lite alone. */
  connection: PostgresConnection;
  /** Kysely instance for requests. */
  db: Kysely<unknown>;
  /** Runs statements without results as the owner of the database. */
  exec(script: string): Promise<void>;
  /**
   * Runs statements as the owner, without a transaction around them: for those that allow none (VACUUM) or commit in
   * between (CALL). On PostgreSQL they run beside requests.
   */
  execOutsideTransaction(script: string): Promise<void>;
  /**
   * Runs work as the owner of the database in one transaction, which is rolled back when it throws. Nothing in it may
   * wait for a network: on PGlite every request waits for it.
   */
  transaction<Result>(work: (session: DatabaseSession) => Promise<Result>): Promise<Result>;
  /**
   * Listens to a channel: payloads arrive in the order of commits, from when this resolves.
   * @param onListening runs whenever it begins to listen: also after the connection was lost or the database restarted,
   *   when some payloads were missed
   * @returns a function that stops it
   */
  listen(
    channel: string,
    onPayload: (payload: string) => void,
    onListening: () => void,
  ): Promise<() => Promise<void>>;
  /** Frees the space of deleted rows of a table, if the engine does not do so automatically. */
  reclaim(table: string): Promise<void>;
  /** Writes everything to the disk and lets go of it. */
  close(): Promise<void>;
};
