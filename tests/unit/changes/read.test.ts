import { expect, test } from 'vitest';
import { changedParts, isTooFarBehind } from '../../../src/lib/data/updates.ts';
import type { Enums } from '../../../src/lib/domain/database.types.ts';
import type { ReaderUpdate } from '../../../src/lib/domain/updates.ts';

test('returns up to a hundred changes, and none that never happened', () => {
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

test('returns the list and the top of the page after a publication', () => {
  expect(parts(['publication'], [update('a')])).toEqual(['top']);
});

test('returns the key events after a new one, and after any edit', () => {
  expect(parts(['publication'], [update('a', true)])).toEqual(['top', 'key-events']);
  for (const kind of ['revision', 'clarification', 'correction', 'withdrawal'] as const) {
    expect(parts([kind], [update('a')])).toEqual(['top', 'key-events']);
  }
});

test('returns the pinned update after pinning and after its own changes', () => {
  expect(parts(['pin'])).toEqual(['pinned']);
  expect(parts(['revision'], [update('a')], 'a')).toEqual(['top', 'pinned', 'key-events']);
  expect(parts(['revision'], [update('a')], 'b')).toEqual(['top', 'key-events']);
});

test('returns summary and settings after their changes, and the top of the page after a state change', () => {
  expect(parts(['summary'])).toEqual(['summary']);
  expect(parts(['settings'])).toEqual(['settings']);
  expect(parts(['state'])).toEqual(['top']);
  expect(parts(['follow'])).toEqual([]);
});
