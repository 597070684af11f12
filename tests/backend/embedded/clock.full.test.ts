import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test, vi } from 'vitest';
import { createFollowers } from '../../support/alerts.ts';
import { anonClient, type OwnedBackend, serviceClient, startOwnedBackend } from '../../support/backend.ts';
import { type Clock, createClock, NO_CLOCK } from '../../support/clock.ts';
import {
  call,
  createLiveCoverage,
  createUsers,
  longParagraph,
  type Newsroom,
  type People,
} from '../../support/newsroom.ts';

/* Sets the clock of a running backend: back an hour, a day ahead, three years ahead, and back. */

const HOUR = 3600;
const DAY = 24 * HOUR;
/** Croner, which schedules jobs, reads the clock at least every 30 s. */
const NEXT_LOOK = { timeout: 45_000, interval: 250 };

const why = NO_CLOCK;

let clock: Clock;
let backend: OwnedBackend;
let people: People;
let newsroom: Newsroom;

beforeAll(async () => {
  if (why) return;
  clock = await createClock();
  backend = await startOwnedBackend(clock.environment);
  people = await createUsers({ ...backend, service: serviceClient(backend) });
  newsroom = await createLiveCoverage(people);
  return async () => {
    await backend.kill();
    await clock.remove();
  };
});

/** The backend's time in seconds since 1970. */
async function nowThere(): Promise<number> {
  const [row] = await backend.sql<{ now: number }>('select extract(epoch from now())::float8 as now');
  return row?.now ?? expect.fail();
}

async function setClock(seconds: number): Promise<void> {
  await clock.set(seconds);
  expect(Math.abs((await nowThere()) - Date.now() / 1000 - seconds)).toBeLessThan(20);
}

async function schedule(secondsFromNow: number): Promise<string> {
  const update_id = randomUUID();
  const scheduled_for = new Date(((await nowThere()) + secondsFromNow) * 1000).toISOString();
  const content = { headline: 'At its time', body: [longParagraph('At its time')] };
  await call(people.reporter.client, 'schedule_update', {
    coverage_id: newsroom.coverage.id,
    update_id,
    content,
    scheduled_for,
  });
  return update_id;
}

type Row = { id: string; number: number | null; state: string; late: number };
const updates = () =>
  backend.sql<Row>(
    `select id, number, state, extract(epoch from clock_timestamp() - published_at)::float8 as late
     from public.updates where coverage_id = '${newsroom.coverage.id}' order by number`,
  );
const stateOf = async (update: string) => (await updates()).find(({ id }) => id === update)?.state;

async function expectInOrder(count: number): Promise<void> {
  const numbers = (await updates()).flatMap(({ number }) => number ?? []);
  expect(numbers).toEqual(Array.from({ length: count }, (_, at) => at + 1));
}

/** Returns the alerts that wait, and the seconds until they are due. */
const alerts = () =>
  backend.sql<{ wait: number; count: number }>(
    `select extract(epoch from due_at - now())::float8 as wait, cardinality(updates) as count from public.alerts
     where coverage_id = '${newsroom.coverage.id}' and deliveries_created_at is null order by due_at desc`,
  );

const runsOf = async (job: string) => {
  const [row] = await backend.sql<{ count: number }>(
    `select count(*)::int as count from cron.job_run_details r join cron.job j using (jobid) where j.jobname = '${job}'`,
  );
  return row?.count ?? expect.fail();
};

const refresh = async () => {
  const { error } = await people.reporter.client.auth.refreshSession();
  expect(error).toBeNull();
};

test.skipIf(why)(
  `a newsroom works under a clock that jumps, and publishes everything once${why ? ` (${why})` : ''}`,
  async () => {
    await createFollowers(backend.sql, newsroom.coverage.id, [{ mail: true }]);
    const seqs = [(await newsroom.publish()).seq];
    const inTwoHours = await schedule(2 * HOUR);
    const publish = async (number: number) => {
      const saved = await newsroom.publish();
      expect(saved.number).toBe(number);
      expect(saved.seq).toBeGreaterThan(seqs.at(-1) ?? 0);
      seqs.push(saved.seq);
    };

    // Back an hour: tokens are from the future.
    await setClock(-HOUR);
    await publish(2);
    await refresh();
    await publish(3);
    expect(await stateOf(inTwoHours)).toBe('scheduled');
    const daily = await runsOf('delete-expired-data');

    // A day ahead: sessions continue, and the scheduled update is published once.
    await setClock(DAY);
    await refresh();
    await vi.waitFor(async () => expect(await stateOf(inTwoHours)).toBe('published'), NEXT_LOOK);
    await publish(5);
    expect(await runsOf('delete-expired-data')).toBeLessThanOrEqual(daily + 1);

    // Three years ahead: all sessions have ended, and signing in works. The hourly cleanup may have deleted them already.
    await setClock(3 * 365 * DAY);
    const { error: over } = await people.reporter.client.auth.refreshSession();
    expect(['session_expired', 'refresh_token_not_found']).toContain(over?.code);
    const { reporter } = people;
    await reporter.client.auth.signInWithPassword({ email: reporter.email, password: reporter.password });
    await publish(6);

    // Back: the new session continues, jobs run, and schedules are kept.
    await setClock(0);
    await publish(7);
    // Alerts of updates after the jump back do not wait for the later year.
    const told = await alerts();
    expect(told.reduce((sum, { count }) => sum + count, 0)).toBe(7);
    expect(Math.max(...told.map(({ wait }) => wait))).toBeLessThan(DAY);
    const before = await runsOf('update-vocabulary');
    const soon = await schedule(12);
    await vi.waitFor(async () => expect(await stateOf(soon)).toBe('published'), NEXT_LOOK);
    await vi.waitFor(
      async () => expect(await runsOf('update-vocabulary')).toBeGreaterThan(before),
      NEXT_LOOK,
    );
    await refresh();
    await publish(9);
    await expectInOrder(9);
    const [late] = (await updates()).filter(({ id }) => id === soon);
    expect(late?.late).toBeGreaterThanOrEqual(0);
    const { data } = await anonClient(backend).from('updates').select('number').eq('id', soon);
    expect(data).toEqual([{ number: 8 }]);
    // A timer of PostgreSQL itself was set three years ahead. It must not cause errors.
    expect(backend.errors()).toBe('');
  },
  180_000,
);
