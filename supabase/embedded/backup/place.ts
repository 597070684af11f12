import type { Settings } from '../settings.ts';
import type { Step } from './steps.ts';

export type Where = Pick<Settings, 'data' | 'databaseUrl'>;

/** A new and empty database that will take the place of an old one, once it is filled and closed. */
export type Place = {
  /** Names the new database. */
  where: Where;
  /** Whether the old one holds anything. */
  occupied: boolean;
  /** Puts the new one in place and keeps the old one aside. */
  swap(): AsyncGenerator<Step>;
  /** Lets go. A new database that was not put in place goes, and so does an old one that held nothing. */
  close(): Promise<void>;
};
