import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { listTables } from '../../../packages/embedded-supabase/src/backup/snapshot.ts';
import type { Engine } from '../../../packages/embedded-supabase/src/engine/engine.ts';
import { openEngine } from '../../../packages/embedded-supabase/src/engine/open.ts';
import { MAX_RESPONSE_BYTES } from '../../../packages/embedded-supabase/src/jobs/http-requests.ts';
import { deleteOldRuns, openJobs } from '../../../packages/embedded-supabase/src/jobs/jobs.ts';
import { migrate } from '../../../packages/embedded-supabase/src/migrations.ts';
import { dataEnvironment, newDataFolder, removeData } from '../../support/data-folders.ts';
import { PROBE_SCHEMA } from './probe.ts';

/* Jobs and requests in the SQL of pg_cron and pg_net. */

/** A busy machine may be slow. */
const SOON = { timeout: 20_000 };

const MIGRATION = `
  create extension if not exists pg_cron with schema pg_catalog;
  do $$ begin create extension if not exists pg_net; end $$;
  create extension if not exists supabase_vault with schema vault cascade;
  comment on extension pg_cron is 'Job scheduler';
  do $$ begin
    if exists (select 1 from pg_extension where extname = 'supabase_vault')
       and exists (select from pg_available_extensions where name = 'pg_net' and installed_version is not null) then
      perform vault.create_secret('a publishable key', 'publishable_key');
    end if;
  end $$;
  grant usage on schema cron to postgres_like;
  create table public.ticks (n int generated always as identity, job text, at timestamptz default clock_timestamp());
  create procedure public.tick_twice() language plpgsql as $$
  begin
    insert into public.ticks (job) values ('committed');
    commit;
    raise exception 'too bad';
  end $$;`;

let engine: Engine;
let jobs: { stop(): Promise<void> };
let data: string;
const open = () => openEngine({ data, databaseUrl: dataEnvironment(data).DATABASE_URL }, () => {});
const rows = async <Row>(query: string, ...values: unknown[]) =>
  (await engine.transaction((session) => session.query<Row>(query, values))).rows;

beforeAll(async () => {
  data = await newDataFolder(PROBE_SCHEMA);
  engine = await open();
  await engine.exec('drop role if exists postgres_like; create role postgres_like');
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-migrations-'));
  await writeFile(join(folder, '20270101000000_jobs.sql'), MIGRATION);
  await engine.exec('delete from supabase_migrations.schema_migrations');
  await migrate(engine, folder);
  await rm(folder, { recursive: true });
  jobs = await openJobs(engine);
  return async () => {
    await jobs.stop();
    await engine.exec('drop owned by postgres_like; drop role postgres_like');
    await engine.close();
    await removeData(data);
  };
});

let logLines: string[] = [];
beforeEach(() => {
  logLines = [];
  vi.spyOn(console, 'error').mockImplementation((...words) => logLines.push(words.join(' ')));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await engine.exec('delete from cron.job; delete from public.ticks');
});

const schedule = async (...given: string[]) => {
  const places = given.map((_, n) => `$${n + 1}`).join(', ');
  const [row] = await rows<{ id: string }>(`select cron.schedule(${places})::text as id`, ...given);
  return String(row?.id);
};
const ticks = async (job: string) =>
  (await rows<{ n: number }>('select n from public.ticks where job = $1 order by n', job)).length;
const runs = (id: string) =>
  rows<Record<string, unknown>>(
    'select * from cron.job_run_details where jobid = $1::bigint order by runid',
    id,
  );

