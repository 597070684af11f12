import type { PgliteConnection } from '@supabase/lite/pglite';
import type { PostgresConnection } from '@supabase/lite/postgres';
import type { Kysely } from 'kysely';
import type { Session } from './session.ts';

/** The database under the backend, whichever it is: one PostgreSQL in our own process, or one somewhere else. */
export type Engine = {
  kind: 'pglite' | 'postgres';
  /** Its own version, and PostgreSQL's major one. */
  version: string;
  postgres: number;
  /** lite's own handle of it, for lite alone. */
  connection: PgliteConnection | PostgresConnection;
  /** What requests are answered with. */
  db: Kysely<unknown>;
  /** Runs statements whose answers nobody wants, as the owner of the database. */
  exec(script: string): Promise<void>;
  /**
   * Runs statements as the owner as they stand, without a transaction of ours around them, so that they may be what
   * stands in none (VACUUM), or commit between (CALL). Takes as long as it takes, beside what requests are asked.
   */
  alone(script: string): Promise<void>;
  /**
   * Runs work as the owner of the database in one transaction, which is rolled back when it throws. No other
   * statement of it may wait for a line: on PGlite everybody waits for it.
   */
  transaction<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
  /**
   * Hears what is notified on a channel, in the order of commits, from when this resolves.
   * @param onListening runs whenever it begins to listen: also after its line was lost, when some went by unheard
   * @returns what ends it
   */
  listen(
    channel: string,
    onPayload: (payload: string) => void,
    onListening: () => void,
  ): Promise<() => Promise<void>>;
  /** Gives the room of rows that are gone back to a table, where the database does not do so by itself. */
  reclaim(table: string): Promise<void>;
  /** Writes everything to the disk and lets go of it. */
  close(): Promise<void>;
};
