import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { contentOf } from '../../support/actors.ts';
import { type Delivery, openAlerts, type Person } from '../../support/alerts.ts';
import { ENGINE } from '../../support/data-folders.ts';
import { errorOf, openTestDatabase, SERVER, type TestDatabase, VISITOR } from '../../support/database.ts';
import type { Saved } from '../../support/newsroom.ts';

/* Which followers receive which alerts, when, and that each receives them once. */

let database: TestDatabase;
let editor: Person;
let alerts: ReturnType<typeof openAlerts>;
beforeAll(async () => {
  database = await openTestDatabase();
  editor = await database.createUser('editor');
  alerts = openAlerts(database, () => editor);
});
afterAll(() => database.close());
// Deletes waiting alerts and deliveries, so that they do not reach the next test.
afterEach(() => database.rows('with d as (delete from public.deliveries) delete from public.alerts'));

const HOLD = LIMITS.alert_hold_seconds;
const PUSH = LIMITS.alert_minutes * 60;
const MAIL = LIMITS.digest_minutes * 60;

/** Deliveries as `channel: numbers`, newest first. */
async function said(told: Delivery[]): Promise<string[]> {
  const rows = await database.rows<{ line: string }>(
    `select d.channel || ': ' || string_agg(u.number::text, ',' order by u.number desc) as line
     from public.deliveries d join public.updates u on u.id = any (d.updates)
     where d.id = any ($1::uuid[]) group by d.id, d.channel order by 1`,
    [told.map(({ id }) => id)],
  );
  return rows.map(({ line }) => line);
}
/** About this number of seconds, because a machine may be slow. */
const near = (seconds: number) => expect.closeTo(seconds, -1);
const waits = async (coverage: string) => (await alerts.alerts(coverage)).map(({ wait }) => wait);
const states = async (person: Person) =>
  (
    await database.rows<{ state: string }>(
      'select state from public.deliveries where person_id = $1 order by due_at',
      [person.sub],
    )
  ).map(({ state }) => state);
const told = async () => said(await alerts.deliver());

