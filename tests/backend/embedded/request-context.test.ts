import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../../../packages/embedded-supabase/src/engine/engine.ts';
import { openEngine } from '../../../packages/embedded-supabase/src/engine/open.ts';
import { createRequestContext } from '../../../packages/embedded-supabase/src/gateway/request-context.ts';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { dataEnvironment, newDataFolder, removeData } from '../../support/data-folders.ts';
import { PROBE_SCHEMA } from './probe.ts';

/* The function that PostgREST calls before each request. */

let data: string;
let engine: Engine;
beforeAll(async () => {
  data = await newDataFolder(PROBE_SCHEMA);
  engine = await openEngine({ data, databaseUrl: dataEnvironment(data).DATABASE_URL }, () => {});
  await engine.exec(`
    create schema behind;
    grant usage on schema behind to anon, authenticated;
    create function behind."Who asks"() returns void language plpgsql set search_path = '' as $$
    begin
      if auth.role() = 'anon' then return; end if;
      raise exception using errcode = 'PT418', message = concat_ws(' ', current_user, auth.uid(),
        current_setting('request.method'), current_setting('transaction_read_only'));
    end $$`);
});
afterAll(async () => {
  await engine.close();
  await removeData(data);
});

/** Changes the setting for this database only, because roles belong to the whole cluster. */
const name = (setting: string) =>
  engine.exec(`do $do$ begin
    execute format('alter role authenticator in database %I ${setting}', current_database());
  end $do$`);

/** Starts a request. @returns the role that it runs as */
async function enter(claims?: Claims): Promise<string> {
  const context = createRequestContext(engine);
  await context.loadSettings();
  const http = { method: 'GET', path: '/', readOnly: true };
  return engine.db.transaction().execute(async (transaction) => {
    await context.apply(transaction, claims, http);
    const { rows } = await sql<{ who: string }>`select current_user as who`.execute(transaction);
    return rows[0]?.who ?? '';
  });
}

const ADA: Claims = { role: 'authenticated', sub: '01a1fd01-0000-7000-8000-000000000001' };

test('calls nothing without a setting, or for a missing function', async () => {
  expect(await enter(ADA)).toBe('authenticated');
  await name(`set pgrst.db_pre_request = ''nowhere.nothing''`);
  expect(await enter(ADA)).toBe('authenticated');
});

test('calls the function with role, claims and request, and returns its error', async () => {
  await name(`set pgrst.db_pre_request = ''behind."Who asks"''`);
  expect(await enter()).toBe('anon');
  await expect(enter(ADA)).rejects.toMatchObject({
    code: 'PT418',
    message: `authenticated ${ADA.sub} GET on`,
  });
  expect(await enter({ role: 'anon' })).toBe('anon');
  await name('reset pgrst.db_pre_request');
  expect(await enter(ADA)).toBe('authenticated');
});
