import type { PGlite } from '@electric-sql/pglite';
import { log } from '../log.ts';
import type { Reserve } from './reserve.ts';

/** How often it is looked whether there is room again. */
const LOOK_MS = 1_000;

/** Whether the database is kept from writing, because its disk is full. */
export type Writings = { areRefused(): boolean; refuse(): void; stop(): void };

/**
 * When the disk is full, everybody reads on and nobody writes, until there is room again: the database itself refuses what
 * would change anything (25006), also within functions, while it still has the reserve to write what it must.
 */
export function refuseWritings(pg: PGlite, reserve: Reserve): Writings {
  let refused = false;
  let looking: NodeJS.Timeout | undefined;

  const readOnly = (is: 'on' | 'off') =>
    pg
      .exec(`set default_transaction_read_only = ${is}`)
      .catch((error: unknown) =>
        log.error('The database could not be told of the room on its disk.', { error }),
      );

  function look(): void {
    if (!reserve.isRoomAgain() || !reserve.keep()) return;
    clearInterval(looking);
    refused = false;
    log.warn('There is room on the disk again: writing goes on.');
    void readOnly('off');
  }

  return {
    areRefused: () => refused,
    refuse() {
      if (refused) return;
      refused = true;
      log.error('The disk is full. What there is can be read; nothing more is written until there is room.');
      // Not now: this may be in the midst of a statement.
      setImmediate(readOnly, 'on');
      looking = setInterval(look, LOOK_MS);
      looking.unref();
    },
    stop: () => clearInterval(looking),
  };
}