describe('a job', () => {
  test('runs repeatedly with a record of each run, and a failing one does not stop others', async () => {
    const command = "insert into ticks (job) values ('a'); insert into ticks (job) values ('b')";
    const good = await schedule('good', '1 second', command);
    const vacuum = await schedule('1 seconds', 'VACUUM public.ticks');
    const call = await schedule('1 seconds', 'call public.tick_twice()');
    const bad = await schedule(
      'bad',
      '1 second',
      "set role anon; begin; insert into ticks (job) values ('bad')",
    );
    await vi.waitFor(async () => {
      expect((await runs(bad)).length).toBeGreaterThan(1);
      expect((await runs(good)).length).toBeGreaterThan(2);
      expect((await runs(vacuum))[0]).toMatchObject({ status: 'succeeded' });
      expect((await runs(call))[0]).toMatchObject({ return_message: expect.stringContaining('too bad') });
    }, SOON);
    expect(await ticks('committed')).toBeGreaterThan(0);
    expect((await runs(bad))[0]).toMatchObject({
      status: 'failed',
      return_message: expect.stringContaining('42501'),
    });
    expect(logLines.filter((line) => line.includes('The job bad failed'))).toHaveLength(1);
    expect(await ticks('bad')).toBe(0);

    // Scheduling the same name again changes the existing job.
    expect(await schedule('good', '0 5 * * *', command)).toBe(good);
    expect(await rows("select * from cron.job where jobname = 'good'")).toMatchObject([
      { schedule: '0 5 * * *', command, active: true },
    ]);
    await vi.waitFor(async () => {
      const written = await runs(good);
      expect(written).toHaveLength(await ticks('a'));
      expect(written[0]).toMatchObject({ command, status: 'succeeded', return_message: null });
      expect(Date.parse(String(written[0]?.end_time))).toBeGreaterThanOrEqual(
        Date.parse(String(written[0]?.start_time)),
      );
    }, SOON);
  });

  test('can be rescheduled, paused and deleted, and continues after a restart', async () => {
    const off = await schedule('1 second', "insert into ticks (job) values ('off')");
    const beside = await schedule('beside', '1 second', "insert into ticks (job) values ('beside')");
    await schedule('once', '@reboot', "insert into ticks (job) values ('start')");
    await vi.waitFor(async () => expect(await ticks('off')).toBeGreaterThan(0), SOON);
    await rows("select cron.alter_job($1::bigint, '0 5 * * *')", off);
    const before = (await runs(off)).length;
    const besides = await ticks('beside');
    await vi.waitFor(async () => expect(await ticks('beside')).toBeGreaterThan(besides + 1), SOON);
    await rows("select cron.alter_job($1::bigint, '1 second', active := false)", off);
    await jobs.stop();
    await engine.close();
    engine = await open();
    expect(await ticks('start')).toBe(0);
    await engine.exec('delete from public.ticks');
    jobs = await openJobs(engine);
    await vi.waitFor(async () => expect(await ticks('beside')).toBeGreaterThan(1), SOON);
    expect(await ticks('start')).toBe(1);
    // At most one run was added: the one that was just starting.
    expect((await runs(off)).length).toBeLessThanOrEqual(before + 1);
    expect(await ticks('off')).toBe(0);

    await expect(rows("select cron.unschedule('nothing')")).rejects.toThrow('could not find valid entry');
    expect(await rows("select cron.unschedule('beside') as gone")).toEqual([{ gone: true }]);
    expect(await rows('select cron.unschedule($1::bigint) as gone', off)).toEqual([{ gone: true }]);
    expect(await rows('select jobname from cron.job')).toEqual([{ jobname: 'once' }]);
    expect(beside).not.toBe(off);
  });

  test('accepts schedules that the backend can keep, and no others', async () => {
    const fit = ['*/5 8-18/2 1,15 jan-mar mon-fri', '0 12 $ * 7', '59 seconds', '@hourly', '0 0 1 1 Sun'];
    const unfit = [
      '60 seconds',
      '0 seconds',
      '* * * *',
      '* * * * * *',
      '60 * * * *',
      '5/10 * * * *',
      '* * 0 * *',
    ];
    for (const at of [...unfit, '30-10 * * * *', '', '@never', '* * * foo *']) {
      await expect(schedule(at, 'select 1'), at).rejects.toMatchObject({ code: '22023' });
    }
    for (const at of fit) await schedule(at, 'select 1');
    await schedule('1 second', "insert into ticks (job) values ('after')");
    await vi.waitFor(async () => expect(await ticks('after')).toBeGreaterThan(0), SOON);
    expect(logLines).toEqual([]);
  });
});

