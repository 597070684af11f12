import { expect, test } from 'vitest';
import { rowsOf, staleIds } from '../../../src/lib/desk/list.ts';
import { deskUpdate, published } from '../../support/desk.ts';

const draft = deskUpdate();
const one = published(1);
const two = published(2);
const head = ({ id, version, state }: typeof one) => ({ id, version, state });

test('only what is new or changed is fetched, also when its version stays', () => {
  const heads = [{ ...head(draft), state: 'submitted' as const }, { ...head(two), version: 2 }, head(one)];
  expect(staleIds(heads, [draft, two, one])).toEqual([draft.id, two.id]);
  expect(staleIds([head(one)], [])).toEqual([one.id]);
});

test('the list has the order of its heads and the newest row of each', () => {
  const changed = { ...one, version: 2, headline: 'New' };
  const rows = rowsOf([head(two), head(changed), head(draft)], [one, two, changed]);
  expect(rows).toEqual([two, changed]);
});