describe('an update', () => {
  test('creates no alert without followers, or when it is imported or old', async () => {
    const coverage = await alerts.coverage();
    await alerts.publish(coverage, 'News.', { urgency: 'urgent', key_event: true });
    expect(await alerts.alerts(coverage)).toEqual([]);
    // Followers of key events receive nothing here.
    const person = await alerts.follower(coverage, { scope: 'key' });
    await alerts.publish(coverage);
    const item = (at: number) => ({
      id: randomUUID(),
      published_at: new Date(at).toISOString(),
      content: contentOf('Brought in.', { key_event: true }),
    });
    const other = await alerts.coverage();
    await alerts.follow(person, { coverage: alerts.slugOf(other) });
    const items = [item(Date.now() - 3600_000), item(Date.now() - 1000)];
    await database.call(SERVER, ['import_updates', { coverage_id: other, items }]);
    expect([...(await alerts.alerts(coverage)), ...(await alerts.alerts(other))]).toEqual([]);
    expect(await alerts.due()).toBeNull();
  });

  test('is delivered once after the hold, and the server learns the due time', async () => {
    const coverage = await alerts.coverage();
    const person = await alerts.follower(coverage, { mail: true });
    const sent = await database.broadcastsOf(() =>
      alerts.publish(coverage, `${'Long words. '.repeat(40)}\u00a0`, { headline: 'Gates' }),
    );
    expect(sent.filter(({ event }) => event === 'alerts')).toEqual([
      { topic: 'site', event: 'alerts', payload: { due: near(HOLD) } },
    ]);
    expect(await alerts.due()).toEqual(near(HOLD));
    expect(await alerts.claim()).toEqual([]);
    await alerts.advance(HOLD);
    expect(await alerts.due()).toBe(0);
    const [mail, push] = (await alerts.deliver()).sort((a, b) => a.channel.localeCompare(b.channel));
    expect(push).toMatchObject({
      channel: 'push',
      urgent: false,
      language: 'en',
      site: { name: 'Stoppress', language: 'en' },
      coverage: { slug: alerts.slugOf(coverage), headline: 'A case' },
      total: 1,
      push: { endpoint: expect.any(String), p256dh: expect.any(String), auth: expect.any(String) },
      mail: null,
    });
    expect(push?.updates).toEqual([
      {
        number: 1,
        headline: 'Gates',
        text: expect.stringMatching(/^Long words\. .*[a-z.]…$/),
        key_event: false,
        urgency: 'normal',
        published_at: expect.any(String),
      },
    ]);
    expect(push?.updates[0]?.text.length).toBeLessThanOrEqual(LIMITS.alert_text);
    expect(mail).toMatchObject({
      push: null,
      mail: { to: `${person.sub}@example.com`, name: 'Reader', follow: { kind: 'coverage', name: 'A case' } },
    });
    expect(
      await database.call(VISITOR, ['read_unsubscribe_link', { token: mail?.mail?.stop }]),
    ).toMatchObject({
      mail: true,
    });
    expect(await alerts.deliver()).toEqual([]);
    expect(await alerts.due()).toBeNull();
    expect(await states(person)).toEqual(['sent', 'sent']);
  });

  test('waits for the interval after an earlier alert, and includes later updates', async () => {
    const coverage = await alerts.coverage();
    await alerts.follower(coverage, { mail: true });
    await alerts.publish(coverage);
    await alerts.advance(HOLD);
    expect(await told()).toEqual(['mail: 1', 'push: 1']);
    await alerts.advance(60);
    await alerts.publish(coverage);
    await alerts.advance(60);
    await alerts.publish(coverage);
    expect(await waits(coverage)).toEqual([-120, -120, PUSH - 120, MAIL - 120].map(near));
    await alerts.advance(PUSH - 150);
    expect(await told()).toEqual([]);
    await alerts.advance(30);
    expect(await told()).toEqual(['push: 3,2']);
    await alerts.publish(coverage);
    await alerts.advance(MAIL - PUSH);
    const now = await alerts.deliver();
    expect(await said(now)).toEqual(['mail: 4,3,2', 'push: 4']);
    const [mail] = now.filter(({ channel }) => channel === 'mail');
    expect([mail?.updates.map(({ number }) => number), mail?.total]).toEqual([[4, 3, 2], 3]);
    // After a quiet interval the next alert does not wait.
    await alerts.advance(MAIL);
    await alerts.publish(coverage);
    expect((await waits(coverage)).slice(-2)).toEqual([HOLD, HOLD].map(near));
  });

  test('extends the hold of an earlier update a little, but not without end', async () => {
    const coverage = await alerts.coverage();
    await alerts.follower(coverage);
    for (let n = 0; n < 8; n++) {
      await alerts.publish(coverage);
      await alerts.advance(3.5);
    }
    // The first alert contains all updates of its hold, which could still be undone. The others wait for their
    // interval.
    expect(await told()).toEqual(['push: 4,3,2,1']);
    expect(await waits(coverage)).toEqual([-5, PUSH - 5].map(near));
  });

  test('is delivered to every scope at once when it is urgent, with the updates that wait', async () => {
    const coverage = await alerts.coverage();
    const [all, key] = [await alerts.follower(coverage), await alerts.follower(coverage, { scope: 'key' })];
    await alerts.publish(coverage, 'News.', { key_event: true });
    await alerts.advance(HOLD);
    expect(await told()).toEqual(['push: 1', 'push: 1']);
    await alerts.publish(coverage);
    await alerts.advance(60);
    await alerts.publish(coverage, 'Now.', { urgency: 'urgent' });
    expect(await alerts.due()).toEqual(near(HOLD));
    await alerts.advance(HOLD);
    const now = await alerts.deliver();
    expect(await said(now)).toEqual(['push: 3', 'push: 3,2']);
    // A push contains one update.
    expect(now.map(({ updates, total }) => [updates.map(({ number }) => number), total]).sort()).toEqual([
      [[3], 1],
      [[3], 2],
    ]);
    expect(now.every(({ urgent }) => urgent)).toBe(true);
    // The interval starts here.
    await alerts.publish(coverage);
    expect(await alerts.due()).toEqual(near(PUSH));
    // An urgent alert does not wait for that interval, nor for an alert that is about to be sent.
    await alerts.publish(coverage, 'Now.', { urgency: 'urgent' });
    await alerts.advance(HOLD - 4);
    await alerts.publish(coverage, 'And now.', { urgency: 'urgent' });
    await alerts.advance(4);
    expect(await told()).toEqual(['push: 5', 'push: 5,4']);
    await alerts.advance(HOLD - 4);
    expect(await told()).toEqual(['push: 6', 'push: 6']);
    expect([await states(all), await states(key)]).toEqual([Array(4).fill('sent'), Array(4).fill('sent')]);
  });

  test('reaches followers of key events only if it is a key event', async () => {
    const coverage = await alerts.coverage();
    const key = await alerts.follower(coverage, { scope: 'key', mail: true });
    await alerts.publish(coverage);
    expect(await alerts.alerts(coverage)).toEqual([]);
    await alerts.follower(coverage);
    await alerts.publish(coverage, 'News.', { key_event: true });
    await alerts.publish(coverage);
    await alerts.advance(2 * HOLD);
    const now = await alerts.deliver();
    expect(await said(now)).toEqual(['mail: 2', 'push: 2', 'push: 3,2']);
    expect(now.filter(({ mail }) => mail?.to.startsWith(key.sub))).toHaveLength(1);
  });

  test('is delivered like any other when it was scheduled', async () => {
    const coverage = await alerts.coverage();
    await alerts.follower(coverage);
    const update_id = randomUUID();
    const scheduled_for = new Date(Date.now() + 3600_000).toISOString();
    const args = { coverage_id: coverage, update_id, content: contentOf('At last.'), scheduled_for };
    await database.call(editor, ['schedule_update', args]);
    await database.rows(
      "update public.updates set scheduled_for = now() - interval '1 second' where id = $1",
      [update_id],
    );
    await database.engine.execOutsideTransaction('call private.publish_due()');
    expect(await waits(coverage)).toEqual([near(HOLD)]);
    await alerts.advance(HOLD);
    expect(await told()).toEqual(['push: 1']);
  });
});

