import addressparser from 'nodemailer/lib/addressparser';

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
