import type { Body } from '../domain/body/blocks.ts';
import type { ReaderFollow, SurgeMode } from '../domain/reader-coverage.ts';
import type { SiteIdentity } from '../domain/site-look.ts';
import type { Clock } from '../domain/time.ts';
import { readerClient } from './reader-client.server.ts';
import { dataOf } from './result.ts';
import { cacheRows } from './server-bridge.ts';

/** Settings of the newsroom that public pages need. */
export type Site = SiteIdentity & {
  name: string;
  tagline: string;
  language: string;
  /** Time zone of pages that belong to no coverage, and of new coverages. */
  time_zone: string;
  publisher: string;
  contact: string;
  /** Follow mode of coverages without their own. */
  reader_follow_mode: ReaderFollow;
  /** Seconds between two checks of an open page. */
  check_interval_seconds: number;
  /** Surge mode: on, off, or decided by the load of the site's servers. */
  surge: SurgeMode;
  /**
   * Whether the current load demands a surge. A boolean instead of a time, which would change the page every minute.
   */
  surging: boolean;
  /** Start of the current or last surge. */
  surge_since: string | null;
  /** Whether service workers may store copies of public pages. */
  offline_pages: boolean;
  /** Accent colours of the light and dark scheme; '' means the default. */
  accent: string;
  accent_dark: string;
  /** Origins that may show coverages in a frame. `*` allows all; an empty list allows none. */
  embed_origins: string[];
  /** Whether the desk shows owners the steps that remain after setup. */
  setup_checklist: boolean;
  /** Counter of changes that may affect every page. */
  seq: number;
};

const COLUMNS =
  'name, tagline, language, time_zone, publisher, contact, reader_follow_mode, check_interval_seconds, surge, surge_load_until, surge_since, offline_pages, accent, accent_dark, embed_origins, setup_checklist, seq, logo, logo_dark, icon, menu, newspaper_link, support_link, sponsor, text_font, headline_font';

let remembered: Site | null = null;
/** Times of the monotonic clock. */
let fetchedAt = Number.NEGATIVE_INFINITY;
let failedAt = Number.NEGATIVE_INFINITY;

/** Reads the settings. They are remembered for error pages and the desk. */
export async function readSite(): Promise<Site> {
  fetchedAt = performance.now();
  const { surge_load_until, ...row } = await dataOf(readerClient().from('site').select(COLUMNS).single());
  const surging = Date.parse(surge_load_until ?? '') > Date.now();
  // The generated types do not know that the database validates the links.
  remembered = { ...(row as Omit<Site, 'surging'>), surging };
  return remembered;
}

const siteUntilChange = cacheRows(readSite);

/** Returns the settings for a public page, which the page cache renders again when they change. */
export const cachedSite = (): Promise<Site> => siteUntilChange('');

/** Returns the text of the about page. */
export async function readAbout(): Promise<Body> {
  const { about } = await dataOf(readerClient().from('site').select('about').single());
  // The generated types do not know that the database validates the body.
  return about as Body;
}

/** Returns the site's language as last read, without a query. */
export const rememberedLanguage = (): string => remembered?.language ?? 'en';

/** Age in milliseconds from which the remembered settings are refetched. */
const REMEMBERED_MS = 10_000;

/** Milliseconds after a failure during which no new attempt is made. */
const FAILED_MS = 5_000;

/**
 * Returns the remembered settings without waiting, for error pages and the desk. Outdated settings are returned once
 * more and refetched in the background. Null if there are none yet and the backend fails.
 */
export async function rememberedSite(): Promise<Site | null> {
  if (!remembered) {
    if (performance.now() - failedAt < FAILED_MS) return null;
    return readSite().catch(() => {
      failedAt = performance.now();
      return null;
    });
  }
  if (performance.now() - fetchedAt > REMEMBERED_MS) void readSite().catch(() => undefined);
  return remembered;
}

/** Whether open pages check for updates once a minute instead of using sockets. */
export function isSurging({ surge, surging }: Pick<Site, 'surge' | 'surging'>): boolean {
  return surge === 'on' || (surge === 'auto' && surging);
}

/** Settings that decide how times are shown. */
export type SitePlace = Pick<Site, 'language' | 'time_zone'>;

/** Returns the clock of pages that belong to no coverage. UTC if the settings could not be read. */
export function siteClock(site: SitePlace | null): Clock {
  return { timeZone: site?.time_zone ?? 'UTC', language: site?.language ?? 'en' };
}
