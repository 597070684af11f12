import { createTransport, type NodemailerError } from 'nodemailer';
import { MailError } from './mailer.ts';
import type { MailMessage } from './message.ts';
import type { SmtpSettings } from './smtp-settings.ts';

/** How long a server may take: to be reached and say who it is, and until it has said that it has the mail. */
const TIMEOUTS = { connectMs: 10_000, wholeMs: 20_000 };
/** Mails go one by one to people who wait for them; a small newsroom's server grants few connections. */
const CONNECTIONS = 3;

/** A mail server somewhere, or one on this machine. Connections are kept for the next mail. */
export function openSmtp({ from, ...server }: SmtpSettings, { connectMs, wholeMs } = TIMEOUTS) {
  const near = isLoopback(server.host);
  const transport = createTransport({
    ...server,
    pool: true,
    maxConnections: CONNECTIONS,
    requireTLS: !server.secure && !near,
    // A connection within this machine needs no encryption, and certificates of local servers have no matching
    // name.
    ignoreTLS: near,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
    socketTimeout: wholeMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ to, subject, html, text }: MailMessage): Promise<void> {
      await whyNot(
        transport.sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          html,
          // So that no answering machine replies (RFC 3834).
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: AbortSignal.timeout(wholeMs),
        }),
      );
    },
    /** Goes as far as a mail would, without sending one. @throws MailError */
    async check(): Promise<void> {
      await whyNot(transport.verify());
    },
    close: () => transport.close(),
  };
}

const isLoopback = (host: string) => /^(localhost|127(\.\d+){3}|::1)$/.test(host);

/** The library's errors hold addresses, commands and what the server said; ours say what kind of thing went wrong. */
async function whyNot(attempt: Promise<unknown>): Promise<void> {
  try {
    await attempt;
  } catch (error) {
    throw new MailError(reason(error as NodemailerError));
  }
}

function reason({ code, originalCode, responseCode }: NodemailerError): string {
  if (code === 'EAUTH' || code === 'ENOAUTH') return 'the mail server refused the user name or the password';
  if (code === 'EDNS') return 'the name of the mail server is not known';
  // The system's own codes are words; what is wrong with a certificate has a longer name.
  const untrusted = code === 'ESOCKET' && originalCode !== undefined && !/^E[A-Z]+$/.test(originalCode);
  if (code === 'ETLS' || untrusted)
    return 'the mail server offers no encrypted connection that can be trusted';
  if (code === 'ETIMEDOUT' || code === 'EABORT') return 'the mail server did not answer in time';
  if (responseCode) return `the mail server refused it (${responseCode})`;
  if (code === 'ESOCKET' || code === 'ECONNECTION') return 'the mail server cannot be reached';
  return 'it could not be handed over';
}
