import type { Body } from '../body/blocks.ts';
import { dataOf } from '../supabase/answer.ts';
import { reader } from '../supabase/reader.server.ts';

/** A part of what was published in a month (`2026-11`, UTC), and when it changed. */
export type Month = { month: string; part: number; changed_at: string };

/** What leads to coverages and updates. Of a coverage that has not begun its page says when it will. */
export type Lists = {
  changed_at: string | null;
  scheduled: { slug: string; changed_at: string | null }[];
  topics: { slug: string; changed_at: string | null }[];
  people: { handle: string; changed_at: string | null }[];
  /** Months of the archive. */
  months: string[];
};

export type Found = {
  /** `over`: nothing more is expected, and its days are told on a page. */
  coverages: { slug: string; changed_at: string | null; over: boolean }[];
  updates: { slug: string; number: number; changed_at: string }[];
};

/** A page that came in the last two days: an update's, or a coverage's, which has no number. */
export type News = {
  slug: string;
  number: number | null;
  /** Of an update without a headline its body says what it is about. */
  title: string | null;
  body: Body | null;
  coverage: string;
  language: string;
  published_at: string;
};

/** Addresses that a sitemap of news may have. */
const NEWS = 1000;

// The functions answer in JSON, whose shape the types of the database cannot tell.

export const readMonths = async () => (await dataOf(reader().rpc('sitemap_parts'))) as unknown as Month[];

export const readLists = async () => (await dataOf(reader().rpc('sitemap_pages'))) as unknown as Lists;

/** What stands in a part; null where nothing does. */
export async function readFound({ month, part }: { month: string; part: number }): Promise<Found | null> {
  const found = await dataOf(reader().rpc('sitemap_part', { month: `${month}-01`, part }));
  const { coverages, updates } = found as unknown as Found;
  return coverages.length + updates.length > 0 ? { coverages, updates } : null;
}

export const readNews = async () =>
  (await dataOf(reader().rpc('sitemap_news', { most: NEWS }))) as unknown as News[];
