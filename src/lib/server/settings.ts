import { join, resolve } from 'node:path';
import { LOG_LEVELS } from 'embedded-supabase';
import { SETTINGS } from '../i18n/cli.ts';

export type ServerSettings = {
  host: string;
  port: number;
  /** Public origin of the site, without a trailing slash. Undefined: the origin on which the server listens. */
  siteUrl: string | undefined;
  /** Number of the owner's proxies in front of the server. Each adds to X-Forwarded-For. */
  proxies: number;
  /** Number of readers that may follow by socket while the reader follow mode is auto; 0 for none. */
  readerSockets: number;
  /** Load of the site's process, in percent of one core, that turns on surge mode; 0 for never. */
  surgeAt: number;
  /** Absolute path of the folder with the browser files of recent builds. */
  builds: string;
  /** Absolute path of the PMTiles file that maps are drawn from. Undefined: maps have no drawn picture. */
  basemap: string | undefined;
  /** Token for reading the metrics from another machine. Undefined: only this machine may read them. */
  metricsToken: string | undefined;
  /** Origin of a WordPress in the owner's own network. Undefined: requests go to public addresses only. */
  privateWordPress: string | undefined;
  backend: BackendChoice;
};

/** The only settings that differ between a Supabase project and the embedded backend. */
export type BackendChoice =
  | { kind: 'hosted'; url: string; publishableKey: string; secretKey: string }
  | {
      kind: 'embedded';
      /** Absolute path of the data folder. */
      data: string;
      /** URL of a PostgreSQL server to use instead of PGlite. The backend parses it. */
      databaseUrl: string | undefined;
      publishableKey: string | undefined;
      secretKey: string | undefined;
      backups: BackupChoice;
      /** Mail server and sender address. The backend parses them. */
      smtpUrl: string | undefined;
      mailFrom: string | undefined;
      /** File with additional CA certificates, such as for an internal mail server. */
      certificates: string | undefined;
      /** Variables for edge functions. */
      functionVariables: Record<string, string>;
    };

/** The backup settings as they were written. The backend parses them. */
export type BackupChoice = {
  /** Absolute path. Default: `backups` next to the data folder. */
  folder: string;
  /** Time of the scheduled backup, and the number of backups to retain. */
  at: string | undefined;
  keep: string | undefined;
};

export type Environment = Record<string, string | undefined>;

/** The mistakes in the environment, one sentence each. Never quotes a key. */
export class SettingsError extends Error {
  override name = 'SettingsError';
  constructor(mistakes: string[]) {
    super(mistakes.join('\n'));
  }
}

/** The embedded backend handles this many sockets on one small server. A hosted plan may have only 200 in all. */
const READER_SOCKETS = { embedded: 10_000, hosted: 0 };
const MAX_READER_SOCKETS = 1_000_000;

/** Pages are still answered at once, and there is capacity left for the switch to surge mode. */
const SURGE_AT = 85;

const WILDCARDS = ['0.0.0.0', '::'];

/**
 * Reads the server's settings from environment variables.
 * @param data default of the data folder, relative to the working folder
 * @throws SettingsError with all mistakes at once
 */
export function readServerSettings(environment: Environment, data?: string): ServerSettings {
  const { settings, mistakes } = parseServerSettings(environment, data);
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return settings;
}

