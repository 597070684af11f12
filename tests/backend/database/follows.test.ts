import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { openAlerts, type Person, SERVICE, subscription } from '../../support/alerts.ts';
import { errorOf, openTestDatabase, SERVER, type TestDatabase, VISITOR } from '../../support/database.ts';

/* Follows, push subscriptions, and how they end. */

let database: TestDatabase;
let editor: Person;
let alerts: ReturnType<typeof openAlerts>;
beforeAll(async () => {
  database = await openTestDatabase();
  editor = await database.createUser('editor');
  alerts = openAlerts(database, () => editor);
});
afterAll(() => database.close());

const rowsOf = async (table: 'follows' | 'push_subscriptions', { sub }: Person) =>
  database.rows<Record<string, unknown>>(
    `select * from public.${table} where person_id = $1 order by created_at`,
    [sub],
  );
const mine = (who: Claims, name: 'my_follows' | 'my_push_subscriptions') =>
  database.as(
    who,
    async (session) => (await session.query<Record<string, unknown>>(`select * from public.${name}()`)).rows,
  );
const refused = (who: Claims, name: string, args: Record<string, unknown>) =>
  errorOf(database.call(who, [name, args]));
const save = (target: object, more: object = {}) => ({
  target,
  scope: 'all',
  by_mail: true,
  by_push: false,
  ...more,
});

