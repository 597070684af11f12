import type { Delivery, DeliveryOutcome } from './delivery.ts';
import { type Composed, composeMail } from './mail-message.ts';
import {
  MAIL_TIMEOUT_MS,
  type MailSender,
  ONE_ADDRESS,
  ServerUnreachable,
  type SmtpSettings,
} from './smtp.ts';

/** Concurrent mails, each over its own connection. Servers of small newsrooms allow few. */
const CONCURRENCY = 3;

/** Outcomes by delivery id. A missing outcome is unknown. */
type Outcomes = Map<string, DeliveryOutcome>;

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
  post: MailSender,
): Promise<{ outcomes: Outcomes; unreachable: string | undefined }> {
  const outcomes: Outcomes = new Map();
  const waiting = [...group];
  let unreachable: string | undefined;

  async function worker(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const outcome = await sendOne(next);
      if (outcome) outcomes.set(next.id, outcome);
    }
  }

  async function sendOne(delivery: Delivery): Promise<DeliveryOutcome | undefined> {
    const { mail } = delivery;
    if (unreachable !== undefined) return { outcome: 'again', error: unreachable };
    if (!mail || !ONE_ADDRESS.test(mail.to)) return { outcome: 'refused', error: 'no address' };
    if (performance.now() + MAIL_TIMEOUT_MS > until) return { outcome: 'again', error: 'no time left' };
    let message: Composed;
    try {
      message = composeMail(delivery, mail, site, from);
    } catch (error) {
      // The error message may contain the address or the secret.
      return { outcome: 'refused', error: `not written (${nameOf(error)})` };
    }
    try {
      return await post.send(mail.to, message);
    } catch (error) {
      if (error instanceof ServerUnreachable) {
        unreachable = error.message;
        return { outcome: 'again', error: unreachable };
      }
      // An error in our own code: the outcome is unknown.
      console.error(`unclear: 1 × ${nameOf(error)}`);
      return undefined;
    }
  }

  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return { outcomes, unreachable: unreachable };
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);