/** Like `readServerSettings`, but returns the mistakes. An empty variable counts as unset. */
export function parseServerSettings(
  environment: Environment,
  data = '.stoppress/data',
): { settings: ServerSettings; mistakes: string[] } {
  const get = (name: string) => environment[name]?.trim() || undefined;
  const mistakes: string[] = [];
  const check = (isValid: boolean, sentence: string) => void (isValid || mistakes.push(sentence));

  const host = get('HOST') ?? '127.0.0.1';
  const port = Number(get('PORT') ?? '4321');
  check(Number.isInteger(port) && port >= 0 && port <= 65535, SETTINGS.port);

  const siteUrl = get('SITE_URL');
  check(Boolean(siteUrl) || !WILDCARDS.includes(host), SETTINGS.siteUrlOfWildcard(host));
  check(!siteUrl || isOrigin(siteUrl), SETTINGS.siteUrl);

  const proxies = Number(get('STOPPRESS_PROXIES') ?? '0');
  check(Number.isInteger(proxies) && proxies >= 0 && proxies <= 5, SETTINGS.proxies);

  const url = get('PUBLIC_SUPABASE_URL');
  const readerSockets = Number(
    get('STOPPRESS_READER_SOCKETS') ?? READER_SOCKETS[url ? 'hosted' : 'embedded'],
  );
  check(
    Number.isInteger(readerSockets) && readerSockets >= 0 && readerSockets <= MAX_READER_SOCKETS,
    SETTINGS.readerSockets,
  );

  const surgeAt = Number(get('STOPPRESS_SURGE_AT') ?? SURGE_AT);
  check(surgeAt >= 0 && surgeAt <= 100, SETTINGS.surgeAt);

  const publishableKey = get('PUBLIC_SUPABASE_PUBLISHABLE_KEY');
  const secretKey = get('SUPABASE_SECRET_KEY');
  check(!url || isOrigin(url), SETTINGS.backendUrl);
  check(!url || Boolean(publishableKey), SETTINGS.publishableKey);
  check(!url || Boolean(secretKey), SETTINGS.secretKey);
  check(!secretKey || secretKey !== publishableKey, SETTINGS.sameKeys);
  const isSame = secretKey !== undefined && secretKey === publishableKey;
  check(isSame || !isKey(secretKey, 'publishable'), SETTINGS.secretIsPublishable);
  check(isSame || !isKey(publishableKey, 'secret'), SETTINGS.publishableIsSecret);

  const format = get('STOPPRESS_LOG');
  check(!format || format === 'json' || format === 'text', SETTINGS.log);
  const level = get('STOPPRESS_LOG_LEVEL');
  check(!level || (LOG_LEVELS as readonly string[]).includes(level), SETTINGS.logLevel);
  const metricsToken = get('STOPPRESS_METRICS_TOKEN');
  check(!metricsToken || /^\S{16,}$/.test(metricsToken), SETTINGS.metricsToken);

  const dataFolder = resolve(get('STOPPRESS_DATA') ?? data);
  const builds = resolve(get('STOPPRESS_BUILDS') ?? '.stoppress/builds');
  const basemap = get('STOPPRESS_BASEMAP');
  const privateWordPress = get('STOPPRESS_PRIVATE_WORDPRESS');
  check(!privateWordPress || isOrigin(privateWordPress), SETTINGS.privateWordPress);
  const telegramApi = get('STOPPRESS_TELEGRAM_API');
  check(!telegramApi || isOrigin(telegramApi), SETTINGS.telegramApi);
  const backend: BackendChoice =
    url && publishableKey && secretKey
      ? { kind: 'hosted', url: withoutSlash(url), publishableKey, secretKey }
      : {
          kind: 'embedded',
          data: dataFolder,
          databaseUrl: get('DATABASE_URL'),
          publishableKey,
          secretKey,
          backups: {
            folder: resolve(get('STOPPRESS_BACKUPS') ?? join(dataFolder, '../backups')),
            at: get('STOPPRESS_BACKUP_AT'),
            keep: get('STOPPRESS_BACKUP_KEEP'),
          },
          smtpUrl: get('SMTP_URL'),
          mailFrom: get('MAIL_FROM'),
          certificates: get('NODE_EXTRA_CA_CERTS'),
          functionVariables: {
            ...(privateWordPress && { STOPPRESS_PRIVATE_WORDPRESS: privateWordPress }),
            ...(telegramApi && { STOPPRESS_TELEGRAM_API: withoutSlash(telegramApi) }),
          },
        };
  const site = siteUrl && withoutSlash(siteUrl);
  const settings = {
    host,
    port,
    siteUrl: site,
    proxies,
    readerSockets,
    surgeAt,
    builds,
    basemap: basemap && resolve(basemap),
    metricsToken,
    privateWordPress,
    backend,
  };
  return { settings, mistakes };
}

/** New keys are recognised by their prefix, old ones by the role in their JWT. */
function isKey(key: string | undefined, kind: 'secret' | 'publishable'): boolean {
  if (key?.startsWith(`sb_${kind}_`)) return true;
  const role = kind === 'secret' ? 'service_role' : 'anon';
  const [, claims = ''] = key?.split('.') ?? [];
  return Buffer.from(claims, 'base64url').toString().includes(`"role":"${role}"`);
}

const withoutSlash = (url: string) => url.replace(/\/+$/, '');

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === withoutSlash(text).toLowerCase();
}

/** Variables that the owner sets. */
export const NAMES = [
  'STOPPRESS_BACKUPS',
  'STOPPRESS_BACKUP_AT',
  'STOPPRESS_BACKUP_KEEP',
  'STOPPRESS_BASEMAP',
  'STOPPRESS_BUILDS',
  'STOPPRESS_DATA',
  'STOPPRESS_LOG',
  'STOPPRESS_LOG_LEVEL',
  'STOPPRESS_METRICS_TOKEN',
  'STOPPRESS_PRIVATE_WORDPRESS',
  'STOPPRESS_PROXIES',
  'STOPPRESS_READER_SOCKETS',
  'STOPPRESS_SURGE_AT',
  'STOPPRESS_TELEGRAM_API',
];
/** Variables that our programs pass to each other. */
const INTERNAL_NAMES = [
  'STOPPRESS_BACKEND_PORT',
  'STOPPRESS_BACKEND_URL',
  'STOPPRESS_BACKEND_HEADERS',
  'STOPPRESS_BACKUPS_KEPT',
  'STOPPRESS_FUNCTIONS',
  'STOPPRESS_MAILBOX',
  'STOPPRESS_MIGRATIONS',
  'STOPPRESS_PUBLIC_CHANNELS',
];

/** Maximum edit distance of a suggested name. */
const MAX_DISTANCE = 4;

/** Sentences about unknown STOPPRESS_ variables, which the owner would otherwise believe to be in effect. */
export function unknownNames(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => /^STOPPRESS_/i.test(name) && !NAMES.includes(name) && !INTERNAL_NAMES.includes(name))
    .map((name) => SETTINGS.unknown(shown(name), suggestionFor(name)));
}

/** A variable name can contain any characters. */
const shown = (name: string) => name.replace(/[^\w]/g, '?').slice(0, 60);

function suggestionFor(name: string): string | undefined {
  const [closest] = NAMES.map((known) => ({
    known,
    off: distance(name.slice(0, 60).toUpperCase(), known),
  })).sort((a, b) => a.off - b.off);
  return closest && closest.off <= MAX_DISTANCE ? closest.known : undefined;
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1]);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, changed));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