describe('a request', () => {
  const requests: { method?: string; url?: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const answers: Record<string, (response: ServerResponse) => void> = {
    '/late': () => {},
    '/long': (response) => response.end('x'.repeat(MAX_RESPONSE_BYTES + 1)),
    '/nul': (response) => response.end('a\0b'),
  };
  let address: string;
  beforeAll(async () => {
    const server = createServer(async (request, response) => {
      const { method, url, headers } = request;
      requests.push({ method, url, headers, body: await text(request) });
      const own = answers[url ?? ''];
      if (own) return own(response);
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"well": "Flöde"}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return () => {
      server.closeAllConnections();
      server.close();
    };
  });
  const ask = async (call: string) => {
    const [row] = await rows<{ id: string }>(`select (${call})::text as id`);
    return String(row?.id);
  };
  const came = async (id: string) =>
    vi.waitFor(async () => {
      const [row] = await rows<Record<string, unknown>>(
        'select * from net._http_response where id = $1::bigint',
        id,
      );
      expect(row).toBeDefined();
      return row;
    }, SOON);

  test('is sent once as requested, and its response is stored', async () => {
    const id = await ask(
      `net.http_post('${address}/hook?a=1', '{"b": "ü"}', '{"q": "a b&c/ü"}', '{"x-secret": "s"}')`,
    );
    expect(await came(id)).toMatchObject({
      status_code: 201,
      content_type: 'application/json',
      headers: { 'content-type': 'application/json' },
      content: '{"well": "Flöde"}',
      timed_out: false,
      error_msg: null,
    });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      method: 'POST',
      url: '/hook?a=1&q=a%20b%26c%2F%C3%BC',
      headers: { 'content-type': 'application/json', 'x-secret': 's' },
    });
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ b: 'ü' });
    await came(await ask(`net.http_delete('${address}/gone')`));
    await came(await ask(`net.http_get('${address}/got', headers := '{"accept": "text/plain"}')`));
    expect(requests.slice(1)).toMatchObject([
      { method: 'DELETE', url: '/gone' },
      { method: 'GET', url: '/got', headers: { accept: 'text/plain' } },
    ]);
    expect(await rows('select id from net.http_request_queue')).toEqual([]);
  });

  test("of a job reads URL and key from the vault, as in Supabase's documentation", async () => {
    requests.length = 0;
    await rows("select vault.create_secret($1, 'project_url')", address);
    await schedule(
      'invoke-function-every-second',
      '1 second',
      `select net.http_post(
         url:= (select decrypted_secret from vault.decrypted_secrets where name = 'project_url') || '/functions/v1/function-name',
         headers:=jsonb_build_object(
           'Content-type', 'application/json',
           'Authorization', 'Bearer ' || (select decrypted_secret from vault.decrypted_secrets where name = 'publishable_key')
         ),
         body:=concat('{"time": "', now(), '"}')::jsonb
       ) as request_id;`,
    );
    await vi.waitFor(() => expect(requests).not.toEqual([]), SOON);
    await rows("select cron.unschedule('invoke-function-every-second')");
    expect(requests[0]).toMatchObject({
      method: 'POST',
      url: '/functions/v1/function-name',
      headers: { authorization: 'Bearer a publishable key' },
      body: expect.stringContaining('"time"'),
    });

    await rows(`select vault.update_secret(id, 'another', new_description := 'Words') from vault.secrets
      where name = 'project_url'`);
    expect(
      await rows(
        "select name, description, decrypted_secret from vault.decrypted_secrets where name = 'project_url'",
      ),
    ).toEqual([{ name: 'project_url', description: 'Words', decrypted_secret: 'another' }]);
    await expect(rows("select vault.create_secret('twice', 'project_url')")).rejects.toMatchObject({
      code: '23505',
    });
  });

  test('waits in the queue for the next start when the backend stops', async () => {
    await jobs.stop();
    const before = requests.length;
    const held: ServerResponse[] = [];
    answers['/held'] = (response) => void held.push(response);
    jobs = await openJobs(engine);
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) ids.push(await ask(`net.http_get('${address}/held')`));
    await vi.waitFor(() => expect(held).toHaveLength(16), SOON);
    const stopped = jobs.stop();
    for (const response of held) response.end('late');
    await stopped;
    expect(requests).toHaveLength(before + 16);
    expect(await rows('select id from net.http_request_queue')).toHaveLength(4);

    answers['/held'] = (response) => void response.end('soon');
    jobs = await openJobs(engine);
    const contents = await Promise.all(ids.map(async (id) => (await came(id))?.content));
    expect(contents).toEqual([...Array(16).fill('late'), ...Array(4).fill('soon')]);
    expect(requests).toHaveLength(before + 20);
  });

  test('is sent after its transaction was committed, and not after a rollback', async () => {
    requests.length = 0;
    const undone = engine.transaction(async (session) => {
      await session.query(`select net.http_get('${address}/undone')`);
      throw new Error('Undone on purpose.');
    });
    await expect(undone).rejects.toThrow('on purpose');
    const ids = await rows<{ id: string }>(
      `select net.http_get('${address}/' || n)::text as id from generate_series(1, 40) n`,
    );
    for (const { id } of ids) await came(id);
    expect(requests.map(({ url }) => url).sort()).toEqual(ids.map((_, n) => `/${n + 1}`).sort());
  });

  test('that fails stores the reason, within its time limit', async () => {
    expect(
      await came(await ask(`net.http_get('${address}/late', timeout_milliseconds := 50)`)),
    ).toMatchObject({
      status_code: null,
      timed_out: true,
    });
    for (const url of [`${address}/long`, 'http://127.0.0.1:1/', 'file:///etc/passwd', 'nonsense']) {
      const row = await came(await ask(`net.http_get('${url}')`));
      expect(row, url).toMatchObject({ status_code: null, timed_out: false, content: null });
      expect(row?.error_msg, url).toBeTruthy();
    }
    expect(await came(await ask(`net.http_get('${address}/nul')`))).toMatchObject({ content: 'ab' });
    await expect(
      ask(`net.http_post('${address}/', headers := '{"content-type": "text/plain"}')`),
    ).rejects.toThrow('Content-Type');
  });
});

