import { setImmediate as next } from 'node:timers/promises';
import { sql } from 'kysely';
import type { BackgroundJobs, GatewayContext } from '../gateway/context.ts';
import { logError } from '../gateway/responses.ts';
import { MailError } from '../mail/mailer.ts';

/**
 * A stranger's call is answered before a mail is written: neither the time that it took nor a failure may tell who
 * has an account. What goes wrong then is on the log.
 */
export function openBackgroundJobs(): BackgroundJobs {
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
export async function afterResponse(
  { lite, backgroundJobs }: Pick<GatewayContext, 'lite' | 'backgroundJobs'>,
  work: () => Promise<void>,
): Promise<void> {
  await sql`select 1`.execute(lite.db);
  backgroundJobs.begin(work);
}

function report(error: unknown): void {
  // The mailer has said why.
  if (!(error instanceof MailError)) logError(error);
}
