import { createTransport, type NodemailerError } from 'nodemailer';
import type { MailKind } from '../config.ts';
import { backendLog } from '../log/log.ts';
import { counters } from '../metrics/counters.ts';
import { type Settings, SINGLE_ADDRESS, type SmtpSettings } from '../settings.ts';
import type { ComposeMail, Mail, MailMessage } from './message.ts';

export type Mailer = {
  /** False if no mail can be sent. */
  available: boolean;
  /** Passes a mail to the mail server or the mailbox. @throws MailError */
  send(kind: MailKind, mail: Mail): Promise<void>;
  /** Waits at most `CLOSE_TIMEOUT_MS` for mails that are being sent. */
  close(): Promise<void>;
};

/** Destination of mails: a mail server, or the mailbox of a demo. */
type MailTransport = {
  /** @throws MailError */
  send(message: MailMessage): Promise<void>;
  close(): void;
};

/**
 * A mail was not accepted for sending. The message is a clause for the log that gives the reason. It contains no
 * address or token.
 */
export class MailError extends Error {
  override name = 'MailError';
}

/** The mailer of a backend that has neither a mail server nor a mailbox. */
export const disabledMailer: Mailer = {
  available: false,
  async send() {
    throw new MailError('there is no mail server');
  },
  async close() {},
};

/** How long mails that are being sent may take when the backend stops. */
const CLOSE_TIMEOUT_MS = 5_000;

/** @param siteUrl base URL of the links in all mails */
export function openMailer(compose: ComposeMail, transport: MailTransport, siteUrl: string): Mailer {
  const deliveries = new Set<Promise<void>>();

  const deliver = async (kind: MailKind, mail: Mail) => {
    try {
      if (!SINGLE_ADDRESS.test(mail.to)) throw new MailError('its address cannot be written to');
      await transport.send(compose(kind, mail, siteUrl));
      counters.mails_sent += 1;
    } catch (error) {
      counters.mails_failed += 1;
      if (error instanceof MailError) backendLog.error(`A ${kind} mail was not sent: ${error.message}.`);
      throw error;
    }
  };

  return {
    available: true,
    async send(kind, mail) {
      const delivery = deliver(kind, mail);
      deliveries.add(delivery);
      try {
        await delivery;
      } finally {
        deliveries.delete(delivery);
      }
    },
    async close() {
      const timeout = Promise.withResolvers<void>();
      const timer = setTimeout(timeout.resolve, CLOSE_TIMEOUT_MS);
      await Promise.race([Promise.allSettled(deliveries), timeout.promise]);
      clearTimeout(timer);
      transport.close();
    },
  };
}

export type StoredMail = MailMessage & {
  /** Counts from 1. */
  id: number;
  at: Date;
};

export type Mailbox = ReturnType<typeof openMailbox>;

/** Maximum number of stored mails. The oldest ones are deleted. */
const MAX_MAILS = 200;

/** Creates a mailbox that stores mails in memory instead of sending them, for development. */
export function openMailbox() {
  const mails: StoredMail[] = [];
  let lastId = 0;
  return {
    async send(message: MailMessage): Promise<void> {
      lastId += 1;
      mails.unshift({ ...message, id: lastId, at: new Date() });
      mails.length = Math.min(mails.length, MAX_MAILS);
    },
    /** Newest first. */
    list: () => [...mails],
    find: (id: number) => mails.find((mail) => mail.id === id),
    close() {},
  };
}

/**
 * Opens the mailer that the settings ask for: a mail server, the mailbox, or none. Tests the connection to the server
 * at the start in the background, so that the log shows a wrong setting at once.
 */
export function openMail(
  settings: Pick<Settings, 'smtp' | 'mailbox'>,
  compose: ComposeMail,
  siteUrl: string,
): { mailer: Mailer; mailbox: Mailbox | undefined } {
  if (settings.smtp) {
    const smtp = openSmtpTransport(settings.smtp);
    smtp.check().catch((error: unknown) => {
      if (!(error instanceof MailError)) throw error;
      backendLog.error(`No mail can be sent with this SMTP_URL: ${error.message}.`);
    });
    return { mailer: openMailer(compose, smtp, siteUrl), mailbox: undefined };
  }
  if (!settings.mailbox) return { mailer: disabledMailer, mailbox: undefined };
  const mailbox = openMailbox();
  return { mailer: openMailer(compose, mailbox, siteUrl), mailbox };
}

/**
 * Timeouts of the mail server. `connectMs` limits DNS, the connection and the greeting. `totalMs` limits the time until
 * the server has accepted the mail.
 */
const TIMEOUTS = { connectMs: 10_000, totalMs: 20_000 };
/** Mails are sent one by one to people who wait for them. A small newsroom's mail server allows few connections. */
const MAX_CONNECTIONS = 3;

/** Opens a mail server, which may run on this machine. Connections stay open for the next mail. */
export function openSmtpTransport({ from, ...server }: SmtpSettings, { connectMs, totalMs } = TIMEOUTS) {
  const isLocal = isLoopback(server.host);
  const transport = createTransport({
    ...server,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    requireTLS: !server.secure && !isLocal,
    // A connection within this machine needs no encryption, and certificates of local servers have no matching
    // name.
    ignoreTLS: isLocal,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
    socketTimeout: totalMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ to, subject, html, text }: MailMessage): Promise<void> {
      await withMailError(
        transport.sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          html,
          // Prevents automatic replies (RFC 3834).
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: AbortSignal.timeout(totalMs),
        }),
      );
    },
    /** Connects and signs in as for a mail, without sending one. @throws MailError */
    async check(): Promise<void> {
      await withMailError(transport.verify());
    },
    close: () => transport.close(),
  };
}

const isLoopback = (host: string) => /^(localhost|127(\.\d+){3}|::1)$/.test(host);

/**
 * Converts nodemailer's errors to MailError. nodemailer's errors contain addresses, commands and the server's replies.
 * A MailError contains only the kind of failure.
 * @throws MailError
 */
async function withMailError(sending: Promise<unknown>): Promise<void> {
  try {
    await sending;
  } catch (error) {
    throw new MailError(failureReason(error as NodemailerError));
  }
}

function failureReason({ code, originalCode, responseCode }: NodemailerError): string {
  if (code === 'EAUTH' || code === 'ENOAUTH') return 'the mail server refused the user name or the password';
  if (code === 'EDNS') return 'the name of the mail server is not known';
  // Codes of the system are one word, such as ECONNREFUSED. Codes of certificate errors are longer.
  const isUntrusted = code === 'ESOCKET' && originalCode !== undefined && !/^E[A-Z]+$/.test(originalCode);
  if (code === 'ETLS' || isUntrusted)
    return 'the mail server offers no encrypted connection that can be trusted';
  if (code === 'ETIMEDOUT' || code === 'EABORT') return 'the mail server did not answer in time';
  if (responseCode) return `the mail server refused it (${responseCode})`;
  if (code === 'ESOCKET' || code === 'ECONNECTION') return 'the mail server cannot be reached';
  return 'it could not be handed over';
}
