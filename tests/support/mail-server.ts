import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { type Mails, mailsFrom } from './mailbox.ts';

export type Delivered = {
  /** Who it was handed over for, by the envelope. */
  to: string[];
  mail: Email;
};

export type MailServer = Mails & {
  port: number;
  /** What a site or a backend is told to send by this server. */
  environment: { SMTP_URL: string; MAIL_FROM: string };
  delivered: Delivered[];
  stop(): Promise<void>;
};

/** A real mail server on loopback that keeps what it is given: for a site as `npm start` runs it. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const delivered: Delivered[] = [];
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
  // A client that hangs up is no fault of the server's.
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    environment: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'The Test <paper@example.com>' },
    delivered,
    ...mailsFrom(async () =>
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
