import addressparser from 'nodemailer/lib/addressparser';
import type MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { DeliveryOutcome } from './delivery.ts';

/** A complete mail. Its stream can be created several times. */
export type Composed = ReturnType<MailComposer['compile']>;

/** The mail server and the sender of mails. */
type SmtpSettings = {
  host: string;
  port: number | undefined;
  /** Uses TLS from the first byte (smtps). */
  secure: boolean;
  auth: { user: string; pass: string } | undefined;
  from: { name: string; address: string };
};

/** Accepts only characters that cannot end a header or command. */
export const ONE_ADDRESS = /^[^\s\p{Cc}<>()[\]\\,;:"@]+@[^\s\p{Cc}<>()[\]\\,;:"@]+$/u;

/**
 * Reads `SMTP_URL` (smtp://user:password@host:port) and `MAIL_FROM`. The embedded backend validates them when it
 * starts; on a hosted project they are secrets of the functions.
 * @returns undefined if no mail can be sent
 */
export function readSmtpSettings(
  address: string | undefined,
  mailFrom: string | undefined,
): SmtpSettings | undefined {
  const url = URL.parse(address ?? '');
  const [from] = addressparser(mailFrom ?? '', { flatten: true });
  if (!url?.hostname || !/^smtps?:$/.test(url.protocol) || !from || !ONE_ADDRESS.test(from.address)) {
    return undefined;
  }
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port ? Number(url.port) : undefined,
    secure: url.protocol === 'smtps:',
    auth: url.username
      ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
      : undefined,
    from: { name: from.name, address: from.address },
  };
}

/** The mail server is unreachable or rejects the connection. The mail was certainly not accepted. */
export class ServerUnreachable extends Error {
  override name = 'ServerUnreachable';
}

/** A connection to the mail server that sends one mail at a time. */
type SmtpConnection = {
  /** Whether another mail can be sent. */
  isOpen(): boolean;
  /**
   * @param until deadline for the server's confirmation
   * @returns undefined if the outcome is unknown: the connection broke after the first byte of the mail and before
   * the response
   * @throws ServerUnreachable
   */
  send(to: string, message: Composed, until: number): Promise<DeliveryOutcome | undefined>;
  close(): void;
};

type Failure = Error & { code?: string; responseCode?: number | undefined };
type Step = (callback: (failure?: Failure | null) => void) => void;

/**
 * Opens a connection with nodemailer's SMTPConnection. Its pool is not used because it silently resends mails whose
 * connection was lost.
 * @param name host name for the greeting
 * @param until deadline for connecting, by `performance.now()` like all times here
 * @throws ServerUnreachable
 */
async function openConnection(
  { from, auth, ...server }: SmtpSettings,
  name: string,
  until: number,
): Promise<SmtpConnection> {
  const isLocal = /^(localhost|127(\.\d+){3}|::1)$/.test(server.host);
  const connectMs = remainingMs(until);
  const connection = new SMTPConnection({
    ...server,
    name,
    requireTLS: !server.secure && !isLocal,
    // Local traffic need not be encrypted, and local servers have no valid certificates.
    ignoreTLS: isLocal,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
  });
  let isOpen = true;
  const broken = Promise.withResolvers<Failure>();
  const breakOff = (failure: Failure) => {
    isOpen = false;
    broken.resolve(failure);
  };
  connection.on('error', breakOff);
  connection.on('end', () => breakOff(new Error('closed')));

  async function failureOf(step: Step, until: number): Promise<Failure | undefined> {
    const done = Promise.withResolvers<Failure | undefined>();
    const timer = setTimeout(done.resolve, remainingMs(until), new Error('late'));
    step((failure) => done.resolve(failure ?? undefined));
    try {
      return await Promise.race([done.promise, broken.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  function end(failure: Failure): ServerUnreachable {
    isOpen = false;
    connection.close();
    return new ServerUnreachable(describeFailure(failure));
  }

  const steps: Step[] = [(callback) => connection.connect(callback)];
  if (auth) steps.push((callback) => connection.login(auth, callback));
  for (const step of steps) {
    const failure = await failureOf(step, until);
    if (failure) throw end(failure);
  }

  return {
    isOpen: () => isOpen,
    async send(to, message, until) {
      const mail = message.createReadStream();
      const envelope = { from: from.address, to: [to] };
      const failure = await failureOf((callback) => connection.send(envelope, mail, callback), until);
      if (!failure) return { outcome: 'sent' };
      const { responseCode } = failure;
      if (responseCode === undefined || responseCode === 421) {
        const gone = end(failure);
        if (responseCode === undefined && mail.readableDidRead) return undefined;
        throw gone;
      }
      const stuck = await failureOf((callback) => connection.reset(callback), until);
      if (stuck) end(stuck);
      return { outcome: responseCode >= 500 ? 'refused' : 'again', error: `mail ${responseCode}` };
    },
    close() {
      isOpen = false;
      connection.quit();
    },
  };
}

/** Returns the milliseconds until a deadline, at least 1, because a timeout of 0 would disable the timeout. */
const remainingMs = (until: number): number => Math.max(1, until - performance.now());

/** Describes the failure without text from the server. */
function describeFailure({ code, responseCode }: Failure): string {
  if (code === 'EAUTH') return 'the mail server refuses the user name or the password';
  if (code === 'EDNS') return 'the name of the mail server is not known';
  if (code === 'ETLS') return 'the mail server offers no encrypted connection that can be trusted';
  if (responseCode) return `the mail server ends the connection (${responseCode})`;
  return 'the mail server cannot be reached';
}

/** Milliseconds for which an idle connection is kept for the next call. */
const KEEP_ALIVE_MS = 5_000;

/** Maximum duration of a mail in milliseconds, including the connection. */
export const MAIL_TIMEOUT_MS = 20_000;
/**
 * Milliseconds of MAIL_TIMEOUT_MS that are reserved for the mail itself. Connecting is given up if it takes longer than
 * the rest.
 */
const SENDING_MS = 10_000;

/** Sends mails over a pool of connections. */
export type MailSender = {
  /**
   * Sends like an SMTP connection.
   * @throws ServerUnreachable
   */
  send(to: string, message: Composed): Promise<DeliveryOutcome | undefined>;
  close(): void;
};

/** Creates a mail sender. @param name host name for the greeting */
export function openMailSender(
  settings: SmtpSettings,
  name: string,
  { keepAliveMs, timeoutMs, sendingMs } = {
    keepAliveMs: KEEP_ALIVE_MS,
    timeoutMs: MAIL_TIMEOUT_MS,
    sendingMs: SENDING_MS,
  },
): MailSender {
  const idle: SmtpConnection[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const close = () => {
    clearTimeout(timer);
    for (const connection of idle.splice(0)) connection.close();
  };

  function keep(connection: SmtpConnection): void {
    idle.push(connection);
    clearTimeout(timer);
    timer = setTimeout(close, keepAliveMs);
  }

  /** Sends over an idle or a new connection. If the server has closed the idle one, opens a new one. */
  async function sendOver(known: SmtpConnection | undefined, until: number, to: string, message: Composed) {
    const connection = known ?? (await openConnection(settings, name, until - sendingMs));
    try {
      const outcome = await connection.send(to, message, until);
      if (connection.isOpen()) keep(connection);
      return outcome;
    } catch (error) {
      if (known && error instanceof ServerUnreachable) return sendOver(undefined, until, to, message);
      throw error;
    }
  }

  return {
    send: (to, message) => sendOver(idle.pop(), performance.now() + timeoutMs, to, message),
    close,
  };
}