describe('a follow', () => {
  test('needs an active account, and so does a push subscription', async () => {
    const target = { coverage: alerts.slugOf(await alerts.coverage()) };
    const gone = await alerts.person();
    await database.call(SERVER, ['set_active', { person_id: gone.sub, active: false }]);
    const before = await database.rows('select count(*) from public.follows');
    for (const [who, code] of [
      [VISITOR, '42501'],
      [SERVER, '42501'],
      [gone, 'forbidden'],
    ] as const) {
      expect((await refused(who, 'save_follow', save(target))).code).toBe(code);
      const device = { subscription: subscription(), device: '' };
      expect((await refused(who, 'save_push_subscription', device)).code).toBe(code);
    }
    expect((await refused(VISITOR, 'my_follows', {})).code).toBe('42501');
    expect((await refused(VISITOR, 'my_push_subscriptions', {})).code).toBe('42501');
    expect((await refused(VISITOR, 'delete_push_subscription', { id: randomUUID() })).code).toBe('42501');
    expect(await database.rows('select count(*) from public.follows')).toEqual(before);
  });

  test('is possible for every role, and visible only to its person', async () => {
    const coverage = alerts.slugOf(await alerts.coverage());
    const all = await Promise.all(
      (['reader', 'contributor', 'reporter', 'moderator', 'editor', 'owner'] as const).map((role) =>
        database.createUser(role),
      ),
    );
    for (const who of all) {
      await alerts.follow(who, { coverage });
      await alerts.subscribe(who);
    }
    for (const who of all) {
      expect(await mine(who, 'my_follows')).toHaveLength(1);
      expect(await mine(who, 'my_push_subscriptions')).toHaveLength(1);
    }
  });

  test('is possible for one public coverage or topic, and a draft is answered like a missing one', async () => {
    const who = await alerts.person();
    const nowhere = await refused(who, 'save_follow', save({ coverage: 'never-was' }));
    expect(nowhere).toEqual({ code: 'not_found' });
    for (const state of ['draft', 'withdrawn']) {
      const slug = alerts.slugOf(await alerts.coverage(state));
      for (const more of [{}, { by_mail: false }]) {
        expect(await refused(who, 'save_follow', save({ coverage: slug }, more)), state).toEqual(nowhere);
      }
    }
    expect(await refused(who, 'save_follow', save({ topic: 'never-was' }))).toEqual(nowhere);
    const topic = await alerts.topic();
    for (const [target, field] of [
      [{}, 'target'],
      [{ topic, coverage: 'a-case' }, 'target'],
      [{ topic, more: 1 }, 'more'],
      [{ topic: 7 }, 'topic'],
      [null, 'content'],
      [[], 'content'],
    ] as const) {
      const asked = refused(who, 'save_follow', { ...save({}), target: target as never });
      expect(await asked, JSON.stringify(target)).toEqual({ code: 'invalid', field });
    }
    for (const field of ['scope', 'by_mail', 'by_push']) {
      const asked = refused(who, 'save_follow', save({ topic }, { [field]: null }));
      expect(await asked).toEqual({ code: 'invalid', field });
    }
    expect(await rowsOf('follows', who)).toEqual([]);
  });

  test('exists once per coverage or topic, and can be changed and ended', async () => {
    const who = await alerts.person();
    const other = await alerts.follower(await alerts.coverage());
    const topic = await alerts.topic();
    const coverage = alerts.slugOf(await alerts.coverage('ended'));
    const first = await alerts.follow(who, { topic }, { mail: true, push: false });
    expect(first).toEqual({ id: first?.id, scope: 'all', mail: true, push: false });
    const again = await alerts.follow(who, { topic }, { scope: 'key', mail: true, push: true });
    expect(again).toEqual({ id: first?.id, scope: 'key', mail: true, push: true });
    const second = await alerts.follow(who, { coverage });
    const shown = { kind: 'topic', slug: topic, name: 'Weather', state: null };
    expect(await mine(who, 'my_follows')).toEqual([
      {
        id: second?.id,
        kind: 'coverage',
        slug: coverage,
        name: 'A case',
        state: 'ended',
        scope: 'all',
        mail: false,
        push: true,
      },
      { ...again, ...shown },
    ]);
    expect(await mine(other, 'my_follows')).toHaveLength(1);

    const end = {
      target: { topic },
      scope: 'all',
      by_mail: false,
      by_push: false,
      idempotency_key: randomUUID(),
    };
    // The response to the call that ends it may be lost, so it is repeated.
    for (const _ of [1, 2]) expect(await database.call(who, ['save_follow', end])).toBeNull();
    expect(await alerts.follow(who, { topic }, { push: false })).toBeNull();
    expect((await mine(who, 'my_follows')).map(({ id }) => id)).toEqual([second?.id]);
    expect(await mine(other, 'my_follows')).toHaveLength(1);
  });

  test('survives a new slug, and can be ended without showing texts when its coverage is withdrawn', async () => {
    const who = await alerts.person();
    const coverage_id = await alerts.coverage();
    await alerts.follow(who, { coverage: alerts.slugOf(coverage_id) });
    const slug = `moved-${coverage_id}`;
    await database.call(editor, ['save_coverage', { coverage_id, version: 1, content: { slug } }]);
    await alerts.follow(who, { coverage: alerts.slugOf(coverage_id) }, { scope: 'key' });
    expect(await mine(who, 'my_follows')).toMatchObject([{ slug, scope: 'key', name: 'A case' }]);
    await database.call(editor, ['set_coverage_state', { coverage_id, state: 'withdrawn' }]);
    expect(await mine(who, 'my_follows')).toMatchObject([{ slug, name: slug, state: 'withdrawn' }]);
    expect(await alerts.follow(who, { coverage: slug }, { push: false })).toBeNull();
    expect(await mine(who, 'my_follows')).toEqual([]);
  });

  test('is limited in number per person, but existing ones can be changed', async () => {
    const who = await alerts.person();
    const topic = await alerts.topic();
    await alerts.follow(who, { topic });
    await database.rows(
      `with made as (insert into public.topics (slug, name)
         select 'many-' || n || '-' || left(md5($1), 8), 'Many' from generate_series(2, $2::int) n returning id)
       insert into public.follows (person_id, topic_id, scope, mail, push) select $1::uuid, id, 'all', true, false from made`,
      [who.sub, LIMITS.max_follows],
    );
    // One of these two concurrent calls exceeds the limit.
    await alerts.follow(who, { topic }, { push: false });
    const two = await Promise.all(
      [await alerts.topic(), await alerts.topic()].map((one) =>
        alerts.follow(who, { topic: one }).then(
          () => 'ok',
          (error: Error) => error.message,
        ),
      ),
    );
    expect(two.sort()).toEqual(['bad_state', 'ok']);
    expect(await refused(who, 'save_follow', save({ topic }))).toEqual({ code: 'bad_state' });
    const [any] = await mine(who, 'my_follows');
    expect(await alerts.follow(who, { topic: any?.slug }, { scope: 'key' })).toMatchObject({
      id: any?.id,
      scope: 'key',
    });
    expect(await rowsOf('follows', who)).toHaveLength(LIMITS.max_follows);
  });
});

