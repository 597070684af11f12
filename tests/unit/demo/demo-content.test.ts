import { expect, test } from 'vitest';
import { APOLLO_CHANGES, DESCENT } from '../../../src/lib/cli/demo/apollo-descent.ts';
import { SURFACE } from '../../../src/lib/cli/demo/apollo-surface.ts';
import { FLOOD_PINNED, FLOOD_UPDATES, levelAt, nightUpdate } from '../../../src/lib/cli/demo/flood.ts';

const apollo = [...DESCENT, ...SURFACE];

test('updates are in order of time', () => {
  const times = apollo.map(({ at }) => Date.parse(at));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const ages = FLOOD_UPDATES.map(({ minutesAgo }) => minutesAgo);
  expect(ages).toEqual(ages.toSorted((a, b) => b - a));
});

test('changes refer to existing updates and texts', () => {
  const { corrected, clarified, withdrawn, pinned } = APOLLO_CHANGES;
  const find = (at: string) => apollo.find((update) => update.at === at);
  for (const { at, wrong, right } of [corrected, clarified]) {
    const words = JSON.stringify(find(at)?.body);
    expect(words).toContain(wrong);
    expect(words).not.toContain(right);
  }
  expect(find(withdrawn.at)).toBeDefined();
  expect(find(pinned)).toBeDefined();
  expect(FLOOD_UPDATES.map(({ minutesAgo }) => minutesAgo)).toContain(FLOOD_PINNED);
});

test('the river stays below the flood mark, and readings say how it moved', () => {
  for (let reading = 0; reading < 500; reading++) expect(levelAt(reading)).toBeLessThan(3.6);
  expect(nightUpdate(0).body).toEqual([
    'The gauge at Ferry Steps reads 3.24 m, 3 cm above the reading before. The flood mark is at 3.60 m.',
  ]);
});

test('consecutive night updates differ', () => {
  for (let n = 1; n < 200; n++) expect(nightUpdate(n)).not.toEqual(nightUpdate(n - 1));
});
