import { describe, expect, test } from 'vitest';
import {
  type CoverageMessage,
  createKnownSequences,
  type InvalidatedCache,
  type Seqs,
} from '../../../src/lib/server/page-cache/invalidation.ts';

const A = 'a0000000-0000-4000-8000-000000000001';
const B = 'b0000000-0000-4000-8000-000000000002';
const everything = (...ids: string[]) =>
  [
    ...ids.flatMap((id) => [`coverage:${id}`, `coverage-fields:${id}`, `photos:${id}`]),
    ...['corrections', 'feeds', 'lists', 'missing', 'sitemaps', 'updates'],
  ].sort();

/** A cache that records its calls. */
function fakeCache() {
  let done: string[] = [];
  let slugs: ReadonlySet<string> | null = null;
  const cache: InvalidatedCache = {
    purge: (tags, how) => done.push(`${how} ${[...new Set(tags)].sort().join()}`),
    purgeAll: (how) => done.push(`${how} all`),
    setSlugs: (known) => {
      slugs = known;
    },
  };
  return {
    cache,
    /** The invalidations since the last call. */
    purged() {
      const past = done;
      done = [];
      return past;
    },
    slugs: () => slugs && [...slugs].sort(),
  };
}

const seqs = (site: number, coverages: Record<string, [number, ...string[]]>): Seqs => ({
  site,
  coverages: new Map(Object.entries(coverages).map(([id, [seq, ...slugs]]) => [id, { seq, slugs }])),
});

const change = (seq: number, more: Partial<CoverageMessage> = {}): CoverageMessage => ({
  coverage: A,
  seq,
  tags: [`coverage:${A}`, 'lists'],
  removed: false,
  slug: 'river',
  ...more,
});

/** State after a comparison with coverage A at seq 5. */
function compared() {
  const fake = fakeCache();
  const known = createKnownSequences(fake.cache);
  known.comparisonStarted();
  known.applySeqs(seqs(3, { [A]: [5, 'river', 'old-river'] }));
  fake.purged();
  return { ...fake, known };
}

const stale = `stale ${[`coverage:${A}`, 'lists'].join()}`;
const gone = (...ids: string[]) => `gone ${everything(...ids).join()}`;

describe('before the first comparison', () => {
  test('accepts any slug, and treats every message like one after a loss', () => {
    const { cache, purged, slugs } = fakeCache();
    const known = createKnownSequences(cache);
    known.applyMessage(change(1));
    expect(purged()).toEqual([gone(A)]);
    expect(slugs()).toBeNull();
  });

  test('the first comparison removes everything rendered before', () => {
    const { cache, purged, slugs } = fakeCache();
    const known = createKnownSequences(cache);
    known.comparisonStarted();
    expect(known.applySeqs(seqs(0, { [A]: [5, 'river'] }))).toBe(true);
    expect(purged()).toEqual(['gone all']);
    expect(slugs()).toEqual(['river']);
  });
});

describe('a message', () => {
  test('with the next seq makes its pages stale', () => {
    const { known, purged } = compared();
    known.applyMessage(change(6));
    known.applyMessage(change(7));
    expect(purged()).toEqual([stale, stale]);
  });

  test('of removed content makes its pages gone', () => {
    const { known, purged } = compared();
    known.applyMessage(change(6, { removed: true }));
    expect(purged()).toEqual([stale.replace('stale', 'gone')]);
  });

  test.each([
    ['a message after a lost one', 7],
    ['a message with a known seq', 5],
    ['a message after a restore', 2],
  ])('%s makes everything gone that it may affect, and continues from there', (_, seq) => {
    const { known, purged } = compared();
    known.applyMessage(change(seq));
    expect(purged()).toEqual([gone(A)]);
    known.applyMessage(change(seq + 1));
    expect(purged()).toEqual([stale]);
  });

  test('of a new coverage adds its slug', () => {
    const { known, purged, slugs } = compared();
    known.applyMessage(
      change(1, { coverage: B, slug: 'trial', tags: [`coverage:${B}`, 'lists', 'missing'] }),
    );
    expect(purged()).toEqual([`stale ${[`coverage:${B}`, 'lists', 'missing'].join()}`]);
    expect(slugs()).toEqual(['old-river', 'river', 'trial']);
  });

  test('of a renamed coverage adds the new slug', () => {
    const { known, slugs } = compared();
    known.applyMessage(change(6, { slug: 'the-river' }));
    expect(slugs()).toEqual(['old-river', 'river', 'the-river']);
  });

  test('of the site makes its pages stale, and after a lost one everything gone', () => {
    const { known, purged } = compared();
    known.applyMessage({ site: 4, tags: ['site'], removed: false });
    known.applyMessage({ site: 6, tags: ['site'], removed: false });
    expect(purged()).toEqual(['stale site', 'gone all']);
  });

  test('of removed personal text makes it gone', () => {
    const { known, purged } = compared();
    known.applyMessage({ site: 4, tags: ['lists'], removed: true });
    expect(purged()).toEqual(['gone lists']);
  });
});