describe('a push subscription', () => {
  const HOSTS = [
    'https://fcm.googleapis.com/fcm/send/a',
    'https://fcm.googleapis.com:443/fcm/send/b',
    'https://updates.push.services.mozilla.com/wpush/v2/c',
    'https://autopush.push.services.mozilla.com/wpush/v2/d',
    'https://wns2-par02p.notify.windows.com/w/?token=BQ%3d%3d',
    'https://web.push.apple.com/QGuk',
    'https://eu.push.apple.com/QGuk',
  ];
  const NOWHERE = [
    'http://fcm.googleapis.com/fcm/send/a',
    'https://fcm.googleapis.com:8443/fcm/send/a',
    'https://fcm.googleapis.com:443:443/a',
    'https://fcm.googleapis.com',
    'https://fcm.googleapis.com./a',
    'https://FCM.googleapis.com/a',
    'https://fcm.googleapis.com@127.0.0.1/a',
    'https://me:pw@fcm.googleapis.com/a',
    'https://fcm.googleapis.com\\@127.0.0.1/a',
    'https://fcm.googleapis.com/a b',
    'https://fcm.googleapis.com/a#b',
    'https://xfcm.googleapis.com/a',
    'https://fcm.googleapis.com.example.com/a',
    'https://x.fcm.googleapis.com/a',
    'https://a.b.push.apple.com/a',
    'https://.push.apple.com/a',
    'https://push.apple.com/a',
    'https://*.push.apple.com/a',
    'https://evilpush.apple.com/a',
    'https://notify.windows.com/a',
    'https://127.0.0.1/a',
    'https://[::1]/a',
    'https://permanently-removed.invalid/fcm/send/a',
    'http://127.0.0.1:9999/a',
    `${SERVICE}/${'a'.repeat(LIMITS.url)}`,
    'fcm.googleapis.com/a',
    '',
    null,
    7,
  ];

  test('is accepted for known push services only', async () => {
    const who = await alerts.person();
    for (const endpoint of HOSTS) await alerts.subscribe(who, endpoint);
    const kept = await rowsOf('push_subscriptions', who);
    expect(kept.map(({ endpoint }) => endpoint)).toEqual(HOSTS);
    for (const endpoint of NOWHERE) {
      const args = { subscription: { ...subscription(), endpoint }, device: '' };
      expect(await refused(who, 'save_push_subscription', args), String(endpoint)).toEqual({
        code: 'invalid',
        field: 'endpoint',
      });
    }
    expect(await rowsOf('push_subscriptions', who)).toEqual(kept);
  });

  test('needs keys of the right form and a name', async () => {
    const who = await alerts.person();
    const { keys } = subscription();
    const wrong: [args: object, field: string][] = [
      [{ p256dh: keys.p256dh.slice(1) }, 'p256dh'],
      [{ p256dh: `A${keys.p256dh.slice(1)}` }, 'p256dh'],
      [{ p256dh: `BQ${keys.p256dh.slice(2)}` }, 'p256dh'],
      [{ p256dh: `${keys.p256dh}=` }, 'p256dh'],
      [{ p256dh: keys.p256dh.replace('a', '+') }, 'p256dh'],
      [{ p256dh: null }, 'p256dh'],
      [{ auth: keys.auth.slice(1) }, 'auth'],
      [{ auth: `${keys.auth}A` }, 'auth'],
      [{ auth: keys.auth.replace('b', '/') }, 'auth'],
      [{ auth: undefined }, 'auth'],
    ];
    for (const [more, field] of wrong) {
      const args = { subscription: { ...subscription(), keys: { ...keys, ...more } }, device: '' };
      expect(await refused(who, 'save_push_subscription', args), JSON.stringify(more)).toEqual({
        code: 'invalid',
        field,
      });
    }
    for (const [keys, field] of [
      [undefined, 'p256dh'],
      ['a', 'p256dh'],
      [[], 'p256dh'],
    ] as const) {
      const args = { subscription: { ...subscription(), keys: keys as never }, device: '' };
      expect(await refused(who, 'save_push_subscription', args)).toEqual({ code: 'invalid', field });
    }
    const device = 'x'.repeat(LIMITS.push_device + 1);
    expect(await refused(who, 'save_push_subscription', { subscription: subscription(), device })).toEqual({
      code: 'invalid',
      field: 'device',
    });
    expect(await rowsOf('push_subscriptions', who)).toEqual([]);
  });

  test('is shown without its keys, and only to its person', async () => {
    const who = await alerts.person();
    const { id } = await alerts.subscribe(who);
    expect(await mine(who, 'my_push_subscriptions')).toEqual([
      { id, device: 'Phone', created_at: expect.anything(), last_notified_at: null },
    ]);
    const other = await alerts.person();
    expect(await mine(other, 'my_push_subscriptions')).toEqual([]);
    for (const one of [VISITOR, who, other, editor, SERVER]) {
      for (const table of [
        'public.push_subscriptions',
        'public.follows',
        'public.deliveries',
        'private.alert_settings',
      ]) {
        const read = database.as(one, (session) => session.query(`select * from ${table}`));
        expect(await errorOf(read), `${one.role} ${table}`).toEqual({ code: '42501' });
      }
    }
  });

  test('keeps its id with new keys, and moves to the person who uses the browser now', async () => {
    const who = await alerts.person();
    const endpoint = `${SERVICE}/${randomUUID()}`;
    const { id } = await alerts.subscribe(who, endpoint);
    const fresh = { ...subscription(endpoint), keys: { ...subscription().keys, auth: `${'c'.repeat(21)}Q` } };
    expect(
      await database.call(who, ['save_push_subscription', { subscription: fresh, device: ' My\tphone ' }]),
    ).toEqual({
      id,
    });
    expect(await rowsOf('push_subscriptions', who)).toMatchObject([
      { id, auth: fresh.keys.auth, device: 'My phone' },
    ]);
    const next = await alerts.person();
    const moved = await alerts.subscribe(next, endpoint);
    expect(moved.id).not.toBe(id);
    expect(await rowsOf('push_subscriptions', who)).toEqual([]);
    expect(await mine(next, 'my_push_subscriptions')).toHaveLength(1);
    // Both calls succeed, and one person has the subscription.
    await Promise.all([alerts.subscribe(who, endpoint), alerts.subscribe(next, endpoint)]);
    expect(
      await database.rows('select * from public.push_subscriptions where endpoint = $1', [endpoint]),
    ).toHaveLength(1);
  });

  test('replaces the oldest one at the limit, and never the current one', async () => {
    const who = await alerts.person();
    const ids: string[] = [];
    for (let n = 0; n < LIMITS.max_push_devices; n++) ids.push((await alerts.subscribe(who)).id);
    await database.rows(
      "update public.push_subscriptions set created_at = created_at - interval '1 day' where id = $1",
      [ids[3]],
    );
    const { id } = await alerts.subscribe(who);
    const left = (await mine(who, 'my_push_subscriptions')).map((one) => one.id);
    expect(left.sort()).toEqual([...ids.filter((one) => one !== ids[3]), id].sort());
  });

  test('can be deleted only by its person, and deleting is idempotent', async () => {
    const who = await alerts.person();
    const { id } = await alerts.subscribe(who);
    const other = await alerts.person();
    expect(await database.call(other, ['delete_push_subscription', { id }])).toEqual({ id });
    expect(await mine(who, 'my_push_subscriptions')).toHaveLength(1);
    for (const _ of [1, 2])
      expect(await database.call(who, ['delete_push_subscription', { id }])).toEqual({ id });
    expect(await mine(who, 'my_push_subscriptions')).toEqual([]);
  });
});

