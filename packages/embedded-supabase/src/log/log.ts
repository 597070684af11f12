import { AsyncLocalStorage } from 'node:async_hooks';
import { fstatSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { LogOptions } from '../options.ts';

/*
 * The log of website and backend: one line for each event, as JSON or as text for a terminal. It never contains bodies,
 * cookies, tokens, keys, or addresses of people or clients.
 */

type LogLine = {
  level: LogLevel;
  /** `site`, `backend`, `supervisor`, or `function NAME`. */
  from: string;
  /** Id of the request that the line belongs to. */
  request: string | undefined;
  sentence: string;
  fields: LogFields;
  error: DescribedError | undefined;
};

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

type LogLevel = (typeof LOG_LEVELS)[number];

type LogFields = Record<string, string | number | boolean>;

/** Fields of a log line: strings, numbers and booleans; others are left out. An `error` is logged with its stack. */
type LogArguments = Record<string, unknown>;

type LogFunction = (sentence: string, fields?: LogArguments) => void;

export type Log = Record<LogLevel, LogFunction> & { isEnabled(level: LogLevel): boolean };

export type LogFormat = 'json' | 'text';

/** The settings of the backend's own processes. */
const environmentOptions = (): LogOptions => ({
  format: process.env.EMBEDDED_SUPABASE_LOG,
  level: process.env.EMBEDDED_SUPABASE_LOG_LEVEL,
});

/** Treats an invalid value as unset. The settings of each program report it. */
function readOptions({ format, level = '' }: LogOptions): { format: LogFormat; least: number } {
  const levelIndex = (LOG_LEVELS as readonly string[]).indexOf(level.trim());
  const knownFormat = (['json', 'text'] as const).find((name) => name === format?.trim());
  return {
    format: knownFormat ?? (process.stderr.isTTY ? 'text' : 'json'),
    least: levelIndex < 0 ? LOG_LEVELS.indexOf('info') : levelIndex,
  };
}

/** Number of log lines by level, for metrics. */
export const logLineCounts: Record<LogLevel, number> = { debug: 0, info: 0, warn: 0, error: 0 };

/**
 * @param from the process or function that writes
 * @param options read once, when the first line is written
 */
export function openLog(from: string, options = environmentOptions): Log {
  // Read with the first line, because the program has loaded its .env by then.
  let resolvedOptions: ReturnType<typeof readOptions> | undefined;
  const isEnabled = (level: LogLevel) => {
    resolvedOptions ??= readOptions(options());
    return LOG_LEVELS.indexOf(level) >= resolvedOptions.least;
  };
  const logAt =
    (level: LogLevel): LogFunction =>
    (sentence, { error, ...fields }: LogArguments = {}) => {
      if (!isEnabled(level)) return;
      logLineCounts[level] += 1;
      const line: LogLine = {
        level,
        from,
        request: requestId(),
        sentence: redactSecrets(sentence),
        fields: redactFields(fields),
        error: error === undefined ? undefined : describeError(error),
      };
      const write = level === 'debug' || level === 'info' ? writeLine.out : writeLine.error;
      write(resolvedOptions?.format === 'text' ? textOf(line) : jsonOf(line));
    };
  return {
    debug: logAt('debug'),
    info: logAt('info'),
    warn: logAt('warn'),
    error: logAt('error'),
    isEnabled,
  };
}

type WriteLine = (line: string) => void;

/**
 * Writers for standard output and standard error. For a pipe they use the console, which does not fail when the reader
 * of the pipe has exited.
 */
const writeLine: { out: WriteLine; error: WriteLine } = {
  out: isFile(1) ? fileWriter(1) : (line) => console.log(line),
  error: isFile(2) ? fileWriter(2) : (line) => console.error(line),
};

function isFile(descriptor: number): boolean {
  try {
    const stat = fstatSync(descriptor);
    return !isatty(descriptor) && !stat.isFIFO() && !stat.isSocket();
  } catch {
    return false;
  }
}

/**
 * Creates a function that writes lines to a file. It drops lines while the disk is full. Node's own stream for a file
 * would end the process at the first failed line.
 */
function fileWriter(descriptor: number): WriteLine {
  return (line) => {
    try {
      writeSync(descriptor, `${line}\n`);
    } catch {
      // The log itself has failed, so the error cannot be logged.
    }
  };
}

function redactFields(fields: LogArguments): LogFields {
  const redacted: LogFields = {};
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') redacted[name] = redactSecrets(value);
    else if (typeof value === 'number' || typeof value === 'boolean') redacted[name] = value;
  }
  return redacted;
}

