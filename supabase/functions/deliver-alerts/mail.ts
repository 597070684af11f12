import type { Delivery, Outcome } from './delivery.ts';
import { type Composed, composeLetter } from './mail-message.ts';
import { LONGEST_MAIL_MS, ServerGone, ONE_ADDRESS, type Post, type SmtpSettings } from './smtp.ts';

/** Concurrent mails, each over its own connection. Servers of small newsrooms allow few. */
const AT_ONCE = 3;

/** Outcomes by delivery id. A missing outcome is unknown. */
export type Outcomes = Map<string, Outcome>;

/**
 * Sends the mails of a group.
 * @param until deadline by `performance.now()`. No mail is started that might exceed it.
 * @returns outcomes, and `gone` with a reason if the mail server is unreachable
 */
export async function mailAll(
  group: Delivery[],
  until: number,
  site: string,
  { from }: SmtpSettings,
  post: Post,
): Promise<{ outcomes: Outcomes; gone: string | undefined }> {
  const outcomes: Outcomes = new Map();
  const waiting = [...group];
  let gone: string | undefined;

  async function write(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const outcome = await writeTo(next);
      if (outcome) outcomes.set(next.id, outcome);
    }
  }

  async function writeTo(delivery: Delivery): Promise<Outcome | undefined> {
    const { mail } = delivery;
    if (gone !== undefined) return { outcome: 'again', error: gone };
    if (!mail || !ONE_ADDRESS.test(mail.to)) return { outcome: 'refused', error: 'no address' };
    if (performance.now() + LONGEST_MAIL_MS > until) return { outcome: 'again', error: 'no time left' };
    let letter: Composed;
    try {
      letter = composeLetter(delivery, mail, site, from);
    } catch (error) {
      // The error message may contain the address or the secret.
      return { outcome: 'refused', error: `not written (${nameOf(error)})` };
    }
    try {
      return await post.send(mail.to, letter);
    } catch (error) {
      if (error instanceof ServerGone) {
        gone = error.message;
        return { outcome: 'again', error: gone };
      }
      // An error in our own code: the outcome is unknown.
      console.error(`unclear: 1 × ${nameOf(error)}`);
      return undefined;
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, write));
  return { outcomes, gone };
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);
