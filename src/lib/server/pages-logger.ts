import nodeLogger from 'astro/logger/node';
import { log } from '../data/log.ts';
import { SERVER } from '../i18n/cli.ts';

type AstroMessage = {
  label: string | null;
  level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  message: string;
};

/**
 * Log destination of Astro (astro.config.mjs). Built pages write to the server's log; the build and the development
 * server write to the terminal.
 */
export default function pagesLogger() {
  return import.meta.env?.PROD ? { write } : nodeLogger({ level: 'info' });
}

function write({ level, message }: AstroMessage): void {
  if (level === 'silent') return;
  const [first = '', ...places] = String(message).split('\n');
  // The error page (pages/500.astro) has already logged a page's error with its id, or shown the reason of a refusal.
  const isError = /^(?:\w*Error|Refused)\b/.test(first);
  if (level === 'error' && !isError) log.error(SERVER.fault, { error: asError(first, places) });
  else log[isError ? 'debug' : level](`Astro: ${first}`);
}

function asError(message: string, places: string[]): Error {
  return Object.assign(new Error(message), { stack: places.join('\n') });
}
