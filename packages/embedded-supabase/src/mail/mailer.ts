import type { MailKind } from '../config.ts';
import { log } from '../log/log.ts';
import { counters } from '../metrics/counters.ts';
import type { ComposeMail, Mail, MailMessage } from './message.ts';

export type Mailer = {
  /** Whether there is a way to send anything. */
  available: boolean;
  /** Hands a mail over. @throws MailError */
  send(kind: MailKind, mail: Mail): Promise<void>;
  /** Waits a little for what is under way. */
  close(): Promise<void>;
};

/** Takes letters: a mail server, or the mailbox of a demo. */
export type MailTransport = {
  /** @throws MailError */
  send(letter: MailMessage): Promise<void>;
  close(): void;
};

/** A mail was not handed over. The message says why in half a sentence, for the log; it holds no address or token. */
export class MailError extends Error {
  override name = 'MailError';
}

/** Of a backend that was given no way to send mail. */
export const noMailer: Mailer = {
  available: false,
  async send() {
    throw new MailError('there is no mail server');
  },
  async close() {},
};

/** A single address: without characters that separate addresses in a header. */
export const SINGLE_ADDRESS = /^[^\s\p{Cc}<>()[\]\\,;:"@]+@[^\s\p{Cc}<>()[\]\\,;:"@]+$/u;

/** How long letters under way may take when the backend stops. */
const LAST_LETTERS_MS = 5_000;

/** @param siteUrl where the links of all mails lead */
export function openMailer(write: ComposeMail, post: MailTransport, siteUrl: string): Mailer {
  const underWay = new Set<Promise<void>>();

  const deliver = async (kind: MailKind, mail: Mail) => {
    try {
      if (!SINGLE_ADDRESS.test(mail.to)) throw new MailError('its address cannot be written to');
      await post.send(write(kind, mail, siteUrl));
      counters.mails_sent += 1;
    } catch (error) {
      counters.mails_failed += 1;
      if (error instanceof MailError) log.error(`A ${kind} mail was not sent: ${error.message}.`);
      throw error;
    }
  };

  return {
    available: true,
    async send(kind, mail) {
      const delivery = deliver(kind, mail);
      underWay.add(delivery);
      try {
        await delivery;
      } finally {
        underWay.delete(delivery);
      }
    },
    async close() {
      const enough = Promise.withResolvers<void>();
      const timer = setTimeout(enough.resolve, LAST_LETTERS_MS);
      await Promise.race([Promise.allSettled(underWay), enough.promise]);
      clearTimeout(timer);
      post.close();
    },
  };
}
