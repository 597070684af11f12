import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { type Delivery, SERVICE, subscription } from '../../support/alerts.ts';
import { type Call, errorOf, SERVER, VISITOR } from '../../support/database.ts';
import { alerts, database, editor, mine, refused, rowsOf, useAlerts } from './follow-context.ts';

/* Following without an account: by a device, and by a confirmed address. */

useAlerts();

const HOLD = LIMITS.alert_hold_seconds;

type Device = ReturnType<typeof subscription>;
type DeviceFollow = { kind: string; slug: string; name: string; state: string | null; scope: string };
type Row = Record<string, unknown>;

/** The same browser with another secret, as an attacker who knows its address would send it. */
const withWrongSecret = (device: Device): Device => ({
  ...device,
  keys: { ...device.keys, auth: `${'z'.repeat(21)}A` },
});

const followArgs = (device: Device, target: object, scope = 'all') => ({
  subscription: device,
  device: 'Phone',
  target,
  scope,
});
const followOn = (device: Device, target: object, scope = 'all') =>
  database.call(VISITOR, ['save_device_follow', followArgs(device, target, scope)]) as Promise<
    DeviceFollow[]
  >;
const followsOn = (device: Device) =>
  database.call(VISITOR, ['list_device_follows', { subscription: device }]) as Promise<DeviceFollow[] | null>;
const endOn = (device: Device, target: object | null = null) =>
  database.call(VISITOR, ['delete_device_follows', { subscription: device, target }]) as Promise<
    DeviceFollow[]
  >;

/** Rows of a device, as they are stored. */
const storedDevice = async ({ endpoint }: Device) =>
  database.rows<Row>(
    `select s.auth, s.follower_id, f.scope, f.push, f.mail from public.push_subscriptions s
     left join public.follows f using (follower_id) where s.endpoint = $1 order by f.created_at`,
    [endpoint],
  );

const newCoverage = async (state?: string) => {
  const id = await alerts.coverage(state);
  return { id, target: { coverage: alerts.slugOf(id) } };
};

/** Calls functions as a visitor whom the gateway names by this address. */
const callFrom = (address: string, ...calls: Call[]) =>
  database.as(VISITOR, async (session) => {
    const headers = JSON.stringify({ 'x-forwarded-for': address });
    await session.query("select set_config('request.headers', $1, true)", [headers]);
    for (const [name, args] of calls) {
      const values = Object.values(args).map((value) =>
        typeof value === 'object' ? JSON.stringify(value) : value,
      );
      const named = Object.keys(args).map((key, n) => `${key} => $${n + 1}`);
      await session.query(`select public.${name}(${named})`, values);
    }
  });

const useMail = (mail = true) =>
  database.call(SERVER, ['save_alert_settings', { push_public: null, push_private: null, mail }]);

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

