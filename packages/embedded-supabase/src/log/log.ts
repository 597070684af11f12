import pino, { type Logger } from 'pino';
import type { LogOptions } from '../options.ts';
import { type DescribedError, describeError } from './described-error.ts';
import { escapeControl, redactSecrets } from './redact.ts';
import { requestId } from './request-id.ts';

let made = '';
let logger: Logger | undefined;

/** Pino writes it down; where it goes is ours to say. */
const writer = () =>
  pino(
    {
      level: 'debug',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    {
      write(line: string) {
        made = line;
      },
    },
  );

/** A line as JSON, in one line whatever stands in it. */
function jsonWriter({ level, from, request, sentence, fields, error }: LogLine): string {
  logger ??= writer();
  const { stack = [], ...told } = error ?? {};
  logger[level]({ from, request, ...fields, ...(error && { error: { ...told, stack } }) }, sentence);
  // JSON writes out the oldest signs of control alone; all of them mean the same within its texts.
  return escapeControl(made.trimEnd());
}

type LogLine = {
  level: LogLevel;
  /** `site`, `backend`, `supervisor`, or `function NAME`. */
  from: string;
  /** The id of the request for which it happened. */
  request: string | undefined;
  sentence: string;
  fields: LogFields;
  error: DescribedError | undefined;
};

/*
 * The log of website and backend: one line for each event, as JSON or as text for a terminal. It never contains bodies,
 * cookies, tokens, keys, or addresses of people or clients.
 */

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

type LogLevel = (typeof LOG_LEVELS)[number];

type LogFields = Record<string, string | number | boolean>;

/** Fields of a log line: strings, numbers and booleans; others are left out. An `error` is logged with its stack. */
type LogArguments = Record<string, unknown>;

type Tell = (sentence: string, told?: LogArguments) => void;

export type Log = Record<LogLevel, Tell> & { isEnabled(level: LogLevel): boolean };

export type LogFormat = 'json' | 'text';

/** Where no person sits at a terminal, a program reads. */
const usualFormat = (): LogFormat => (process.stderr.isTTY ? 'text' : 'json');

/** The settings of the backend's own processes. */
const ownOptions = (): LogOptions => ({
  format: process.env.EMBEDDED_SUPABASE_LOG,
  level: process.env.EMBEDDED_SUPABASE_LOG_LEVEL,
});

/** A wrong value counts as unset: the settings of each program report it. */
function readOptions({ format, level = '' }: LogOptions): { format: LogFormat; least: number } {
  const least = (LOG_LEVELS as readonly string[]).indexOf(level.trim());
  return {
    format:
      format?.trim() === 'json' || format?.trim() === 'text' ? (format.trim() as LogFormat) : usualFormat(),
    least: least < 0 ? LOG_LEVELS.indexOf('info') : least,
  };
}

/** Number of log lines by level, for metrics. */
export const lineCounts: Record<LogLevel, number> = { debug: 0, info: 0, warn: 0, error: 0 };

/**
 * @param from the process or function that writes
 * @param options read once, when the first line is written
 */
export function openLog(from: string, options = ownOptions): Log {
  // Read when the first line is written: by then a program has read its .env.
  let read: ReturnType<typeof readOptions> | undefined;
  const isEnabled = (level: LogLevel) => {
    read ??= readOptions(options());
    return LOG_LEVELS.indexOf(level) >= read.least;
  };
  const tell =
    (level: LogLevel): Tell =>
    (sentence, { error, ...fields }: LogArguments = {}) => {
      if (!isEnabled(level)) return;
      lineCounts[level] += 1;
      const line: LogLine = {
        level,
        from,
        request: requestId(),
        sentence: redactSecrets(sentence),
        fields: plain(fields),
        error: error === undefined ? undefined : describeError(error),
      };
      // Through the console, which bears a reader of the log that has gone.
      const write = level === 'debug' || level === 'info' ? console.log : console.error;
      write(read?.format === 'text' ? textOf(line) : jsonWriter(line));
    };
  return { debug: tell('debug'), info: tell('info'), warn: tell('warn'), error: tell('error'), isEnabled };
}

function plain(fields: LogArguments): LogFields {
  const kept: LogFields = {};
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') kept[name] = redactSecrets(value);
    else if (typeof value === 'number' || typeof value === 'boolean') kept[name] = value;
  }
  return kept;
}

/** A line for people: the sentence, what belongs to it, and below it where a fault lies. */
function textOf({ from, request, sentence, fields, error }: LogLine): string {
  const said = Object.entries({ request, ...fields })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${value}`);
  const who = from.startsWith('function ') ? `${from}: ` : '';
  const head = `${who}${sentence}${said.length > 0 ? ` (${said.join(', ')})` : ''}`;
  return [head, ...errorLines(error)].map(escapeControl).join('\n');
}

function errorLines(error: DescribedError | undefined): string[] {
  if (!error) return [];
  const code = error.code ? ` (${error.code})` : '';
  const because = error.cause ? ['Because of:', ...errorLines(error.cause)] : [];
  return [
    `${error.class}${code}: ${error.message}`,
    ...error.stack.map((place) => `    ${place}`),
    ...because,
  ];
}

/** The log of the embedded backend. */
export const log = openLog('backend');