describe('the unsubscribe link', () => {
  const secretOf = async (id: string | undefined) =>
    (
      await database.rows<{ secret: string }>(
        'select unsubscribe_secret as secret from public.follows where id = $1',
        [id],
      )
    )[0]?.secret as string;
  const read = (secret: string) => database.call(VISITOR, ['read_unsubscribe_link', { token: secret }]);
  const stop = (secret: string) => database.call(VISITOR, ['unsubscribe', { token: secret }]);

  test('contains 256 random bits, and reveals nothing to a wrong secret', async () => {
    const topic = await alerts.topic();
    const secrets = [];
    for (let n = 0; n < 3; n++)
      secrets.push(await secretOf((await alerts.follow(await alerts.person(), { topic }))?.id));
    expect(new Set(secrets).size).toBe(3);
    for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    for (const guess of ['', 'a', `${secrets[0]} `, String(secrets[0]).slice(1), randomUUID()]) {
      expect(await read(guess)).toBeNull();
      expect(await stop(guess)).toBeNull();
    }
  });

  test('stops the mails of its follow only, without an account, and can be repeated', async () => {
    const coverage = alerts.slugOf(await alerts.coverage());
    const [who, other] = [await alerts.person(), await alerts.person()];
    const both = await alerts.follow(who, { coverage }, { mail: true, push: true });
    await alerts.follow(other, { coverage }, { mail: true, push: false });
    const secret = await secretOf(both?.id);
    const about = { kind: 'coverage', slug: coverage, name: 'A case' };
    expect(await read(secret)).toEqual({ ...about, mail: true });
    expect(await stop(secret)).toEqual({ ...about, was_subscribed: true });
    expect(await stop(secret)).toEqual({ ...about, was_subscribed: false });
    expect(await read(secret)).toEqual({ ...about, mail: false });
    expect(await mine(who, 'my_follows')).toMatchObject([{ id: both?.id, mail: false, push: true }]);
    expect(await mine(other, 'my_follows')).toMatchObject([{ mail: true }]);
  });

  test('ends a follow with mails only, and stays valid for some time', async () => {
    const topic = await alerts.topic();
    const who = await alerts.person();
    const secret = await secretOf((await alerts.follow(who, { topic }, { mail: true, push: false }))?.id);
    const about = { kind: 'topic', slug: topic, name: 'Weather' };
    expect(await stop(secret)).toEqual({ ...about, was_subscribed: true });
    expect(await rowsOf('follows', who)).toEqual([]);
    expect(await stop(secret)).toEqual({ ...about, was_subscribed: false });
    expect(await read(secret)).toEqual({ ...about, mail: false });
    expect(JSON.stringify(await database.rows('select * from private.stopped_follows'))).not.toContain(
      secret,
    );
    // A new follow has another secret.
    const next = await secretOf((await alerts.follow(who, { topic }, { mail: true, push: false }))?.id);
    expect(next).not.toBe(secret);
    expect(await stop(secret)).toEqual({ ...about, was_subscribed: false });
    expect(await rowsOf('follows', who)).toHaveLength(1);
    await database.rows(
      `update private.stopped_follows set at = at - interval '${LIMITS.unsubscribe_link_days} days'`,
    );
    await database.rows('select private.delete_old_alerts(100)');
    expect(await read(secret)).toBeNull();
    expect(await read(next)).toEqual({ ...about, mail: true });
  });
});

