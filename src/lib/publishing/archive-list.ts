import { readLinesStartedBetween } from '../data/coverages.ts';
import { readerClient } from '../data/reader-client.server.ts';
import { dataOf } from '../data/result.ts';
import { utcFromLocal } from '../data/scheduling.ts';
import type { Clock } from '../domain/time.ts';

/** A month in which coverages began. */
type ArchiveMonth = { /** `2026-11`, in the site's time zone. */ month: string; coverages: number };

/** Number of coverages on one page of a month. */
const COVERAGES_PER_PAGE = 40;

/** Returns all months in which coverages began, newest first. */
export const readArchiveMonths = (): Promise<ArchiveMonth[]> => dataOf(readerClient().rpc('archive_months'));

/** Groups months by year. */
export function byYear(months: ArchiveMonth[]): { year: string; months: ArchiveMonth[] }[] {
  const years = Map.groupBy(months, ({ month }) => month.slice(0, 4));
  return [...years].map(([year, months]) => ({ year, months }));
}

/**
 * Returns a page of the coverages that began in a month, in order of their start, so that new coverages do not move
 * others to another page, and the neighbouring months that have coverages. Null if there is no such page.
 * @param clock clock of the site
 */
export async function readMonth(month: string, page: number, clock: Clock) {
  const months = await readArchiveMonths();
  const index = months.findIndex((entry) => entry.month === month);
  const coverages = months[index]?.coverages ?? 0;
  const pages = Math.ceil(coverages / COVERAGES_PER_PAGE);
  if (page > pages) return null;
  const lines = await readLinesStartedBetween(
    monthStart(month, clock),
    monthStart(monthAfter(month), clock),
    (page - 1) * COVERAGES_PER_PAGE,
    COVERAGES_PER_PAGE,
  );
  return {
    month,
    coverages,
    lines,
    page,
    pages,
    earlier: months[index + 1]?.month,
    later: months[index - 1]?.month,
  };
}

const monthAfter = (month: string): string => {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7);
};

/** Returns the first moment of a month in the clock's zone. */
export const monthStart = (month: string, { timeZone }: Clock): Date =>
  new Date(utcFromLocal(`${month}-01T00:00`, timeZone) ?? `${month}-01T00:00:00Z`);
