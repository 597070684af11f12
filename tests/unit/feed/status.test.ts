import { expect, test } from 'vitest';
import { type FeedState, statusOf } from '../../../src/islands/live-feed/store.ts';
import type { PublicState } from '../../../src/lib/domain/reader-coverage.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { feed } from '../../../src/lib/i18n/en/live-feed.ts';

const clock = { timeZone: 'America/Chicago', language: 'en' };
const checked = Date.parse('2026-07-20T20:17:59Z');
const today = '2026-07-20T20:12:00Z';

const status = (line: FeedState, newest = today, state: PublicState = 'live', now = checked) =>
  statusOf(english, line, { checked, state, newest, every: 0 }, clock, now).join(' · ');

test('shows the time at which the page was up to date, with its zone', () => {
  expect(status('live')).toBe('Live · Updated 15:17 CDT');
  expect(status('live', '')).toBe('Live · Updated 15:17 CDT');
});

test('shows the reason and the time since when the page is not live', () => {
  expect(status('behind')).toBe('Out of date · since 15:17 CDT · trying again');
  expect(status('lost')).toBe('Out of date · since 15:17 CDT');
  expect(status('offline')).toBe('Offline · since 15:17 CDT');
  expect(status('saved')).toBe('Offline · saved copy · since 15:17 CDT');
  expect(status('paused')).toBe('Paused by you · Updated 15:17 CDT');
});

test('shows the day on which it was last current', () => {
  const nextMorning = checked + 12 * 3600_000;
  const since = 'since 20 Jul, 15:17 CDT';
  expect(status('behind', today, 'live', nextMorning)).toBe(`Out of date · ${since} · trying again`);
  expect(status('saved', today, 'live', nextMorning)).toBe(`Offline · saved copy · ${since}`);
});

test('shows long intervals between checks', () => {
  expect([60, 300, 90].map(feed.every)).toEqual([
    'checks once a minute',
    'checks every 5 minutes',
    'checks every 90 seconds',
  ]);
});

test('shows the state of the coverage while the page is current', () => {
  expect(status('live', today, 'paused')).toBe('Paused · more to come · Updated 15:17 CDT');
  expect(status('live', '', 'scheduled')).toBe('Scheduled · Updated 15:17 CDT');
  expect(status('ended', today, 'ended')).toBe('Ended · Updated 15:17 CDT');
});

test('uses the text that the server rendered for the time of the check', () => {
  const freshness = { checked, state: 'live' as const, newest: today, every: 0 };
  expect(statusOf(english, 'live', freshness, clock, checked, '15:17 CT')).toEqual([
    'Live',
    'Updated 15:17 CT',
  ]);
  expect(statusOf(english, 'live', freshness, clock, checked, null)).toEqual(['Live', 'Updated 15:17 CDT']);
});
