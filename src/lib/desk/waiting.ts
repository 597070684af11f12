import { pathWith } from '../http/path.ts';
import { dataOf } from '../supabase/answer.ts';
import { deskList } from '../text/desk-list.ts';
import type { Backend } from './read.ts';

/** What waits for a person in a coverage, or in none: what was handed in to editors, what readers told. */
export type Waiting = {
  coverage_id: string | null;
  slug: string | null;
  headline: string | null;
  submitted: number;
  tips: number;
};

/** Everything that waits for whoever asks, by coverage; nothing for those whom nothing waits for. */
export function readWaiting(backend: Backend): Promise<Waiting[]> {
  return dataOf(backend.rpc('desk_waiting'));
}

/** What waits, as pages of the desk show it. */
export type SaidWaiting = {
  /** How many things wait altogether. */
  count: number;
  /** A line for each kind and coverage, and where it is done; `short` beside the coverage's own name. */
  lines: { coverage: string | null; href: string; text: string; short: string }[];
};

/** What waits, in words and as ways to it. */
export function sayWaiting(waiting: Waiting[]): SaidWaiting {
  const words = deskList.waits;
  const submitted = waiting
    .filter((part) => part.submitted > 0 && part.slug !== null)
    .map(({ coverage_id, slug, headline, submitted: count }) => ({
      coverage: coverage_id,
      href: `/desk/${slug}`,
      text: words.in(words.submitted(count), headline ?? ''),
      short: words.submitted(count),
    }));
  const tips = waiting
    .filter((part) => part.tips > 0)
    .map(({ coverage_id, slug, headline, tips: count }) => ({
      coverage: coverage_id,
      href: pathWith('/desk/tips', { coverage: slug }),
      text: headline ? words.in(words.tips(count), headline) : words.tips(count),
      short: words.tips(count),
    }));
  const count = waiting.reduce((sum, part) => sum + part.submitted + part.tips, 0);
  return { count, lines: [...submitted, ...tips] };
}