describe('an address without an account', () => {
  type Claimed = {
    id: string;
    token: string;
    to: string;
    scope: string;
    language: string;
    follow: { kind: string; slug: string; name: string };
  };

  const newAddress = () => `${randomUUID()}@example.com`;
  const request = (email: string, target: object, scope = 'all') =>
    database.call(VISITOR, ['request_mail_follow', { target, scope, email }]);
  const claimLinks = () =>
    database.call(SERVER, ['claim_follow_requests', { max_rows: 50 }]) as Promise<Claimed[]>;
  const read = (token: string) => database.call(VISITOR, ['read_follow_request', { token }]);
  const confirm = (token: string) => database.call(VISITOR, ['confirm_follow_request', { token }]);
  const followsOf = (email: string) =>
    database.rows<Row>(
      `select f.scope, f.mail, f.push, f.unsubscribe_secret from public.followers w join public.follows f on f.follower_id = w.id where w.email = $1`,
      [email],
    );
  /** Requests and confirms a follow. */
  async function follow(email: string, target: object, scope = 'all') {
    await request(email, target, scope);
    const [claimed] = await claimLinks();
    await confirm(claimed?.token ?? '');
    return claimed?.token ?? '';
  }

  afterEach(async () => {
    await useMail();
    await database.rows('delete from private.follow_requests');
  });

  test('is not asked for without a mail server, for a draft, or in a wrong form', async () => {
    const { target } = await newCoverage();
    await useMail(false);
    const email = newAddress();
    const args = { target, scope: 'all', email };
    expect(await refused(VISITOR, 'request_mail_follow', args)).toEqual({ code: 'bad_state' });
    await useMail();
    const draft = await newCoverage('draft');
    for (const [more, expected] of [
      [{ target: draft.target }, { code: 'not_found' }],
      [{ scope: null }, { code: 'invalid', field: 'scope' }],
      [{ email: 'no address' }, { code: 'invalid', field: 'email' }],
      [{ email: `a@b.c\r\nBcc: d@e.f` }, { code: 'invalid', field: 'email' }],
      [{ email: null }, { code: 'invalid', field: 'email' }],
    ] as [Row, object][]) {
      expect(await refused(VISITOR, 'request_mail_follow', { ...args, ...more })).toEqual(expected);
    }
    expect(await database.rows('select * from private.follow_requests')).toEqual([]);
  });

  test('follows after its mailed link was confirmed, and not before', async () => {
    const email = newAddress();
    const { target } = await newCoverage();
    const sent = await database.broadcastsOf(() => request(` ${email.toUpperCase()} `, target, 'key'));
    expect(sent).toContainEqual({ topic: 'site', event: 'alerts', payload: { due: 0 } });
    expect(await alerts.due()).toBe(0);
    const links = await claimLinks();
    const about = { kind: 'coverage', slug: target.coverage, name: 'A case' };
    expect(links).toEqual([
      expect.objectContaining({ to: email, scope: 'key', language: 'en', follow: about }),
    ]);
    // It is handed out once, and the database does not know the token.
    expect(await claimLinks()).toEqual([]);
    const token = links[0]?.token ?? '';
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(JSON.stringify(await database.rows('select * from private.follow_requests'))).not.toContain(token);

    expect(await read(token)).toEqual({ ...about, scope: 'key', confirmed: false });
    for (const guess of ['', 'a', token.slice(1), `${token} `]) {
      expect(await read(guess)).toBeNull();
      expect(await confirm(guess)).toBeNull();
    }
    expect(await followsOf(email)).toEqual([]);
    expect(await confirm(token)).toEqual({ ...about, scope: 'key', confirmed: true });
    expect(await followsOf(email)).toMatchObject([{ scope: 'key', mail: true, push: false }]);

    // The link starts the follow once: after the end of it, it says only that it was used.
    const [{ unsubscribe_secret } = {}] = await followsOf(email);
    await database.call(VISITOR, ['unsubscribe', { token: unsubscribe_secret }]);
    expect(await confirm(token)).toMatchObject({ confirmed: true });
    expect(await followsOf(email)).toEqual([]);
    await database.rows('select private.delete_old_followers(1000)');
    expect(await database.rows('select * from public.followers where email = $1', [email])).toEqual([]);
  });

  test('can change the scope by another link, and its link expires', async () => {
    const email = newAddress();
    const { target } = await newCoverage();
    await follow(email, target, 'all');
    const second = await follow(email, target, 'key');
    expect(await followsOf(email)).toMatchObject([{ scope: 'key' }]);
    await database.rows(
      `update private.follow_requests set created_at = now() - make_interval(hours => ${LIMITS.follow_request_hours})`,
    );
    expect(await read(second)).toBeNull();
    expect(await confirm(second)).toBeNull();
    await database.rows('select private.delete_old_followers(1000)');
    expect(await database.rows('select * from private.follow_requests')).toEqual([]);
    expect(await followsOf(email)).toHaveLength(1);
  });

  test('gets few mails a day, and the response does not say so', async () => {
    const email = newAddress();
    const answers = [];
    for (let n = 0; n <= LIMITS.follow_mails_per_address; n++) {
      const { target } = await newCoverage();
      answers.push(await request(email, target));
      // The same form again within a minute sends no second mail.
      answers.push(await request(email, target, 'key'));
    }
    expect(new Set(answers).size).toBe(1);
    const links = await claimLinks();
    expect(links.map(({ to, scope }) => [to, scope])).toEqual(
      Array.from({ length: LIMITS.follow_mails_per_address }, () => [email, 'key']),
    );
    expect(await request(newAddress(), (await newCoverage()).target)).toEqual(answers[0]);
  });

  test('limits requests per network and hour, and of all networks together', async () => {
    const { target } = await newCoverage();
    const ask = (address: string) =>
      callFrom(address, ['request_mail_follow', { target, scope: 'all', email: newAddress() }]);
    const fill = (count: number) =>
      database.rows(
        `insert into private.follow_requests (email, coverage_id, scope, network_hash, due_at)
         select n || '@example.com', r.coverage_id, 'all', r.network_hash, null
         from (select * from private.follow_requests limit 1) r, generate_series(2, $1::int) n`,
        [count],
      );
    await ask('192.0.2.7');
    await fill(LIMITS.follow_mails_per_network);
    expect(await errorOf(ask('192.0.2.7'))).toEqual({ code: 'rate_limited' });
    await ask('192.0.2.8');
    await database.rows('update private.follow_requests set network_hash = null');
    await fill(LIMITS.follow_mails_per_hour - LIMITS.follow_mails_per_network);
    expect(await errorOf(ask('192.0.2.9'))).toEqual({ code: 'rate_limited' });
    expect(await claimLinks()).toHaveLength(2);
  });

  test('gets the link again with another token when the mail server did not accept the mail', async () => {
    await request(newAddress(), (await newCoverage()).target);
    const [first] = await claimLinks();
    const retry = () => database.call(SERVER, ['retry_follow_requests', { ids: `{${first?.id}}` }]);
    for (let attempt = 1; attempt < LIMITS.delivery_attempts; attempt++) {
      await retry();
      expect(await claimLinks()).toEqual([]);
      await database.rows('update private.follow_requests set due_at = now() where due_at is not null');
      const [next] = await claimLinks();
      expect(next?.id).toBe(first?.id);
      expect(next?.token).not.toBe(first?.token);
    }
    await retry();
    expect(await alerts.due()).toBeNull();
    expect(await read(first?.token ?? '')).toBeNull();
    for (const who of [VISITOR, editor]) {
      expect((await refused(who, 'claim_follow_requests', { max_rows: 5 })).code).toBe('42501');
      expect((await refused(who, 'retry_follow_requests', { ids: '{}' })).code).toBe('42501');
    }
  });

  test('is offered to the account with the same confirmed address only', async () => {
    const person = await alerts.person();
    const email = `${person.sub}@example.com`;
    const [first, second] = [await newCoverage(), await newCoverage()];
    await follow(email, first.target);
    await follow(email, second.target, 'key');
    const offered = (who: typeof person) => database.call(who, ['my_address_follows', {}]);
    const adopt = (who: typeof person) => database.call(who, ['adopt_address_follows', {}]);
    const unconfirmed = () =>
      database.rows('update auth.users set email_confirmed_at = null where id = $1', [person.sub]);
    expect((await refused(VISITOR, 'my_address_follows', {})).code).toBe('42501');
    expect((await refused(VISITOR, 'adopt_address_follows', {})).code).toBe('42501');
    const other = await alerts.person();
    expect(await offered(other)).toEqual([]);
    expect(await adopt(other)).toEqual({ adopted: 0 });
    await unconfirmed();
    expect(await offered(person)).toEqual([]);
    expect(await adopt(person)).toEqual({ adopted: 0 });
    expect(await followsOf(email)).toHaveLength(2);
    await database.rows('update auth.users set email_confirmed_at = now() where id = $1', [person.sub]);
    // Without a mail server, confirmed means nothing.
    await useMail(false);
    expect(await offered(person)).toEqual([]);
    await useMail();

    expect(await offered(person)).toMatchObject([{ scope: 'key' }, { scope: 'all' }]);
    expect(await adopt(person)).toEqual({ adopted: 2 });
    expect(await offered(person)).toEqual([]);
    expect(await mine(person, 'my_follows')).toMatchObject([
      { slug: second.target.coverage, scope: 'key', mail: true, push: false },
      { slug: first.target.coverage, scope: 'all', mail: true, push: false },
    ]);
    expect(await followsOf(email)).toEqual([]);
  });

  test('and an account with the same address get one mail, not two', async () => {
    const person = await alerts.person();
    const email = `${person.sub}@example.com`;
    const [first, second] = [await newCoverage(), await newCoverage()];
    // The account follows, then the address.
    await alerts.follow(person, first.target, { scope: 'key', mail: true, push: true });
    await follow(email, first.target, 'all');
    expect(await followsOf(email)).toEqual([]);
    expect(await mine(person, 'my_follows')).toMatchObject([{ scope: 'all', mail: true, push: true }]);
    // The address follows, then the account. The links in earlier mails still work.
    await follow(email, second.target, 'all');
    const [{ unsubscribe_secret } = {}] = await followsOf(email);
    await alerts.follow(person, second.target, { scope: 'key', mail: true, push: false });
    expect(await followsOf(email)).toEqual([]);
    expect(await mine(person, 'my_follows')).toMatchObject([{ scope: 'key', mail: true }, {}]);
    await database.call(VISITOR, ['unsubscribe', { token: unsubscribe_secret }]);
    expect(await mine(person, 'my_follows')).toHaveLength(1);
  });
});

