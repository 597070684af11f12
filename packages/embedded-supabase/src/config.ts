import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse, TomlError, type TomlTable } from 'smol-toml';
import { StartError } from './start-error.ts';

/** What the backend takes from config.toml, under the names that the file gives it. Times are in seconds. */
export type Config = {
  api: { maxRows: number };
  auth: {
    jwtExpiry: number;
    signUp: boolean;
    minimumPasswordLength: number;
    sessions: { inactivityTimeout: number };
    email: {
      signUp: boolean;
      /** Whether a new address must be confirmed. Only with a mailer. */
      confirmations: boolean;
      /** A change of address is confirmed at the old one too. */
      doubleConfirmChanges: boolean;
      /** Between two mails of a kind to one account. */
      maxFrequency: number;
      otpLength: number;
      otpExpiry: number;
      template: Record<MailKind, TemplateConfig>;
    };
  };
};

/** A mail template. Without a file the backend uses its own text. */
type TemplateConfig = { subject: string; contentPath: string | undefined };

/** Subjects of a project that sets none: those of the Supabase CLI. */
const SUBJECTS: Record<MailKind, string> = {
  confirmation: 'Confirm your signup',
  invite: 'You have been invited',
  magic_link: 'Your magic link',
  recovery: 'Reset your password',
  email_change: 'Confirm email change',
};

/** A session without an inactivity timeout lasts this long, in seconds: 60 years. */
const NO_TIMEOUT = 60 * 365 * 24 * 3600;

/** Of the project in the working directory. */
const ownConfig = () => resolve('supabase/config.toml');

/**
 * Reads the config.toml of the Supabase CLI. A missing key has the default of the CLI.
 * @throws StartError naming the key that is wrong, never its value
 */
export async function readConfig(file = ownConfig()): Promise<Config> {
  const { has, ...keys } = await readConfigKeys(file);
  const whole = (key: string, least: number, most: number, otherwise: number) =>
    has(key) ? keys.whole(key, least, most) : otherwise;
  const flag = (key: string, otherwise: boolean) => (has(key) ? keys.flag(key) : otherwise);
  const duration = (key: string, otherwise: number) => (has(key) ? keys.duration(key) : otherwise);
  const template = (kind: MailKind): TemplateConfig => {
    const subject = `auth.email.template.${kind}.subject`;
    const contentPath = `auth.email.template.${kind}.content_path`;
    return {
      subject: has(subject) ? keys.text(subject) : SUBJECTS[kind],
      // The CLI reads these from the folder above its own.
      contentPath: has(contentPath) ? resolve(dirname(file), '..', keys.text(contentPath)) : undefined,
    };
  };
  return {
    api: { maxRows: whole('api.max_rows', 1, 100_000, 1000) },
    auth: {
      jwtExpiry: whole('auth.jwt_expiry', 60, 604_800, 3600),
      signUp: flag('auth.enable_signup', true),
      minimumPasswordLength: whole('auth.minimum_password_length', 6, 72, 6),
      sessions: { inactivityTimeout: duration('auth.sessions.inactivity_timeout', NO_TIMEOUT) },
      email: {
        signUp: flag('auth.email.enable_signup', flag('auth.email.enabled', true)),
        confirmations: flag('auth.email.enable_confirmations', false),
        doubleConfirmChanges: flag('auth.email.double_confirm_changes', true),
        maxFrequency: duration('auth.email.max_frequency', 1),
        otpLength: whole('auth.email.otp_length', 6, 10, 6),
        otpExpiry: whole('auth.email.otp_expiry', 60, 86_400, 3600),
        template: {
          confirmation: template('confirmation'),
          invite: template('invite'),
          magic_link: template('magic_link'),
          recovery: template('recovery'),
          email_change: template('email_change'),
        },
      },
    },
  };
}

/** The values of a config.toml by their dotted keys. Each throws a StartError that names the key, never its value. */
export type ConfigKeys = ReturnType<typeof keysOf>;

/** @throws StartError when the file cannot be read, or is not TOML */
export const readConfigKeys = async (file = ownConfig()): Promise<ConfigKeys> =>
  keysOf(await readDocument(file), file);

async function readDocument(file: string): Promise<TomlTable> {
  const written = await readFile(file, 'utf8').catch(() => {
    throw new StartError(`${file} cannot be read.`);
  });
  try {
    return parse(written);
  } catch (error) {
    // Its message shows the line, which may hold a secret.
    if (error instanceof TomlError) throw new StartError(`${file}: line ${error.line} is not TOML.`);
    throw error;
  }
}

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600 };

function keysOf(document: TomlTable, file: string) {
  const find = (key: string): unknown =>
    key.split('.').reduce<unknown>((table, name) => (table as TomlTable | undefined)?.[name], document);
  const wrong = (key: string, what: string) => new StartError(`${file}: ${key} must be ${what}.`);

  return {
    has: (key: string): boolean => find(key) !== undefined,
    /** The keys of a table that may be missing. */
    namesIn(key: string): string[] {
      const value = find(key) ?? {};
      if (typeof value === 'object' && !Array.isArray(value)) return Object.keys(value);
      throw wrong(key, 'a table');
    },
    whole(key: string, least: number, most: number): number {
      const value = find(key);
      if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value);
      throw wrong(key, `a whole number from ${least} to ${most}`);
    },
    flag(key: string): boolean {
      const value = find(key);
      if (typeof value === 'boolean') return value;
      throw wrong(key, 'true or false');
    },
    text(key: string): string {
      const value = find(key);
      if (typeof value === 'string' && /^[^\p{Cc}]*\S[^\p{Cc}]*$/u.test(value)) return value;
      throw wrong(key, 'one line of text');
    },
    texts(key: string): string[] {
      const value = find(key);
      if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
      throw wrong(key, 'a list of texts');
    },
    /** Go's way of writing one, as `720h` or `1m30s`. @returns seconds */
    duration(key: string): number {
      const value = find(key);
      if (typeof value !== 'string' || !/^(\d+[smh])+$/.test(value)) {
        throw wrong(key, 'a time such as "720h" or "90s"');
      }
      let seconds = 0;
      for (const [, number, unit = ''] of value.matchAll(/(\d+)([smh])/g)) {
        seconds += Number(number) * (SECONDS[unit] ?? 0);
      }
      return seconds;
    },
  };
}

/** The mails of an account, by the names that config.toml gives their templates. */
export type MailKind = 'confirmation' | 'invite' | 'magic_link' | 'recovery' | 'email_change';
