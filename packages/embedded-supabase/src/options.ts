/** Options of an embedded backend. Folders may be relative to the working directory. */
export type BackendOptions = {
  /**
   * Project folder, which contains `supabase/config.toml`, `supabase/migrations` and `supabase/functions`. Default: the
   * working directory.
   */
  project?: string;
  /**
   * Folder of database, stored files and keys. Created with mode 0700. Default: `.embedded-supabase` in the project
   * folder.
   */
  data?: string;
  /** Port on 127.0.0.1. Default: 0, which takes a free port. */
  port?: number;
  /** PostgreSQL database (15 or later) to use instead of PGlite. Its role must be a superuser. */
  databaseUrl?: string;
  /** Address of the website, for links in mails. Default: the address of the backend. */
  siteUrl?: string;
  /** API keys. Default: generated once and stored in the data folder. */
  publishableKey?: string;
  secretKey?: string;
  /** Mail server (`smtp://USER:PASSWORD@HOST:587` or `smtps://…`) and sender of mails. Without them no mail is sent. */
  smtpUrl?: string;
  mailFrom?: string;
  /** File of additional certificate authorities, for the mail server. */
  certificates?: string;
  /** Variables that a function gets if its deno.json allows them by name. */
  functionVariables?: Record<string, string>;
  /** Shows mails at `/mailbox` of the backend instead of sending them. For development only. */
  mailbox?: boolean;
  /** Allows Realtime channels that are not private, like *Allow public access* of a hosted project. */
  publicChannels?: boolean;
  /** Scheduled backups, and backups before an upgrade. Default: none. */
  backups?: {
    folder: string;
    /** Cron expression in local time, or `off`. Default: `15 4 * * *`. */
    at?: string;
    /** Number of backups of each kind to keep. Default: 14. */
    keep?: string;
  };
  /** First part of the file names of backups. Default: `backup`. */
  backupPrefix?: string;
  /** Version of the program that the data belongs to, stored in backups. Default: the version of this package. */
  program?: string;
  log?: LogOptions;
  /**
   * Replacements in error messages, for a program that has its own names for these options and commands:
   * `{ EMBEDDED_SUPABASE_DATA: 'APP_DATA' }`.
   */
  terms?: Record<string, string>;
};

export type LogOptions = {
  /** `json` or `text`. Default: `text` at a terminal, `json` elsewhere. */
  format?: string;
  /** `debug`, `info`, `warn` or `error`. Default: `info`. */
  level?: string;
};

/** Converts options to the environment variables of the command line. */
export function environmentOf(options: BackendOptions): Record<string, string> {
  const { backups, log = {}, terms } = options;
  const variables: Record<string, string | undefined> = {
    EMBEDDED_SUPABASE_PROJECT: options.project,
    EMBEDDED_SUPABASE_DATA: options.data,
    EMBEDDED_SUPABASE_PORT: options.port?.toString(),
    DATABASE_URL: options.databaseUrl,
    SITE_URL: options.siteUrl,
    PUBLIC_SUPABASE_PUBLISHABLE_KEY: options.publishableKey,
    SUPABASE_SECRET_KEY: options.secretKey,
    SMTP_URL: options.smtpUrl,
    MAIL_FROM: options.mailFrom,
    NODE_EXTRA_CA_CERTS: options.certificates,
    EMBEDDED_SUPABASE_FUNCTION_VARIABLES:
      options.functionVariables && JSON.stringify(options.functionVariables),
    EMBEDDED_SUPABASE_MAILBOX: options.mailbox ? 'on' : undefined,
    EMBEDDED_SUPABASE_PUBLIC_CHANNELS: options.publicChannels ? 'on' : undefined,
    EMBEDDED_SUPABASE_BACKUPS: backups?.folder,
    EMBEDDED_SUPABASE_BACKUP_AT: backups?.at,
    EMBEDDED_SUPABASE_BACKUP_KEEP: backups?.keep,
    EMBEDDED_SUPABASE_BACKUP_PREFIX: options.backupPrefix,
    EMBEDDED_SUPABASE_PROGRAM: options.program,
    EMBEDDED_SUPABASE_LOG: log.format,
    EMBEDDED_SUPABASE_LOG_LEVEL: log.level,
    EMBEDDED_SUPABASE_TERMS: terms && JSON.stringify(terms),
  };
  return Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
}
