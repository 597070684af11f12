import { expect, test } from 'vitest';
import { changedParts, isTooFarBehind } from '../../../src/lib/data/changes.ts';
import type { Enums } from '../../../src/lib/domain/database.types.ts';
import type { ReaderUpdate } from '../../../src/lib/domain/updates.ts';

test('a hundred changes are told, more are not, nor what never happened', () => {
  expect(isTooFarBehind(100, 0)).toBe(false);
  expect(isTooFarBehind(101, 0)).toBe(true);
  expect(isTooFarBehind(7, 7)).toBe(false);
  expect(isTooFarBehind(7, 8)).toBe(true);
});

const change = (kind: Enums<'change_kind'>) => ({ seq: 1, update_id: 'a', kind });
const update = (id: string, key_event = false) => ({ id, key_event }) as ReaderUpdate;
const parts = (
  kinds: Enums<'change_kind'>[],
  updates: ReaderUpdate[] = [],
  pinned_update: string | null = null,
) => changedParts({ id: 'c', seq: 1, pinned_update }, kinds.map(change), updates);

test('a plain publication changes the list only', () => {
  expect(parts(['publication'], [update('a')])).toEqual([]);
});

test('key events come again when one was published, and when an update that may have been one was edited', () => {
  expect(parts(['publication'], [update('a', true)])).toEqual(['key-events']);
  for (const kind of ['revision', 'clarification', 'correction', 'withdrawal'] as const) {
    expect(parts([kind], [update('a')])).toEqual(['key-events']);
  }
});

test('the pinned update comes again when another is pinned, and when it changed itself', () => {
  expect(parts(['pin'])).toEqual(['pinned']);
  expect(parts(['revision'], [update('a')], 'a')).toEqual(['pinned', 'key-events']);
  expect(parts(['revision'], [update('a')], 'b')).toEqual(['key-events']);
});

test('summary and settings are told by their own changes, a state and how to follow by none', () => {
  expect(parts(['summary'])).toEqual(['summary']);
  expect(parts(['settings'])).toEqual(['settings']);
  expect(parts(['state', 'follow'])).toEqual([]);
});
