import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest';
import { listSequences, listTables } from '../../../../packages/embedded-supabase/src/backup/snapshot.ts';
import type { DatabaseSession, Engine } from '../../../../packages/embedded-supabase/src/engine/engine.ts';
import { openEngine } from '../../../../packages/embedded-supabase/src/engine/open.ts';
import { runBootstrapScripts } from '../../../../packages/embedded-supabase/src/migrations.ts';
import {
  deleteOldMessages,
  scheduleMessageCleanup,
} from '../../../../packages/embedded-supabase/src/realtime/messages.ts';
import { dataEnvironment, ENGINE, newDataFolder, removeData } from '../../../support/data-folders.ts';
import { PROBE_SCHEMA } from '../probe.ts';

/* The schema realtime, as a hosted project has it. */

let engine: Engine;
beforeAll(async () => {
  const data = await newDataFolder(PROBE_SCHEMA);
  engine = await openEngine({ data, databaseUrl: dataEnvironment(data).DATABASE_URL }, () => {});
  return async () => {
    await engine.close();
    await removeData(data);
  };
});
beforeEach(() => engine.exec('truncate realtime.messages'));

const rows = async <Row>(query: string) =>
  (await engine.transaction((session) => session.query<Row>(query))).rows;

const messages = () =>
  rows<Record<string, unknown>>(
    'select id, topic, extension, payload, event, private from realtime.messages order by position',
  );

describe('realtime.send', () => {
  let log: MockInstance;
  beforeEach(() => {
    log = vi.spyOn(console, 'error').mockImplementation(() => {});
    return () => log.mockRestore();
  });

  test('inserts a row with its id in the payload', async () => {
    await engine.exec(`select realtime.send('{"seq": 7}', 'change', 'site')`);
    const [message] = await messages();
    expect(message).toEqual({
      id: expect.any(String),
      topic: 'site',
      extension: 'broadcast',
      payload: { seq: 7, id: message?.id },
      event: 'change',
      private: true,
    });
  });

  test('keeps a given id, and accepts a public channel', async () => {
    const id = randomUUID();
    await engine.exec(`select realtime.send('{"id": "${id}"}', 'change', 'site', private => false)`);
    expect(await messages()).toMatchObject([{ payload: { id }, private: false }]);
  });

  test.each(['[1]', '"words"', '7', 'null'])('ignores payloads that are no objects: %s', async (payload) => {
    await engine.exec(`select realtime.send('${payload}', 'change', 'site')`);
    expect(await messages()).toEqual([]);
  });

  test('ignores null as payload or channel', async () => {
    await engine.exec(`select realtime.send(null, 'change', 'site'), realtime.send('{}', 'change', null)`);
    expect(await messages()).toEqual([]);
  });

  test('does not fail its transaction, and logs its own failure', async () => {
    await engine.exec(`alter table realtime.messages add constraint none check (topic <> 'refused')`);
    await engine.transaction(async (session) => {
      await session.exec(`select realtime.send('{"n": 1}', 'change', 'site')`);
      await session.exec(`select realtime.send('{"n": 2}', 'change', 'refused')`);
      await session.exec(`select realtime.send('{"n": 3}', 'change', 'site')`);
    });
    expect(await messages()).toMatchObject([{ payload: { n: 1 } }, { payload: { n: 3 } }]);
    // A PostgreSQL server has its own log.
    const said =
      'The database warns: WarnSendingBroadcastMessage: new row for relation "messages" violates check constraint "none"';
    expect(log.mock.calls).toEqual(ENGINE === 'pglite' ? [[said]] : []);
    await engine.exec('alter table realtime.messages drop constraint none');
  });

  test('runs as its caller, and policies see the channel', async () => {
    const asAnon = (work: string) =>
      engine.transaction(async (session) => {
        await session.exec(`set local role anon; ${work}`);
        return (await session.query<{ topic: string }>('select realtime.topic() as topic')).rows[0]?.topic;
      });
    await asAnon(`select realtime.send('{}', 'change', 'lobby')`);
    expect(await messages()).toEqual([]);
    await engine.exec(`create policy "the lobby" on realtime.messages for insert to anon
      with check (realtime.topic() = 'lobby')`);
    expect(await asAnon(`select realtime.send('{}', 'change', 'lobby')`)).toBe('lobby');
    await asAnon(`select realtime.send('{}', 'change', 'another')`);
    expect(await messages()).toMatchObject([{ topic: 'lobby' }]);
    await engine.exec('drop policy "the lobby" on realtime.messages');
  });
});

describe('realtime.send_binary', () => {
  test('inserts bytes in the place of JSON', async () => {
    await engine.exec(`select realtime.send_binary('\\xdeadbeef00ff', 'frame', 'site', private => false)`);
    expect(
      await rows('select extension, payload, binary_payload, event, private from realtime.messages'),
    ).toEqual([
      {
        extension: 'broadcast',
        payload: null,
        binary_payload: '\\xdeadbeef00ff',
        event: 'frame',
        private: false,
      },
    ]);
  });

  test('ignores null, and follows the policies of its caller', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    await engine.exec(`select realtime.send_binary(null, 'frame', 'site')`);
    await engine.transaction((session) =>
      session.exec(`set local role anon; select realtime.send_binary('\\x00', 'frame', 'site')`),
    );
    log.mockRestore();
    expect(await messages()).toEqual([]);
  });
});