describe('alerts', () => {
  /** A coverage with three followers: an account, a device and an address. */
  async function followed() {
    await useMail();
    const { id, target } = await newCoverage();
    const person = await alerts.follower(id, { mail: true, push: true });
    const device = subscription();
    await followOn(device, target);
    const email = `${randomUUID()}@example.com`;
    await database.call(VISITOR, ['request_mail_follow', { target, scope: 'all', email }]);
    const [link] = (await database.call(SERVER, ['claim_follow_requests', { max_rows: 5 }])) as {
      token: string;
    }[];
    await database.call(VISITOR, ['confirm_follow_request', { token: link?.token ?? '' }]);
    return { id, target, person, device, email };
  }
  const receivers = (deliveries: Delivery[]) =>
    deliveries.map(({ push, mail }) => push?.endpoint ?? mail?.to).sort();

  test('reach all kinds of followers once', async () => {
    const { id, person, device, email } = await followed();
    await alerts.publish(id);
    await alerts.advance(HOLD);
    const deliveries = await alerts.deliver();
    const [own] = await rowsOf('push_subscriptions', person);
    expect(receivers(deliveries)).toEqual(
      [own?.endpoint, device.endpoint, `${person.sub}@example.com`, email].sort(),
    );
    expect(deliveries.find(({ mail }) => mail?.to === email)?.mail).toEqual({
      to: email,
      account: false,
      stop: expect.any(String),
      follow: expect.objectContaining({ kind: 'coverage', name: 'A case' }),
    });
    expect(await alerts.deliver()).toEqual([]);
  });

  test('are not sent to a device or address that ended its follow after the claim', async () => {
    const { id, target, device, email } = await followed();
    await alerts.publish(id);
    await alerts.advance(HOLD);
    const claimed = await alerts.claim();
    expect(claimed).toHaveLength(4);
    await endOn(device, target);
    const [{ secret } = {}] = await database.rows<{ secret: string }>(
      `select unsubscribe_secret as secret from public.follows f join public.followers w on w.id = f.follower_id where w.email = $1`,
      [email],
    );
    await database.call(VISITOR, ['unsubscribe', { token: secret }]);
    expect(await alerts.begin(claimed.map(({ id }) => id))).toHaveLength(2);
  });

  test('end for a device that the push service no longer knows', async () => {
    const { id, device } = await followed();
    await alerts.publish(id);
    await alerts.advance(HOLD);
    const claimed = await alerts.claim();
    const gone = claimed.find(({ push }) => push?.endpoint === device.endpoint)?.id ?? '';
    const begun = await alerts.begin(claimed.map((one) => one.id));
    await alerts.record(begun.map((id) => ({ id, outcome: id === gone ? 'gone' : 'sent' })));
    expect(await storedDevice(device)).toEqual([]);
    expect(
      await database.rows(
        'select * from public.follows f join public.followers w on w.id = f.follower_id where w.person_id is null and w.email is null and f.coverage_id = $1',
        [id],
      ),
    ).toEqual([]);
    expect(await database.rows('select private.delete_old_followers(1000)')).toBeTruthy();
    expect(await database.rows('select * from public.deliveries where id = $1', [gone])).toEqual([]);
  });

  test('end some time after their coverage, except for accounts', async () => {
    const { id, person, device, email } = await followed();
    await database.call(editor, ['set_coverage_state', { coverage_id: id, state: 'ended' }]);
    await database.rows(
      `update public.coverages set ended_at = now() - interval '${LIMITS.follow_ended_days - 1} days' where id = $1`,
      [id],
    );
    await database.rows('select private.delete_old_followers(1000)');
    expect(await followsOn(device)).toHaveLength(1);
    await database.rows("update public.coverages set ended_at = ended_at - interval '1 day' where id = $1", [
      id,
    ]);
    await database.rows('select private.delete_old_followers(1000)');
    expect(await followsOn(device)).toBeNull();
    expect(await database.rows('select * from public.followers where email = $1', [email])).toEqual([]);
    expect(await mine(person, 'my_follows')).toHaveLength(1);
  });
});

test('the address of a browser is not known before it registers', async () => {
  expect(await followsOn(subscription(`${SERVICE}/${randomUUID()}`))).toBeNull();
});
