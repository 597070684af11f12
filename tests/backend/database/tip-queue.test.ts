import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import {
  addTip,
  type Call,
  createCoverageIn,
  errorOf,
  openTestDatabase,
  readTipQueue,
  SERVER,
  type TestDatabase,
  tipRow,
  VISITOR,
} from '../../support/database.ts';

/* Possible commands for a tip by state and role. Refused commands change nothing. */

type Somebody = Claims & { sub: string };

let database: TestDatabase;
const who = {} as Record<string, Somebody>;
let coverage: { coverage_id: string; slug: string };
beforeAll(async () => {
  database = await openTestDatabase();
  coverage = await createCoverageIn(database, 'live');
  for (const role of ['reader', 'contributor', 'reporter', 'moderator', 'editor', 'owner'] as const) {
    who[role] = await database.createUser(role);
  }
  who.colleague = await database.createUser('moderator');
  await database.rows(`update public.people set display_name = 'Cole' where id = $1`, [who.colleague.sub]);
  const { coverage_id } = coverage;
  const member = { coverage_id, person_id: who.contributor?.sub };
  await database.call(SERVER, ['set_coverage_member', member]);
  who.demoted = await database.createUser('moderator');
  await database.call(SERVER, ['set_role', { person_id: who.demoted.sub, role: 'reporter' }]);
  who.deactivated = await database.createUser('moderator');
  await database.call(SERVER, ['set_active', { person_id: who.deactivated.sub, active: false }]);
});
afterAll(() => database.close());

const HANDLERS = ['moderator', 'editor', 'owner'];
const OTHERS = ['reader', 'contributor', 'reporter', 'demoted', 'deactivated'];
const me = (name: string) => who[name] as Somebody;
const rowOf = (id: string) => tipRow(database, id);

type State = 'new' | 'held' | 'mine' | 'theirs' | 'used' | 'declined' | 'spam';

/** A tip in a state. `mine` is held by the moderator, `theirs` by a colleague. @returns its id and version */
async function tipIn(state: State, content: object = {}) {
  const { id } = await addTip(database, {
    content: { coverage: coverage.slug, website: state === 'held' ? 'x' : null, ...content },
  });
  const act = (name: string, call: Call) =>
    database.call(me(name), call) as Promise<{ id: string; version: number }>;
  const seen = { tip_id: id, version: 1 };
  if (state === 'mine') return act('moderator', ['review_tip', seen]);
  if (state === 'theirs') return act('colleague', ['review_tip', seen]);
  if (state === 'used') return act('moderator', ['use_tip', { ...seen, ...newUpdate() }]);
  if (state === 'declined' || state === 'spam') return act('moderator', ['close_tip', { ...seen, state }]);
  return { id, version: 1 };
}

const newUpdate = () => ({
  coverage_id: coverage.coverage_id,
  update_id: randomUUID(),
  content: { quote: 'It broke.' },
});

type Act = (tip: { id: string; version: number }) => Call;
const seen = ({ id, version }: { id: string; version: number }) => ({ tip_id: id, version });
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
const STATES: State[] = ['new', 'held', 'mine', 'theirs', 'used', 'declined', 'spam'];

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