describe('a comparison', () => {
  test('that equals the known state invalidates nothing', () => {
    const { known, purged } = compared();
    known.comparisonStarted();
    expect(known.applySeqs(seqs(3, { [A]: [5, 'river', 'old-river'] }))).toBe(true);
    expect(purged()).toEqual([]);
  });

  test.each([
    ['a lost message', { [A]: [6, 'river', 'old-river'] }, [A], ['old-river', 'river']],
    ['a restored backup', { [A]: [4, 'river', 'old-river'] }, [A], ['old-river', 'river']],
    ['a restored backup with other slugs', { [A]: [5, 'river'] }, [A], ['river']],
    [
      'a new coverage',
      { [A]: [5, 'river', 'old-river'], [B]: [1, 'trial'] },
      [B],
      ['old-river', 'river', 'trial'],
    ],
    ['a removed coverage', {}, [A], []],
  ] as [string, Record<string, [number, ...string[]]>, string[], string[]][])(
    'purge pages that differ: %s',
    (_, coverages, changed, known_slugs) => {
      const { known, purged, slugs } = compared();
      known.comparisonStarted();
      expect(known.applySeqs(seqs(3, coverages))).toBe(true);
      expect(purged()).toEqual([gone(...changed)]);
      expect(slugs()).toEqual(known_slugs);
      known.comparisonStarted();
      known.applySeqs(seqs(3, coverages));
      expect(purged()).toEqual([]);
    },
  );

  test.each([2, 4])('removes everything when the site has another seq (%i)', (site) => {
    const { known, purged } = compared();
    known.comparisonStarted();
    known.applySeqs(seqs(site, { [A]: [5, 'river', 'old-river'] }));
    expect(purged()).toEqual(['gone all']);
    known.applyMessage({ site: site + 1, tags: ['site'], removed: false });
    expect(purged()).toEqual(['stale site']);
  });

  test('keeps a slug that a message has named', () => {
    const { known, purged } = compared();
    known.applyMessage(change(6, { slug: 'the-river' }));
    purged();
    known.comparisonStarted();
    known.applySeqs(seqs(3, { [A]: [6, 'the-river', 'old-river', 'river'] }));
    expect(purged()).toEqual([]);
  });
});

describe('a message during a comparison', () => {
  test('is not undone by an older response, which must be repeated', () => {
    const { known, purged, slugs } = compared();
    known.comparisonStarted();
    known.applyMessage(change(6));
    known.applyMessage(change(1, { coverage: B, slug: 'trial' }));
    known.applyMessage({ site: 4, tags: ['site'], removed: false });
    purged();
    expect(known.applySeqs(seqs(3, { [A]: [5, 'river', 'old-river'] }))).toBe(false);
    expect(purged()).toEqual([]);
    expect(slugs()).toEqual(['old-river', 'river', 'trial']);
    known.applyMessage(change(7));
    known.applyMessage({ site: 5, tags: ['site'], removed: false });
    expect(purged()).toEqual([stale, 'stale site']);
  });

  test('does not make an older response valid the next time', () => {
    const { known, purged } = compared();
    known.comparisonStarted();
    known.applyMessage(change(6));
    known.applySeqs(seqs(3, { [A]: [5, 'river', 'old-river'] }));
    purged();
    known.comparisonStarted();
    expect(known.applySeqs(seqs(3, { [A]: [5, 'river', 'old-river'] }))).toBe(true);
    expect(purged()).toEqual([gone(A)]);
  });

  test('does not hide newer changes of the response', () => {
    const { known, purged } = compared();
    known.comparisonStarted();
    known.applyMessage(change(6));
    purged();
    expect(known.applySeqs(seqs(3, { [A]: [7, 'river', 'old-river'] }))).toBe(true);
    expect(purged()).toEqual([gone(A)]);
  });
});

test('after a failed comparison the next one makes everything stale, because sequences may mean other changes', () => {
  const { known, purged } = compared();
  known.markUncertain();
  for (const expected of [['stale all'], []]) {
    known.comparisonStarted();
    known.applySeqs(seqs(3, { [A]: [5, 'river', 'old-river'] }));
    expect(purged()).toEqual(expected);
  }
});

test('after a failed comparison any slug is accepted until one succeeds', () => {
  const { known, slugs } = compared();
  known.markUncertain();
  expect(slugs()).toBeNull();
  known.applyMessage(change(1, { coverage: B, slug: 'trial' }));
  expect(slugs()).toBeNull();
  known.comparisonStarted();
  known.applySeqs(seqs(3, { [A]: [5, 'river', 'old-river'], [B]: [1, 'trial'] }));
  expect(slugs()).toEqual(['old-river', 'river', 'trial']);
});
