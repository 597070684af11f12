import { readLinesStartedBetween } from '../data/coverages.ts';
import { readerClient } from '../data/reader-client.server.ts';
import { dataOf } from '../data/result.ts';

/** A month in which coverages began. */
type ArchiveMonth = { /** `2026-11`, in UTC. */ month: string; coverages: number };

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
 */
export async function readMonth(month: string, page: number) {
  const months = await readArchiveMonths();
  const index = months.findIndex((entry) => entry.month === month);
  const coverages = months[index]?.coverages ?? 0;
  const pages = Math.ceil(coverages / COVERAGES_PER_PAGE);
  if (page > pages) return null;
  const from = monthStart(month);
  const until = new Date(from);
  until.setUTCMonth(until.getUTCMonth() + 1);
  const lines = await readLinesStartedBetween(
    from,
    until,
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

/** Returns the first moment of a month. */
export const monthStart = (month: string): Date => new Date(`${month}-01T00:00:00Z`);
