import { SERVER } from '../text/commands.ts';
import type { BackendAddress, Launch } from './backend-process.ts';

/** What becomes of the embedded backend's mails, for the person at the keyboard. */
export function mailsOf(
  { smtpUrl }: { smtpUrl: string | undefined },
  { url }: BackendAddress,
  { mailbox }: Launch,
) {
  if (smtpUrl) return undefined;
  return mailbox ? SERVER.mailbox(`${url}/mailbox`) : SERVER.noMail;
}
