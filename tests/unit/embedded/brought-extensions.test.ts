import { expect, test } from 'vitest';
import { withoutBrought } from '../../../supabase/embedded/brought-extensions.ts';

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
])('what the backend brings itself is not created again: %s', (script, rest) => {
  expect(withoutBrought(script)).toBe(rest);
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
])('all else stays as it is: %s', (script) => {
  expect(withoutBrought(script)).toBe(script);
});