describe('realtime.broadcast_changes', () => {
  beforeAll(async () => {
    await engine.exec(`
      create function public.announce_books() returns trigger language plpgsql set search_path = '' as $$
      begin
        perform realtime.broadcast_changes(
          'category:' || coalesce(new.category, old.category), tg_op, tg_op, tg_table_name, tg_table_schema, new, old, tg_level);
        return null;
      end $$;
      create trigger announce after insert or update or delete on public.books
        for each row execute function public.announce_books();`);
  });

  test('sends inserted, changed and deleted rows', async () => {
    await engine.exec("insert into public.books values (5000, 1, 'one')");
    await engine.exec("update public.books set title = 'two' where id = 5000");
    await engine.exec('delete from public.books where id = 5000');
    const one = { id: 5000, category: 1, title: 'one' };
    const two = { ...one, title: 'two' };
    const of = { schema: 'public', table: 'books' };
    expect(await messages()).toMatchObject([
      {
        topic: 'category:1',
        event: 'INSERT',
        private: true,
        payload: { ...of, operation: 'INSERT', record: one, old_record: null },
      },
      { event: 'UPDATE', payload: { operation: 'UPDATE', record: two, old_record: one } },
      { event: 'DELETE', payload: { operation: 'DELETE', record: null, old_record: two } },
    ]);
  });

  test('refuses statement triggers and unknown operations', async () => {
    const changes = (operation: string, level: string) =>
      engine.exec(
        `select realtime.broadcast_changes('t', 'e', '${operation}', 'books', 'public', null, null, '${level}')`,
      );
    await expect(changes('INSERT', 'STATEMENT')).rejects.toThrow('not for each statement');
    await expect(changes('TRUNCATE', 'ROW')).rejects.toThrow('TRUNCATE');
    expect(await messages()).toEqual([]);
  });
});

describe('rows of realtime.messages', () => {
  const may = (who: string) =>
    rows<{ right: string }>(`
      select p as right from unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'trigger']) p
      where has_table_privilege('${who}', 'realtime.messages', p)`);

  test.each(['anon', 'authenticated', 'service_role'])(
    'have the same permissions for %s as in a hosted project',
    async (who) => {
      expect((await may(who)).map(({ right }) => right)).toEqual(['select', 'insert', 'update']);
      const [open] =
        await rows(`select relrowsecurity as by_row, has_schema_privilege('${who}', 'realtime', 'usage') as usage,
      has_schema_privilege('${who}', 'realtime', 'create') as make from pg_class where oid = 'realtime.messages'::regclass`);
      expect(open).toEqual({ by_row: true, usage: true, make: false });
    },
  );

  test('survive another start, which creates missing objects', async () => {
    await engine.exec(`select realtime.send('{"seq": 7}', 'change', 'site')`);
    const before = await messages();
    await runBootstrapScripts(engine);
    expect(await messages()).toEqual(before);
    // Simulates the database of an older program without Realtime.
    await engine.exec('drop schema realtime cascade');
    await runBootstrapScripts(engine);
    await engine.exec(`select realtime.send('{"seq": 8}', 'change', 'site')`);
    expect(await messages()).toMatchObject([{ payload: { seq: 8 } }]);
  });

  test('are not part of a backup', async () => {
    const [tables, sequences] = await engine.transaction(async (session) => [
      (await listTables(session)).map(({ name }) => name),
      [...(await listSequences(session)).keys()],
    ]);
    expect(tables).toContain('public.notes');
    expect(sequences).toContain('public.notes_id_seq');
    expect([...tables, ...sequences].filter((name) => name.startsWith('realtime'))).toEqual([]);
  });

  test('are deleted after three days, first at the start', async () => {
    await engine.exec(`
      insert into realtime.messages (topic, extension, event, inserted_at)
      select age, 'broadcast', 'change', now() at time zone 'UTC' - age::interval
      from unnest(array['4 days', '73 hours', '71 hours', '1 minute']) age`);
    await scheduleMessageCleanup(engine).stop();
    expect((await messages()).map(({ topic }) => topic)).toEqual(['71 hours', '1 minute']);
  });

  test('that cannot be deleted are logged, and the backend continues', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    await engine.exec('alter table realtime.messages rename to away');
    await scheduleMessageCleanup(engine).stop();
    await engine.exec('alter table realtime.away rename to messages');
    expect(log.mock.calls).toEqual([[expect.stringMatching(/not deleted.*\nDatabaseFault \(42P01\)/)]]);
    log.mockRestore();
  });

  test.skipIf(ENGINE === 'postgres')('do not grow with permission queries', async () => {
    const ask = (session: DatabaseSession) =>
      session.exec(`insert into realtime.messages (topic, extension)
        select 'coverage:' || gen_random_uuid(), 'broadcast' from generate_series(1, 2000)`);
    const grown = async () => {
      const undone = new Error('Undone on purpose.');
      await engine
        .transaction(async (session) => {
          await ask(session);
          throw undone;
        })
        .catch((error: unknown) => expect(error).toBe(undone));
      await deleteOldMessages(engine);
      const [size] = await rows<{ bytes: number }>(
        "select pg_total_relation_size('realtime.messages')::float8 as bytes",
      );
      return size?.bytes ?? 0;
    };
    // Space in an index is freed only some time later.
    const sizes: number[] = [];
    for (let n = 0; n < 9; n++) sizes.push(await grown());
    expect(Math.max(...sizes.slice(3))).toBeLessThan(1.5 * Math.max(...sizes.slice(0, 3)));
  });
});