describe('a publication', () => {
  test.runIf(ENGINE === 'postgres')(
    'does not wait long for a transaction that holds the row of an earlier alert',
    async () => {
      const coverage = await alerts.coverage();
      await alerts.follower(coverage);
      await alerts.publish(coverage);
      await database.engine.transaction(async (session) => {
        await session.query('select from public.alerts where coverage_id = $1 for update', [coverage]);
        expect(await alerts.publish(coverage)).toMatchObject({ number: 2, state: 'published' });
      });
      // The held alert is delivered unchanged, and the next update follows in its own alert.
      expect(await waits(coverage)).toEqual([HOLD, PUSH].map(near));
    },
  );

  test('does not fail when its alert cannot be created', async () => {
    const coverage = await alerts.coverage();
    await alerts.follower(coverage);
    await database.rows('alter table public.alerts add constraint broken check (urgent) not valid');
    try {
      expect(await alerts.publish(coverage)).toMatchObject({ number: 1, state: 'published' });
    } finally {
      await database.rows('alter table public.alerts drop constraint broken');
    }
    expect(await alerts.alerts(coverage)).toEqual([]);
  });
});

describe('alerts are not delivered', () => {
  test('for updates that were withdrawn before the alert was sent', async () => {
    const coverage = await alerts.coverage();
    const person = await alerts.follower(coverage);
    await alerts.withdraw(await alerts.publish(coverage));
    await alerts.advance(HOLD);
    expect(await told()).toEqual([]);
    expect(await alerts.alerts(coverage)).toEqual([]);
    expect(await alerts.due()).toBeNull();
    const three: Saved[] = [];
    for (let n = 0; n < 3; n++) three.push(await alerts.publish(coverage));
    await alerts.withdraw(three[1] as Saved);
    await alerts.advance(2 * HOLD);
    expect(await told()).toEqual(['push: 4,2']);
    expect(await states(person)).toEqual(['sent']);
  });

  test('early after an urgent update was withdrawn', async () => {
    const coverage = await alerts.coverage();
    await alerts.follower(coverage);
    await alerts.publish(coverage);
    await alerts.advance(HOLD);
    await alerts.deliver();
    await alerts.publish(coverage);
    await alerts.withdraw(await alerts.publish(coverage, 'Now.', { urgency: 'urgent' }));
    await alerts.advance(HOLD);
    expect(await told()).toEqual([]);
    expect(await alerts.due()).toEqual(near(PUSH - HOLD));
    await alerts.advance(PUSH - HOLD);
    const now = await alerts.deliver();
    expect(await said(now)).toEqual(['push: 2']);
    expect(now[0]?.urgent).toBe(false);
  });

  test('for updates withdrawn after the claim, or in a withdrawn coverage', async () => {
    const coverage = await alerts.coverage();
    const person = await alerts.follower(coverage);
    const late = await alerts.publish(coverage);
    await alerts.advance(HOLD);
    const [claimed] = await alerts.claim();
    await alerts.withdraw(late);
    expect(await alerts.begin([claimed?.id ?? ''])).toEqual([]);
    expect(await alerts.claim()).toEqual([]);
    expect(await states(person)).toEqual(['dropped']);

    await alerts.advance(PUSH);
    const [gone, stays] = [
      await alerts.publish(coverage, 'Secret.'),
      await alerts.publish(coverage, 'Stays.'),
    ];
    await alerts.advance(2 * HOLD);
    const both = await alerts.claim();
    expect(await said(both)).toEqual(['push: 3,2']);
    await alerts.withdraw(gone);
    // The claimed alert must not be sent with its earlier content. The rest is claimed again.
    expect(await alerts.begin(both.map(({ id }) => id))).toEqual([]);
    const again = await alerts.claim();
    expect(await said(again)).toEqual(['push: 3']);
    const corrected = { update_id: stays.id, version: 1, content: contentOf('Corrected.'), note: 'A name.' };
    await database.call(editor, ['correct_update', corrected]);
    expect(await alerts.begin(again.map(({ id }) => id))).toEqual([]);
    const [last] = await alerts.claim();
    expect(last?.updates).toMatchObject([{ number: 3, text: 'Corrected.' }]);
    await database.call(editor, ['set_coverage_state', { coverage_id: coverage, state: 'withdrawn' }]);
    expect(await alerts.begin([last?.id ?? ''])).toEqual([]);
    expect(await alerts.claim()).toEqual([]);
    expect(await states(person)).toEqual(['dropped', 'dropped']);
    expect(await alerts.due()).toBeNull();

    const other = await alerts.coverage();
    await alerts.follower(other);
    await alerts.publish(other);
    await database.call(editor, ['set_coverage_state', { coverage_id: other, state: 'withdrawn' }]);
    await alerts.advance(HOLD);
    expect(await told()).toEqual([]);
    expect(await alerts.alerts(other)).toEqual([]);
  });

  test('to people who unfollowed, deleted their account, or followed later', async () => {
    const coverage = await alerts.coverage();
    const target = { coverage: alerts.slugOf(coverage) };
    const people: Record<string, Person> = {};
    for (const name of [
      'unfollows',
      'no push',
      'unsubscribes',
      'deactivated',
      'banned',
      'not active',
      'deleted',
      'drops the device',
      'stays',
    ])
      people[name] = await alerts.follower(coverage, { mail: true });
    const who = (name: string) => people[name] as Person;
    const leave = async () => {
      await alerts.follow(who('unfollows'), target, { push: false });
      await alerts.follow(who('no push'), target, { push: false, mail: true });
      const [{ secret }] = (await database.rows(
        'select unsubscribe_secret as secret from public.follows where person_id = $1',
        [who('unsubscribes').sub],
      )) as [{ secret: string }];
      await database.call(VISITOR, ['unsubscribe', { token: secret }]);
      await database.call(SERVER, ['set_active', { person_id: who('deactivated').sub, active: false }]);
      await database.rows("update auth.users set banned_until = now() + interval '1 day' where id = $1", [
        who('banned').sub,
      ]);
      await database.rows('update public.people set active = false where id = $1', [who('not active').sub]);
      await database.rows('delete from auth.users where id = $1', [who('deleted').sub]);
      await database.rows('delete from public.push_subscriptions where person_id = $1', [
        who('drops the device').sub,
      ]);
    };
    await alerts.publish(coverage);
    await alerts.advance(1);
    const since = await alerts.follower(coverage, { mail: true });
    await alerts.advance(HOLD);
    // Each person becomes a receiver and then leaves.
    const claimed = await alerts.claim();
    expect(claimed).toHaveLength(18);
    await leave();
    expect(await alerts.begin(claimed.map(({ id }) => id))).toHaveLength(5);
    await alerts.record(claimed.map(({ id }) => ({ id, outcome: 'sent' })));
    expect(await alerts.deliver()).toEqual([]);
    const sent = await database.rows<{ person_id: string; channel: string }>(
      "select person_id, channel from public.deliveries where state = 'sent' order by channel",
    );
    const expected = [
      ['no push', 'mail'],
      ['unsubscribes', 'push'],
      ['drops the device', 'mail'],
      ['stays', 'push'],
      ['stays', 'mail'],
    ].map(([name = '', channel]) => ({ person_id: who(name).sub, channel }));
    expect(sent).toHaveLength(5);
    expect(sent).toEqual(expect.arrayContaining(expected));
    // People who followed meanwhile receive the next alert.
    await alerts.advance(MAIL);
    await alerts.publish(coverage);
    await alerts.advance(HOLD);
    const next = await alerts.deliver();
    expect(next).toHaveLength(7);
    expect(next.filter(({ mail }) => mail?.to.startsWith(since.sub))).toHaveLength(1);
  });

  test('when they are a day old', async () => {
    const coverage = await alerts.coverage();
    const person = await alerts.follower(coverage);
    await alerts.publish(coverage);
    await alerts.advance(HOLD);
    await alerts.claim();
    await alerts.advance(PUSH);
    await alerts.publish(coverage);
    await alerts.advance(LIMITS.alert_stale_hours * 3600 + HOLD);
    expect(await told()).toEqual([]);
    expect(await states(person)).toEqual(['dropped']);
    expect(await alerts.due()).toBeNull();
  });

  test('to push services that are not allowed, or addresses that are not confirmed', async () => {
    const coverage = await alerts.coverage();
    const person = await alerts.follower(coverage, { mail: true });
    await database.rows(
      "update public.push_subscriptions set endpoint = 'https://127.0.0.1/' || id where person_id = $1",
      [person.sub],
    );
    await database.rows('update auth.users set email_confirmed_at = null where id = $1', [person.sub]);
    await alerts.publish(coverage);
    await alerts.advance(HOLD);
    expect(await told()).toEqual([]);
    expect(await states(person)).toEqual(['dropped', 'dropped']);
  });
});

