import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { contentOf } from '../../support/actors.ts';
import type { Person } from '../../support/alerts.ts';
import { SERVER, VISITOR } from '../../support/database.ts';
import type { SavedUpdate } from '../../support/newsroom.ts';
import {
  alerts,
  database,
  deliverAll,
  deliveryLines,
  editor,
  HOLD,
  MAIL,
  near,
  PUSH,
  states,
  useAlerts,
} from './alert-context.ts';

useAlerts();

describe('alerts are not delivered', () => {
  test('for updates that were withdrawn before the alert was sent', async () => {
    const coverage = await alerts.coverage();
    const person = await alerts.follower(coverage);
    await alerts.withdraw(await alerts.publish(coverage));
    await alerts.advance(HOLD);
    expect(await deliverAll()).toEqual([]);
    expect(await alerts.alerts(coverage)).toEqual([]);
    expect(await alerts.due()).toBeNull();
    const three: SavedUpdate[] = [];
    for (let n = 0; n < 3; n++) three.push(await alerts.publish(coverage));
    await alerts.withdraw(three[1] as SavedUpdate);
    await alerts.advance(2 * HOLD);
    expect(await deliverAll()).toEqual(['push: 4,2']);
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
    expect(await deliverAll()).toEqual([]);
    expect(await alerts.due()).toEqual(near(PUSH - HOLD));
    await alerts.advance(PUSH - HOLD);
    const now = await alerts.deliver();
    expect(await deliveryLines(now)).toEqual(['push: 2']);
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
    expect(await deliveryLines(both)).toEqual(['push: 3,2']);
    await alerts.withdraw(gone);
    // The claimed alert must not be sent with its earlier content. The rest is claimed again.
    expect(await alerts.begin(both.map(({ id }) => id))).toEqual([]);
    const again = await alerts.claim();
    expect(await deliveryLines(again)).toEqual(['push: 3']);
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
    expect(await deliverAll()).toEqual([]);
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
        'select unsubscribe_secret as secret from public.follows where follower_id = $1',
        [who('unsubscribes').sub],
      )) as [{ secret: string }];
      await database.call(VISITOR, ['unsubscribe', { token: secret }]);
      await database.call(SERVER, ['set_active', { person_id: who('deactivated').sub, active: false }]);
      await database.rows("update auth.users set banned_until = now() + interval '1 day' where id = $1", [
        who('banned').sub,
      ]);
      await database.rows('update public.people set active = false where id = $1', [who('not active').sub]);
      await database.rows('delete from auth.users where id = $1', [who('deleted').sub]);
      await database.rows('delete from public.push_subscriptions where follower_id = $1', [
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
      "select follower_id as person_id, channel from public.deliveries where state = 'sent' order by channel",
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
    expect(await deliverAll()).toEqual([]);
    expect(await states(person)).toEqual(['dropped']);
    expect(await alerts.due()).toBeNull();
  });

  test('to push services that are not allowed, or addresses that are not confirmed', async () => {
    const coverage = await alerts.coverage();
    const person = await alerts.follower(coverage, { mail: true });
    await database.rows(
      "update public.push_subscriptions set endpoint = 'https://127.0.0.1/' || id where follower_id = $1",
      [person.sub],
    );
    await database.rows('update auth.users set email_confirmed_at = null where id = $1', [person.sub]);
    await alerts.publish(coverage);
    await alerts.advance(HOLD);
    expect(await deliverAll()).toEqual([]);
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
    expect(await deliveryLines(now)).toEqual(['mail: 2,1', 'push: 2,1', 'push: 2,1', 'push: 2,1']);
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
    expect(await deliverAll()).toEqual(['push: 1']);
    await alerts.follow(widens, target, { scope: 'all' });
    await alerts.advance(30);
    expect(await deliverAll()).toEqual(['push: 2', 'push: 2,1']);
    await alerts.advance(PUSH);
    await alerts.publish(coverage, 'News.', { key_event: true });
    await alerts.advance(HOLD);
    await database.rows(
      "update public.alerts set due_at = due_at + interval '30 seconds' where scope = 'key' and started_at is null",
    );
    expect(await deliverAll()).toEqual(['push: 3', 'push: 3']);
    await alerts.follow(narrows, target, { scope: 'key' });
    await alerts.advance(30);
    expect(await deliverAll()).toEqual([]);
  });

  test('receives no push without a device, and receives pushes again with a new one', async () => {
    const coverage = await alerts.coverage();
    const person = await alerts.follower(coverage);
    await database.rows('delete from public.push_subscriptions where follower_id = $1', [person.sub]);
    await alerts.publish(coverage);
    await alerts.advance(HOLD);
    expect(await deliverAll()).toEqual([]);
    expect(await states(person)).toEqual([]);
    await alerts.subscribe(person);
    await alerts.advance(PUSH);
    await alerts.publish(coverage);
    await alerts.advance(HOLD);
    expect(await deliverAll()).toEqual(['push: 2']);
  });
});
