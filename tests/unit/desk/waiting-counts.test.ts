import { expect, test } from 'vitest';
import { labelOf, withCount } from '../../../src/islands/desk/set-up-desk.ts';
import { waitingMessage } from '../../../src/lib/data/desk.ts';
import { matchRanges, splitQuery } from '../../../src/lib/domain/search.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';

test('a message counts what waits, by coverage with links', () => {
  const storm = { coverage_id: 'c', slug: 'storm', headline: 'The storm' };
  const none = { coverage_id: null, slug: null, headline: null };
  const message = waitingMessage(english, [
    { ...storm, submitted: 2, tips: 1 },
    { ...none, submitted: 0, tips: 3 },
  ]);
  expect(message.count).toBe(6);
  expect(message.lines.map(({ href, text }) => [href, text])).toEqual([
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
  const matchesIn = (text: string, query: string) =>
    matchRanges(text, splitQuery(query)).map(([from, to]) => text.slice(from, to));
  expect(matchesIn('El «Puénte» está cerrado', 'puente CERR')).toEqual(['Puénte', 'cerr']);
  expect(matchesIn('A weir is no weird thing', 'is we')).toEqual(['is']);
  expect(matchesIn('4.8 m', '4.8')).toEqual(['4', '8']);
  expect(matchesIn('Straße 😀 Fluß', 'flu')).toEqual(['Flu']);
  expect(matchesIn('Nothing', '')).toEqual([]);
});

test('the desk of a coverage leaves out its own headline', () => {
  const submission = { href: '/desk/storm', text: '1 submission in Storm', short: '1 submission' };
  const tips = { href: '/desk/tips?coverage=storm', text: '2 new tips in Storm', short: '2 new tips' };
  expect([submission, tips].map((line) => labelOf(line, '/desk/storm'))).toEqual([
    '1 submission',
    '2 new tips',
  ]);
  expect([submission, tips].map((line) => labelOf(line, '/desk/flood'))).toEqual([
    submission.text,
    tips.text,
  ]);
  expect(labelOf(tips, '/desk')).toBe(tips.text);
});
