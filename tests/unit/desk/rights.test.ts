import { expect, test } from 'vitest';
import { actionsOn, mayRun, mayWrite } from '../../../src/lib/domain/permissions.ts';
import { deskUpdate, person, published } from '../../support/fake-desk.ts';

const draft = deskUpdate();
const submitted = deskUpdate({ state: 'submitted' });
const live = published(1);

test.each([
  ['reader', [], [], []],
  ['moderator', [], [], []],
  ['contributor', [], [], []],
  ['editor', ['edit', 'publish', 'spike'], ['edit', 'publish', 'spike'], ['edit', 'pin', 'withdraw']],
  ['owner', ['edit', 'publish', 'spike'], ['edit', 'publish', 'spike'], ['edit', 'pin', 'withdraw']],
  // The reporter is the author of these updates.
  ['reporter', ['edit', 'publish', 'spike'], ['edit', 'publish', 'spike'], ['edit', 'withdraw']],
] as const)(
  'lists the actions of a %s on a draft, a submitted and a published update',
  (role, ...expected) => {
    const actor = person(role, role === 'contributor');
    expect([draft, submitted, live].map((update) => actionsOn(update, actor, null))).toEqual(expected);
  },
);

test("a reporter cannot change others' updates", () => {
  const others = { author: 'other-id' };
  const actor = person('reporter');
  expect(actionsOn(deskUpdate(others), actor, null)).toEqual([]);
  expect(actionsOn(published(1, others), actor, null)).toEqual([]);
});

test('a contributor with a membership can submit own updates, and not change published ones', () => {
  const own = { author: 'contributor-id' };
  expect(actionsOn(deskUpdate(own), person('contributor', true), null)).toEqual(['edit', 'submit', 'spike']);
  expect(actionsOn(deskUpdate(own), person('contributor', false), null)).toEqual([]);
  expect(actionsOn(published(1, own), person('contributor', true), null)).toEqual([]);
});

test('a pinned update can be unpinned, and withdrawn or spiked ones not changed', () => {
  expect(actionsOn(live, person('editor'), live.id)).toEqual(['edit', 'unpin', 'withdraw']);
  for (const state of ['withdrawn', 'spiked'] as const) {
    expect(actionsOn(deskUpdate({ state }), person('owner'), null)).toEqual([]);
  }
});

test('scheduled updates can be changed by people who may publish', () => {
  const state = 'scheduled' as const;
  const all = ['edit', 'publish', 'unschedule', 'spike'];
  expect(actionsOn(deskUpdate({ state }), person('reporter'), null)).toEqual(all);
  expect(actionsOn(deskUpdate({ state, author: 'other-id' }), person('editor'), null)).toEqual(all);
  expect(actionsOn(deskUpdate({ state, author: 'other-id' }), person('reporter'), null)).toEqual([]);
  const own = deskUpdate({ state, author: 'contributor-id' });
  expect(actionsOn(own, person('contributor', true), null)).toEqual([]);
});

test('lets moderators read the desk without writing', () => {
  expect(mayWrite(person('moderator'))).toBe(false);
  expect(mayRun(person('reporter'))).toBe(false);
});
