import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../../../packages/embedded-supabase/src/engine/engine.ts';
import { openEngine } from '../../../../packages/embedded-supabase/src/engine/open.ts';
import {
  queryPermissions,
  type TopicPermissions,
} from '../../../../packages/embedded-supabase/src/realtime/access.ts';
import type { Claims } from '../../../../packages/embedded-supabase/src/tokens.ts';
import { dataEnvironment, newDataFolder, removeData } from '../../../support/data-folders.ts';
import { PROBE_SCHEMA } from '../probe.ts';

/* Permissions from policies on realtime.messages, queried as hosted Realtime does. */

let engine: Engine;
beforeAll(async () => {
  const data = await newDataFolder(PROBE_SCHEMA);
  engine = await openEngine({ data, databaseUrl: dataEnvironment(data).DATABASE_URL }, () => {});
  await engine.exec(`
    create schema behind;
    grant usage on schema behind to anon, authenticated, service_role;
    -- As the product's own does, of a session that has ended.
    create function behind.check_session() returns void language plpgsql set search_path = '' as $$
    begin
      if auth.jwt() ->> 'session_id' = 'ended' then
        raise exception using errcode = 'PT401', message = 'signed_out';
      end if;
    end $$;
    grant execute on function behind.check_session() to anon, authenticated, service_role;
    do $$ begin
      execute format('alter role authenticator in database %I set pgrst.db_pre_request = ''behind.check_session''',
        current_database());
    end $$;

    create policy "everybody hears what is public" on realtime.messages for select to anon, authenticated
      using (extension = 'broadcast' and topic like 'public:%');
    create policy "one's own room is for everything" on realtime.messages to authenticated
      using ((select realtime.topic()) = 'person:' || (select auth.uid()))
      with check ((select realtime.topic()) = 'person:' || (select auth.uid()));
    create policy "whoever signed in says that they are here" on realtime.messages for insert to authenticated
      with check (extension = 'presence' and topic = 'lobby');
    create policy "and hears who is" on realtime.messages for select to authenticated
      using (extension = 'presence' and topic = 'lobby');
    create policy "broken" on realtime.messages for select to authenticated
      using (1 / (char_length(topic) - 6) = 2);`);
  return async () => {
    await engine.close();
    await removeData(data);
  };
});

const VISITOR: Claims = { role: 'anon' };
const ADA: Claims = { role: 'authenticated', sub: randomUUID(), session_id: 'alive' };
const SERVER: Claims = { role: 'service_role' };

const rights = (of: string): TopicPermissions => ({
  broadcast: { read: of.includes('hear'), write: of.includes('send') },
  presence: { read: of.includes('see'), write: of.includes('show') },
});

const count = async () => {
  const { rows } = await engine.transaction((session) =>
    session.query<{ count: number }>('select count(*)::int as count from realtime.messages'),
  );
  return rows[0]?.count;
};

describe('permissions on a private channel', () => {
  test.each([
    [VISITOR, 'public:1', 'hear'],
    [ADA, 'public:1', 'hear'],
    [VISITOR, 'lobby', ''],
    [ADA, 'lobby', 'see show'],
    [VISITOR, `person:${ADA.sub}`, ''],
    [ADA, `person:${ADA.sub}`, 'hear send see show'],
    [ADA, `person:${randomUUID()}`, ''],
    [ADA, "'; drop table realtime.messages; --", ''],
    [ADA, '', ''],
    [ADA, 'public:\0', ''],
    [ADA, 'public:\ud800', 'hear'],
    [SERVER, 'anything', 'hear send see show'],
  ])('equal the policies for %o on %s', async (claims, topic, what) => {
    expect(await queryPermissions(engine, claims, topic)).toEqual(rights(what));
  });

  test('are refused after the session has ended', async () => {
    const ended = queryPermissions(engine, { ...ADA, session_id: 'ended' }, 'lobby');
    await expect(ended).rejects.toMatchObject({ code: 'PT401', message: 'signed_out' });
    expect(await queryPermissions(engine, ADA, 'lobby')).toEqual(rights('see show'));
  });

  test('are not granted by a failing policy', async () => {
    await expect(queryPermissions(engine, ADA, 'broken')).rejects.toMatchObject({ code: '22012' });
  });

  test('leave no rows and no changed role', async () => {
    const before = await count();
    await engine.exec("select realtime.send('{}', 'change', 'lobby')");
    await queryPermissions(engine, ADA, 'lobby');
    await expect(queryPermissions(engine, ADA, 'broken')).rejects.toThrow();
    expect(await count()).toBe(Number(before) + 1);
    const { rows } = await engine.transaction((session) =>
      session.query(
        "select current_user = session_user as same, coalesce(auth.uid()::text, '') as uid, realtime.topic() as topic",
      ),
    );
    expect(rows).toEqual([{ same: true, uid: '', topic: null }]);
  });

  test('are not mixed up by concurrent queries', async () => {
    const people = Array.from({ length: 60 }, () => ({ ...ADA, sub: randomUUID() }));
    const asked = people.map((person, n) =>
      queryPermissions(engine, n % 3 === 0 ? VISITOR : person, `person:${people[n % 3 === 1 ? n : 0]?.sub}`),
    );
    const expected = people.map((_, n) => rights(n % 3 === 1 ? 'hear send see show' : ''));
    expect(await Promise.all(asked)).toEqual(expected);
  });

  test('change with the policies', async () => {
    expect(await queryPermissions(engine, VISITOR, 'later')).toEqual(rights(''));
    await engine.exec(
      `create policy "later" on realtime.messages for select to anon using (topic = 'later')`,
    );
    expect(await queryPermissions(engine, VISITOR, 'later')).toEqual(rights('hear see'));
  });
});
