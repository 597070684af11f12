import { describe, expect, test } from 'vitest';
import { mergeFrozenRows } from '../../../src/lib/data/desk-updates.ts';
import {
  applyChangedTips,
  countOf,
  creditOf,
  INITIAL_WINDOW,
  isTipOutdated,
  parseCursor,
  type QueueTip,
  reuseTipObjects,
  tipActionsOn,
  tipUseContent,
  tipUseForm,
  windowPath,
} from '../../../src/lib/data/tip-queue.ts';
import { contactHref } from '../../../src/lib/data/tips.ts';
import { queueTip } from '../../support/fake-desk.ts';

const me = 'me';
const mine = { state: 'in_review', assigned: { id: me, name: 'Me' } } as const;
const theirs = { state: 'in_review', assigned: { id: 'bea', name: 'Bea' } } as const;

test('links a contact only if it is an e-mail address or phone number', () => {
  for (const [contact, href] of [
    ['ada@example.org', 'mailto:ada@example.org'],
    [' ada+tip@example.org ', 'mailto:ada%2Btip@example.org'],
    ['ada?cc=all&b=1@example.org', 'mailto:ada%3Fcc%3Dall%26b%3D1@example.org'],
    ['+353 (0)1 234-5678', 'tel:+353012345678'],
    ['01 234 567', 'tel:01234567'],
    ['1030-1100', 'tel:10301100'],
    ['12.30', null],
    ['a@b', null],
    ['javascript:alert(1)', null],
    ['ada@example.org, bea@example.org', null],
    ['knock at 12 Mill Lane', null],
  ] as const) {
    expect(contactHref(contact), contact).toBe(href);
  }
});

describe('possible actions', () => {
  test("are taking over only, for another person's tip", () => {
    expect(tipActionsOn(queueTip(theirs), me)).toEqual(['takeOver']);
    expect(tipActionsOn(queueTip(mine), me)).toEqual(['use', 'decline', 'spam', 'handOver']);
    expect(tipActionsOn(queueTip(), me)).toEqual(['take', 'use', 'decline', 'spam']);
    expect(tipActionsOn(queueTip({ held: true }), me)).toEqual(['release', 'decline', 'spam']);
    // A closed tip has no assignee.
    expect(tipActionsOn(queueTip({ ...theirs, state: 'declined' }), me)).toEqual(['reopen']);
  });

  test('include reopening until readers have seen the update', () => {
    const used = { update_id: 'u', coverage_slug: 'storm', state: 'submitted', number: null } as const;
    expect(tipActionsOn(queueTip({ state: 'used', used_in: used }), me)).toEqual(['reopen']);
    expect(
      tipActionsOn(queueTip({ state: 'used', used_in: { ...used, state: 'withdrawn', number: 4 } }), me),
    ).toEqual([]);
  });

  test('credits a name only with permission, and omits empty fields', () => {
    const tip = queueTip({ name: 'Ada' });
    expect(creditOf(tip)).toBeNull();
    expect(creditOf({ ...tip, may_be_named: true })).toBe('Ada');
    expect(creditOf({ name: null, may_be_named: true })).toBeNull();
    const form = { ...tipUseForm(tip, 'u'), intro: ' ', alt: 'A gate' };
    expect(tipUseContent(form)).toEqual({ quote: tip.body });
    expect(tipUseContent({ ...form, intro: 'So: ', withPhoto: true })).toEqual({
      quote: tip.body,
      intro: 'So:',
      photo: { alt: 'A gate' },
    });
  });
});

