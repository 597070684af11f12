import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Outcome } from './delivery.ts';
import type { Composed } from './letter.ts';
import type { SmtpSettings } from './smtp-settings.ts';

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
