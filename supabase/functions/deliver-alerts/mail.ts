import type { Delivery, Outcome } from './delivery.ts';
import { composeLetter } from './letter.ts';
import type { Post } from './post.ts';
import { ServerGone } from './smtp-line.ts';
import { ONE_ADDRESS, type SmtpSettings } from './smtp-settings.ts';

/** Mails at once, each over a connection of its own: a small newsroom's server grants few. */
const AT_ONCE = 3;

/** What became of each of a group; one that is missing is unclear. */
export type Outcomes = Map<string, Outcome>;

/**
 * Writes to each of a group.
 * @returns also whether the mail server is there; if not, whoever was not written to is to be tried again
 */
export async function mailAll(
  group: Delivery[],
  site: string,
  { from }: SmtpSettings,
  post: Post,
): Promise<{ outcomes: Outcomes; gone: string | undefined }> {
  const outcomes: Outcomes = new Map();
  const waiting = [...group];
  let gone: string | undefined;

  async function write(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { id, mail } = next;
      if (gone !== undefined) {
        outcomes.set(id, { outcome: 'again', error: gone });
      } else if (!mail || !ONE_ADDRESS.test(mail.to)) {
        outcomes.set(id, { outcome: 'refused', error: 'no address' });
      } else {
        try {
          const outcome = await post.send(mail.to, composeLetter(next, mail, site, from));
          if (outcome) outcomes.set(id, outcome);
        } catch (error) {
          if (!(error instanceof ServerGone)) throw error;
          gone = error.message;
          outcomes.set(id, { outcome: 'again', error: gone });
        }
      }
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, write));
  return { outcomes, gone };
}
