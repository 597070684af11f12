import { createTransport, type NodemailerError } from 'nodemailer';
import type { MailKind } from '../config.ts';
import { log } from '../log/log.ts';
import { counters } from '../metrics/counters.ts';
import { type Settings, SINGLE_ADDRESS, type SmtpSettings } from '../settings.ts';
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
type MailTransport = {
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

export type StoredMail = MailMessage & {
  /** Counts from 1. */
  id: number;
  at: Date;
};

export type Mailbox = ReturnType<typeof openMailbox>;

/** Kept at most; the oldest go. */
const MOST = 200;

/** Keeps mails in memory instead of sending them, for development. */
export function openMailbox() {
  const mails: StoredMail[] = [];
  let last = 0;
  return {
    async send(letter: MailMessage): Promise<void> {
      last += 1;
      mails.unshift({ ...letter, id: last, at: new Date() });
      mails.length = Math.min(mails.length, MOST);
    },
    /** Newest first. */
    all: () => [...mails],
    find: (id: number) => mails.find((mail) => mail.id === id),
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
      await withMailError(
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
      await withMailError(transport.verify());
    },
    close: () => transport.close(),
  };
}

const isLoopback = (host: string) => /^(localhost|127(\.\d+){3}|::1)$/.test(host);

/** The library's errors hold addresses, commands and what the server said; ours say what kind of thing went wrong. */
async function withMailError(attempt: Promise<unknown>): Promise<void> {
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
