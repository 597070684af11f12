import { join, resolve } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { type BackupSettings, readBackupSettings } from './backup/backup-settings.ts';
import { readSmtpSettings, type SmtpSettings } from './mail/smtp-settings.ts';
import { StartError } from './start-error.ts';

export type Settings = {
  /** The project folder, absolute. Functions find their packages in its `node_modules`. */
  project: string;
  /** The project's config.toml, absolute. */
  config: string;
  /** The data folder, absolute. */
  data: string;
  /** The port on 127.0.0.1; 0 takes a free one. */
  port: number;
  /** The PostgreSQL database that keeps the newsroom; unset, the data folder does. Holds a password. */
  databaseUrl: string | undefined;
  /** Address of the website. Undefined: the address of the backend. */
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
   * Variables that a function may request by name in its deno.json: mail server and certificates. Other functions
   * never get them.
   */
  forSomeFunctions: Record<string, string>;
  /** Shows mails on a page of this machine instead of sending them. For demos and development. */
  mailbox: boolean;
  /**
   * Lets clients use Realtime channels that are not private, as a hosted project does whose *Allow public access* is on.
   * No policy protects such a channel: every visitor may read and send there.
   */
  publicChannels: boolean;
  /** Scheduled backups and backups before an upgrade. Undefined: none. */
  backups: BackupSettings | undefined;
  /** First part of the file names of backups. */
  backupPrefix: string;
  /** Version of the program that the data belongs to. Backups contain it. */
  program: string;
};

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

  const project = resolve(get('EMBEDDED_SUPABASE_PROJECT') ?? '.');
  const port = Number(get('EMBEDDED_SUPABASE_PORT') ?? '0');
  must(
    Number.isInteger(port) && port >= 0 && port <= 65535,
    'EMBEDDED_SUPABASE_PORT must be a port number from 0 to 65535.',
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
  const folder = get('EMBEDDED_SUPABASE_BACKUPS');
  const [at, keep] = [get('EMBEDDED_SUPABASE_BACKUP_AT'), get('EMBEDDED_SUPABASE_BACKUP_KEEP')];
  const backups = attempt(() => (folder ? readBackupSettings(folder, at) : undefined));
  const kept = attempt(() => (folder ? readBackupSettings(folder, 'off', keep) : undefined));
  const backupPrefix = get('EMBEDDED_SUPABASE_BACKUP_PREFIX') ?? 'backup';
  must(
    /^[\w-]+$/.test(backupPrefix),
    'EMBEDDED_SUPABASE_BACKUP_PREFIX must consist of letters, digits, _ and -.',
  );
  if (mistakes.length > 0) return { settings: undefined, mistakes };

  const settings: Settings = {
    project,
    config: join(project, 'supabase/config.toml'),
    data: resolve(get('EMBEDDED_SUPABASE_DATA') ?? join(project, '.embedded-supabase')),
    port,
    databaseUrl,
    siteUrl: siteUrl?.replace(/\/+$/, ''),
    migrations: resolve(get('EMBEDDED_SUPABASE_MIGRATIONS') ?? join(project, 'supabase/migrations')),
    functions: resolve(get('EMBEDDED_SUPABASE_FUNCTIONS') ?? join(project, 'supabase/functions')),
    publishableKey,
    secretKey,
    smtp,
    forSomeFunctions: {
      ...(smtpUrl && mailFrom && { SMTP_URL: smtpUrl, MAIL_FROM: mailFrom }),
      ...(certificates && { NODE_EXTRA_CA_CERTS: certificates }),
    },
    mailbox: get('EMBEDDED_SUPABASE_MAILBOX') === 'on',
    publicChannels: get('EMBEDDED_SUPABASE_PUBLIC_CHANNELS') === 'on',
    backups: backups && kept && { ...backups, keep: kept.keep },
    backupPrefix,
    program: get('EMBEDDED_SUPABASE_PROGRAM') ?? manifest.version,
  };
  return { settings, mistakes };
}
