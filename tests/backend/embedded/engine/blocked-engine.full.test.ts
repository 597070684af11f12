import { join } from 'node:path';
import { Hono } from 'hono';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readConfig } from '../../../../packages/embedded-supabase/src/config.ts';
import { limitDatabaseTime } from '../../../../packages/embedded-supabase/src/engine/database-time.ts';
import type { Engine } from '../../../../packages/embedded-supabase/src/engine/engine.ts';
import { UnavailableError } from '../../../../packages/embedded-supabase/src/engine/errors.ts';
import { openPglite } from '../../../../packages/embedded-supabase/src/engine/pglite.ts';
import {
  runWithLimits,
  runWithoutTimeLimit,
} from '../../../../packages/embedded-supabase/src/engine/work.ts';
import type { RequestVariables } from '../../../../packages/embedded-supabase/src/gateway/context.ts';
import { counters } from '../../../../packages/embedded-supabase/src/metrics/counters.ts';
import { openRestApi, type RestApi } from '../../../../packages/embedded-supabase/src/rest/lite.ts';
import { ENGINE, newDataFolder, removeData } from '../../../support/data-folders.ts';
import { PROBE_SCHEMA } from '../probe.ts';

/** Longest time until the database is back. A busy machine gets a multiple of the time that opening it took. */
const BACK_WITHIN_MS = 2_000;
const TIMES_OPENING = 4;

/** Backtracks without end. */
const CATASTROPHIC = `select repeat('a b ', 60) || 'x' ~ '^(.+)(.+)(.+)(.+)(.+)(.+)\\1\\2\\3\\4\\5\\6$'`;

/** Computes for some milliseconds. */
const compute = (ms: number) => `do $$ begin
  while clock_timestamp() < statement_timestamp() + interval '${ms} ms' loop
    perform md5(n::text) from generate_series(1, 1000) n;
  end loop;
end $$`;

