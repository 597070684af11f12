import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { addTip, type Call, errorOf, SERVER, tipRow, VISITOR } from '../../support/database.ts';
import {
  database,
  me,
  newUpdate,
  OTHERS,
  STATES,
  type State,
  seen,
  tipIn,
  useTipDatabase,
} from './tip-queue-context.ts';

useTipDatabase();

const HANDLERS = ['moderator', 'editor', 'owner'];

const rowOf = (id: string) => tipRow(database, id);

type Act = (tip: { id: string; version: number }) => Call;

const ACTS: Record<string, Act> = {
  take: (tip) => ['review_tip', seen(tip)],
  give: (tip) => ['hand_over_tip', { ...seen(tip), person_id: me('editor').sub }],
  'give back': (tip) => ['hand_over_tip', { ...seen(tip), person_id: null }],
  use: (tip) => ['use_tip', { ...seen(tip), ...newUpdate() }],
  decline: (tip) => ['close_tip', { ...seen(tip), state: 'declined' }],
  'call spam': (tip) => ['close_tip', { ...seen(tip), state: 'spam' }],
  reopen: (tip) => ['reopen_tip', seen(tip)],
  release: (tip) => ['release_tip', seen(tip)],
};

/** The resulting state of each command for each state. All others are refused. */
const BECOMES: Record<string, Partial<Record<State, string>>> = {
  take: { new: 'in_review', held: 'in_review', mine: 'in_review', theirs: 'in_review' },
  give: { new: 'in_review', held: 'in_review', mine: 'in_review' },
  'give back': { new: 'new', held: 'new', mine: 'new' },
  use: { new: 'used', held: 'used', mine: 'used' },
  decline: { new: 'declined', held: 'declined', mine: 'declined' },
  'call spam': { new: 'spam', held: 'spam', mine: 'spam' },
  reopen: { used: 'in_review', declined: 'in_review', spam: 'in_review' },
  release: { held: 'new' },
};

describe.each(Object.entries(ACTS))('the command %s', (name, act) => {
  const from = Object.keys(BECOMES[name] ?? {})[0] as State;

  test('is refused to people who do not handle tips, and to the server', async () => {
    const tip = await tipIn(from);
    const before = await rowOf(tip.id);
    const all = {
      visitor: VISITOR,
      server: SERVER,
      ...Object.fromEntries(OTHERS.map((one) => [one, me(one)])),
    };
    const refused: Record<string, unknown> = {};
    for (const [one, claims] of Object.entries(all))
      refused[one] = await errorOf(database.call(claims, act(tip)));
    const forbidden = { code: 'forbidden' };
    expect(refused).toEqual({
      ...{ visitor: { code: '42501' }, server: { code: '42501' } },
      ...Object.fromEntries(OTHERS.map((one) => [one, forbidden])),
    });
    expect(await rowOf(tip.id)).toEqual(before);
    expect(await errorOf(database.call(me('reader'), act({ id: randomUUID(), version: 1 })))).toEqual(
      forbidden,
    );
    expect(await errorOf(database.call(me('editor'), act({ id: randomUUID(), version: 1 })))).toMatchObject({
      code: 'not_found',
    });
  });

  test.each(HANDLERS)('is possible for a %s', async (role) => {
    // Taking over is tested below.
    const state = from === 'mine' ? 'new' : from;
    const tip = await tipIn(state);
    expect(await database.call(me(role), act(tip))).toMatchObject({
      id: tip.id,
      state: BECOMES[name]?.[state],
    });
  });

  test.each(STATES)('for a tip that is %s', async (state) => {
    const tip = await tipIn(state);
    const before = await rowOf(tip.id);
    const becomes = BECOMES[name]?.[state];
    if (becomes === undefined) {
      const by =
        state === 'theirs' ? 'Cole' : ['new', 'held', 'mine'].includes(state) ? expect.anything() : 'Reader';
      const refused = await errorOf(database.call(me('moderator'), act(tip)));
      expect(refused).toMatchObject({ code: 'bad_state', version: tip.version });
      if (!['new', 'held', 'mine'].includes(state)) expect(refused).toMatchObject({ by });
      expect(await rowOf(tip.id)).toEqual(before);
      return;
    }
    const answer = await database.call(me('moderator'), act(tip));
    const row = await rowOf(tip.id);
    const { id, version, state: now, assigned_to, held } = row ?? {};
    expect(answer).toEqual({ id, version, state: now, assigned_to, held });
    const unchanged = (name === 'take' && state === 'mine') || (name === 'give back' && state !== 'mine');
    const person = becomes === 'new' ? null : name === 'give' ? me('editor').sub : me('moderator').sub;
    expect(row).toMatchObject({
      state: becomes,
      version: tip.version + (unchanged ? 0 : 1),
      held: unchanged && state === 'held',
      assigned_to: person,
      handled_by: ['used', 'declined', 'spam'].includes(becomes) ? me('moderator').sub : null,
    });
  });

  test('is refused for an outdated version, with the newest version', async () => {
    const tip = await tipIn(from === 'mine' ? 'new' : from);
    const before = await rowOf(tip.id);
    for (const version of [tip.version - 1, tip.version + 1, null]) {
      const stale = { ...tip, version } as { id: string; version: number };
      expect(await errorOf(database.call(me('moderator'), act(stale)))).toMatchObject({
        code: 'conflict',
        version: tip.version,
      });
    }
    expect(await rowOf(tip.id)).toEqual(before);
  });

  test('is executed once with the same idempotency key, and returns the same result', async () => {
    const tip = await tipIn(from === 'mine' ? 'new' : from);
    const [called, args] = act(tip);
    const idempotency_key = randomUUID();
    const press = (by: string) => database.call(me(by), [called, { ...args, idempotency_key }]);
    const first = await press('moderator');
    const row = await rowOf(tip.id);
    expect(await press('moderator')).toEqual(first);
    expect(await rowOf(tip.id)).toEqual(row);
    expect(await errorOf(press('colleague'))).toMatchObject({ code: 'forbidden' });
  });
});

