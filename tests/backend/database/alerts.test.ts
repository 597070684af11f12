import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { contentOf } from '../../support/actors.ts';
import { ENGINE } from '../../support/data-folders.ts';
import { SERVER, VISITOR } from '../../support/database.ts';
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

const waits = async (coverage: string) => (await alerts.alerts(coverage)).map(({ wait }) => wait);

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
        photo: null,
      },
    ]);
    expect(push?.updates[0]?.text.length).toBeLessThanOrEqual(LIMITS.alert_text);
    expect(mail).toMatchObject({
      push: null,
      mail: { to: `${person.sub}@example.com`, account: true, follow: { kind: 'coverage', name: 'A case' } },
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
    expect(await deliverAll()).toEqual(['mail: 1', 'push: 1']);
    await alerts.advance(60);
    await alerts.publish(coverage);
    await alerts.advance(60);
    await alerts.publish(coverage);
    expect(await waits(coverage)).toEqual([-120, -120, PUSH - 120, MAIL - 120].map(near));
    await alerts.advance(PUSH - 150);
    expect(await deliverAll()).toEqual([]);
    await alerts.advance(30);
    expect(await deliverAll()).toEqual(['push: 3,2']);
    await alerts.publish(coverage);
    await alerts.advance(MAIL - PUSH);
    const now = await alerts.deliver();
    expect(await deliveryLines(now)).toEqual(['mail: 4,3,2', 'push: 4']);
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
      const began = performance.now();
      await alerts.publish(coverage);
      // The time that publishing takes on a busy machine is part of the interval.
      await alerts.advance(Math.max(0, 3.5 - (performance.now() - began) / 1_000));
    }
    // The first alert contains all updates of its hold, which could still be undone. The others wait for their
    // interval.
    expect(await deliverAll()).toEqual(['push: 4,3,2,1']);
    expect(await waits(coverage)).toEqual([-5, PUSH - 5].map(near));
  });

  test('is delivered to every scope at once when it is urgent, with the updates that wait', async () => {
    const coverage = await alerts.coverage();
    const [all, key] = [await alerts.follower(coverage), await alerts.follower(coverage, { scope: 'key' })];
    await alerts.publish(coverage, 'News.', { key_event: true });
    await alerts.advance(HOLD);
    expect(await deliverAll()).toEqual(['push: 1', 'push: 1']);
    await alerts.publish(coverage);
    await alerts.advance(60);
    await alerts.publish(coverage, 'Now.', { urgency: 'urgent' });
    expect(await alerts.due()).toEqual(near(HOLD));
    await alerts.advance(HOLD);
    const now = await alerts.deliver();
    expect(await deliveryLines(now)).toEqual(['push: 3', 'push: 3,2']);
    // A push contains one update.
    expect(now.map(({ updates, total }) => [updates.map(({ number }) => number), total]).sort()).toEqual([
      [[3], 1],
      [[3], 2],
    ]);
    expect(now.map(({ urgent }) => urgent)).toEqual([true, true]);
    // The interval starts here.
    await alerts.publish(coverage);
    expect(await alerts.due()).toEqual(near(PUSH));
    // An urgent alert does not wait for that interval, nor for an alert that is about to be sent.
    await alerts.publish(coverage, 'Now.', { urgency: 'urgent' });
    await alerts.advance(HOLD - 4);
    await alerts.publish(coverage, 'And now.', { urgency: 'urgent' });
    await alerts.advance(4);
    expect(await deliverAll()).toEqual(['push: 5', 'push: 5,4']);
    await alerts.advance(HOLD - 4);
    expect(await deliverAll()).toEqual(['push: 6', 'push: 6']);
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
    expect(await deliveryLines(now)).toEqual(['mail: 2', 'push: 2', 'push: 3,2']);
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
    expect(await deliverAll()).toEqual(['push: 1']);
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
