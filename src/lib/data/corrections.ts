import type { Enums } from '../domain/database.types.ts';
import { type Clock, dayKey } from '../domain/time.ts';
import { readerClient } from './reader-client.server.ts';
import { dataOf } from './result.ts';

/** Number of corrections on one page. */
const CORRECTIONS_PER_PAGE = 30;

/**
 * A correction, clarification or withdrawal. For a withdrawn coverage, only the time is public (`of` is null); a
 * withdrawn update has no headline. `list_position` is the cursor of the list: microseconds since 1970.
 */
export type Correction = ReturnType<typeof toCorrection>;

/**
 * Reads one page of corrections, newest first.
 * @param before cursor of the page; without it, the newest page
 */
export async function readCorrections(before?: number) {
  const rows = await dataOf(
    readerClient().rpc('list_corrections', { before_position: before, max_rows: CORRECTIONS_PER_PAGE + 1 }),
  );
  const corrections = rows.slice(0, CORRECTIONS_PER_PAGE).map(toCorrection);
  return {
    corrections,
    older: rows.length > CORRECTIONS_PER_PAGE ? corrections.at(-1)?.list_position : undefined,
  };
}

type Row = {
  [name in 'note' | 'headline' | 'slug' | 'coverage_headline' | 'language']: string | null;
} & { number: number | null; list_position: number; at: string; kind: Enums<'revision_kind'> };

function toCorrection(row: Row) {
  const { list_position, at, kind, note, number, headline, slug, coverage_headline, language } = row;
  const isPublic = note && number && slug && coverage_headline && language;
  return {
    list_position,
    at,
    kind: kind as Exclude<Row['kind'], 'revision'>,
    of: isPublic
      ? {
          number,
          headline,
          note,
          slug,
          coverage: coverage_headline,
          language,
        }
      : null,
  };
}

/** Groups corrections by day in the clock's zone. */
export function byDay(corrections: Correction[], clock: Clock): { day: string; corrections: Correction[] }[] {
  const days: { day: string; corrections: Correction[] }[] = [];
  for (const correction of corrections) {
    const day = dayKey(correction.at, clock);
    const last = days.at(-1);
    if (last?.day === day) last.corrections.push(correction);
    else days.push({ day, corrections: [correction] });
  }
  return days;
}
