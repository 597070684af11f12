import { setImmediate as next } from 'node:timers/promises';
import { sql } from 'kysely';
import type { BackgroundJobs, GatewayContext } from '../gateway/context.ts';
import { logError } from '../gateway/responses.ts';
import { MailError } from '../mail/mailer.ts';

/**
 * Jobs that run after the response, such as sending mail. Neither the response time nor an error then reveals
 * whether an account exists. Errors are logged.
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
 * Runs work after the response to an anonymous caller. The work itself looks up the account, so the response time
 * does not depend on it. An unavailable database is still reported in the response.
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
