import { resolve } from 'node:path';
import { type BackupSettings, readBackupSettings } from './backup/backup-settings.ts';
import { readSmtpSettings, type SmtpSettings } from './mail/smtp-settings.ts';
import { StartError } from './start-error.ts';

export type Settings = {
  /** The data folder, absolute. */
  data: string;
  /** The port on 127.0.0.1; 0 takes a free one. */
  port: number;
  /** The PostgreSQL database that keeps the newsroom; unset, the data folder does. Holds a password. */
  databaseUrl: string | undefined;
  /** Where visitors find the site; unset, the backend's own address stands in for it. */
  siteUrl: string | undefined;
  /** The folder of migrations, absolute. */
  migrations: string;
  /** The folder of functions, absolute. */
  functions: string;
  /** API keys given from outside; unset, they are made once and kept in the data folder. */
  publishableKey: string | undefined;
  secretKey: string | undefined;
  /** The mail server; unset, no mail is sent. */
  smtp: SmtpSettings | undefined;
  /**
   * What a function may ask for by name in its deno.json: the mail server and who vouches for it, as they are given.
   * Others never see its password.
   */
  forSomeFunctions: Record<string, string>;
  /** Keeps mails for whoever sits at this machine instead of sending them. For a demo and for development only. */
  mailbox: boolean;
  /** Unset, no backup is made but those that somebody asks for. */
  backups: BackupSettings | undefined;
};

const OWN_MIGRATIONS = resolve(import.meta.dirname, '../migrations');
const OWN_FUNCTIONS = resolve(import.meta.dirname, '../functions');

/**
 * Reads the settings from an environment. An empty variable counts as unset.
 * @throws StartError naming the variable that is missing or wrong (never its value, which may be a key)
 */
export function readSettings(environment: Record<string, string | undefined>): Settings {
  const get = (name: string) => environment[name]?.trim() || undefined;
  const data = get('STOPPRESS_DATA');
  if (!data) throw new StartError('Set STOPPRESS_DATA to the folder that keeps the data.');

  const port = Number(get('STOPPRESS_BACKEND_PORT') ?? '0');
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new StartError('STOPPRESS_BACKEND_PORT must be a port number from 0 to 65535.');
  }

  const databaseUrl = get('DATABASE_URL');
  if (databaseUrl && !/^postgres(ql)?:$/.test(URL.parse(databaseUrl)?.protocol ?? '')) {
    throw new StartError('DATABASE_URL must be like postgres://role:password@host:5432/database.');
  }

  const siteUrl = get('SITE_URL');
  if (siteUrl && !/^https?:$/.test(URL.parse(siteUrl)?.protocol ?? '')) {
    throw new StartError('SITE_URL must be a full address, such as https://news.example.');
  }

  const publishableKey = get('PUBLIC_SUPABASE_PUBLISHABLE_KEY');
  const secretKey = get('SUPABASE_SECRET_KEY');
  if (secretKey && secretKey === publishableKey) {
    throw new StartError('SUPABASE_SECRET_KEY must not be the publishable key.');
  }

  const [smtpUrl, mailFrom] = [get('SMTP_URL'), get('MAIL_FROM')];
  const certificates = get('NODE_EXTRA_CA_CERTS');
  const backups = get('STOPPRESS_BACKUPS');

  return {
    data: resolve(data),
    port,
    databaseUrl,
    siteUrl: siteUrl?.replace(/\/+$/, ''),
    migrations: resolve(get('STOPPRESS_MIGRATIONS') ?? OWN_MIGRATIONS),
    functions: resolve(get('STOPPRESS_FUNCTIONS') ?? OWN_FUNCTIONS),
    publishableKey,
    secretKey,
    smtp: smtpUrl === undefined ? undefined : readSmtpSettings(smtpUrl, mailFrom),
    forSomeFunctions: {
      ...(smtpUrl && mailFrom && { SMTP_URL: smtpUrl, MAIL_FROM: mailFrom }),
      ...(certificates && { NODE_EXTRA_CA_CERTS: certificates }),
    },
    mailbox: get('STOPPRESS_MAILBOX') === 'on',
    backups: backups
      ? readBackupSettings(backups, get('STOPPRESS_BACKUP_AT'), get('STOPPRESS_BACKUP_KEEP'))
      : undefined,
  };
}