describe('a person who follows a coverage in several ways', () => {
  test('receives one push per device and one mail, with the widest scope', async () => {
    const [one, two] = [await alerts.topic(), await alerts.topic()];
    const coverage = await alerts.coverage('live', [one, two]);
    const person = await alerts.person();
    for (let n = 0; n < 3; n++) await alerts.subscribe(person);
    await alerts.follow(person, { coverage: alerts.slugOf(coverage) }, { scope: 'key', mail: true });
    await alerts.follow(person, { topic: one }, { scope: 'all', mail: true });
    await alerts.follow(person, { topic: two }, { scope: 'key', push: true });
    await alerts.publish(coverage, 'News.', { key_event: true });
    await alerts.publish(coverage);
    await alerts.advance(2 * HOLD);
    const now = await alerts.deliver();
    expect(await said(now)).toEqual(['mail: 2,1', 'push: 2,1', 'push: 2,1', 'push: 2,1']);
    expect(new Set(now.map(({ push }) => push?.endpoint)).size).toBe(4);
    expect(now.find(({ mail }) => mail)?.mail?.follow).toMatchObject({ kind: 'topic', slug: one });
    expect(await states(person)).toEqual(Array(4).fill('sent'));
  });

  test('receives nothing twice after changing the scope during delivery', async () => {
    const coverage = await alerts.coverage();
    const target = { coverage: alerts.slugOf(coverage) };
    const [widens, narrows] = [
      await alerts.follower(coverage, { scope: 'key' }),
      await alerts.follower(coverage),
    ];
    await alerts.publish(coverage, 'News.', { key_event: true });
    await alerts.publish(coverage);
    await alerts.advance(2 * HOLD);
    // The two scopes are processed one after the other.
    await database.rows(
      "update public.alerts set due_at = due_at + interval '30 seconds' where scope = 'all'",
    );
    expect(await told()).toEqual(['push: 1']);
    await alerts.follow(widens, target, { scope: 'all' });
    await alerts.advance(30);
    expect(await told()).toEqual(['push: 2', 'push: 2,1']);
    await alerts.advance(PUSH);
    await alerts.publish(coverage, 'News.', { key_event: true });
    await alerts.advance(HOLD);
    await database.rows(
      "update public.alerts set due_at = due_at + interval '30 seconds' where scope = 'key' and started_at is null",
    );
    expect(await told()).toEqual(['push: 3', 'push: 3']);
    await alerts.follow(narrows, target, { scope: 'key' });
    await alerts.advance(30);
    expect(await told()).toEqual([]);
  });

  test('receives no push without a device, and receives pushes again with a new one', async () => {
    const coverage = await alerts.coverage();
    const person = await alerts.follower(coverage);
    await database.rows('delete from public.push_subscriptions where person_id = $1', [person.sub]);
    await alerts.publish(coverage);
    await alerts.advance(HOLD);
    expect(await told()).toEqual([]);
    expect(await states(person)).toEqual([]);
    await alerts.subscribe(person);
    await alerts.advance(PUSH);
    await alerts.publish(coverage);
    await alerts.advance(HOLD);
    expect(await told()).toEqual(['push: 2']);
  });
});

