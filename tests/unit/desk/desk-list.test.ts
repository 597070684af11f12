import { describe, expect, test } from 'vitest';
import {
  applyChangedRows,
  FIRST_WINDOW,
  isRowOutdated,
  mergeFrozenRows,
  rowsForHeads,
  staleIds,
} from '../../../src/lib/data/desk-updates.ts';
import { deskUpdate, published } from '../../support/fake-desk.ts';

const draft = deskUpdate();
const one = published(1);
const two = published(2);
const head = ({ id, version, state, seq, schedule_error_code }: typeof one) => ({
  ...{ id, version, state, seq, schedule_error_code },
});
const photo = {
  id: 'd0000000-0000-4000-8000-000000000000',
  state: 'uploading' as const,
  refusal_code: null,
  ...{ width: null, height: null, renditions: [], alt: 'A pier', caption: null, credit: null },
};

test('fetches only new or changed rows, also with an unchanged version', () => {
  const heads = [{ ...head(draft), state: 'submitted' as const }, { ...head(two), version: 2 }, head(one)];
  expect(staleIds(heads, [draft, two, one])).toEqual([draft.id, two.id]);
  expect(staleIds([head(one)], [])).toEqual([one.id]);
  expect(staleIds([{ ...head(one), seq: 7 }], [one])).toEqual([one.id]);
  expect(staleIds([{ ...head(draft), schedule_error_code: 'forbidden' }], [draft])).toEqual([draft.id]);
  const waiting = { ...two, photos: [photo] };
  expect(staleIds([head(one), head(two)], [one, waiting])).toEqual([two.id]);
});

test('orders rows by heads, and uses the newest row of each', () => {
  const changed = { ...one, version: 2, headline: 'New' };
  const rows = rowsForHeads([head(two), head(changed), head(draft)], [one, two, changed]);
  expect(rows).toEqual([two, changed]);
});

describe('a changed row', () => {
  const waiting = deskUpdate({ created_at: '2026-11-21T12:00:00+00:00' });
  const list = [waiting, draft, two, one];

  test('is placed by time while it waits, and by number when it is published', () => {
    const three = published(3);
    expect(applyChangedRows(list, [three], FIRST_WINDOW)).toEqual([waiting, draft, three, two, one]);
    const out = { ...draft, state: 'published' as const, number: 4 };
    expect(applyChangedRows(list, [out], FIRST_WINDOW)).toEqual([waiting, out, two, one]);
    const changed = { ...one, version: 2 };
    expect(applyChangedRows(list, [changed], FIRST_WINDOW)).toEqual([waiting, draft, two, changed]);
  });

  test('leaves a list that it no longer belongs to', () => {
    expect(applyChangedRows(list, [{ ...draft, state: 'spiked' }], FIRST_WINDOW)).toEqual([
      waiting,
      two,
      one,
    ]);
    expect(
      applyChangedRows([draft], [{ ...draft, state: 'submitted' }], { ...FIRST_WINDOW, filter: 'draft' }),
    ).toEqual([]);
  });

  test('is dropped at the end of a full list, and refetched if another must move in', () => {
    const window = { ...FIRST_WINDOW, most: 4 };
    expect(applyChangedRows(list, [published(3)], window)?.map((row) => row.number)).toEqual([
      null,
      null,
      3,
      2,
    ]);
    expect(applyChangedRows(list, [{ ...draft, state: 'spiked' }], window)).toBe(undefined);
  });

  test('is placed by the database when there is a search or trait filter', () => {
    expect(applyChangedRows(list, [published(3)], { ...FIRST_WINDOW, words: 'river' })).toBe(undefined);
    expect(applyChangedRows(list, [published(3)], { ...FIRST_WINDOW, filter: 'mine' })).toBe(undefined);
  });

  test('is outdated by version, and waiting updates by any field', () => {
    expect(isRowOutdated(undefined, 1)).toBe(true);
    expect(isRowOutdated(one, 2)).toBe(true);
    expect(isRowOutdated(one, 1)).toBe(false);
    expect(isRowOutdated({ ...one, photos: [photo] }, 1)).toBe(true);
    expect(isRowOutdated(draft, 1)).toBe(true);
    expect(isRowOutdated({ ...draft, version: 3 }, 2)).toBe(false);
    expect(isRowOutdated({ ...draft, state: 'spiked' }, 1)).toBe(false);
  });
});

test('a frozen list changes rows in place, counts new ones and keeps removed ones', () => {
  const changed = { ...two, version: 2, headline: 'New' };
  const three = published(3);
  expect(mergeFrozenRows([draft, two, one], [three, changed, one])).toEqual({
    rows: [draft, changed, one],
    waiting: 1,
  });
  expect(mergeFrozenRows([two, one], [one, two])).toEqual({ rows: [two, one], waiting: 0 });
  // One row is gone, and another has moved in from below the end.
  expect(mergeFrozenRows([three, two], [three, one])).toEqual({ rows: [three, two, one], waiting: 0 });
  expect(mergeFrozenRows([two], [three])).toEqual({ rows: [two], waiting: 1 });
});
