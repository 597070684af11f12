import { expect, test } from 'vitest';
import { DESCENT } from '../../../src/lib/cli/demo/apollo-descent.ts';
import { SURFACE } from '../../../src/lib/cli/demo/apollo-surface.ts';
import { FLOOD_UPDATES } from '../../../src/lib/cli/demo/flood.ts';
import { ILLUSTRATIONS } from '../../../src/lib/cli/demo/illustrations.ts';
import { LIBRARY_UPDATES, MILL_UPDATES } from '../../../src/lib/cli/demo/valley.ts';

const drawings = Object.values(ILLUSTRATIONS);

test('every start draws the same pictures', () => {
  expect(drawings.map((draw) => draw())).toEqual(drawings.map((draw) => draw()));
});

test('pictures need no fonts, which a server may lack', () => {
  expect(drawings.filter((draw) => draw().svg.includes('<text'))).toEqual([]);
});

test('every picture is used once', () => {
  const used = [...DESCENT, ...SURFACE, ...FLOOD_UPDATES, ...LIBRARY_UPDATES, ...MILL_UPDATES].flatMap(
    ({ photos }) => photos ?? [],
  );
  expect(used.toSorted()).toEqual(Object.keys(ILLUSTRATIONS).toSorted());
});
