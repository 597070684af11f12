import { expect, test } from 'vitest';
import { removeProvidedExtensions } from '../../../packages/embedded-supabase/src/migrations.ts';

test.each([
  ['create extension pg_cron;', ';'],
  ['create extension if not exists pg_net;select 1', ';select 1'],
  ['CREATE EXTENSION IF NOT EXISTS "pg_cron" WITH SCHEMA pg_catalog VERSION \'1.6\' CASCADE', ''],
  [
    'create /* a ; /* nested */ ; */ extension -- pg_net;\n pg_net with schema extensions;\nselect 1;',
    ';\nselect 1;',
  ],
  ["select E'it\\'s'; create extension Pg_Cron;", "select E'it\\'s'; ;"],
  [
    "select 'a''b;' || $x$ ; $x$ ;create extension pg_cron ;select 2",
    "select 'a''b;' || $x$ ; $x$ ;;select 2",
  ],
  [
    "do $$ begin if true then create extension pg_net with schema net; end if; exception when others then raise 'x;'; end $$;",
    "do $$ begin if true then null; end if; exception when others then raise 'x;'; end $$;",
  ],
  [
    'do language plpgsql $b$begin create extension pg_cron; end$b$',
    'do language plpgsql $b$begin null; end$b$',
  ],
  ["comment on extension pg_cron is 'Jobs; at their times';select 1", ';select 1'],
  ['alter extension "pg_net" update to \'0.8\';alter extension pg_cron set schema extensions;', ';;'],
  ['drop extension if exists pg_net, "pg_cron" cascade; Drop Extension supabase_vault', '; '],
  [
    'select from pg_extension e join pg_catalog . pg_available_extensions a on e.extname = name;',
    'select from extensions.pg_extension e join extensions.pg_available_extensions a on e.extname = name;',
  ],
  [
    "do $$ begin if not exists (select from pg_catalog.pg_extension where extname = 'pg_net') then create extension pg_net; end if; end $$;",
    "do $$ begin if not exists (select from extensions.pg_extension where extname = 'pg_net') then null; end if; end $$;",
  ],
])('removes extensions that the backend provides: %s', (script, rest) => {
  expect(removeProvidedExtensions(script)).toBe(rest);
});

test.each([
  'create extension pg_trgm with schema extensions;',
  'create extension "PG_CRON";',
  "select 'create extension pg_cron;'; select E'\\'; create extension pg_cron; --';",
  '-- create extension pg_cron;\n/* create extension pg_net; */ select 1;',
  'select "create extension pg_cron;" from t where a$1 = $1;',
  'create function f() returns void language plpgsql as $f$ begin create extension pg_cron; end $f$;',
  'select $a$ it never ends; create extension pg_cron;',
  "comment on extension pg_trgm is 'create extension pg_net';",
  'drop extension pg_cron, pg_trgm; alter extension pg_trgm update;',
  "select pg_extension.oid, 'from pg_extension' from x.pg_extension where 'pg_extension'::regclass = 1;",
])('keeps everything else: %s', (script) => {
  expect(removeProvidedExtensions(script)).toBe(script);
});