describe('a delivery', () => {
  /** Creates a delivery that is due now. */
  async function ready(how = {}) {
    const coverage = await alerts.coverage();
    const person = await alerts.follower(coverage, how);
    await alerts.publish(coverage);
    await alerts.advance(HOLD);
    return { coverage, person };
  }
  const claimOne = async () => (await alerts.claim())[0]?.id ?? '';
  const rowOf = async (id: string) =>
    (
      await database.rows<{ state: string; attempts: number; wait: number; error: string | null }>(
        `select state, attempts, extract(epoch from due_at - now())::float as wait, error from public.deliveries where id = $1`,
        [id],
      )
    )[0];

  test('is claimed by one of two concurrent requests', async () => {
    const coverage = await alerts.coverage();
    for (let n = 0; n < 12; n++) await alerts.follower(coverage);
    await alerts.publish(coverage);
    await alerts.advance(HOLD);
    expect(await alerts.claim()).toHaveLength(12);
    await database.rows("update public.deliveries set state = 'queued', lease_expires_at = null");
    let rest: Delivery[] = [];
    if (ENGINE === 'pglite') {
      rest = (await Promise.all([alerts.claim(5), alerts.claim(5)])).flat();
    } else {
      // The first transaction has not been committed yet.
      await database.as(SERVER, async (session) => {
        const { rows } = await session.query<{ mine: Delivery[] }>(
          'select public.claim_deliveries(5) as mine',
        );
        rest = [...(rows[0]?.mine ?? []), ...(await alerts.claim(5))];
      });
    }
    expect(rest).toHaveLength(10);
    const more = [...rest, ...(await alerts.deliver())];
    expect(new Set(more.map(({ push }) => push?.endpoint)).size).toBe(12);
    expect(more).toHaveLength(12);
  });

  test('by push does not wait for earlier mails', async () => {
    const coverage = await alerts.coverage();
    const people = Array.from({ length: 650 }, () => randomUUID());
    await database.rows(
      `insert into auth.users (id, email, email_confirmed_at) select id, id || '@example.com', now() from unnest($1::uuid[]) id`,
      [people],
    );
    await database.rows(
      `insert into public.follows (person_id, coverage_id, scope, mail, push)
       select id, $2, 'all', true, false from unnest($1::uuid[]) id`,
      [people, coverage],
    );
    await alerts.publish(coverage);
    await alerts.advance(HOLD);
    // The mail server accepts few, and the rest is released.
    expect((await alerts.claim()).length).toBe(LIMITS.delivery_batch);
    await alerts.claim();
    const other = await alerts.coverage();
    const person = await alerts.follower(other);
    await alerts.publish(other);
    await alerts.advance(LIMITS.delivery_lease_seconds);
    const claimed = await alerts.claim();
    expect(claimed.length).toBe(LIMITS.delivery_batch);
    expect(claimed.filter(({ channel }) => channel === 'push').length).toBe(1);
    expect(await states(person)).toEqual(['sending']);
  });

  test('whose lease has expired can be claimed again at once if it was never begun', async () => {
    await ready();
    const id = await claimOne();
    expect(await alerts.claim()).toEqual([]);
    expect(await alerts.due()).toEqual(near(LIMITS.delivery_lease_seconds));
    await alerts.advance(LIMITS.delivery_lease_seconds);
    expect(await alerts.due()).toBe(0);
    // The first owner of the lease may not begin it any more.
    expect(await alerts.begin([id])).toEqual([]);
    expect(await claimOne()).toBe(id);
    expect(await rowOf(id)).toMatchObject({ state: 'sending', attempts: 0 });
    expect(await alerts.begin([id])).toEqual([id]);
    expect(await alerts.begin([id])).toEqual([]);
  });

  test('that was begun but not recorded is repeated by push, but not by mail', async () => {
    const { person } = await ready({ mail: true });
    const claimed = await alerts.claim();
    expect(await alerts.begin(claimed.map(({ id }) => id))).toHaveLength(2);
    await alerts.advance(LIMITS.delivery_lease_seconds);
    const again = await alerts.claim();
    expect(await said(again)).toEqual(['push: 1']);
    expect(await states(person)).toEqual(expect.arrayContaining(['unclear', 'sending']));
    // The mail was sent after all. A late result is recorded and nothing is sent again.
    const mail = claimed.find(({ channel }) => channel === 'mail')?.id ?? '';
    expect(await alerts.record([{ id: mail, outcome: 'refused' }])).toMatchObject({ failed: 0 });
    expect(await alerts.record([{ id: mail, outcome: 'sent' }])).toMatchObject({ sent: 1 });
    expect(await alerts.record([{ id: again[0]?.id ?? '', outcome: 'sent' }])).toMatchObject({ sent: 1 });
    expect(await alerts.begin([again[0]?.id ?? ''])).toEqual([]);
    await alerts.advance(LIMITS.delivery_lease_seconds);
    expect(await alerts.claim()).toEqual([]);
  });

  test('is retried at growing intervals, and then given up', async () => {
    await ready();
    for (const minutes of [1, 5, 15, 60]) {
      const id = await claimOne();
      await alerts.begin([id]);
      expect(await alerts.record([{ id, outcome: 'again', error: '503' }])).toMatchObject({ again: 1 });
      const row = await rowOf(id);
      expect(row).toMatchObject({ state: 'queued', error: '503' });
      expect(row?.wait).toBeGreaterThan(minutes * 60 * 0.8 - 5);
      expect(row?.wait).toBeLessThan(minutes * 60 * 1.2);
      expect(await alerts.claim()).toEqual([]);
      await alerts.advance(minutes * 60 * 1.2);
    }
    const id = await claimOne();
    await alerts.begin([id]);
    expect(await alerts.record([{ id, outcome: 'again' }])).toMatchObject({ failed: 1 });
    expect(await rowOf(id)).toMatchObject({ state: 'failed', attempts: LIMITS.delivery_attempts });
    expect(await alerts.due()).toBeNull();
  });

  test('waits as long as the push service asks, within limits', async () => {
    await ready();
    for (const [asked, least, most] of [
      [900, 895, 900],
      [10 ** 9, 6 * 3600 - 5, 6 * 3600],
      [-5, 15 * 60 * 0.8 - 5, 15 * 60 * 1.2],
      // Values that are not numbers are ignored.
      ['soon', 60 * 60 * 0.8 - 5, 60 * 60 * 1.2],
    ] as const) {
      const id = await claimOne();
      await alerts.begin([id]);
      await alerts.record([{ id, outcome: 'again', retry_after: asked as number }]);
      const wait = (await rowOf(id))?.wait ?? 0;
      expect(wait).toBeGreaterThan(least);
      expect(wait).toBeLessThanOrEqual(most);
      await alerts.advance(most);
    }
  });

  test('to a device that is gone deletes the device and keeps the follow', async () => {
    const { person } = await ready();
    const [follow] = await database.rows('select * from public.follows where person_id = $1', [person.sub]);
    const id = await claimOne();
    await alerts.begin([id]);
    expect(await alerts.record([{ id, outcome: 'gone' }])).toMatchObject({ gone: 1 });
    expect(await rowOf(id)).toMatchObject({ state: 'dropped' });
    expect(
      await database.rows('select * from public.push_subscriptions where person_id = $1', [person.sub]),
    ).toEqual([]);
    expect(await database.rows('select * from public.follows where person_id = $1', [person.sub])).toEqual([
      follow,
    ]);
  });

  test('updates the time of its device, and ignores unknown outcomes', async () => {
    const { person } = await ready();
    const id = await claimOne();
    // Results before the delivery has begun are ignored.
    for (const outcome of ['sent', 'gone', 'refused', 'again']) await alerts.record([{ id, outcome }]);
    expect(await rowOf(id)).toMatchObject({ state: 'sending', attempts: 0 });
    await alerts.begin([id]);
    await alerts.record([
      { id, outcome: 'perhaps' },
      { id: 'nobody', outcome: 'sent' },
      { id: randomUUID(), outcome: 'sent' },
    ]);
    expect(await rowOf(id)).toMatchObject({ state: 'sending', attempts: 1 });
    await alerts.record([{ id, outcome: 'sent' }]);
    const told =
      'select last_notified_at is not null as told from public.push_subscriptions where person_id = $1';
    expect(await database.rows(told, [person.sub])).toEqual([{ told: true }]);
    await alerts.record([{ id, outcome: 'gone' }]);
    expect(await rowOf(id)).toMatchObject({ state: 'sent' });
  });

  test('can be claimed, begun and recorded only by the server', async () => {
    const { person } = await ready();
    for (const who of [VISITOR, person, editor]) {
      for (const [name, args] of [
        ['claim_deliveries', {}],
        ['record_deliveries', { results: [] }],
        ['alerts_due', {}],
      ] as const)
        expect(await errorOf(database.call(who, [name, args]))).toEqual({ code: '42501' });
      const begun = database.as(who, (session) => session.query("select public.begin_deliveries('{}')"));
      expect(await errorOf(begun)).toEqual({ code: '42501' });
    }
  });

  test('and its alert are deleted after some time, a few per run', async () => {
    const coverage = await alerts.coverage();
    for (let n = 0; n < 3; n++) await alerts.follower(coverage);
    await alerts.publish(coverage);
    await alerts.advance(HOLD);
    await alerts.deliver();
    await alerts.advance(LIMITS.deliveries_days * 24 * 3600 - 60 - HOLD);
    const left = async () =>
      (await database.rows<{ n: number }>('select count(*)::int as n from public.deliveries'))[0]?.n;
    const forget = () => database.rows('select private.delete_old_alerts(2)');
    await forget();
    expect(await left()).toBe(3);
    await alerts.advance(60 + HOLD);
    await forget();
    expect([await left(), (await alerts.alerts(coverage)).length]).toEqual([1, 1]);
    await forget();
    expect([await left(), (await alerts.alerts(coverage)).length]).toEqual([0, 0]);
    // Runs the job's command as it is scheduled.
    const jobs = await database.rows<{ command: string }>(
      "select command from cron.job where jobname in ('delete-old-alerts', 'vacuum-deliveries')",
    );
    expect(jobs).toHaveLength(2);
    for (const { command } of jobs) await database.engine.execOutsideTransaction(command);
  });
});