test('run details and responses are limited, and not part of backups', async () => {
  await rows(`insert into net._http_response (id, created) values (-1, now() - interval '7 hours')`);
  await rows(`insert into cron.job_run_details (jobid) select -1 from generate_series(1, 300)`);
  await rows(`insert into cron.job_run_details (jobid) values (-2)`);
  await deleteOldRuns(engine);
  expect(await rows('select id from net._http_response where id = -1')).toEqual([]);
  expect(
    await rows(
      'select jobid::int, count(*)::int from cron.job_run_details where jobid < 0 group by 1 order by 1',
    ),
  ).toEqual([
    { jobid: -2, count: 1 },
    { jobid: -1, count: 200 },
  ]);
  const kept = await engine.transaction(listTables);
  expect(kept.filter(({ name }) => /^(cron|net|vault)\./.test(name))).toEqual([]);
});

test('only the owner has access, and the vault is open to the server, as in a hosted project', async () => {
  const open = await rows(`
    with schemas as (select oid, nspname from pg_namespace where nspname in ('cron', 'net', 'vault')),
      roles as (select unnest(array['anon', 'authenticated', 'service_role', 'authenticator']) as r)
    select r, nspname as what from roles, schemas where has_schema_privilege(r, oid, 'usage')
    union all
    select r, p.proname from roles, pg_proc p join schemas s on s.oid = p.pronamespace
    where has_function_privilege(r, p.oid, 'execute')
    union all
    select r, c.relname || ' ' || privilege from roles, pg_class c join schemas s on s.oid = c.relnamespace,
      unnest(array['select', 'insert', 'update', 'delete']) privilege
    where c.relkind in ('r', 'v') and has_table_privilege(r, c.oid, privilege)
    order by what`);
  const server = [
    'create_secret',
    'decrypted_secrets delete',
    'decrypted_secrets select',
    'secrets delete',
    'secrets select',
    'update_secret',
    'vault',
  ];
  expect(open).toEqual(server.map((what) => ({ r: 'service_role', what })));
});