describe('a tip in review', () => {
  test('can be reassigned with the current version only', async () => {
    const { id } = await tipIn('theirs');
    const take = (version: number) => database.call(me('moderator'), ['review_tip', { tip_id: id, version }]);
    expect(await errorOf(take(1))).toEqual({
      code: 'bad_state',
      by: 'Cole',
      state: 'in_review',
      version: 2,
    });
    expect(await take(2)).toMatchObject({ assigned_to: me('moderator').sub, version: 3 });
    const back = { tip_id: id, version: 3, state: 'declined' };
    expect(await errorOf(database.call(me('colleague'), ['close_tip', back]))).toMatchObject({
      by: 'Reader',
      version: 3,
    });
  });

  test('is free when its holder no longer handles tips', async () => {
    const holder = await database.createUser('moderator');
    const { id } = await addTip(database);
    await database.call(holder, ['review_tip', { tip_id: id, version: 1 }]);
    await database.call(SERVER, ['set_active', { person_id: holder.sub, active: false }]);
    const settled = database.call(me('moderator'), [
      'close_tip',
      { tip_id: id, version: 2, state: 'declined' },
    ]);
    expect(await settled).toMatchObject({ state: 'declined', assigned_to: me('moderator').sub });
  });

  test('can be handed over only to people who handle tips', async () => {
    const tip = await tipIn('mine');
    for (const name of ['reader', 'contributor', 'reporter', 'demoted', 'deactivated']) {
      const given = database.call(me('moderator'), [
        'hand_over_tip',
        { ...seen(tip), person_id: me(name).sub },
      ]);
      expect(await errorOf(given), name).toEqual({ code: 'invalid', field: 'person_id' });
    }
    const nobody = database.call(me('moderator'), [
      'hand_over_tip',
      { ...seen(tip), person_id: randomUUID() },
    ]);
    expect(await errorOf(nobody)).toEqual({ code: 'invalid', field: 'person_id' });
    expect(await rowOf(tip.id)).toMatchObject({ assigned_to: me('moderator').sub, version: tip.version });
  });
});

test.each(['new', 'in_review', 'used', null])('a tip cannot be closed as %s', async (state) => {
  const tip = await tipIn('new');
  const settled = database.call(me('moderator'), ['close_tip', { ...seen(tip), state }]);
  expect(await errorOf(settled)).toEqual({ code: 'invalid', field: 'state' });
  expect(await rowOf(tip.id)).toMatchObject({ state: 'new', version: 1 });
});
