import { setImmediate as next } from 'node:timers/promises';
import { sql } from 'kysely';
import { logFault } from '../answers.ts';
import type { House } from '../house.ts';
import { MailFailed } from '../mail/mailer.ts';

/** Work that goes on when its call has been answered. */
export type Afterwards = {
  begin(work: () => Promise<void>): void;
  /** When all that was begun has ended, well or badly. */
  settled(): Promise<void>;
};

/**
 * A stranger's call is answered before a mail is written: neither the time that it took nor a failure may tell who
 * has an account. What goes wrong then is on the log.
 */
export function openAfterwards(): Afterwards {
  const running = new Set<Promise<void>>();
  return {
    begin(work) {
      // Its first step would hold the answer up: PGlite works in this very thread.
      const run = next()
        .then(work)
        .catch(report)
        .finally(() => running.delete(run));
      running.add(run);
    },
    async settled() {
      await Promise.all(running);
    },
  };
}

/**
 * Does for a stranger, once the call is answered, what was promised. Whom it concerns is looked up in it, not before:
 * an account takes longer than none. Only a database that does not answer is told of at once.
 */
export async function afterAnswer(
  { lite, afterwards }: Pick<House, 'lite' | 'afterwards'>,
  work: () => Promise<void>,
): Promise<void> {
  await sql`select 1`.execute(lite.db);
  afterwards.begin(work);
}

function report(error: unknown): void {
  // The mailer has said why.
  if (!(error instanceof MailFailed)) logFault(error);
}
