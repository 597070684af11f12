import addressparser from 'nodemailer/lib/addressparser';
import { StartError } from '../start-error.ts';
import { SINGLE_ADDRESS } from './mailer.ts';

export type SmtpSettings = {
  host: string;
  /** Unset, the usual one: 587, or 465 where the connection begins encrypted. */
  port: number | undefined;
  /** Encrypted from its first byte (smtps). */
  secure: boolean;
  auth: { user: string; pass: string } | undefined;
  from: { name: string; address: string };
};

/**
 * Reads `SMTP_URL` (smtp://user:password@host:port) and `MAIL_FROM` (an address, or `Name <address>`).
 * @throws StartError naming the variable that is wrong, never its value
 */
export function readSmtpSettings(address: string, mailFrom: string | undefined): SmtpSettings {
  const url = URL.parse(address);
  if (!url?.hostname || !/^smtps?:$/.test(url.protocol) || /[?#]/.test(address) || url.pathname.length > 1) {
    throw new StartError('SMTP_URL must be the address of a mail server: smtp://USER:PASSWORD@HOST:587.');
  }
  const [from, ...more] = addressparser(mailFrom ?? '', { flatten: true });
  if (!from || more.length > 0 || !SINGLE_ADDRESS.test(from.address) || /\p{Cc}/u.test(mailFrom ?? '')) {
    throw new StartError(
      'With SMTP_URL, set MAIL_FROM to the sender: newsroom@example.com or Name <address>.',
    );
  }
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port ? Number(url.port) : undefined,
    secure: url.protocol === 'smtps:',
    auth: url.username ? { user: decode(url.username), pass: decode(url.password) } : undefined,
    from: { name: from.name, address: from.address },
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new StartError('In SMTP_URL, write a % of the user or password as %25.');
  }
}
