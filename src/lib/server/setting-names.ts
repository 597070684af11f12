import { SETTINGS } from '../text/commands.ts';
import type { Environment } from './settings.ts';

/** What an owner sets. */
export const NAMES = [
  'STOPPRESS_BACKUPS',
  'STOPPRESS_BACKUP_AT',
  'STOPPRESS_BACKUP_KEEP',
  'STOPPRESS_BUILDS',
  'STOPPRESS_DATA',
  'STOPPRESS_LOG',
  'STOPPRESS_LOG_LEVEL',
  'STOPPRESS_METRICS_TOKEN',
  'STOPPRESS_PROXIES',
  'STOPPRESS_READER_SOCKETS',
  'STOPPRESS_SURGE_AT',
];
/** What our programs tell one another. */
const OUR_OWN = [
  'STOPPRESS_BACKEND_PORT',
  'STOPPRESS_BACKEND_URL',
  'STOPPRESS_BACKEND_HEADERS',
  'STOPPRESS_BACKUPS_KEPT',
  'STOPPRESS_FUNCTIONS',
  'STOPPRESS_MAILBOX',
  'STOPPRESS_MIGRATIONS',
  'STOPPRESS_PUBLIC_CHANNELS',
];

/** So many letters may be wrong in a name that somebody meant. */
const CLOSE = 4;

/** A setting that nobody reads is one that somebody believes in. */
export function mistakenNames(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => /^STOPPRESS_/i.test(name) && !NAMES.includes(name) && !OUR_OWN.includes(name))
    .map((name) => SETTINGS.unknown(shown(name), meantBy(name)));
}

/** A name may be anything. */
const shown = (name: string) => name.replace(/[^\w]/g, '?').slice(0, 60);

function meantBy(name: string): string | undefined {
  const [closest] = NAMES.map((known) => ({
    known,
    off: distance(name.slice(0, 60).toUpperCase(), known),
  })).sort((a, b) => a.off - b.off);
  return closest && closest.off <= CLOSE ? closest.known : undefined;
}

/** Letters to put in, take out or change (Levenshtein). */
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
