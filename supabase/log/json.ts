import pino, { type Logger } from 'pino';
import { writeOut } from './hidden.ts';
import type { Line } from './log.ts';

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
export function jsonWriter({ level, from, request, sentence, fields, error }: Line): string {
  logger ??= writer();
  const { stack = [], ...told } = error ?? {};
  logger[level]({ from, request, ...fields, ...(error && { error: { ...told, stack } }) }, sentence);
  // JSON writes out the oldest signs of control alone; all of them mean the same within its texts.
  return writeOut(made.trimEnd());
}
