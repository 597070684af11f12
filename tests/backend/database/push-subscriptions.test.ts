import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { PUSH_SERVICE_URL, subscription } from '../../support/alerts.ts';
import { errorOf, SERVER, VISITOR } from '../../support/database.ts';
import { alerts, database, editor, mine, refused, rowsOf, useAlerts } from './follow-context.ts';

useAlerts();

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
    `${PUSH_SERVICE_URL}/${'a'.repeat(LIMITS.url)}`,
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
    const endpoint = `${PUSH_SERVICE_URL}/${randomUUID()}`;
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
