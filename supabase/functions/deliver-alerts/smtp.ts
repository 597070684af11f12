import addressparser from 'nodemailer/lib/addressparser';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Outcome } from './delivery.ts';
import type { Composed } from './mail-message.ts';

/** The mail server and the sender of mails. */
export type SmtpSettings = {
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
export class ServerGone extends Error {
  override name = 'ServerGone';
}

/** A connection to the mail server that sends one mail at a time. */
export type Line = {
  /** Whether another mail can be sent. */
  isOpen(): boolean;
  /**
   * @param until deadline for the server's confirmation
   * @returns undefined if the outcome is unknown: the connection broke after the first byte of the mail and before
   * the response
   * @throws ServerGone
   */
  send(to: string, letter: Composed, until: number): Promise<Outcome | undefined>;
  close(): void;
};

type Failure = Error & { code?: string; responseCode?: number | undefined };
type Step = (tell: (failure?: Failure | null) => void) => void;

/**
 * Opens a connection with nodemailer's SMTPConnection. Its pool is not used because it silently resends mails whose
 * connection was lost.
 * @param name host name for the greeting
 * @param until deadline for connecting, by `performance.now()` like all times here
 * @throws ServerGone
 */
export async function openLine(
  { from, auth, ...server }: SmtpSettings,
  name: string,
  until: number,
): Promise<Line> {
  const near = /^(localhost|127(\.\d+){3}|::1)$/.test(server.host);
  const connectMs = leftUntil(until);
  const connection = new SMTPConnection({
    ...server,
    name,
    requireTLS: !server.secure && !near,
    // Local traffic need not be encrypted, and local servers have no valid certificates.
    ignoreTLS: near,
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
    const late = setTimeout(done.resolve, leftUntil(until), new Error('late'));
    step((failure) => done.resolve(failure ?? undefined));
    try {
      return await Promise.race([done.promise, broken.promise]);
    } finally {
      clearTimeout(late);
    }
  }

  function end(failure: Failure): ServerGone {
    isOpen = false;
    connection.close();
    return new ServerGone(whyGone(failure));
  }

  const steps: Step[] = [(tell) => connection.connect(tell)];
  if (auth) steps.push((tell) => connection.login(auth, tell));
  for (const step of steps) {
    const failure = await failureOf(step, until);
    if (failure) throw end(failure);
  }

  return {
    isOpen: () => isOpen,
    async send(to, letter, until) {
      const mail = letter.createReadStream();
      const envelope = { from: from.address, to: [to] };
      const failure = await failureOf((tell) => connection.send(envelope, mail, tell), until);
      if (!failure) return { outcome: 'sent' };
      const { responseCode } = failure;
      if (responseCode === undefined || responseCode === 421) {
        const gone = end(failure);
        if (responseCode === undefined && mail.readableDidRead) return undefined;
        throw gone;
      }
      const stuck = await failureOf((tell) => connection.reset(tell), until);
      if (stuck) end(stuck);
      return { outcome: responseCode >= 500 ? 'refused' : 'again', error: `mail ${responseCode}` };
    },
    close() {
      isOpen = false;
      connection.quit();
    },
  };
}

/** A timeout of 0 would disable it. */
const leftUntil = (until: number): number => Math.max(1, until - performance.now());

/** Describes the failure without text from the server. */
function whyGone({ code, responseCode }: Failure): string {
  if (code === 'EAUTH') return 'the mail server refuses the user name or the password';
  if (code === 'EDNS') return 'the name of the mail server is not known';
  if (code === 'ETLS') return 'the mail server offers no encrypted connection that can be trusted';
  if (responseCode) return `the mail server ends the connection (${responseCode})`;
  return 'the mail server cannot be reached';
}

/** Milliseconds for which an idle connection is kept for the next call. */
const KEPT_MS = 5_000;

/** Maximum duration of a mail in milliseconds, including the connection. */
export const LONGEST_MAIL_MS = 20_000;
/** Part of it reserved for the mail itself. A connection that takes longer is given up. */
const SENDING_MS = 10_000;

/** Sends mails over a pool of connections. */
export type Post = {
  /**
   * Sends like an SMTP connection.
   * @throws ServerGone
   */
  send(to: string, letter: Composed): Promise<Outcome | undefined>;
  close(): void;
};

/** @param name host name for the greeting */
export function openPost(
  settings: SmtpSettings,
  name: string,
  { keptMs, longestMs, sendingMs } = { keptMs: KEPT_MS, longestMs: LONGEST_MAIL_MS, sendingMs: SENDING_MS },
): Post {
  const idle: Line[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const close = () => {
    clearTimeout(timer);
    for (const line of idle.splice(0)) line.close();
  };

  function keep(line: Line): void {
    idle.push(line);
    clearTimeout(timer);
    timer = setTimeout(close, keptMs);
  }

  /** A server may have closed an idle connection. Then a new one is opened. */
  async function sendOver(known: Line | undefined, until: number, to: string, letter: Composed) {
    const line = known ?? (await openLine(settings, name, until - sendingMs));
    try {
      const outcome = await line.send(to, letter, until);
      if (line.isOpen()) keep(line);
      return outcome;
    } catch (error) {
      if (known && error instanceof ServerGone) return sendOver(undefined, until, to, letter);
      throw error;
    }
  }

  return {
    send: (to, letter) => sendOver(idle.pop(), performance.now() + longestMs, to, letter),
    close,
  };
}
