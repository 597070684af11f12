import { join, resolve } from 'node:path';
import { CronPattern } from 'croner';
import addressparser from 'nodemailer/lib/addressparser';
import manifest from '../package.json' with { type: 'json' };
import { StartError } from './start-error.ts';

/** Settings of a backend: its options (options.ts) with absolute folders and defaults. */
export type Settings = NonNullable<ReturnType<typeof parseSettings>['settings']>;

/**
 * Reads the settings from an environment. An empty variable counts as unset.
 * @throws StartError with a line for each missing or wrong variable, but never its value, which may be a key
 */
export function readSettings(environment: Record<string, string | undefined>): Settings {
  const { settings, mistakes } = parseSettings(environment);
  if (!settings) throw new StartError(mistakes.join('\n'));
  return settings;
}

/** Reads the settings like `readSettings`, but returns all mistakes. With mistakes, it returns no settings. */
export function parseSettings(environment: Record<string, string | undefined>) {
  const get = (name: string) => environment[name]?.trim() || undefined;
  const mistakes: string[] = [];
  const check = (isValid: boolean, mistake: string) => void (isValid || mistakes.push(mistake));
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
  check(
    Number.isInteger(port) && port >= 0 && port <= 65535,
    'EMBEDDED_SUPABASE_PORT must be a port number from 0 to 65535.',
  );
  const databaseUrl = get('DATABASE_URL');
  check(
    !databaseUrl || /^postgres(ql)?:$/.test(URL.parse(databaseUrl)?.protocol ?? ''),
    'DATABASE_URL must be like postgres://role:password@host:5432/database.',
  );
  const siteUrl = get('SITE_URL');
  check(
    !siteUrl || /^https?:$/.test(URL.parse(siteUrl)?.protocol ?? ''),
    'SITE_URL must be a full address, such as https://news.example.',
  );
  const publishableKey = get('PUBLIC_SUPABASE_PUBLISHABLE_KEY');
  const secretKey = get('SUPABASE_SECRET_KEY');
  check(!secretKey || secretKey !== publishableKey, 'SUPABASE_SECRET_KEY must not be the publishable key.');

  const [smtpUrl, mailFrom] = [get('SMTP_URL'), get('MAIL_FROM')];
  const smtp = attempt(() => (smtpUrl === undefined ? undefined : readSmtpSettings(smtpUrl, mailFrom)));
  const certificates = get('NODE_EXTRA_CA_CERTS');
  const functionVariables = attempt(() => readVariables(get('EMBEDDED_SUPABASE_FUNCTION_VARIABLES') ?? '{}'));
  const folder = get('EMBEDDED_SUPABASE_BACKUPS');
  const [at, keep] = [get('EMBEDDED_SUPABASE_BACKUP_AT'), get('EMBEDDED_SUPABASE_BACKUP_KEEP')];
  const backups = attempt(() => (folder ? readBackupSettings(folder, at) : undefined));
  const retention = attempt(() => (folder ? readBackupSettings(folder, 'off', keep) : undefined));
  const backupPrefix = get('EMBEDDED_SUPABASE_BACKUP_PREFIX') ?? 'backup';
  check(
    /^[\w-]+$/.test(backupPrefix),
    'EMBEDDED_SUPABASE_BACKUP_PREFIX must consist of letters, digits, _ and -.',
  );
  if (mistakes.length > 0) return { settings: undefined, mistakes };

  const settings = {
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
    /** Variables that a function may request by name in its deno.json. Other functions never get them. */
    optInVariables: {
      ...(smtpUrl && mailFrom && { SMTP_URL: smtpUrl, MAIL_FROM: mailFrom }),
      ...(certificates && { NODE_EXTRA_CA_CERTS: certificates }),
      ...functionVariables,
    } as Record<string, string>,
    mailbox: get('EMBEDDED_SUPABASE_MAILBOX') === 'on',
    publicChannels: get('EMBEDDED_SUPABASE_PUBLIC_CHANNELS') === 'on',
    backups: backups && retention && { ...backups, keep: retention.keep },
    backupPrefix,
    program: get('EMBEDDED_SUPABASE_PROGRAM') ?? manifest.version,
  };
  return { settings, mistakes };
}

/** Reads variables by name from a JSON object. @throws StartError */
function readVariables(json: string): Record<string, string> {
  try {
    const variables: object = JSON.parse(json);
    if (Object.values(variables).every((value) => typeof value === 'string')) return { ...variables };
  } catch {
    // Refused below, like other values.
  }
  throw new StartError('EMBEDDED_SUPABASE_FUNCTION_VARIABLES must be a JSON object of texts.');
}

/** Scheduled backups and backups before an upgrade. */
export type BackupSettings = {
  /** Absolute path. */
  folder: string;
  /** Cron expression in the server's local time. Undefined: backups are made only before an upgrade. */
  at: string | undefined;
  /** Number of backups of each kind to keep. */
  keep: number;
};

/** Default schedule: at night, and not on the hour, when all other jobs of a server run. */
const DEFAULT_SCHEDULE = '15 4 * * *';

const DEFAULT_KEEP = 14;

function isCron(text: string): boolean {
  try {
    new CronPattern(text);
    return true;
  } catch {
    return false;
  }
}

/** Reads and checks the settings of backups. @throws StartError that names the wrong variable */
export function readBackupSettings(
  folder: string,
  at = DEFAULT_SCHEDULE,
  keep = String(DEFAULT_KEEP),
): BackupSettings {
  if (at !== 'off' && !isCron(at)) {
    throw new StartError(
      'EMBEDDED_SUPABASE_BACKUP_AT must be a cron expression, such as 15 4 * * *, or off.',
    );
  }
  if (!/^[1-9]\d{0,4}$/.test(keep)) {
    throw new StartError('EMBEDDED_SUPABASE_BACKUP_KEEP must be the number of backups to keep, 1 or more.');
  }
  return { folder: resolve(folder), at: at === 'off' ? undefined : at, keep: Number(keep) };
}

/** Matches a single mail address, without characters that separate addresses in a header. */
export const SINGLE_ADDRESS = /^[^\s\p{Cc}<>()[\]\\,;:"@]+@[^\s\p{Cc}<>()[\]\\,;:"@]+$/u;

export type SmtpSettings = {
  host: string;
  /** Undefined: the usual port, which is 587, or 465 if `secure` is true. */
  port: number | undefined;
  /** Whether the connection is encrypted from its first byte (smtps). */
  secure: boolean;
  auth: { user: string; pass: string } | undefined;
  from: { name: string; address: string };
};

/**
 * Reads `SMTP_URL` (smtp://user:password@host:port) and `MAIL_FROM` (an address, or `Name <address>`).
 * @throws StartError that names the wrong variable, never its value
 */
function readSmtpSettings(smtpUrl: string, mailFrom: string | undefined): SmtpSettings {
  const url = URL.parse(smtpUrl);
  if (!url?.hostname || !/^smtps?:$/.test(url.protocol) || /[?#]/.test(smtpUrl) || url.pathname.length > 1) {
    throw new StartError('SMTP_URL must be the address of a mail server: smtp://USER:PASSWORD@HOST:587.');
  }
  const [from, ...others] = addressparser(mailFrom ?? '', { flatten: true });
  if (!from || others.length > 0 || !SINGLE_ADDRESS.test(from.address) || /\p{Cc}/u.test(mailFrom ?? '')) {
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
