import nodeLogger from 'astro/logger/node';
import { log } from '../data/log.ts';
import { SERVER } from '../i18n/cli.ts';

type AstroMessage = {
  label: string | null;
  level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  message: string;
};

/**
 * The destination of what Astro logs (astro.config.mjs). Built pages write it as lines of this program's log. The build
 * and the development server write it for a terminal.
 */
export default function pagesLogger() {
  return import.meta.env?.PROD ? { write } : nodeLogger({ level: 'info' });
}

function write({ level, message }: AstroMessage): void {
  if (level === 'silent') return;
  const [first = '', ...places] = String(message).split('\n');
  // The error page has logged the error of a page already, with its id (pages/500.astro), or has said why it was refused.
  const isError = /^(?:\w*Error|Refused)\b/.test(first);
  if (level === 'error' && !isError) log.error(SERVER.fault, { error: asError(first, places) });
  else log[isError ? 'debug' : level](`Astro: ${first}`);
}

function asError(message: string, places: string[]): Error {
  return Object.assign(new Error(message), { stack: places.join('\n') });
}
