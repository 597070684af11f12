import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import {
  addTip,
  type Call,
  createCoverageIn,
  errorOf,
  readTipQueue,
  SERVER,
  VISITOR,
} from '../../support/database.ts';
import {
  coverage,
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
    const messagesDuring = async (work: () => Promise<unknown>) => {
      const messages = await database.broadcastsOf(work);
      sent.push(...messages);
      return messages.filter(({ event }) => event === 'tip').map(({ topic, payload }) => [topic, payload]);
    };
    const press = (by: string, name: string, more: object = {}) =>
      messagesDuring(async () => {
        tip = (await database.call(me(by), [name, { ...seen(tip), ...more }])) as typeof tip;
      });
    const queueMessage = (version: number) => ['tips', { tip: tip.id, version }];
    const mine = () => [`person:${sender.sub}`, { tip: tip.id }];

    const arrived = await messagesDuring(async () => {
      const { id } = await addTip(database, {
        content: { ...secrets, coverage: coverage.slug },
        sender: { person: sender.sub },
      });
      tip = { id, version: 1 };
    });
    expect(arrived).toEqual([queueMessage(1), mine()]);
    expect(await press('colleague', 'review_tip')).toEqual([queueMessage(2), mine()]);
    expect(await press('moderator', 'review_tip')).toEqual([queueMessage(3)]);
    expect(await press('moderator', 'hand_over_tip', { person_id: me('editor').sub })).toEqual([
      queueMessage(4),
    ]);
    expect(await press('editor', 'close_tip', { state: 'spam' })).toEqual([queueMessage(5), mine()]);
    expect(await press('moderator', 'reopen_tip')).toEqual([queueMessage(6), mine()]);
    const { update_id } = newUpdate();
    expect(await press('moderator', 'use_tip', { ...newUpdate(), update_id })).toEqual([
      queueMessage(7),
      mine(),
    ]);
    const { coverage_id } = coverage;
    const [row] = await database.rows<{ body: object }>('select body from public.updates where id = $1', [
      update_id,
    ]);
    const content = { body: row?.body };
    const published = ['publish_update', { coverage_id, update_id, version: 1, content }] as Call;
    expect(await messagesDuring(() => database.call(me('editor'), published))).toEqual([
      queueMessage(7),
      mine(),
    ]);
    const withdrawn = ['withdraw_update', { update_id, reason: 'Not so.' }] as Call;
    expect(await messagesDuring(() => database.call(me('editor'), withdrawn))).toEqual([
      queueMessage(7),
      mine(),
    ]);
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
  const mine = (who: Claims, only: { tip_id?: string } = {}) =>
    database.call(who, ['my_tips', only]) as Promise<Record<string, unknown>[]>;
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
    photo: null,
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
  expect(await mine(sender, { tip_id: spam.id })).toEqual([declined]);
  expect(await mine(other)).toEqual([]);
  expect(await mine(other, { tip_id: used.id })).toEqual([]);
  for (const claims of [VISITOR, SERVER]) expect(await errorOf(mine(claims))).toEqual({ code: '42501' });
});
