import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import type { Delivery } from '../../support/alerts.ts';
import { ENGINE } from '../../support/data-folders.ts';
import { errorOf, SERVER, VISITOR } from '../../support/database.ts';
import { alerts, database, deliveryLines, editor, HOLD, near, states, useAlerts } from './alert-context.ts';

useAlerts();

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
      'insert into public.followers (id, person_id) select id, id from unnest($1::uuid[]) id',
      [people],
    );
    await database.rows(
      `insert into public.follows (follower_id, coverage_id, scope, mail, push)
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
    expect(await deliveryLines(again)).toEqual(['push: 1']);
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
    const [follow] = await database.rows('select * from public.follows where follower_id = $1', [person.sub]);
    const id = await claimOne();
    await alerts.begin([id]);
    expect(await alerts.record([{ id, outcome: 'gone' }])).toMatchObject({ gone: 1 });
    expect(await rowOf(id)).toMatchObject({ state: 'dropped' });
    expect(
      await database.rows('select * from public.push_subscriptions where follower_id = $1', [person.sub]),
    ).toEqual([]);
    expect(await database.rows('select * from public.follows where follower_id = $1', [person.sub])).toEqual([
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
    const notified =
      'select last_notified_at is not null as notified from public.push_subscriptions where follower_id = $1';
    expect(await database.rows(notified, [person.sub])).toEqual([{ notified: true }]);
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
