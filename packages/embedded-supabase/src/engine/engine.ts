import type { PostgresConnection } from '@supabase/lite/postgres';
import type { Kysely } from 'kysely';
import type { DatabaseSession } from './session.ts';

/** The database of the backend: PGlite in a thread of this process, or a PostgreSQL server. */
export type Engine = {
  kind: 'pglite' | 'postgres';
  /** Version of the engine. */
  version: string;
  /** Major version of PostgreSQL. */
  postgres: number;
  /** lite's connection object. Only lite uses it. */
  connection: PostgresConnection;
  /** Kysely instance for requests. */
  db: Kysely<unknown>;
  /** Runs statements as the owner of the database. Discards their results. */
  exec(script: string): Promise<void>;
  /**
   * Runs statements as the owner of the database, without a transaction around them. Use it for statements that allow
   * none (VACUUM) or commit themselves (CALL). On PostgreSQL they run in parallel with requests.
   */
  execOutsideTransaction(script: string): Promise<void>;
  /**
   * Runs work as the owner of the database in one transaction. Rolls back if the work throws. The work must not wait
   * for a network, because on PGlite every request waits for the work.
   */
  transaction<Result>(work: (session: DatabaseSession) => Promise<Result>): Promise<Result>;
  /**
   * Listens to a channel. Payloads arrive in the order of commits, from the moment this promise resolves.
   * @param onListening runs each time listening begins: also after a lost connection or a restart of the database, when
   *   payloads may have been missed
   * @returns a function that stops listening
   */
  listen(
    channel: string,
    onPayload: (payload: string) => void,
    onListening: () => void,
  ): Promise<() => Promise<void>>;
  /** Frees the space of deleted rows of a table, if the engine does not do so automatically. */
  reclaim(table: string): Promise<void>;
  /** Writes everything to the disk and closes the database. */
  close(): Promise<void>;
};
