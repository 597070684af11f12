import { log } from '../log.ts';
import type { Settings } from '../settings.ts';
import { type Mailbox, openMailbox } from './mailbox.ts';
import { MailError, type Mailer, noMailer, openMailer } from './mailer.ts';
import type { ComposeMail } from './message.ts';
import { openSmtp } from './smtp.ts';

/**
 * What the backend does with mail: hands it to a mail server, else keeps it in the mailbox that a demo has, else
 * has no mailer. A mail server is tried at once, in the background, so that its owner hears of a mistake at the
 * start and not from a reader.
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
