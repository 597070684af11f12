import { dataOf } from '../supabase/answer.ts';
import type { Enums } from '../supabase/database.types.ts';
import { reader } from '../supabase/reader.server.ts';

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
  /** Counts the changes of what every page may show. */
  seq: number;
};

/** By socket, by checks, or by socket while there are not too many who do. */
export type ReaderFollow = Enums<'reader_follow'>;

export type SurgeMode = Enums<'surge_mode'>;

const COLUMNS =
  'name, tagline, language, publisher, contact, reader_follow, reader_interval, surge, surge_load_until, surge_since, keeps_copies, seq';

let last: Site | null = null;

export async function readSite(): Promise<Site> {
  const { surge_load_until, ...row } = await dataOf(reader().from('site').select(COLUMNS).single());
  last = { ...row, surging: Date.parse(surge_load_until ?? '') > Date.now() };
  return last;
}

/** For pages that say why there is nothing: they cost no question while an answer is remembered, and need none. */
export async function rememberedSite(): Promise<Site | null> {
  return last ?? readSite().catch(() => null);
}
