import { expect, test } from 'vitest';
import { type Block, bodyText } from '../../../src/lib/domain/body/blocks.ts';
import type { ReaderUpdate, UpdateNote } from '../../../src/lib/domain/updates.ts';
import { reader as en } from '../../../src/lib/i18n/en/reader.ts';
import { reader as es } from '../../../src/lib/i18n/es/reader.ts';
import {
  type Content,
  changesRoom,
  excerptsOf,
  FOLDED,
  MIN_EXCERPT,
  PAGE_ROOM,
  type Shown,
  showWithin,
  withinLimits,
} from '../../../src/lib/publishing/excerpts.server.ts';
import { seededRandom } from '../../support/random.ts';

const paragraph = (text: string): Block => ({ type: 'paragraph', runs: [{ text }] });
const note = (version: number, text: string): UpdateNote => ({
  version,
  kind: 'correction',
  note: text,
  at: '2026-11-22T10:00:00Z',
});
const update = (more: Partial<ReaderUpdate>) =>
  ({
    state: 'published',
    headline: null,
    body: [],
    withdrawn_reason: null,
    attribution: 'The gauge',
    bylines: [{ handle: 'ada', display_name: 'Ada' }],
    notes: [],
    photos: [],
    ...more,
  }) as unknown as ReaderUpdate;
const content = (updates: ReaderUpdate[], more: Partial<Content> = {}): Content => ({
  updates,
  summary: [],
  pinned: null,
  keyEvents: { events: [], more: false },
  ...more,
});

const long = 'A sentence of thirty characters. '.repeat(300);

test('shows everything that fits, with long updates and summary folded', () => {
  const { updates, summary, pinned } = withinLimits(
    content([update({ body: [paragraph(long)] })], {
      summary: [paragraph(long)],
      pinned: update({ body: [paragraph(long)] }),
    }),
    FOLDED,
  );
  const [first] = updates;
  const [shown, folded] = [first?.folding.shown ?? [], first?.folding.folded ?? []];
  expect(bodyText(shown) + bodyText(folded)).toBe(long);
  expect(first?.folding.more).toBe(false);
  expect(bodyText(summary.shown) + bodyText(summary.folded)).toBe(long);
  expect([summary.more, pinned?.folding.folded]).toEqual([false, []]);
  const cut = withinLimits(content([], { summary: [paragraph(long)] }), excerptsOf(1500)).summary;
  expect([cut.folded, cut.more]).toEqual([[], true]);
});

test('on the lowest level shows a truncated version of everything, with links', () => {
  const { updates, keyEvents } = withinLimits(
    content(
      [
        update({
          headline: long.slice(0, 120),
          body: [paragraph(long)],
          notes: [note(2, long), note(3, long)],
        }),
        update({ state: 'withdrawn', withdrawn_reason: long }),
      ],
      { keyEvents: { events: Array(10).fill({ number: 1, line: long, published_at: '' }), more: false } },
    ),
    excerptsOf(MIN_EXCERPT),
  );
  const [first, withdrawn] = updates;
  expect(bodyText(first?.folding.shown ?? []).length).toBeLessThanOrEqual(25);
  expect(first?.update.headline?.length).toBeLessThanOrEqual(40);
  // Only the newest correction remains.
  expect(first?.update.notes).toEqual([
    { ...note(3, ''), note: expect.stringMatching(/^A sentence of thirty…$/) },
  ]);
  expect(first?.update.bylines).toEqual([]);
  expect(withdrawn?.update.withdrawn_reason).toBe('A sentence of thirty…');
  expect(updates.map(({ folding }) => folding.more)).toEqual([true, true]);
  expect([keyEvents.events.length, keyEvents.more]).toEqual([3, true]);
});

test('names the table, the rest of a table and the photo that an excerpt leaves out', () => {
  const table: Block = {
    type: 'table',
    rows: Array.from({ length: 6 }, () => [[{ text: 'A road of thirty characters' }], [{ text: 'open' }]]),
  };
  const photo: Block = { type: 'photo', photo: 'seen' };
  const ready = { photos: [{ id: 'seen' }] as ReaderUpdate['photos'] };
  const omitted = (more: Partial<ReaderUpdate>) => {
    const one = update({ ...ready, ...more });
    const { updates, urgent } = withinLimits(content([one], { urgent: one }), excerptsOf(100));
    return [updates[0]?.folding, urgent?.folding].map((folding) => folding?.more && folding.omitted);
  };
  const text = paragraph(long.slice(0, 99));
  expect(omitted({ body: [text, table] })).toEqual([['table'], ['table']]);
  expect(omitted({ body: [table, text] })).toEqual([['rows'], ['rows']]);
  expect(omitted({ body: [text, table, photo] })).toEqual([
    ['table', 'photo'],
    ['table', 'photo'],
  ]);
  // Readers do not see a photo that is not ready.
  expect(omitted({ body: [paragraph(long), { type: 'photo', photo: 'waits' }] })).toEqual([[], []]);
  const map: Block = { type: 'map', name: 'Hall', latitude: 1, longitude: 2 };
  const video: Block = { type: 'media', url: 'https://vimeo.com/1', title: 'The bridge' };
  const post: Block = {
    type: 'post',
    url: 'https://e.example/1',
    author: 'Ana',
    text: 'Closed.',
    quoted_at: '2026-11-28T14:02:00Z',
  };
  const all = ['media', 'map', 'post'];
  expect(omitted({ body: [text, map, post, video] })).toEqual([all, all]);
  expect(en.readOnOf(9, ['table', 'photo'])).toBe('Read all of update 9, with a table and a photo');
  expect(en.pinnedPlace(['map', 'post'])).toBe('View in the list, with a map and a quoted post');
  expect(es.pinnedPlace()).toBe('Ver en la lista');
  expect(es.readOnOf(9, ['rows'])).toBe('Leer completa la actualización 9, con la tabla entera');
});

