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
  [...ids.flatMap((id) => [`coverage:${id}`, `photos:${id}`]), 'lists', 'missing'].sort();

/** A cache that writes down what is done to it. */
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
    /** What was purged since the last time this was asked. */
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

/** What is known once the database has answered that coverage A is at seq 5. */
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
  test('no slug is claimed to be known, and every message is taken for one after a loss', () => {
    const { cache, purged, slugs } = fakeCache();
    const known = createKnownSequences(cache);
    known.applyMessage(change(1));
    expect(purged()).toEqual([gone(A)]);
    expect(slugs()).toBeNull();
  });

  test('the first comparison forgets all that was rendered before it', () => {
    const { cache, purged, slugs } = fakeCache();
    const known = createKnownSequences(cache);
    known.comparisonStarted();
    expect(known.applySeqs(seqs(0, { [A]: [5, 'river'] }))).toBe(true);
    expect(purged()).toEqual(['gone all']);
    expect(slugs()).toEqual(['river']);
  });
});

describe('a message', () => {
  test('of the next seq makes its pages stale', () => {
    const { known, purged } = compared();
    known.applyMessage(change(6));
    known.applyMessage(change(7));
    expect(purged()).toEqual([stale, stale]);
  });

  test('of a text taken away makes its pages gone', () => {
    const { known, purged } = compared();
    known.applyMessage(change(6, { removed: true }));
    expect(purged()).toEqual([stale.replace('stale', 'gone')]);
  });

  test.each([
    ['after a lost one', 7],
    ['that is known already', 5],
    ['of a backup that was put back', 2],
  ])('%s makes everything gone that it may touch, and what follows it is next', (_, seq) => {
    const { known, purged } = compared();
    known.applyMessage(change(seq));
    expect(purged()).toEqual([gone(A)]);
    known.applyMessage(change(seq + 1));
    expect(purged()).toEqual([stale]);
  });

  test('of a coverage that begins makes its slug known', () => {
    const { known, purged, slugs } = compared();
    known.applyMessage(
      change(1, { coverage: B, slug: 'trial', tags: [`coverage:${B}`, 'lists', 'missing'] }),
    );
    expect(purged()).toEqual([`stale ${[`coverage:${B}`, 'lists', 'missing'].join()}`]);
    expect(slugs()).toEqual(['old-river', 'river', 'trial']);
  });

  test('of a renamed coverage makes its new slug known beside the old ones', () => {
    const { known, slugs } = compared();
    known.applyMessage(change(6, { slug: 'the-river' }));
    expect(slugs()).toEqual(['old-river', 'river', 'the-river']);
  });

  test('of the site makes its pages stale; after a lost one, everything is gone', () => {
    const { known, purged } = compared();
    known.applyMessage({ site: 4, tags: ['site'], removed: false });
    known.applyMessage({ site: 6, tags: ['site'], removed: false });
    expect(purged()).toEqual(['stale site', 'gone all']);
  });

  test('of what somebody said of themselves and says no more makes it gone', () => {
    const { known, purged } = compared();
    known.applyMessage({ site: 4, tags: ['lists'], removed: true });
    expect(purged()).toEqual(['gone lists']);
  });
});

describe('a comparison', () => {
  test('that finds what is known purges nothing', () => {
    const { known, purged } = compared();
    known.comparisonStarted();
    expect(known.applySeqs(seqs(3, { [A]: [5, 'river', 'old-river'] }))).toBe(true);
    expect(purged()).toEqual([]);
  });

  test.each([
    ['a message was lost', { [A]: [6, 'river', 'old-river'] }, [A], ['old-river', 'river']],
    ['a backup was put back', { [A]: [4, 'river', 'old-river'] }, [A], ['old-river', 'river']],
    ['a backup has another slug', { [A]: [5, 'river'] }, [A], ['river']],
    [
      'a coverage is new',
      { [A]: [5, 'river', 'old-river'], [B]: [1, 'trial'] },
      [B],
      ['old-river', 'river', 'trial'],
    ],
    ['a coverage is not there', {}, [A], []],
  ] as [string, Record<string, [number, ...string[]]>, string[], string[]][])(
    'forgets what differs: %s',
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

  test.each([2, 4])('forgets everything when the site is at another seq (%i)', (site) => {
    const { known, purged } = compared();
    known.comparisonStarted();
    known.applySeqs(seqs(site, { [A]: [5, 'river', 'old-river'] }));
    expect(purged()).toEqual(['gone all']);
    known.applyMessage({ site: site + 1, tags: ['site'], removed: false });
    expect(purged()).toEqual(['stale site']);
  });

  test('takes a slug that a message named for known', () => {
    const { known, purged } = compared();
    known.applyMessage(change(6, { slug: 'the-river' }));
    purged();
    known.comparisonStarted();
    known.applySeqs(seqs(3, { [A]: [6, 'the-river', 'old-river', 'river'] }));
    expect(purged()).toEqual([]);
  });
});

describe('a message while the database is being asked', () => {
  test('is not undone by an answer from before it, which has to be asked for again', () => {
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

  test('is no reason to believe an older answer the next time', () => {
    const { known, purged } = compared();
    known.comparisonStarted();
    known.applyMessage(change(6));
    known.applySeqs(seqs(3, { [A]: [5, 'river', 'old-river'] }));
    purged();
    known.comparisonStarted();
    expect(known.applySeqs(seqs(3, { [A]: [5, 'river', 'old-river'] }))).toBe(true);
    expect(purged()).toEqual([gone(A)]);
  });

  test('does not hide what the answer knows beyond it', () => {
    const { known, purged } = compared();
    known.comparisonStarted();
    known.applyMessage(change(6));
    purged();
    expect(known.applySeqs(seqs(3, { [A]: [7, 'river', 'old-river'] }))).toBe(true);
    expect(purged()).toEqual([gone(A)]);
  });
});

test('after a failed comparison the next one lets nothing be served as it is, for the numbers may mean other changes', () => {
  const { known, purged } = compared();
  known.markUncertain();
  for (const expected of [['stale all'], []]) {
    known.comparisonStarted();
    known.applySeqs(seqs(3, { [A]: [5, 'river', 'old-river'] }));
    expect(purged()).toEqual(expected);
  }
});

test('after a failed comparison no slug is claimed to be known, whatever is heard, until one succeeds', () => {
  const { known, slugs } = compared();
  known.markUncertain();
  expect(slugs()).toBeNull();
  known.applyMessage(change(1, { coverage: B, slug: 'trial' }));
  expect(slugs()).toBeNull();
  known.comparisonStarted();
  known.applySeqs(seqs(3, { [A]: [5, 'river', 'old-river'], [B]: [1, 'trial'] }));
  expect(slugs()).toEqual(['old-river', 'river', 'trial']);
});
