import { expect, test } from 'vitest';
import type { Block } from '../../../src/lib/body/blocks.ts';
import { bodyText } from '../../../src/lib/body/text.ts';
import { atLevel, type Content, LEVELS } from '../../../src/lib/coverage/levels.ts';
import { changesRoom, PAGE_ROOM, showWithin } from '../../../src/lib/coverage/weight.server.ts';
import type { ReaderUpdate, UpdateNote } from '../../../src/lib/updates/update.ts';

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
const at = (index: number) => LEVELS.at(index) as (typeof LEVELS)[number];

test('what fits is shown whole: the rest of a long update folds, that of a summary stands elsewhere', () => {
  const { updates, summary, pinned } = atLevel(
    content([update({ body: [paragraph(long)] })], {
      summary: [paragraph(long)],
      pinned: update({ body: [paragraph(long)] }),
    }),
    at(0),
  );
  const [first] = updates;
  const [shown, folded] = [first?.folding.shown ?? [], first?.folding.folded ?? []];
  expect(bodyText(shown) + bodyText(folded)).toBe(long);
  expect(first?.folding.more).toBe(false);
  expect([summary.more, pinned?.folding.folded]).toEqual([true, []]);
});

test('on the least level everything still says what happened, and leads on', () => {
  const { updates, keyEvents } = atLevel(
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
    at(-1),
  );
  const [first, withdrawn] = updates;
  expect(bodyText(first?.folding.shown ?? []).length).toBeLessThanOrEqual(25);
  expect(first?.update.headline?.length).toBeLessThanOrEqual(40);
  // The newest correction.
  expect(first?.update.notes).toEqual([
    { ...note(3, ''), note: expect.stringMatching(/^A sentence of thirty…$/) },
  ]);
  expect(first?.update.bylines).toEqual([]);
  expect(withdrawn?.update.withdrawn_reason).toBe('A sentence of thirty…');
  expect(updates.map(({ folding }) => folding.more)).toEqual([true, true]);
  expect([keyEvents.events.length, keyEvents.more]).toEqual([3, true]);
});

test('as much is shown as the room holds: short updates whole, and what repeats itself more than what does not', async () => {
  const short = update({ body: [paragraph(long.slice(0, 500))] });
  const words = (seed: number) =>
    Array.from({ length: 1500 }, (_, n) => Math.imul(n + 1, seed * 2654435761).toString(36)).join(' ');
  const shown = async (updates: ReaderUpdate[]) => {
    const { updates: fitted } = await showWithin(content(updates), null, PAGE_ROOM);
    return fitted.map(({ folding }) => bodyText([...folding.shown, ...folding.folded]).length);
  };
  expect(await shown(Array(19).fill(short))).toEqual(Array(19).fill(500));
  const [repeated = 0] = await shown(Array(19).fill(update({ body: [paragraph(long)] })));
  const [hostile = 0] = await shown(
    Array.from({ length: 19 }, (_, n) => update({ body: [paragraph(words(n + 1))] })),
  );
  expect(repeated).toBeGreaterThan(1400);
  expect(hostile).toBeLessThan(500);
  expect(hostile).toBeGreaterThan(20);
});

test('an answer of one long update is no longer than a part of a page', async () => {
  const words = Array.from({ length: 1500 }, (_, n) => Math.imul(n + 1, 2654435761).toString(36)).join(' ');
  const { updates } = await showWithin(content([update({ body: [paragraph(words)] })]), null, changesRoom(1));
  expect(updates[0]?.folding.more).toBe(true);
  expect(bodyText(updates[0]?.folding.shown ?? []).length).toBeLessThanOrEqual(1000);
});
