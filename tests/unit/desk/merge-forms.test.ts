import { atom } from 'nanostores';
import { describe, expect, test } from 'vitest';
import { mergeNewer } from '../../../src/islands/editor/newer-version.ts';
import { mergeWithNewer } from '../../../src/lib/data/merge-forms.ts';
import { formBody, formOf } from '../../../src/lib/data/update-form.ts';
import type { Body, Table } from '../../../src/lib/domain/body/blocks.ts';
import type { DeskUpdate } from '../../../src/lib/domain/updates.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { coverage, published } from '../../support/fake-desk.ts';

const tableOf = (mill: string, quay: string): Table => ({
  type: 'table',
  rows: [
    ['Road', 'State'],
    ['Mill Lane', mill],
    ['Quay', quay],
  ].map((cells) => cells.map((text) => [{ text }])),
  preset: 'closures',
  as_of: '2026-11-21T11:00:00Z',
});
const bodyOf = (mill: string, quay: string, text = 'Roads'): Body => [
  { type: 'paragraph', runs: [{ text }] },
  tableOf(mill, quay),
  { type: 'paragraph', runs: [{ text: 'More follows.' }] },
];
const BASE = published(1, { version: 3, body: bodyOf('closed', 'open') });
const newer = (part: Partial<DeskUpdate>): DeskUpdate => ({ ...BASE, version: 4, ...part });
const ZONE = coverage.time_zone;
const typed = (body: Body, more: object = {}) => ({ ...formOf(english, { ...BASE, body }, ZONE), ...more });

describe('mergeWithNewer', () => {
  const merge = (mine: ReturnType<typeof typed>, theirs: DeskUpdate) =>
    mergeWithNewer(english, { base: BASE, mine, theirs }, ZONE);

  test('puts changed cells into a version with other text', () => {
    const theirs = newer({ headline: 'Roads at noon', body: bodyOf('closed', 'restricted', 'All roads') });
    const merged = merge(typed(bodyOf('open', 'open')), theirs);
    expect(merged?.conflicts).toBe(0);
    expect(merged?.result.headline).toBe('Roads at noon');
    expect(merged && formBody(merged.result, ZONE, theirs)).toEqual(
      bodyOf('open', 'restricted', 'All roads'),
    );
  });

  test('puts their changed cells into a form with other text', () => {
    const mine = typed(bodyOf('open', 'open', 'All roads'), { headline: 'Roads at noon' });
    const merged = merge(mine, newer({ body: bodyOf('closed', 'restricted') }));
    expect(merged?.result).toEqual({
      ...mine,
      body: mine.body.replace('| Quay | open |', '| Quay | restricted |'),
    });
  });

  test('keeps my text of a cell that both changed, and reports it', () => {
    const mine = typed(bodyOf('open', 'restricted'));
    expect(merge(mine, newer({ body: bodyOf('flooded', 'open') }))).toEqual({ result: mine, conflicts: 1 });
  });

  test('leaves versions to compare that both changed text or fields', () => {
    expect(
      merge(typed(bodyOf('open', 'open', 'A')), newer({ body: bodyOf('closed', 'open', 'B') })),
    ).toBeNull();
    expect(merge(typed(bodyOf('open', 'open'), { headline: 'A' }), newer({ headline: 'B' }))).toBeNull();
  });
});

describe('mergeNewer', () => {
  /** A desk that knows these versions of an update. */
  const deskOf = (...versions: DeskUpdate[]) => {
    const readVersion = async (_: DeskUpdate, version: number) =>
      versions.find((one) => one.version === version);
    return { updates: { readVersion }, $coverage: atom(coverage) } as unknown as Parameters<
      typeof mergeNewer
    >[1];
  };
  const theirs = newer({ version: 6, body: bodyOf('closed', 'restricted') });
  const editedOf = (version: number, body: Body) => ({
    id: BASE.id,
    version,
    before: BASE,
    form: typed(body),
  });

  test('takes the version that the form was last saved as for the base', async () => {
    // An autosave stored version 5, and then the state of the lane was put back.
    const autosaved = newer({ version: 5, body: bodyOf('flooded', 'open') });
    const over = newer({ version: 6, body: bodyOf('flooded', 'restricted') });
    const merged = await mergeNewer(english, deskOf(autosaved), editedOf(5, BASE.body), over);
    expect(merged).toMatchObject({ conflicts: 0 });
    expect(merged && formBody(merged.result, ZONE, over)).toEqual(bodyOf('closed', 'restricted'));
  });

  test('merges nothing without the base, or with a version that is not newer or was withdrawn', async () => {
    const mine = bodyOf('open', 'open');
    expect(await mergeNewer(english, deskOf(), editedOf(3, mine), theirs)).toMatchObject({ conflicts: 0 });
    expect(await mergeNewer(english, deskOf(), editedOf(5, mine), theirs)).toBeNull();
    expect(await mergeNewer(english, deskOf(BASE), editedOf(6, mine), theirs)).toBeNull();
    const withdrawn: DeskUpdate = { ...theirs, state: 'withdrawn' };
    expect(await mergeNewer(english, deskOf(BASE), editedOf(3, mine), withdrawn)).toBeNull();
  });
});
