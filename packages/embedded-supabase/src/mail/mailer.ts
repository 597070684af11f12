import type { MailKind } from '../config.ts';
import { log } from '../log.ts';
import { counts } from '../metrics/counters.ts';
import type { Letter, Mail, Write } from './message.ts';

export type Mailer = {
  /** Whether there is a way to send anything. */
  available: boolean;
  /** Hands a mail over. @throws MailFailed */
  send(kind: MailKind, mail: Mail): Promise<void>;
  /** Waits a little for what is under way. */
  close(): Promise<void>;
};

/** Takes letters: a mail server, or the mailbox of a demo. */
export type Post = {
  /** @throws MailFailed */
  send(letter: Letter): Promise<void>;
  close(): void;
};

/** A mail was not handed over. The message says why in half a sentence, for the log; it holds no address or token. */
export class MailFailed extends Error {
  override name = 'MailFailed';
}

/** Of a backend that was given no way to send mail. */
export const noMailer: Mailer = {
  available: false,
  async send() {
    throw new MailFailed('there is no mail server');
  },
  async close() {},
};

/** As much of an address as keeps a header from being taken for two. */
export const ONE_ADDRESS = /^[^\s\p{Cc}<>()[\]\\,;:"@]+@[^\s\p{Cc}<>()[\]\\,;:"@]+$/u;

/** How long letters under way may take when the backend stops. */
const LAST_LETTERS_MS = 5_000;

/** @param siteUrl where the links of all mails lead */
export function openMailer(write: Write, post: Post, siteUrl: string): Mailer {
  const underWay = new Set<Promise<void>>();

  const deliver = async (kind: MailKind, mail: Mail) => {
    try {
      if (!ONE_ADDRESS.test(mail.to)) throw new MailFailed('its address cannot be written to');
      await post.send(write(kind, mail, siteUrl));
      counts.mails_sent += 1;
    } catch (error) {
      counts.mails_failed += 1;
      if (error instanceof MailFailed) log.error(`A ${kind} mail was not sent: ${error.message}.`);
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