describe('the list', () => {
  const at = (second: number, part: Partial<QueueTip> = {}) =>
    queueTip({ created_at: `2026-11-22T10:00:0${second}+00:00`, ...part });
  const [one, two, three] = [at(1), at(2), at(3)];

  test('inserts a tip at its place, and removes it when it no longer fits', () => {
    expect(applyChangedTips([three, one], [two], INITIAL_WINDOW, me)).toEqual([three, two, one]);
    expect(applyChangedTips([three, two, one], [{ ...two, state: 'spam' }], INITIAL_WINDOW, me)).toEqual([
      three,
      one,
    ]);
    expect(applyChangedTips([three], [{ ...two, held: true }], INITIAL_WINDOW, me)).toEqual([three]);
    const my = { ...INITIAL_WINDOW, view: 'mine' } as const;
    expect(
      applyChangedTips(
        [],
        [
          { ...one, ...mine },
          { ...two, ...theirs },
        ],
        my,
        me,
      ),
    ).toEqual([{ ...one, ...mine }]);
    const alone = { ...INITIAL_WINDOW, only: one.id };
    expect(applyChangedTips([one], [two, { ...one, state: 'used' }], alone, me)).toEqual([
      { ...one, state: 'used' },
    ]);
    const about = { ...INITIAL_WINDOW, coverage: 'c' };
    expect(
      applyChangedTips([], [one, { ...two, coverage: { id: 'c', slug: 's', headline: 'S' } }], about, me),
    ).toHaveLength(1);
  });

  test('sorts equal seconds by fractions, without duplicates', () => {
    const later = queueTip({ created_at: '2026-11-22T10:00:01.12345+00:00' });
    const sooner = queueTip({ created_at: '2026-11-22T10:00:01.1234+00:00' });
    expect(applyChangedTips([sooner, one], [later, sooner], INITIAL_WINDOW, me)).toEqual([
      later,
      sooner,
      one,
    ]);
  });

  test('needs the database for searches and for the end of a full list', () => {
    expect(applyChangedTips([one], [two], { ...INITIAL_WINDOW, query: 'gate' }, me)).toBeUndefined();
    const full = { ...INITIAL_WINDOW, most: 2 };
    expect(applyChangedTips([three, two], [{ ...two, state: 'used' }], full, me)).toBeUndefined();
    expect(applyChangedTips([two, one], [three], full, me)).toEqual([three, two]);
  });

  test('shows removed tips of a frozen list in their current state', () => {
    const used = { ...two, state: 'used' } as const;
    const held = mergeFrozenRows([three, two], [three], (id) => (id === two.id ? used : undefined));
    expect(held).toEqual({ rows: [three, used], waiting: 0 });
  });

  test('keeps the object of an unchanged tip', () => {
    const again = structuredClone(one);
    expect(reuseTipObjects([one], [again, two])[0]).toBe(one);
    expect(reuseTipObjects([one], [{ ...again, version: 2 }])[0]).not.toBe(one);
  });

  test('refetches for newer versions, photos in progress and updates made from tips', () => {
    const photo = {
      id: 'p',
      state: 'uploading',
      refusal_code: null,
      width: null,
      height: null,
      renditions: [],
    } as const;
    expect(isTipOutdated(undefined, 1)).toBe(true);
    expect(isTipOutdated(one, 1)).toBe(false);
    expect(isTipOutdated(one, 2)).toBe(true);
    expect(isTipOutdated({ ...one, version: 3, state: 'used' }, 2)).toBe(false);
    expect(isTipOutdated({ ...one, state: 'used' }, 1)).toBe(true);
    expect(isTipOutdated({ ...one, photo: { ...photo, renditions: [] } }, 1)).toBe(true);
  });
});

test('encodes filters in a URL without defaults', () => {
  expect(windowPath({ view: 'open', query: ' ' })).toBe('/desk/tips');
  const before = { created_at: '2026-11-22T10:00:01.5+00:00', id: crypto.randomUUID() };
  const path = windowPath({ view: 'held', query: 'the gate' }, { coverage: 'storm', before });
  const asked = new URL(path, 'http://x').searchParams;
  expect(Object.fromEntries(asked)).toMatchObject({ view: 'held', query: 'the gate', coverage: 'storm' });
  expect(parseCursor(asked.get('before'))).toEqual(before);
  for (const wrong of [null, '', 'x', `x,${before.id}`, `${before.created_at},x`])
    expect(parseCursor(wrong)).toBeUndefined();
});

test('counts are shown where they are known', () => {
  const counts = { new: 2, mine: 1, in_review: 3, held: 0 };
  expect((['open', 'mine', 'held', 'used'] as const).map((view) => countOf(view, counts))).toEqual([
    5,
    1,
    0,
    null,
  ]);
  expect(countOf('open', null)).toBeNull();
});
