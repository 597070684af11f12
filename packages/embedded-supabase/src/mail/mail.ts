import { log } from '../log/log.ts';
import type { Settings } from '../settings.ts';
import { MailError, type Mailer, type MailTransport, noMailer, openMailer } from './mailer.ts';
import type { ComposeMail, MailMessage } from './message.ts';
import { openSmtp } from './smtp.ts';

export type StoredMail = MailMessage & {
  /** Counts from 1. */
  id: number;
  at: Date;
};

/** Keeps mails in memory instead of sending them, for a demo and for development. */
export type Mailbox = MailTransport & {
  /** Newest first. */
  all(): StoredMail[];
  find(id: number): StoredMail | undefined;
};

/** Kept at most; the oldest go. */
const MOST = 200;

export function openMailbox(): Mailbox {
  const mails: StoredMail[] = [];
  let last = 0;
  return {
    async send(letter) {
      last += 1;
      mails.unshift({ ...letter, id: last, at: new Date() });
      mails.length = Math.min(mails.length, MOST);
    },
    all: () => [...mails],
    find: (id) => mails.find((mail) => mail.id === id),
    close() {},
  };
}

/**
 * Sends mail through the configured server, or stores it in the mailbox, or has no mailer. The connection to the
 * server is tested at the start in the background, so that the log shows a wrong setting at once.
 */
export function openMail(
  settings: Pick<Settings, 'smtp' | 'mailbox'>,
  write: ComposeMail,
  siteUrl: string,
): { mailer: Mailer; mailbox: Mailbox | undefined } {
  if (settings.smtp) {
    const smtp = openSmtp(settings.smtp);
    smtp.check().catch((error: unknown) => {
      if (!(error instanceof MailError)) throw error;
      log.error(`No mail can be sent as SMTP_URL is set: ${error.message}.`);
    });
    return { mailer: openMailer(write, smtp, siteUrl), mailbox: undefined };
  }
  if (!settings.mailbox) return { mailer: noMailer, mailbox: undefined };
  const mailbox = openMailbox();
  return { mailer: openMailer(write, mailbox, siteUrl), mailbox };
}