test('shows as much as the budget allows, measured after compression', async () => {
  const short = update({ body: [paragraph(long.slice(0, 500))] });
  const shown = async (updates: ReaderUpdate[]) => {
    const { updates: fitted } = await showWithin(content(updates), null, PAGE_ROOM);
    return fitted.map(({ folding }) => bodyText([...folding.shown, ...folding.folded]).length);
  };
  expect(await shown(Array(19).fill(short))).toEqual(Array(19).fill(500));
  const [repeated = 0] = await shown(Array(19).fill(update({ body: [paragraph(long)] })));
  const [hostile = 0] = await shown(
    Array.from({ length: 19 }, (_, n) => update({ body: [paragraph(noise(n + 1, 9_000))] })),
  );
  expect(repeated).toBeGreaterThan(1400);
  expect(hostile).toBeLessThan(1000);
  expect(hostile).toBeGreaterThan(20);
});

test('shows the first updates of a list complete, with their pictures, and shortens the others alike', async () => {
  const photo = (n: number) => ({ id: `00000000-0000-4000-8000-${noise(n, 12)}`, alt: noise(n + 50, 150) });
  const page = Array.from({ length: 19 }, (_, n) =>
    update({
      body: [paragraph(noise(n + 1, 200)), { type: 'photo', photo: photo(n).id }],
      photos: [photo(n)] as ReaderUpdate['photos'],
    }),
  );
  const { updates } = await showWithin(content(page), null, PAGE_ROOM);
  const complete = updates.findIndex(({ folding }) => folding.more);
  expect(complete).toBeGreaterThan(2);
  expect(complete).toBeLessThan(19);
  const rest = updates.slice(complete);
  expect(rest.every(({ folding }) => folding.more && folding.omitted?.includes('photo'))).toBe(true);
  expect(rest.map(({ folding }) => bodyText(folding.shown).length)).toEqual(
    rest.map(() => expect.closeTo(200, -2)),
  );
});

/** Text that compresses to about four bytes each. */
const noise = (seed: number, characters: number) => {
  const { below } = seededRandom(seed);
  let text = '';
  while (text.length < characters) text += `${below(2 ** 24).toString(36)} `;
  return text.slice(0, characters).trim();
};
const lengths = ({ updates }: Shown) => updates.map(({ folding }) => bodyText(folding.shown).length);

test('keeps the highest level that fits, and does not truncate slightly longer updates', async () => {
  const page = (each: number) =>
    content(Array.from({ length: 12 }, (_, n) => update({ body: [paragraph(noise(n + 1, each))] })));
  for (const each of [200, 500, 1000, 2000]) {
    const shown = await showWithin(page(each), null, PAGE_ROOM);
    const used = lengths(shown).reduce((all, one) => all + one, 0);
    // The largest amount that fits, or everything.
    expect(used).toBeGreaterThan(Math.min(12 * each - 13, 0.8 * 12 * 480));
  }
  const { updates } = withinLimits(page(595), excerptsOf(500));
  expect(updates.filter(({ folding }) => folding.more)).toEqual([]);
});

test('does not truncate updates more in a response than on their page', async () => {
  const all = Array.from({ length: 19 }, (_, n) => update({ body: [paragraph(noise(n + 1, 1200))] }));
  const onPage = lengths(await showWithin(content(all), ['The river'], PAGE_ROOM));
  for (const many of [1, 3, 12, 19]) {
    const inResponse = lengths(await showWithin(content(all.slice(0, many)), null, changesRoom(many)));
    inResponse.forEach((length, n) => {
      expect(length).toBeGreaterThanOrEqual(onPage[n] ?? Number.NaN);
    });
  }
  // Fifty updates for a page that was asleep.
  const fifty = content(Array.from({ length: 50 }, (_, n) => all[n % 19] as ReaderUpdate));
  const [first = 0] = lengths(await showWithin(fifty, null, changesRoom(50)));
  expect(first).toBeGreaterThanOrEqual(onPage[0] ?? Number.NaN);
  // An update that the page has folded comes folded.
  const long = update({ body: [paragraph(noise(5, 5700))] });
  const [alone] = (await showWithin(content([long]), null, changesRoom(1))).updates;
  expect(alone?.folding.more).toBe(false);
});