describe('the tip queue', () => {
  const listIds = async (filters: object, by = 'moderator') =>
    (await readTipQueue(database, me(by), { coverage: own.coverage_id, ...filters })).map(({ id }) => id);
  let own: typeof coverage;
  let tips: Record<State, string>;
  beforeAll(async () => {
    own = await createCoverageIn(database, 'live');
    tips = {} as Record<State, string>;
    for (const state of STATES) {
      const body = `The ${state} weir broke at Łódź.`;
      tips[state] = (
        await tipIn(state, { coverage: own.slug, body, name: 'Ada', contact: '+44 20 7946 0018' })
      ).id;
    }
  });

  test('is empty for everyone who does not handle tips', async () => {
    for (const name of OTHERS) {
      expect(await readTipQueue(database, me(name), { view: 'all' }), name).toEqual([]);
      expect(await readTipQueue(database, me(name), { ids: Object.values(tips) }), name).toEqual([]);
      expect(await database.call(me(name), ['tip_counts', {}]), name).toEqual({
        new: 0,
        mine: 0,
        in_review: 0,
        held: 0,
      });
      const handlers = database.as(me(name), (session) =>
        session.query('select * from public.tip_handlers()'),
      );
      expect((await handlers).rows, name).toEqual([]);
    }
    for (const claims of [VISITOR, SERVER]) {
      for (const call of [
        ['tip_queue', { filters: {} }],
        ['tip_counts', {}],
        ['tip_handlers', {}],
        ['tip_photo', { photo_id: randomUUID() }],
      ] as Call[]) {
        expect(await errorOf(database.call(claims, call))).toEqual({ code: '42501' });
      }
      const reading = database.as(claims, (session) => session.query('select id from public.tips'));
      expect(await errorOf(reading)).toEqual({ code: '42501' });
    }
    expect(
      await errorOf(database.as(me('owner'), (session) => session.query('select id from public.tips'))),
    ).toEqual({ code: '42501' });
  });

  test.each<[string, State[]]>([
    ['open', ['theirs', 'mine', 'new']],
    ['mine', ['mine']],
    ['held', ['held']],
    ['used', ['used']],
    ['declined', ['declined']],
    ['spam', ['spam']],
    ['all', [...STATES].reverse()],
  ])('shows tips that are %s, newest first', async (view, states) => {
    const expected = states.map((state) => tips[state]);
    expect(await listIds({ view })).toEqual(expected);
    expect(await listIds({ view, query: 'ŁODZ broke' })).toEqual(expected);
    expect(await listIds({ view, query: 'brok +44 7946' })).toEqual(expected);
    expect(await listIds({ view, query: 'lodz airship' })).toEqual([]);
    const pages: string[] = [];
    for (let before: object | null = null; ; ) {
      const [tip] = await readTipQueue(database, me('moderator'), {
        view,
        coverage: own.coverage_id,
        max_rows: 1,
        before,
      });
      if (!tip) break;
      pages.push(tip.id);
      before = { created_at: tip.created_at, id: tip.id };
    }
    expect(pages).toEqual(expected);
    expect(await readTipQueue(database, me('moderator'), { view, coverage: randomUUID() })).toEqual([]);
  });

  test('shows what handling needs, and not where a tip came from', async () => {
    const [used] = await readTipQueue(database, me('editor'), { ids: [tips.used] });
    expect(used).toEqual({
      ...{
        id: tips.used,
        body: 'The used weir broke at Łódź.',
        name: 'Ada',
        contact: '+44 20 7946 0018',
        may_be_named: false,
      },
      ...{ state: 'used', held: false, suspicion: null, version: 2, photo: null },
      ...{
        created_at: expect.any(String),
        review_started_at: expect.any(String),
        handled_at: expect.any(String),
      },
      assigned: { id: me('moderator').sub, name: 'Reader' },
      coverage: { id: own.coverage_id, slug: own.slug, headline: 'A case' },
      used_in: {
        update_id: expect.any(String),
        coverage_slug: coverage.slug,
        number: null,
        state: 'submitted',
      },
    });
    expect(await readTipQueue(database, me('editor'), { ids: [tips.held] })).toMatchObject([
      { held: true, suspicion: 'honeypot', assigned: null, used_in: null },
    ]);
    expect(await listIds({ ids: [tips.spam, randomUUID(), 'x', null] })).toEqual([tips.spam]);
    expect(await listIds({ query: ' .;! ' })).toEqual([]);
  });

  test('has counts', async () => {
    const counts = (by: string) => database.call(me(by), ['tip_counts', { coverage: own.coverage_id }]);
    expect(await counts('moderator')).toEqual({ new: 1, mine: 1, in_review: 2, held: 1 });
    expect(await counts('editor')).toEqual({ new: 1, mine: 0, in_review: 2, held: 1 });
  });

  test('lists the people who handle tips', async () => {
    const { rows } = await database.as(me('moderator'), (session) =>
      session.query<{ id: string; role: string }>('select * from public.tip_handlers()'),
    );
    const ids = rows.map(({ id }) => id);
    expect(ids).toEqual(
      expect.arrayContaining(['moderator', 'colleague', 'editor', 'owner'].map((name) => me(name).sub)),
    );
    for (const name of OTHERS) expect(ids).not.toContain(me(name).sub);
    expect(rows[0]?.role).toBe('owner');
  });

  test.each([
    [{ view: 'new' }, 'view'],
    [{ max_rows: 0 }, 'max_rows'],
    [{ max_rows: 51 }, 'max_rows'],
    [{ before: { created_at: 'yesterday', id: randomUUID() } }, 'created_at'],
    [{ order: 'body' }, 'order'],
    [{ query: 7 }, 'query'],
  ])('refuses %j', async (filters, field) => {
    expect(await errorOf(readTipQueue(database, me('moderator'), filters))).toEqual({
      code: 'invalid',
      field,
    });
  });
});

