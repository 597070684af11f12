import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { PUSH_SERVICE_URL, subscription } from '../../support/alerts.ts';
import { errorOf, SERVER, VISITOR } from '../../support/database.ts';
import { alerts, database, editor, mine, refused, rowsOf, useAlerts } from './follow-context.ts';
import {
  callFrom,
  endOn,
  followArgs,
  followOn,
  followsOn,
  newCoverage,
  type Row,
  storedDevice,
  withWrongSecret,
} from './followers-context.ts';

/* Following on a device without an account. */

useAlerts();

const HOLD = LIMITS.alert_hold_seconds;

describe('a device without an account', () => {
  test('cannot follow a draft, at an unknown push service, or without a scope', async () => {
    const device = subscription();
    const { target } = await newCoverage();
    const draft = await newCoverage('draft');
    for (const [args, expected] of [
      [followArgs(device, draft.target), { code: 'not_found' }],
      [followArgs(device, { coverage: 'never-was' }), { code: 'not_found' }],
      [followArgs(device, {}), { code: 'invalid', field: 'target' }],
      [
        { ...followArgs(device, target), scope: null },
        { code: 'invalid', field: 'scope' },
      ],
      [
        followArgs({ ...device, endpoint: 'https://127.0.0.1/a' }, target),
        { code: 'invalid', field: 'endpoint' },
      ],
      [
        followArgs({ ...device, keys: { ...device.keys, auth: 'no' } }, target),
        { code: 'invalid', field: 'auth' },
      ],
      [
        { ...followArgs(device, target), device: 'x'.repeat(LIMITS.push_device + 1) },
        { code: 'invalid', field: 'device' },
      ],
    ] as [Row, object][]) {
      expect(await refused(VISITOR, 'save_device_follow', args)).toEqual(expected);
    }
    expect(await storedDevice(device)).toEqual([]);
    expect(await followsOn(device)).toBeNull();
  });

  test('can follow in one call, change the scope, and end one follow or all', async () => {
    const device = subscription();
    const { target } = await newCoverage();
    const topic = await alerts.topic();
    const shown = { kind: 'coverage', slug: target.coverage, name: 'A case', state: 'live' };
    expect(await followOn(device, target)).toEqual([{ ...shown, scope: 'all' }]);
    expect(await followOn(device, target, 'key')).toEqual([{ ...shown, scope: 'key' }]);
    expect(await storedDevice(device)).toMatchObject([{ scope: 'key', push: true, mail: false }]);
    expect(await followOn(device, { topic })).toMatchObject([{ slug: topic }, shown]);
    expect(await followsOn(device)).toHaveLength(2);
    expect(await endOn(device, target)).toMatchObject([{ slug: topic }]);
    expect(await endOn(device)).toEqual([]);
    expect(await storedDevice(device)).toEqual([]);
    expect(await endOn(device)).toEqual([]);
    // Ending the only follow also deletes the device.
    await followOn(device, target);
    expect(await endOn(device, target)).toEqual([]);
    expect(await storedDevice(device)).toEqual([]);
  });

  test('cannot be listed, changed or ended without its secret', async () => {
    const device = subscription();
    const { target } = await newCoverage();
    await followOn(device, target, 'key');
    const stored = await storedDevice(device);
    const thief = withWrongSecret(device);
    const elsewhere = subscription();
    expect(await followsOn(thief)).toBeNull();
    expect(await followsOn({ ...elsewhere, keys: device.keys })).toBeNull();
    expect(await endOn(thief)).toEqual([]);
    expect(await endOn(thief, target)).toEqual([]);
    expect(await refused(VISITOR, 'save_device_follow', followArgs(thief, target))).toEqual({
      code: 'conflict',
    });
    const replace = { former: thief, subscription: elsewhere };
    expect(await database.call(VISITOR, ['replace_device_subscription', replace])).toBeNull();
    for (const nonsense of [{}, { endpoint: device.endpoint }, { endpoint: device.endpoint, keys: [] }]) {
      expect(await database.call(VISITOR, ['list_device_follows', { subscription: nonsense }])).toBeNull();
    }
    expect(await storedDevice(device)).toEqual(stored);
    expect(await storedDevice(elsewhere)).toEqual([]);
    for (const who of [VISITOR, await alerts.person(), editor, SERVER]) {
      for (const table of ['public.followers', 'private.follow_requests']) {
        const read = database.as(who, (session) => session.query(`select * from ${table}`));
        expect(await errorOf(read), `${who.role} ${table}`).toEqual({ code: '42501' });
      }
    }
  });

  test('cannot take over the browser of an account', async () => {
    const person = await alerts.person();
    const device = subscription();
    await alerts.subscribe(person, device.endpoint);
    const { target } = await newCoverage();
    expect(await refused(VISITOR, 'save_device_follow', followArgs(device, target))).toEqual({
      code: 'conflict',
    });
    const own = subscription();
    await followOn(own, target);
    const replace = { former: own, subscription: device };
    expect(await refused(VISITOR, 'replace_device_subscription', replace)).toEqual({ code: 'conflict' });
    expect(await followsOn(device)).toBeNull();
    expect(await endOn(device)).toEqual([]);
    expect(await rowsOf('push_subscriptions', person)).toHaveLength(1);
    expect(await followsOn(own)).toHaveLength(1);
  });

  test('keeps its follows when the browser renews the subscription', async () => {
    const [device, renewed] = [subscription(), subscription()];
    const { target } = await newCoverage();
    await followOn(device, target);
    const replace = { former: device, subscription: renewed };
    expect(await database.call(VISITOR, ['replace_device_subscription', replace])).toHaveLength(1);
    expect(await followsOn(device)).toBeNull();
    expect(await followsOn(renewed)).toHaveLength(1);
    const wrong = { former: renewed, subscription: { ...renewed, endpoint: 'https://example.com/a' } };
    expect(await refused(VISITOR, 'replace_device_subscription', wrong)).toEqual({
      code: 'invalid',
      field: 'endpoint',
    });
    expect(await storedDevice(renewed)).toHaveLength(1);
  });

  test('gets the alert at its new address when the browser renewed the subscription during the delivery', async () => {
    const [device, renewed] = [subscription(), subscription()];
    const { id, target } = await newCoverage();
    await followOn(device, target);
    await alerts.publish(id);
    await alerts.advance(HOLD);
    const claimed = await alerts.claim();
    const begun = await alerts.begin(claimed.map((one) => one.id));
    const replace = { former: device, subscription: renewed };
    await database.call(VISITOR, ['replace_device_subscription', replace]);
    expect(await alerts.record(begun.map((one) => ({ id: one, outcome: 'gone' })))).toMatchObject({
      again: 1,
      gone: 0,
    });
    expect(await followsOn(renewed)).toHaveLength(1);
    await database.rows("update public.deliveries set due_at = now() where state = 'queued'");
    expect((await alerts.claim()).map(({ push }) => push?.endpoint)).toEqual([renewed.endpoint]);
    // The new address can be gone too.
    await alerts.begin(begun);
    expect(await alerts.record(begun.map((one) => ({ id: one, outcome: 'gone' })))).toMatchObject({
      gone: 1,
    });
    expect(await followsOn(renewed)).toBeNull();
  });

  test('is limited in number of follows, and in number per network and hour', async () => {
    const { target } = await newCoverage();
    const device = subscription();
    await followOn(device, target);
    await database.rows(
      `with made as (insert into public.topics (slug, name)
         select 'device-' || n || '-' || left(md5($1), 8), 'Many' from generate_series(2, $2::int) n returning id)
       insert into public.follows (follower_id, topic_id, scope, mail, push)
       select s.follower_id, made.id, 'all', false, true from made, public.push_subscriptions s where s.endpoint = $1`,
      [device.endpoint, LIMITS.max_follows],
    );
    const more = followArgs(device, { topic: await alerts.topic() });
    expect(await refused(VISITOR, 'save_device_follow', more)).toEqual({ code: 'bad_state' });
    expect(await followsOn(device)).toHaveLength(LIMITS.max_follows);

    const from = (address: string, one = subscription()) =>
      callFrom(address, ['save_device_follow', followArgs(one, target)]).then(() => one);
    const first = await from('2001:db8:1:2::3');
    // All but one of the network's devices were registered earlier.
    await database.rows(
      `insert into public.followers (network_hash, created_at)
       select w.network_hash, now() - interval '59 minutes' from public.followers w
       join public.push_subscriptions s on s.follower_id = w.id, generate_series(2, $2::int) where s.endpoint = $1`,
      [first.endpoint, LIMITS.device_followers_per_network - 1],
    );
    await from('2001:db8:1:2:ffff::9');
    const late = subscription();
    expect(await errorOf(from('2001:db8:1:2::3', late))).toEqual({ code: 'rate_limited' });
    expect(await storedDevice(late)).toEqual([]);
    // Known devices of that network, and other networks, are not limited.
    await from('2001:db8:1:2::3', first);
    await from('2001:db8:1:3::3');
    await from('192.0.2.1, 2001:db8:1:2::3');
    await from('unknown');
    await database.rows("update public.followers set created_at = created_at - interval '1 hour'");
    await from('2001:db8:1:2::3', late);
    // The digest does not outlive a day, and names no address.
    await database.rows("update public.followers set created_at = created_at - interval '1 day'");
    await database.rows('select private.delete_old_followers(1000)');
    expect(await database.rows('select from public.followers where network_hash is not null')).toEqual([]);
  });

  test('brings its follows along when its browser is registered for an account', async () => {
    const person = await alerts.person();
    const device = subscription();
    const [first, second] = [await newCoverage(), await newCoverage()];
    await followOn(device, first.target);
    await followOn(device, second.target);
    await alerts.follow(person, first.target, { scope: 'key', mail: true, push: false });
    // Another browser's secret brings nothing along.
    const thief = await alerts.person();
    await database.call(thief, [
      'save_push_subscription',
      { subscription: withWrongSecret(subscription()), device: '' },
    ]);
    expect(await mine(thief, 'my_follows')).toEqual([]);

    await database.call(person, ['save_push_subscription', { subscription: device, device: 'Phone' }]);
    expect(await mine(person, 'my_follows')).toMatchObject([
      { slug: first.target.coverage, scope: 'all', mail: true, push: true },
      { slug: second.target.coverage, scope: 'all', mail: false, push: true },
    ]);
    expect(await mine(person, 'my_push_subscriptions')).toHaveLength(1);
    expect(await followsOn(device)).toBeNull();
  });

  test('gets an alert that was waiting when it became part of an account', async () => {
    const person = await alerts.person();
    const device = subscription();
    const { id, target } = await newCoverage();
    await followOn(device, target);
    await alerts.publish(id);
    await alerts.advance(HOLD);
    // Creates the delivery without handing it out.
    await database.rows("select private.create_deliveries('push', 10)");
    await database.call(person, ['save_push_subscription', { subscription: device, device: '' }]);
    expect((await alerts.deliver()).map(({ push }) => push?.endpoint)).toEqual([device.endpoint]);
  });
});

test('the address of a browser is not known before it registers', async () => {
  expect(await followsOn(subscription(`${PUSH_SERVICE_URL}/${randomUUID()}`))).toBeNull();
});
