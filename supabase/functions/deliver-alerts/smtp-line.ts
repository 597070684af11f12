import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Outcome } from './delivery.ts';
import type { Composed } from './letter.ts';
import type { SmtpSettings } from './smtp-settings.ts';

/** The server is not there, or does not let us in. The mail was certainly not taken. */
export class ServerGone extends Error {
  override name = 'ServerGone';
}

/** A connection to the mail server, over which mails go one after the other. */
export type Line = {
  /** Whether another mail can go over it. */
  isOpen(): boolean;
  /**
   * @param until when the server has to have said that it has the mail
   * @returns nothing where nobody knows whether the server has taken it: the line broke after the first byte of the mail
   * and before the answer
   * @throws ServerGone
   */
  send(to: string, letter: Composed, until: number): Promise<Outcome | undefined>;
  close(): void;
};

type Failure = Error & { code?: string; responseCode?: number | undefined };
type Step = (tell: (failure?: Failure | null) => void) => void;

/**
 * nodemailer's own connection, and not its pool: that one sends once more by itself what a connection may have carried
 * that was lost, and tells nobody.
 * @param name what we call ourselves
 * @param until when the server has to have let us in, by `performance.now()` as all moments here
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
    // What never leaves the machine need not be encrypted, and a local server's certificate names nobody.
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

/** A time-out of 0 would be none. */
const leftUntil = (until: number): number => Math.max(1, until - performance.now());

/** In words that hold nothing of what the server said. */
function whyGone({ code, responseCode }: Failure): string {
  if (code === 'EAUTH') return 'the mail server refuses the user name or the password';
  if (code === 'EDNS') return 'the name of the mail server is not known';
  if (code === 'ETLS') return 'the mail server offers no encrypted connection that can be trusted';
  if (responseCode) return `the mail server ends the connection (${responseCode})`;
  return 'the mail server cannot be reached';
}