describe.skipIf(ENGINE !== 'pglite')(
  'a statement that blocks PGlite for too long',
  { timeout: 600_000 },
  () => {
    let data: string;
    let engine: Engine;
    let restApi: RestApi;
    let openingMs: number;
    const received: string[] = [];
    let listened = 0;

    beforeAll(async () => {
      data = await newDataFolder(PROBE_SCHEMA);
      const began = performance.now();
      engine = await openPglite(join(data, 'db'));
      openingMs = performance.now() - began;
      restApi = await openRestApi(engine, await readConfig());
      await restApi.reloadSchema();
      await engine.exec('create table public.kept (id int)');
      await engine.listen(
        'jobs',
        (payload) => received.push(payload),
        () => {
          listened += 1;
        },
      );
    });
    afterAll(async () => {
      await engine.close();
      await removeData(data);
    });

    const kept = async () =>
      (await sql<{ id: number }>`select id from public.kept order by id`.execute(engine.db)).rows.map(
        ({ id }) => id,
      );

    /** Repeats a read until the database answers again. */
    const whenBack = <Result>(read: () => Promise<Result>) =>
      vi.waitFor(read, { interval: 10, timeout: 60_000 });

    const hold = (statement: string, maxHoldMs?: number) =>
      runWithLimits({ ...(maxHoldMs && { maxHoldMs }), name: 'the test' }, () =>
        engine.transaction(async (session) => {
          await session.query('insert into public.kept values (-1)');
          await session.query(statement);
        }),
      );

    test('ends after five seconds, and the database is back with every committed row', async () => {
      await engine.exec('insert into public.kept values (1)');
      const restarts = counters.database_restarts;
      const held = hold(CATASTROPHIC);
      const waiting = sql`insert into public.kept values (2)`.execute(engine.db);
      await expect(held).rejects.toMatchObject({ code: '57014' });
      await expect(waiting).rejects.toBeInstanceOf(UnavailableError);
      const ended = performance.now();
      expect(await whenBack(kept)).toEqual([1]);
      expect(performance.now() - ended).toBeLessThan(Math.max(BACK_WITHIN_MS, openingMs * TIMES_OPENING));
      expect(counters.database_restarts).toBe(restarts + 1);
    });

    test('keeps listeners, roles and schema', async () => {
      expect(listened).toBe(2);
      await engine.exec("notify jobs, 'after the restart'");
      await expect.poll(() => received).toEqual(['after the restart']);
      const answer = await restApi.handle(
        new Request('http://inside/rest/v1/rpc/who_am_i'),
        { role: 'anon' },
        'server',
      );
      expect(await answer.json()).toMatchObject({ runs_as: 'anon' });
      await engine.exec('insert into public.kept values (3)');
      expect(await kept()).toEqual([1, 3]);
    });

    test('ends a transaction of many short statements as well', async () => {
      const many = runWithLimits({ maxHoldMs: 1_000 }, () =>
        engine.transaction(async (session) => {
          for (let n = 0; n < 100; n++) await session.exec(compute(300));
        }),
      );
      await expect(many).rejects.toMatchObject({ code: '57014' });
      expect(await whenBack(kept)).toEqual([1, 3]);
    });

    test('continues if it has announced itself as long-running', async () => {
      const restarts = counters.database_restarts;
      await runWithLimits({ maxHoldMs: 300 }, () =>
        runWithoutTimeLimit('the test', () => engine.exec(compute(2_500))),
      );
      expect(counters.database_restarts).toBe(restarts);
      await expect(
        runWithLimits({ maxHoldMs: 300 }, () => engine.exec(compute(60_000))),
      ).rejects.toMatchObject({
        code: '57014',
      });
      await whenBack(kept);
    });

    describe('of a request', () => {
      let now = 0;
      const keys = {
        publishable: 'everybody',
        secret: 'secret',
        serverToken: 'website',
        internal: '',
        signing: {},
      };
      const app = new Hono<RequestVariables>();
      app.use(limitDatabaseTime(keys, () => now));
      app.get('/rest/v1/:table', async (c) => {
        const statement = c.req.query('body') ? compute(60_000) : 'select 1';
        const done = runWithLimits({ maxHoldMs: 100 }, () => engine.exec(statement));
        return done.then(
          () => c.json([]),
          () => c.json({ code: 'whatever a layer above made of it' }, 500),
        );
      });
      const ask = async (query: string, address: string, token?: string) => {
        const headers = {
          'x-forwarded-for': address,
          'x-server-token': keys.serverToken,
          ...(token && { authorization: `Bearer e30.${btoa(JSON.stringify({ sub: token }))}.x` }),
        };
        const answer = await app.request(`/rest/v1/updates?${query}`, { headers });
        const retryAfter = answer.headers.get('retry-after');
        return {
          status: answer.status,
          retryAfter: retryAfter && Number(retryAfter),
          body: await answer.json(),
        };
      };

      test('refuses that query shape to that client for ten minutes, then for twenty', async () => {
        const first = await ask('body=wfts.a&limit=5', '192.0.2.1');
        expect(first).toMatchObject({ status: 504, body: { code: '57014' } });
        await whenBack(kept);
        expect(await ask('limit=7&body=wfts.b', '192.0.2.1')).toMatchObject({ status: 429, retryAfter: 600 });
        // Other shapes and other clients are not refused.
        expect((await ask('id=eq.1', '192.0.2.1')).status).toBe(200);
        expect((await ask('body=wfts.a&limit=5', '192.0.2.2')).status).toBe(504);
        await whenBack(kept);
        now += 601;
        expect((await ask('body=wfts.a&limit=5', '192.0.2.1')).status).toBe(504);
        await whenBack(kept);
        expect(await ask('body=wfts.a&limit=5', '192.0.2.1')).toMatchObject({
          status: 429,
          retryAfter: 1200,
        });
      });

      test('identifies a signed-in user by id, not by address', async () => {
        expect((await ask('body=wfts.a', '192.0.2.9', 'ada')).status).toBe(504);
        await whenBack(kept);
        expect((await ask('body=wfts.a', '192.0.2.10', 'ada')).status).toBe(429);
        expect((await ask('id=eq.1', '192.0.2.9', 'ada')).status).toBe(200);
      });

      test('refuses everything to a client after its third slow shape', async () => {
        for (const query of ['body=wfts.a', 'body=fts.a', 'body=plfts.a']) {
          expect((await ask(query, '192.0.2.20')).status).toBe(504);
          await whenBack(kept);
        }
        expect((await ask('id=eq.1', '192.0.2.20')).status).toBe(429);
      });
    });
  },
);