function jsonOf({ level, from, request, sentence, fields, error }: LogLine): string {
  const time = new Date().toISOString();
  // JSON.stringify escapes C0 control characters only.
  return escapeControl(JSON.stringify({ level, time, from, request, ...fields, error, msg: sentence }));
}

/** Formats a line for a terminal: the sentence, its fields, and the error with its stack on the lines below. */
function textOf({ from, request, sentence, fields, error }: LogLine): string {
  const details = Object.entries({ request, ...fields })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${value}`);
  const source = from.startsWith('function ') ? `${from}: ` : '';
  const head = `${source}${sentence}${details.length > 0 ? ` (${details.join(', ')})` : ''}`;
  return [head, ...errorLines(error)].map(escapeControl).join('\n');
}

function errorLines(error: DescribedError | undefined): string[] {
  if (!error) return [];
  const code = error.code ? ` (${error.code})` : '';
  const causeLines = error.cause ? ['Because of:', ...errorLines(error.cause)] : [];
  return [
    `${error.class}${code}: ${error.message}`,
    ...error.stack.map((frame) => `    ${frame}`),
    ...causeLines,
  ];
}

/** The log of the embedded backend. */
export const backendLog = openLog('backend');

/** Parts of an error that are logged. Other properties, such as query values, are left out. */
type DescribedError = {
  class: string;
  code?: string;
  message: string;
  /** Stack frames, `at …`. */
  stack: string[];
  cause?: DescribedError;
};

/** Maximum number of logged stack frames, and of nested causes. */
const MAX_DEPTHS = { stack: 20, causes: 3 };

function describeError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error)) {
    return {
      class: error === null ? 'null' : typeof error,
      message: redactSecrets(String(error)),
      stack: [],
    };
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    class: redactSecrets(error.name || error.constructor.name),
    ...(code && { code: redactSecrets(code) }),
    message: redactSecrets(error.message),
    stack: stackFrames(error),
    ...(error.cause !== undefined &&
      depth < MAX_DEPTHS.causes && { cause: describeError(error.cause, depth + 1) }),
  };
}

/** Returns the stack frames of an error. Removes the message first, because its lines may look like stack frames. */
const stackFrames = ({ stack = '', message }: Error): string[] =>
  String(stack)
    .replace(message, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, MAX_DEPTHS.stack)
    .map(redactSecrets);

const HIDDEN = '[hidden]';

/** Example address in our own messages. It is not redacted. */
const EXAMPLE_ADDRESS = 'newsroom@example.com';

/** Secrets that a text may contain. The patterns match bounded lengths and run on bounded texts. */
const SECRET_PATTERNS: readonly [RegExp, string][] = [
  // User name and password of a URL, except those of our own examples.
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/)(?!USER:PASSWORD@|role:password@)[^\s/@]{1,300}@/gi, `$1${HIDDEN}@`],
  [/[\p{L}\p{N}._%+'-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu, '[address]'],
  [/\beyJ[\w-]{8,4000}\.[\w-]{1,4000}(?:\.[\w-]{0,4000})?/g, '[token]'],
  [/\b(sb_(?:secret|publishable)_)[\w-]{1,200}/g, `$1${HIDDEN}`],
  [/\b(bearer\s{1,3})[^\s"',]{1,4000}/gi, `$1${HIDDEN}`],
  // Secrets in the URLs of receipts, invites and unsubscribe links.
  [/(\/(?:tips|invites|unsubscribe)\/)[^\s/?#"']{1,300}/g, `$1${HIDDEN}`],
  [/(\/auth\/[^\s?#"']{0,100})\?[^\s"']{1,4000}/g, `$1?${HIDDEN}`],
  [
    /\b((?:access_|refresh_|provider_)?token(?:_hash)?|apikey|code|password|secret|email)=[^\s&"']{1,4000}/gi,
    `$1=${HIDDEN}`,
  ],
];

/** Maximum length of a text in characters. Longer texts are truncated before they are searched. */
const MAX_TEXT_LENGTH = 10_000;

/** Names of environment variables that are secrets, and of those with a URL that contains a password. */
const SECRET_NAME = /_(?:SECRET_KEY|TOKEN|PASSWORD)$/;
const URL_VARIABLES = ['DATABASE_URL', 'SMTP_URL'];

/** Minimum length of a secret. Shorter ones would hide ordinary words. */
const MIN_SECRET_LENGTH = 6;

/** Removes e-mail addresses, keys, tokens, passwords and receipts from a text. */
function redactSecrets(text: string): string {
  let redacted = text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)} …` : text;
  for (const secret of knownSecrets()) redacted = redacted.replaceAll(secret, HIDDEN);
  for (const [pattern, replacement] of SECRET_PATTERNS) {
    redacted = redacted.replace(pattern, (match, ...groups) =>
      match === EXAMPLE_ADDRESS ? match : replacement.replace('$1', () => String(groups[0])),
    );
  }
  return redacted;
}