describe('broadcasts of tips', () => {
  const secrets = { body: 'A secret body.', name: 'A secret name', contact: 'a secret contact' };

  test('contain ids and numbers for those who handle tips, and the public status for the sender', async () => {
    const sender = await database.createUser();
    const sent: object[] = [];
    let tip = { id: '', version: 1 };
    const hear = async (work: () => Promise<unknown>) => {
      const messages = await database.broadcastsOf(work);
      sent.push(...messages);
      return messages.filter(({ event }) => event === 'tip').map(({ topic, payload }) => [topic, payload]);
    };
    const press = (by: string, name: string, more: object = {}) =>
      hear(async () => {
        tip = (await database.call(me(by), [name, { ...seen(tip), ...more }])) as typeof tip;
      });
    const told = (version: number) => ['tips', { tip: tip.id, version }];
    const mine = () => [`person:${sender.sub}`, { tip: tip.id }];

    const arrived = await hear(async () => {
      const { id } = await addTip(database, {
        content: { ...secrets, coverage: coverage.slug },
        sender: { person: sender.sub },
      });
      tip = { id, version: 1 };
    });
    expect(arrived).toEqual([told(1), mine()]);
    expect(await press('colleague', 'review_tip')).toEqual([told(2), mine()]);
    expect(await press('moderator', 'review_tip')).toEqual([told(3)]);
    expect(await press('moderator', 'hand_over_tip', { person_id: me('editor').sub })).toEqual([told(4)]);
    expect(await press('editor', 'close_tip', { state: 'spam' })).toEqual([told(5), mine()]);
    expect(await press('moderator', 'reopen_tip')).toEqual([told(6), mine()]);
    const { update_id } = newUpdate();
    expect(await press('moderator', 'use_tip', { ...newUpdate(), update_id })).toEqual([told(7), mine()]);
    const { coverage_id } = coverage;
    const [row] = await database.rows<{ body: object }>('select body from public.updates where id = $1', [
      update_id,
    ]);
    const content = { body: row?.body };
    const published = ['publish_update', { coverage_id, update_id, version: 1, content }] as Call;
    expect(await hear(() => database.call(me('editor'), published))).toEqual([told(7), mine()]);
    const withdrawn = ['withdraw_update', { update_id, reason: 'Not so.' }] as Call;
    expect(await hear(() => database.call(me('editor'), withdrawn))).toEqual([told(7), mine()]);
    const all = JSON.stringify(sent);
    for (const secret of Object.values(secrets)) expect(all).not.toContain(secret);
  });

  test('idempotency keys and audit log contain no text, name or contact of a tip', async () => {
    const kept = JSON.stringify([
      await database.rows('select * from private.idempotency_keys'),
      await database.rows('select * from public.audit_log'),
    ]);
    for (const secret of Object.values(secrets)) expect(kept).not.toContain(secret);
  });
});

test('senders see only their own tips, without handlers and without spam decisions', async () => {
  const [sender, other] = [await database.createUser(), await database.createUser()];
  const send = (content: object) =>
    addTip(database, { content: { coverage: coverage.slug, ...content }, sender: { person: sender.sub } });
  const mine = (who: Claims) => database.call(who, ['my_tips', {}]) as Promise<Record<string, unknown>[]>;
  const spam = await send({ body: 'Buy this.' });
  const used = await send({ body: 'It broke.' });
  await database.call(me('moderator'), ['close_tip', { tip_id: spam.id, version: 1, state: 'spam' }]);
  const { coverage_id, update_id } = newUpdate();
  await database.call(me('moderator'), [
    'use_tip',
    { tip_id: used.id, version: 1, ...newUpdate(), update_id },
  ]);
  const shown = {
    created_at: expect.any(String),
    coverage: { slug: coverage.slug, headline: 'A case' },
    used_in: null,
  };
  const declined = { id: spam.id, body: 'Buy this.', state: 'declined', ...shown };
  expect(await mine(sender)).toEqual([{ id: used.id, body: 'It broke.', state: 'used', ...shown }, declined]);
  const [row] = await database.rows<{ body: object }>('select body from public.updates where id = $1', [
    update_id,
  ]);
  const content = { body: row?.body };
  const update = (await database.call(me('editor'), [
    'publish_update',
    { coverage_id, update_id, version: 1, content },
  ])) as { number: number };
  expect(await mine(sender)).toMatchObject([
    { state: 'used', used_in: { slug: coverage.slug, number: update.number } },
    declined,
  ]);
  await database.call(me('editor'), ['withdraw_update', { update_id, reason: 'Not so.' }]);
  expect(await mine(sender)).toMatchObject([{ state: 'used', used_in: null }, declined]);
  expect(await mine(other)).toEqual([]);
  for (const claims of [VISITOR, SERVER]) expect(await errorOf(mine(claims))).toEqual({ code: '42501' });
});
