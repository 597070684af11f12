import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { type Delivery, openAlerts, type Person } from '../../support/alerts.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';

/* Which followers receive which alerts, when, and that each receives them once. */

export let database: TestDatabase;

export let editor: Person;

export let alerts: ReturnType<typeof openAlerts>;

export const HOLD = LIMITS.alert_hold_seconds;

export const PUSH = LIMITS.alert_minutes * 60;

export const MAIL = LIMITS.digest_minutes * 60;

/** Deliveries as `channel: numbers`, newest first. */
export async function deliveryLines(deliveries: Delivery[]): Promise<string[]> {
  const rows = await database.rows<{ line: string }>(
    `select d.channel || ': ' || string_agg(u.number::text, ',' order by u.number desc) as line
     from public.deliveries d join public.updates u on u.id = any (d.updates)
     where d.id = any ($1::uuid[]) group by d.id, d.channel order by 1`,
    [deliveries.map(({ id }) => id)],
  );
  return rows.map(({ line }) => line);
}

/** About this number of seconds, because a machine may be slow. */
export const near = (seconds: number) => expect.closeTo(seconds, -1);

export const states = async (person: Person) =>
  (
    await database.rows<{ state: string }>(
      'select state from public.deliveries where follower_id = $1 order by due_at',
      [person.sub],
    )
  ).map(({ state }) => state);

export const deliverAll = async () => deliveryLines(await alerts.deliver());

/** Prepares a database for the tests of a file, and deletes alerts after each. */
export function useAlerts(): void {
  beforeAll(async () => {
    database = await openTestDatabase();
    editor = await database.createUser('editor');
    alerts = openAlerts(database, () => editor);
  });
  afterAll(() => database.close());
  // Deletes waiting alerts and deliveries, so that they do not reach the next test.
  afterEach(() => database.rows('with d as (delete from public.deliveries) delete from public.alerts'));
}
