import { expect, test } from 'vitest';
import { Constants } from '../../../src/lib/domain/database.types.ts';
import { nextStates } from '../../../src/lib/domain/desk.ts';
import { desk } from '../../../src/lib/i18n/en/desk.ts';

test.each([
  ['draft', ['live']],
  ['scheduled', ['live', 'withdrawn']],
  ['live', ['paused', 'ended', 'withdrawn']],
  ['paused', ['live', 'ended', 'withdrawn']],
  ['ended', ['live', 'archived', 'withdrawn']],
  ['archived', ['withdrawn']],
  ['withdrawn', []],
] as const)('offers the next states of a coverage in state %s', (state, next) => {
  expect(nextStates({ state, starts_at: null })).toEqual(next);
});

test('a draft with a start time can be announced', () => {
  expect(nextStates({ state: 'draft', starts_at: '2026-12-01T10:00:00+00:00' })).toEqual([
    'scheduled',
    'live',
  ]);
});

test('every transition has a label', () => {
  for (const state of Constants.public.Enums.coverage_state) {
    for (const next of nextStates({ state, starts_at: '2026-12-01T10:00:00+00:00' })) {
      expect(desk.coverage.moves[state], `${state} to ${next}`).toHaveProperty(next);
    }
  }
});
