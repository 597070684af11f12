import { randomUUID } from 'node:crypto';

/** One statement with rows, as the owner of the database. */
export type Sql = (query: string) => Promise<unknown[]>;

/** Of a browser, what its newsroom is told. */
export type Subscribed = { subscription: { endpoint: string; keys: { p256dh: string; auth: string } } };

export type Follower = { id: string; email: string; browsers: Subscribed[]; mail: boolean };

const AT_ONCE = 1_000;

/**
 * People with an account who follow a coverage, all updates of it: on their browsers, and by mail where wanted. Put there as
 * rows: ten thousand people would sign up for an hour.
 */
export async function makeFollowers(
  sql: Sql,
  coverage_id: string,
  wanted: { browsers?: Subscribed[]; mail?: boolean }[],
): Promise<Follower[]> {
  const all = wanted.map(({ browsers = [], mail = false }) => {
    const id = randomUUID();
    return { id, email: `${id}@readers.example`, browsers, mail };
  });
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const some = all.slice(from, from + AT_ONCE);
    const people = some.map(({ id, email, mail, browsers }) => ({
      id,
      email,
      mail,
      push: browsers.length > 0,
    }));
    const subscriptions = some.flatMap(({ id, browsers }) =>
      browsers.map(({ subscription: { endpoint, keys } }) => ({ person_id: id, endpoint, ...keys })),
    );
    await sql(
      `insert into auth.users (id, email, email_confirmed_at)
       select id, email, now() from ${rowsOf(people, 'id uuid, email text')} returning id`,
    );
    await sql(
      `insert into public.follows (person_id, coverage_id, scope, mail, push)
       select id, '${coverage_id}', 'all', mail, push from ${rowsOf(people, 'id uuid, mail boolean, push boolean')} returning id`,
    );
    await sql(
      `insert into public.push_subscriptions (person_id, endpoint, p256dh, auth)
       select person_id, endpoint, p256dh, auth
       from ${rowsOf(subscriptions, 'person_id uuid, endpoint text, p256dh text, auth text')} returning id`,
    );
  }
  return all;
}

/** Lets pushes go to a service of the test's own. */
export const knowService = (sql: Sql, origin: string) =>
  sql(`insert into private.push_services values ('${origin}') returning pattern`);

function rowsOf(rows: object[], columns: string): string {
  return `jsonb_to_recordset('${JSON.stringify(rows).replaceAll("'", "''")}'::jsonb) as t(${columns})`;
}
