import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { expect, vi } from 'vitest';

/** The parts of a mail that tests check. */
export type ParsedMail = {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Target of the mail's button. */
  link: string;
  /** The code to type in, if the mail has one. */
  code: string | undefined;
};

export type Mailbox = {
  /** Waits for the next unread mail to this address. */
  next(to: string): Promise<ParsedMail>;
};

/** A mail arrives at once, but a busy machine is slow. */
const ARRIVES_WITHIN_MS = 10_000;

type StoredMail = Pick<ParsedMail, 'to' | 'subject' | 'text' | 'html'>;

/** Reads the link and the code of a mail. */
export function parseMail({ to, subject, text, html }: StoredMail): ParsedMail {
  const link = /^https?:\/\/\S+\/(?:auth\/confirm\?|follow\/confirm\/)\S+$/m.exec(text)?.[0];
  if (!link) throw new Error(`The mail "${subject}" has no link to confirm.`);
  return { to, subject, text, html, link, code: /^\d{8}$/m.exec(text)?.[0] };
}

/** @param read returns all mails so far, oldest first */
export function createMailbox(read: () => Promise<StoredMail[]>): Mailbox {
  const readCounts = new Map<string, number>();
  return {
    async next(to) {
      const before = readCounts.get(to) ?? 0;
      readCounts.set(to, before + 1);
      const mail = await vi.waitFor(
        async () => {
          const mail = (await read()).filter((each) => each.to === to)[before];
          if (!mail) throw new Error(`No mail ${before + 1} has come to ${to}.`);
          return mail;
        },
        { timeout: ARRIVES_WITHIN_MS, interval: 50 },
      );
      return parseMail(mail);
    },
  };
}

/**
 * Returns the mailbox of a backend that runs with `EMBEDDED_SUPABASE_MAILBOX: 'on'`.
 * @param backendUrl the backend's own URL
 */
export function mailboxOf(backendUrl: string): Mailbox {
  return createMailbox(async () => {
    const answer = await fetch(`${backendUrl}/mailbox`, { headers: { accept: 'application/json' } });
    expect(answer.status).toBe(200);
    const newestFirst = (await answer.json()) as StoredMail[];
    return newestFirst.toReversed();
  });
}

export type DeliveredMail = {
  /** The recipients of the envelope. */
  to: string[];
  mail: Email;
};

export type MailServer = Mailbox & {
  port: number;
  /** Environment variables that make a site or backend send through this server. */
  environment: { SMTP_URL: string; MAIL_FROM: string };
  delivered: DeliveredMail[];
  stop(): Promise<void>;
};

/** Starts a mail server on loopback that stores all mails. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const delivered: DeliveredMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      buffer(stream)
        .then((raw) => PostalMime.parse(raw))
        .then((mail) => {
          delivered.push({ to: session.envelope.rcptTo.map(({ address }) => address), mail });
          done();
        }, done);
    },
    ...options,
  });
  // A client may close its connection at any time.
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    environment: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'The Test <paper@example.com>' },
    delivered,
    ...createMailbox(async () =>
      delivered.map(({ to, mail }) => ({
        to: to.join(),
        subject: mail.subject ?? '',
        text: mail.text ?? '',
        html: mail.html ?? '',
      })),
    ),
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
