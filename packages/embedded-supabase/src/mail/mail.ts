import { log } from '../log.ts';
import type { Settings } from '../settings.ts';
import { type Mailbox, openMailbox } from './mailbox.ts';
import { MailError, type Mailer, noMailer, openMailer } from './mailer.ts';
import type { ComposeMail } from './message.ts';
import { openSmtp } from './smtp.ts';

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