test('the first key pair is kept, and get_alert_channels lists the channels', async () => {
  const means = (who: Claims) => database.call(who, ['get_alert_channels', {}]);
  const keep = (args: object) =>
    database.call(SERVER, ['save_alert_settings', args as Record<string, unknown>]);
  const [first, second] = ['a', 'c'].map((letter) => ({
    push_public: `BA${letter.repeat(85)}`,
    push_private: letter.repeat(43),
  }));
  expect(await means(VISITOR)).toEqual({ push_key: null, mail: false });
  for (const [more, field] of [
    [{ push_public: 'no' }, 'push_public'],
    [{ push_private: 'no' }, 'push_private'],
    [{ push_private: null }, 'push_private'],
    [{ push_public: null }, 'push_public'],
  ] as const) {
    expect(await errorOf(keep({ ...first, mail: true, ...more }))).toEqual({ code: 'invalid', field });
  }
  expect(await keep({ push_public: null, push_private: null, mail: true })).toEqual({
    push_public: null,
    push_private: null,
  });
  expect(await keep({ ...first, mail: true })).toEqual(first);
  expect(await keep({ ...second, mail: false })).toEqual(first);
  for (const who of [VISITOR, editor]) {
    expect(await means(who)).toEqual({ push_key: first?.push_public, mail: false });
    expect((await refused(who, 'save_alert_settings', { ...second, mail: true })).code).toBe('42501');
  }
});
