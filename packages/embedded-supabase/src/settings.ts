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
  /**
   * Lets clients use Realtime channels that are not private, as a hosted project does whose *Allow public access* is on.
   * No policy protects such a channel: every visitor may read and send there.
   */
  publicChannels: boolean;
  /** Unset, no backup is made but those that somebody asks for. */
  backups: BackupSettings | undefined;
};

const OWN_MIGRATIONS = resolve(import.meta.dirname, '../../../supabase/migrations');
const OWN_FUNCTIONS = resolve(import.meta.dirname, '../../../supabase/functions');

/**
 * Reads the settings from an environment. An empty variable counts as unset.
 * @throws StartError with a line for each variable that is missing or wrong (never its value, which may be a key)
 */
export function readSettings(environment: Record<string, string | undefined>): Settings {
  const { settings, mistakes } = settingsAndMistakes(environment);
  if (!settings) throw new StartError(mistakes.join('\n'));
  return settings;
}

/** The same, with all that is wrong; no settings where something is. */
export function settingsAndMistakes(environment: Record<string, string | undefined>): {
  settings: Settings | undefined;
  mistakes: string[];
} {
  const get = (name: string) => environment[name]?.trim() || undefined;
  const mistakes: string[] = [];
  const must = (right: boolean, sentence: string) => void (right || mistakes.push(sentence));
  const attempt = <Value>(read: () => Value): Value | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      mistakes.push(error.message);
      return undefined;
    }
  };

  const data = get('STOPPRESS_DATA') ?? '';
  must(data !== '', 'Set STOPPRESS_DATA to the folder that keeps the data.');
  const port = Number(get('STOPPRESS_BACKEND_PORT') ?? '0');
  must(
    Number.isInteger(port) && port >= 0 && port <= 65535,
    'STOPPRESS_BACKEND_PORT must be a port number from 0 to 65535.',
  );
  const databaseUrl = get('DATABASE_URL');
  must(
    !databaseUrl || /^postgres(ql)?:$/.test(URL.parse(databaseUrl)?.protocol ?? ''),
    'DATABASE_URL must be like postgres://role:password@host:5432/database.',
  );
  const siteUrl = get('SITE_URL');
  must(
    !siteUrl || /^https?:$/.test(URL.parse(siteUrl)?.protocol ?? ''),
    'SITE_URL must be a full address, such as https://news.example.',
  );
  const publishableKey = get('PUBLIC_SUPABASE_PUBLISHABLE_KEY');
  const secretKey = get('SUPABASE_SECRET_KEY');
  must(!secretKey || secretKey !== publishableKey, 'SUPABASE_SECRET_KEY must not be the publishable key.');

  const [smtpUrl, mailFrom] = [get('SMTP_URL'), get('MAIL_FROM')];
  const smtp = attempt(() => (smtpUrl === undefined ? undefined : readSmtpSettings(smtpUrl, mailFrom)));
  const certificates = get('NODE_EXTRA_CA_CERTS');
  const folder = get('STOPPRESS_BACKUPS');
  const [at, keep] = [get('STOPPRESS_BACKUP_AT'), get('STOPPRESS_BACKUP_KEEP')];
  const backups = attempt(() => (folder ? readBackupSettings(folder, at) : undefined));
  const kept = attempt(() => (folder ? readBackupSettings(folder, 'off', keep) : undefined));
  if (mistakes.length > 0) return { settings: undefined, mistakes };

  const settings: Settings = {
    data: resolve(data),
    port,
    databaseUrl,
    siteUrl: siteUrl?.replace(/\/+$/, ''),
    migrations: resolve(get('STOPPRESS_MIGRATIONS') ?? OWN_MIGRATIONS),
    functions: resolve(get('STOPPRESS_FUNCTIONS') ?? OWN_FUNCTIONS),
    publishableKey,
    secretKey,
    smtp,
    forSomeFunctions: {
      ...(smtpUrl && mailFrom && { SMTP_URL: smtpUrl, MAIL_FROM: mailFrom }),
      ...(certificates && { NODE_EXTRA_CA_CERTS: certificates }),
    },
    mailbox: get('STOPPRESS_MAILBOX') === 'on',
    publicChannels: get('STOPPRESS_PUBLIC_CHANNELS') === 'on',
    backups: backups && kept && { ...backups, keep: kept.keep },
  };
  return { settings, mistakes };
}
