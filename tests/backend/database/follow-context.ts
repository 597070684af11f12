import { afterAll, beforeAll } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { openAlerts, type Person } from '../../support/alerts.ts';
import { errorOf, openTestDatabase, type TestDatabase } from '../../support/database.ts';

/* Follows, push subscriptions, and how they end. */

export let database: TestDatabase;

export let editor: Person;

export let alerts: ReturnType<typeof openAlerts>;

export const rowsOf = async (table: 'follows' | 'push_subscriptions', { sub }: Person) =>
  database.rows<Record<string, unknown>>(
    `select * from public.${table} where follower_id = $1 order by created_at`,
    [sub],
  );

export const mine = (who: Claims, name: 'my_follows' | 'my_push_subscriptions') =>
  database.as(
    who,
    async (session) => (await session.query<Record<string, unknown>>(`select * from public.${name}()`)).rows,
  );

export const refused = (who: Claims, name: string, args: Record<string, unknown>) =>
  errorOf(database.call(who, [name, args]));

/** Prepares a database with an editor for the tests of a file. */
export function useAlerts(): void {
  beforeAll(async () => {
    database = await openTestDatabase();
    editor = await database.createUser('editor');
    alerts = openAlerts(database, () => editor);
  });
  afterAll(() => database.close());
}
