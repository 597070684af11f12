import type { Body } from '../domain/body/blocks.ts';
import type { ReaderFollow, SurgeMode } from '../domain/reader-coverage.ts';
import type { Clock } from '../domain/time.ts';
import { speakAsSite } from '../i18n/request-language.server.ts';
import { reader } from './reader-client.server.ts';
import { dataOf } from './result.ts';

/** The newsroom that publishes this. */
export type Site = {
  name: string;
  tagline: string;
  language: string;
  publisher: string;
  contact: string;
  /** How readers follow a coverage that does not say. */
  reader_follow: ReaderFollow;
  /** Seconds between two checks of a reader's page. */
  reader_interval: number;
  /** Whether readers are moved to slow checks: as a person says, or by the load of the site's servers. */
  surge: SurgeMode;
  /** Whether a server's load moves them, where no person has decided. No time: that would make each page another one every minute. */
  surging: boolean;
  /** When the surge of now began, or else the last one. */
  surge_since: string | null;
  /** Whether readers' devices keep copies of public pages. */
  keeps_copies: boolean;
  /** The colour of what is live, by day and in the dark; '' is the house's own. */
  accent: string;
  accent_dark: string;
  /** Who may show a coverage in a frame: `*` alone is anybody, none is nobody, else these origins. */
  frames: string[];
  /** Counts the changes of what every page may show. */
  seq: number;
};

const COLUMNS =
  'name, tagline, language, publisher, contact, reader_follow, reader_interval, surge, surge_load_until, surge_since, keeps_copies, accent, accent_dark, frames, seq';

let last: Site | null = null;
/** On a clock that nobody sets. */
let lastAsked = Number.NEGATIVE_INFINITY;
let failed = Number.NEGATIVE_INFINITY;

async function ask(): Promise<Site> {
  lastAsked = performance.now();
  const { surge_load_until, ...row } = await dataOf(reader().from('site').select(COLUMNS).single());
  last = { ...row, surging: Date.parse(surge_load_until ?? '') > Date.now() };
  return last;
}

export async function readSite(): Promise<Site> {
  const site = await ask();
  speakAsSite(site.language);
  return site;
}

/** Who publishes this, in the newsroom's own words. */
export async function readAbout(): Promise<Body> {
  const { about } = await dataOf(reader().from('site').select('about').single());
  // The database checks it: its types cannot say so.
  return about as Body;
}

/** The language that the site had when it was last read; no question is asked for it. */
export const rememberedLanguage = (): string => last?.language ?? 'en';

/** How old an answer that is remembered may become before another is asked for, in milliseconds. */
const REMEMBERED_MS = 10_000;

/** After a failure nobody waits for another, in milliseconds: whoever could not be told who publishes this, is told so once. */
const FAILED_MS = 5_000;

/**
 * For pages that say why there is nothing, and for the desk: they wait for no answer while one is remembered, and need
 * none. An old one is good for this page; the next has a newer.
 */
export async function rememberedSite(): Promise<Site | null> {
  if (!last) {
    if (performance.now() - failed < FAILED_MS) return null;
    return readSite().catch(() => {
      failed = performance.now();
      return null;
    });
  }
  if (performance.now() - lastAsked > REMEMBERED_MS) void ask().catch(() => undefined);
  return last;
}

/** Are readers moved to slow checks now? */
export function isSurging({ surge, surging }: Pick<Site, 'surge' | 'surging'>): boolean {
  return surge === 'on' || (surge === 'auto' && surging);
}

/** How times are told on a page that belongs to no coverage, and so keeps to no coverage's zone. */
export function siteClock(site: Pick<Site, 'language'> | null): Clock {
  return { timeZone: 'UTC', language: site?.language ?? 'en' };
}
