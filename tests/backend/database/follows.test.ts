import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { subscription } from '../../support/alerts.ts';
import { SERVER, VISITOR } from '../../support/database.ts';
import { alerts, database, editor, mine, refused, rowsOf, useAlerts } from './follow-context.ts';

useAlerts();

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

  test('is possible for one public coverage or topic, and a draft counts as missing', async () => {
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
       insert into public.follows (follower_id, topic_id, scope, mail, push) select $1::uuid, id, 'all', true, false from made`,
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
