import type { Enums } from '../domain/database.types.ts';
import { type Clock, dayKey } from '../domain/time.ts';
import { reader } from './reader-client.server.ts';
import { dataOf } from './result.ts';

/** Corrections on one page. */
export const PAGE = 30;

/** What was corrected, made clear or taken back. Of a whole coverage that was taken back nothing is told but when. */
export type Correction = {
  /** Its place in the list: a cursor. */
  place: number;
  at: string;
  kind: Exclude<Enums<'revision_kind'>, 'revision'>;
  of: CorrectedUpdate | null;
};

export type CorrectedUpdate = {
  number: number;
  /** None where the update was taken back. */
  headline: string | null;
  note: string;
  slug: string;
  coverage: string;
  clock: Clock;
};

/** @param before the place that they stand before; without it, the newest */
export async function readCorrections(before?: number) {
  const rows = await dataOf(reader().rpc('corrections', { before, most: PAGE + 1 }));
  const corrections = rows.slice(0, PAGE).map(toCorrection);
  return { corrections, older: rows.length > PAGE ? corrections.at(-1)?.place : undefined };
}

type Row = {
  [name in 'note' | 'headline' | 'slug' | 'coverage_headline' | 'time_zone' | 'language']: string | null;
} & { number: number | null; place: number; at: string; kind: Enums<'revision_kind'> };

function toCorrection(row: Row): Correction {
  const { place, at, kind, note, number, headline, slug, coverage_headline, time_zone, language } = row;
  const isTold = note && number && slug && coverage_headline && time_zone && language;
  return {
    place,
    at,
    kind: kind as Correction['kind'],
    of: isTold
      ? {
          number,
          headline,
          note,
          slug,
          coverage: coverage_headline,
          clock: { timeZone: time_zone, language },
        }
      : null,
  };
}

/** Corrections by their days, as the page's clock has them. */
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