function knownSecrets(): string[] {
  const passwords = URL_VARIABLES.flatMap((name) => {
    const password = URL.parse(process.env[name] ?? '')?.password ?? '';
    return [password, tryDecode(password)];
  });
  const keys = Object.keys(process.env).filter((name) => SECRET_NAME.test(name));
  return [...keys.map((name) => process.env[name] ?? ''), ...passwords].filter(
    ({ length }) => length >= MIN_SECRET_LENGTH,
  );
}

function tryDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** Characters that look like a new line, move a terminal's cursor or reverse the direction of the text after them. */
const CONTROL_CHARACTERS = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Replaces these characters by escapes such as `\u000a`. */
const escapeControl = (text: string): string =>
  text.replace(
    CONTROL_CHARACTERS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const STORAGE_KEY = Symbol.for('embedded-supabase.request');

type SharedGlobal = typeof globalThis & { [STORAGE_KEY]?: AsyncLocalStorage<string> };

const sharedGlobal: SharedGlobal = globalThis;
sharedGlobal[STORAGE_KEY] ??= new AsyncLocalStorage();

/**
 * Storage for the id of the request for which the current code runs. The website's pages are bundled with their own
 * copy of this module. So the storage is a property of `globalThis`, which both copies share.
 */
const requestStorage = sharedGlobal[STORAGE_KEY];

/** Header with the request id: from the website's server to pages, backend and client. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** @returns undefined outside of a request */
export const requestId = (): string | undefined => requestStorage.getStore();

/** Returns the request id as a header, or no header outside of a request. */
export function requestIdHeader(): Record<string, string> {
  const id = requestId();
  return id === undefined ? {} : { [REQUEST_ID_HEADER]: id };
}

export const runWithRequestId = <T>(id: string, work: () => T): T => requestStorage.run(id, work);

/** Returns whether a text has the format of our request ids. Other values are not used. */
export const isRequestId = (text: unknown): text is string =>
  typeof text === 'string' && /^[0-9a-hj-km-np-tv-z]{12}$/.test(text);

const BASE32_DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** Returns 60 random bits as twelve characters of Crockford's base 32, which are easy to read out on the telephone. */
export const newRequestId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => BASE32_DIGITS[byte & 31]).join('');
