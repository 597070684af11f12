import { expect, test } from 'vitest';
import { withCount } from '../../../src/islands/desk/waiting-counts.ts';
import { waitingMessage } from '../../../src/lib/data/desk.ts';
import { matchRanges, splitQuery } from '../../../src/lib/domain/search-highlight.ts';

test('a message counts what waits, by coverage with links', () => {
  const storm = { coverage_id: 'c', slug: 'storm', headline: 'The storm' };
  const none = { coverage_id: null, slug: null, headline: null };
  const said = waitingMessage([
    { ...storm, submitted: 2, tips: 1 },
    { ...none, submitted: 0, tips: 3 },
  ]);
  expect(said.count).toBe(6);
  expect(said.lines.map(({ href, text }) => [href, text])).toEqual([
    ['/desk/storm', '2 submissions in The storm'],
    ['/desk/tips?coverage=storm', '1 new tip in The storm'],
    ['/desk/tips', '3 new tips'],
  ]);
});

test('the title contains the count once', () => {
  expect(withCount('Storm · Desk', 3)).toBe('(3) Storm · Desk');
  expect(withCount('(3) Storm · Desk', 4)).toBe('(4) Storm · Desk');
  expect(withCount('(4) Storm · Desk', 0)).toBe('Storm · Desk');
});

test('matches are marked regardless of accents and case', () => {
  const marked = (text: string, sought: string) =>
    matchRanges(text, splitQuery(sought)).map(([from, to]) => text.slice(from, to));
  expect(marked('El «Puénte» está cerrado', 'puente CERR')).toEqual(['Puénte', 'cerr']);
  expect(marked('A weir is no weird thing', 'is we')).toEqual(['is']);
  expect(marked('4.8 m', '4.8')).toEqual(['4', '8']);
  expect(marked('Straße 😀 Fluß', 'flu')).toEqual(['Flu']);
  expect(marked('Nothing', '')).toEqual([]);
});
