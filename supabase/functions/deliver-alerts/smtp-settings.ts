import addressparser from 'nodemailer/lib/addressparser';

/** The newsroom's mail server and the sender of its mails. */
export type SmtpSettings = {
  host: string;
  port: number | undefined;
  /** Encrypted from its first byte (smtps). */
  secure: boolean;
  auth: { user: string; pass: string } | undefined;
  from: { name: string; address: string };
};

/** As much of an address as keeps a header or a command from being taken for two. */
export const ONE_ADDRESS = /^[^\s\p{Cc}<>()[\]\\,;:"@]+@[^\s\p{Cc}<>()[\]\\,;:"@]+$/u;

/**
 * `SMTP_URL` (smtp://user:password@host:port) and `MAIL_FROM`, as the backend reads them for the mails of accounts. The
 * embedded one has judged them at its start; on a hosted project they are secrets of the functions.
 * @returns undefined where no mail can be sent
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
