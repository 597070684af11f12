import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { type Delivery, subscription } from '../../support/alerts.ts';
import { errorOf, SERVER, VISITOR } from '../../support/database.ts';
import { alerts, database, editor, mine, refused, rowsOf, useAlerts } from './follow-context.ts';
import {
  callFrom,
  endOn,
  followOn,
  followsOn,
  newCoverage,
  type Row,
  storedDevice,
  useMail,
} from './followers-context.ts';

/* Following by a confirmed address without an account, and alerts to all kinds of followers. */

useAlerts();

const HOLD = LIMITS.alert_hold_seconds;

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
    // The same client, as a socket for both families names it.
    for (const mapped of ['::ffff:192.0.2.7', '::FFFF:192.0.2.7']) {
      expect(await errorOf(ask(mapped))).toEqual({ code: 'rate_limited' });
    }
    await ask('::ffff:192.0.2.8');
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

  test.each([
    ['all', 'all', { all: 'account', key: 'account' }],
    ['all', 'key', { all: 'account', key: 'account' }],
    ['key', 'key', { key: 'account' }],
    ['key', 'all', { all: 'address', key: 'address' }],
  ])(
    'are mailed once if the account follows %s updates of a coverage and its address %s updates of a topic',
    async (own, byAddress, expected: { all?: string; key: string }) => {
      await useMail();
      const topic = await alerts.topic();
      const id = await alerts.coverage('live', [topic]);
      const person = await alerts.person();
      const email = `${person.sub}@example.com`;
      await alerts.follow(person, { coverage: alerts.slugOf(id) }, { scope: own, mail: true, push: false });
      await database.call(VISITOR, ['request_mail_follow', { target: { topic }, scope: byAddress, email }]);
      const links = (await database.call(SERVER, ['claim_follow_requests', { max_rows: 50 }])) as {
        token: string;
        to: string;
      }[];
      const token = links.find(({ to }) => to === email)?.token;
      await database.call(VISITOR, ['confirm_follow_request', { token }]);
      const mailed = async (more: object) => {
        await alerts.publish(id, 'News.', more);
        await alerts.advance(24 * 3600);
        const mails = (await alerts.deliver()).flatMap(({ mail }) => mail ?? []);
        return mails.filter(({ to }) => to === email).map(({ account }) => (account ? 'account' : 'address'));
      };
      expect(await mailed({})).toEqual(expected.all ? [expected.all] : []);
      expect(await mailed({ key_event: true })).toEqual([expected.key]);
    },
  );

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
