import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse, TomlError, type TomlTable } from 'smol-toml';
import { StartError } from './start-error.ts';

/** Settings of config.toml. Times are in seconds. */
export type Config = Awaited<ReturnType<typeof readConfig>>;

/** Kinds of mail to an account. The names are those of their templates in config.toml. */
const MAIL_KINDS = ['confirmation', 'invite', 'magic_link', 'recovery', 'email_change'] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** A mail template. Without a file the backend uses its own text. */
type TemplateConfig = { subject: string; contentPath: string | undefined };

/** Default subjects: those of the Supabase CLI. */
const SUBJECTS: Record<MailKind, string> = {
  confirmation: 'Confirm your signup',
  invite: 'You have been invited',
  magic_link: 'Your magic link',
  recovery: 'Reset your password',
  email_change: 'Confirm email change',
};

/** The only schema that `/rest/v1` offers, and that of GraphQL, which the CLI's own template lists. */
const EXPECTED_SCHEMAS = ['public', 'graphql_public'];

/** A session without an inactivity timeout lasts this long, in seconds: 60 years. */
const NO_TIMEOUT = 60 * 365 * 24 * 3600;

/** Returns the path of the config.toml in the working directory. */
const defaultConfigPath = () => resolve('supabase/config.toml');

/**
 * Reads the config.toml of the Supabase CLI. A missing key has the default of the CLI.
 * @throws StartError naming the key that is wrong, never its value
 */
export async function readConfig(file = defaultConfigPath()) {
  const { has, ...keys } = await readConfigFile(file);
  const whole = (key: string, min: number, max: number, fallback: number) =>
    has(key) ? keys.integer(key, min, max) : fallback;
  const flag = (key: string, fallback: boolean) => (has(key) ? keys.boolean(key) : fallback);
  const duration = (key: string, fallback: number) => (has(key) ? keys.duration(key) : fallback);
  const template = (kind: MailKind): TemplateConfig => {
    const subject = `auth.email.template.${kind}.subject`;
    const contentPath = `auth.email.template.${kind}.content_path`;
    return {
      subject: has(subject) ? keys.string(subject) : SUBJECTS[kind],
      // The CLI resolves these paths from the folder above that of config.toml.
      contentPath: has(contentPath) ? resolve(dirname(file), '..', keys.string(contentPath)) : undefined,
    };
  };
  const schemas = has('api.schemas') ? keys.strings('api.schemas') : EXPECTED_SCHEMAS;
  // `/rest/v1` would offer `public` in spite of the list.
  if (!schemas.includes('public')) throw keys.invalid('api.schemas', 'a list with "public"');
  return {
    api: {
      /** Listed schemas that `/rest/v1` refuses with PGRST106. */
      refusedSchemas: schemas.filter((name) => !EXPECTED_SCHEMAS.includes(name)),
      maxRows: whole('api.max_rows', 1, 100_000, 1000),
    },
    auth: {
      jwtExpiry: whole('auth.jwt_expiry', 60, 604_800, 3600),
      signUpEnabled: flag('auth.enable_signup', true),
      minimumPasswordLength: whole('auth.minimum_password_length', 6, 72, 6),
      sessions: { inactivityTimeout: duration('auth.sessions.inactivity_timeout', NO_TIMEOUT) },
      email: {
        signUpEnabled: flag('auth.email.enable_signup', flag('auth.email.enabled', true)),
        /** Whether a new address must be confirmed. Takes effect only with a mailer. */
        confirmationRequired: flag('auth.email.enable_confirmations', false),
        /** Whether a change of address must be confirmed at the old one too. */
        doubleConfirmChanges: flag('auth.email.double_confirm_changes', true),
        /** Minimum time between two mails of a kind to one account. */
        maxFrequency: duration('auth.email.max_frequency', 1),
        otpLength: whole('auth.email.otp_length', 6, 10, 6),
        otpExpiry: whole('auth.email.otp_expiry', 60, 86_400, 3600),
        template: Object.fromEntries(MAIL_KINDS.map((kind) => [kind, template(kind)])) as Record<
          MailKind,
          TemplateConfig
        >,
      },
    },
  };
}

/** Reads values of a config.toml by dotted key. An invalid value throws a StartError that names only its key. */
export type ConfigReader = ReturnType<typeof createConfigReader>;

/** Reads a config.toml. @throws StartError if the file cannot be read, or is not TOML */
export const readConfigFile = async (file = defaultConfigPath()): Promise<ConfigReader> =>
  createConfigReader(await readDocument(file), file);

async function readDocument(file: string): Promise<TomlTable> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new StartError(`${file} cannot be read.`);
  });
  try {
    return parse(text);
  } catch (error) {
    // The message of a TomlError quotes the line, which may contain a secret.
    if (error instanceof TomlError) throw new StartError(`${file}: line ${error.line} is not TOML.`);
    throw error;
  }
}

const UNITS_MS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Parses a duration in Go's format, such as `720h` or `1m30s`. @returns milliseconds; undefined for other text */
export function parseGoDuration(text: string): number | undefined {
  const parts = text.match(/(?:\d+(?:\.\d*)?|\.\d+)[a-zµμ]+/g) ?? [];
  if (parts.length === 0 || parts.join('') !== text) return undefined;
  const total = parts.reduce((sum, part) => {
    const amount = Number.parseFloat(part);
    return sum + amount * (UNITS_MS[part.replace(/^[\d.]+/, '')] ?? Number.NaN);
  }, 0);
  return Number.isNaN(total) ? undefined : total;
}

function createConfigReader(document: TomlTable, file: string) {
  const find = (key: string): unknown =>
    key.split('.').reduce<unknown>((table, name) => (table as TomlTable | undefined)?.[name], document);
  const invalidKey = (key: string, expected: string) =>
    new StartError(`${file}: ${key} must be ${expected}.`);

  return {
    has: (key: string): boolean => find(key) !== undefined,
    /** Creates the error for a value that is not as expected. */
    invalid: invalidKey,
    /** Returns the keys of a table, or none if the table is missing. */
    tableKeys(key: string): string[] {
      const value = find(key) ?? {};
      if (typeof value === 'object' && !Array.isArray(value)) return Object.keys(value);
      throw invalidKey(key, 'a table');
    },
    integer(key: string, min: number, max: number): number {
      const value = find(key);
      if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value);
      throw invalidKey(key, `a whole number from ${min} to ${max}`);
    },
    boolean(key: string): boolean {
      const value = find(key);
      if (typeof value === 'boolean') return value;
      throw invalidKey(key, 'true or false');
    },
    string(key: string): string {
      const value = find(key);
      if (typeof value === 'string' && /^[^\p{Cc}]*\S[^\p{Cc}]*$/u.test(value)) return value;
      throw invalidKey(key, 'one line of text');
    },
    strings(key: string): string[] {
      const value = find(key);
      if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
      throw invalidKey(key, 'a list of texts');
    },
    /** @returns seconds */
    duration(key: string): number {
      const value = find(key);
      const ms = typeof value === 'string' ? parseGoDuration(value) : undefined;
      if (ms === undefined) throw invalidKey(key, 'a time such as "720h" or "90s"');
      return ms / 1000;
    },
  };
}
