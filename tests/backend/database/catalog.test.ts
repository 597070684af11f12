import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { BACKGROUND, isReadableAccent, SCHEMES } from '../../../src/lib/domain/colours.ts';
import { timeZones } from '../../../src/lib/domain/time.ts';
import { type Catalog, openCatalog, relationsOf } from '../../support/database.ts';

/* Rules that the catalog must follow. New tables, columns and functions fail here until they are added below. */

let catalog: Catalog;
beforeAll(async () => {
  catalog = await openCatalog();
});
afterAll(() => catalog.close());

const rows = <Row>(query: string) => catalog.rows<Row>(query);

type Readers = 'everyone' | 'signed in' | 'people only' | 'server' | 'nobody';

/** Roles that may select each column, apart from row policies. `*` stands for all columns, or all others. */
const COLUMNS: Record<string, Record<string, Readers>> = {
  'private.alert_settings': { '*': 'nobody' },
  'private.broadcast_positions': { '*': 'nobody' },
  'private.export_parts': { '*': 'nobody' },
  'private.feed_rows': { '*': 'nobody' },
  'private.sitemap_updates': { '*': 'nobody' },
  'private.search_index': { '*': 'nobody' },
  'private.idempotency_keys': { '*': 'nobody' },
  'private.permissions': { '*': 'nobody' },
  'private.push_services': { '*': 'nobody' },
  'private.coverage_imports': { '*': 'nobody' },
  'private.setup': { '*': 'nobody' },
  'private.stopped_follows': { '*': 'nobody' },
  'private.tip_salt': { '*': 'nobody' },
  'private.vocabulary_queue': { '*': 'nobody' },
  'private.update_words': { '*': 'nobody' },
  'private.vocabulary': { '*': 'nobody' },
  'public.alerts': { '*': 'nobody' },
  'public.audit_log': { '*': 'signed in' },
  'public.coverage_changes': { '*': 'everyone' },
  'public.coverage_members': { '*': 'signed in' },
  'public.coverage_revisions': { '*': 'signed in' },
  'public.coverage_slugs': { '*': 'everyone' },
  'public.coverage_topics': { '*': 'everyone' },
  'public.coverages': {
    is_importing: 'server',
    continued_at: 'server',
    quiet_since: 'server',
    created_by: 'server',
    created_at: 'server',
    withdrawn_at: 'server',
    ...Object.fromEntries(
      [
        'id',
        'slug',
        'kicker',
        'headline',
        'standfirst',
        'summary',
        'summary_at',
        'state',
        'time_zone',
        'language',
        'starts_at',
        'ended_at',
        'published_at',
        'revised_at',
        'pinned_update',
        'reader_follow_mode',
        'check_interval_seconds',
        'seq',
        'update_count',
        'last_published_at',
        'version',
      ].map((column) => [column, 'everyone']),
    ),
  },
  'public.deliveries': { '*': 'nobody' },
  'public.desk_invites': { '*': 'people only' },
  'public.desk_photos': { '*': 'signed in' },
  'public.desk_revisions': { '*': 'signed in' },
  'public.desk_updates': { '*': 'signed in' },
  'public.follows': { '*': 'nobody' },
  'public.invites': { '*': 'nobody' },
  'public.people': {
    id: 'everyone',
    handle: 'everyone',
    display_name: 'everyone',
    bio: 'everyone',
    role: 'server',
    active: 'server',
    bylined_at: 'server',
    created_at: 'server',
    deleted_at: 'server',
  },
  'public.photos': {
    tip_id: 'server',
    state: 'server',
    refusal_code: 'server',
    uploaded_by: 'server',
    created_at: 'server',
    removed_at: 'server',
    removed_by: 'server',
    library_position: 'server',
    in_use: 'server',
    '*': 'everyone',
  },
  'public.push_subscriptions': { '*': 'nobody' },
  'public.site': { '*': 'everyone' },
  'public.tips': { '*': 'nobody' },
  'public.topics': { '*': 'everyone' },
  'public.update_bylines': { '*': 'everyone' },
  'public.update_history': { '*': 'everyone' },
  'public.update_notes': { '*': 'everyone' },
  'public.update_photos': { '*': 'everyone' },
  'public.update_revisions': { '*': 'server' },
  'public.updates': {
    desk_note: 'server',
    author: 'server',
    created_by: 'server',
    published_by: 'server',
    created_at: 'server',
    scheduled_for: 'server',
    scheduled_by: 'server',
    schedule_error_code: 'server',
    ...Object.fromEntries(
      [
        'id',
        'coverage_id',
        'number',
        'state',
        'headline',
        'body',
        'key_event',
        'urgency',
        'verification',
        'attribution',
        'dateline',
        'occurred_at',
        'published_at',
        'revised_at',
        'corrected_at',
        'withdrawn_at',
        'withdrawn_reason',
        'version',
        'seq',
      ].map((column) => [column, 'everyone']),
    ),
  },
};

const READERS: Record<string, Readers> = {
  'anon,authenticated,service_role': 'everyone',
  'authenticated,service_role': 'signed in',
  authenticated: 'people only',
  service_role: 'server',
  '': 'nobody',
};

describe('tables and views', () => {
  test('grant each column to the expected roles', async () => {
    const catalogRows: typeof COLUMNS = {};
    const expected: typeof COLUMNS = {};
    for (const [relation, columns] of await relationsOf(catalog)) {
      const decided = COLUMNS[relation] ?? {};
      for (const column of columns) {
        const [row] = await rows<{ who: string }>(`
          select coalesce(string_agg(r, ',' order by r), '') as who
          from unnest(array['anon', 'authenticated', 'service_role']) r
          where has_schema_privilege(r, '${relation.split('.')[0]}', 'usage')
            and has_column_privilege(r, '${relation}', '${column}', 'select')`);
        catalogRows[relation] = { ...catalogRows[relation], [column]: READERS[row?.who ?? ''] ?? 'nobody' };
        const readers = decided[column] ?? decided['*'];
        if (readers) expected[relation] = { ...expected[relation], [column]: readers };
      }
    }
    expect(catalogRows).toEqual(expected);
    expect(Object.keys(catalogRows).sort()).toEqual(Object.keys(COLUMNS).sort());
  });

  test('grant no role any write, not even the service role', async () => {
    const writable = await rows(`
      select c.oid::regclass::text as relation, r as who, p as privilege
      from pg_class c join pg_namespace n on n.oid = c.relnamespace,
        unnest(array['public', 'anon', 'authenticated', 'service_role']) r,
        unnest(array['insert', 'update', 'delete', 'truncate', 'references', 'trigger']) p
      where n.nspname in ('public', 'private') and c.relkind in ('r', 'v', 'm', 'p', 'f')
        and (has_table_privilege(r, c.oid, p)
          or (p in ('insert', 'update', 'references') and has_any_column_privilege(r, c.oid, p)))`);
    expect(writable).toEqual([]);
  });

  test('all have row-level security', async () => {
    const bare = await rows(`
      select c.oid::regclass::text as relation
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'private') and c.relkind in ('r', 'p') and not c.relrowsecurity`);
    expect(bare).toEqual([]);
  });

  test('have policies for reading only', async () => {
    const writing = await rows(`select tablename, policyname from pg_policies
      where schemaname in ('public', 'private') and (cmd <> 'SELECT' or permissive <> 'PERMISSIVE' or roles @> '{public}')`);
    expect(writing).toEqual([]);
  });

  test('allow one insert into storage, and no read', async () => {
    const ways = await rows(
      `select tablename, cmd, roles::text, with_check from pg_policies where schemaname = 'storage'`,
    );
    expect(ways).toEqual([
      {
        tablename: 'objects',
        cmd: 'INSERT',
        roles: '{authenticated}',
        with_check: "((bucket_id = 'photos'::text) AND private.can_upload_photo(name))",
      },
    ]);
  });

  test('that are views have a security barrier', async () => {
    const leaky = await rows(`
      select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind = 'v' and not coalesce(c.reloptions @> '{security_barrier=true}', false)`);
    expect(leaky).toEqual([]);
  });

  test('that are views reject writes with a trigger', async () => {
    const open = await rows(`
      select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind = 'v' and not exists (
        select from pg_trigger t where t.tgrelid = c.oid and t.tgfoid = 'private.reject_write'::regproc
          and (t.tgtype & 92) = 92)`);
    expect(open).toEqual([]);
  });
});

/** Roles that may call each function of the API. */
const FUNCTIONS: Record<string, Readers> = {
  permissions: 'server',
  check_import: 'server',
  import_updates: 'server',
  export_coverage: 'server',
  export_coverage_updates: 'server',
  export_coverage_changes: 'server',
  begin_coverage_import: 'server',
  import_coverage_updates: 'server',
  import_coverage_changes: 'server',
  finish_coverage_import: 'server',
  index_imported_updates: 'server',
  cancel_coverage_import: 'server',
  import_state: 'server',
  get_me: 'people only',
  resolve_slug: 'everyone',
  search: 'everyone',
  save_update: 'signed in',
  submit_update: 'signed in',
  publish_update: 'signed in',
  revise_update: 'signed in',
  correct_update: 'signed in',
  withdraw_update: 'signed in',
  redact_revision: 'signed in',
  list_corrections: 'everyone',
  feed_updates: 'everyone',
  spike_update: 'signed in',
  schedule_update: 'signed in',
  unschedule_update: 'signed in',
  pin_update: 'signed in',
  create_coverage: 'signed in',
  save_coverage: 'signed in',
  set_summary: 'signed in',
  set_coverage_state: 'signed in',
  continue_coverage: 'signed in',
  coverage_people: 'people only',
  summary_versions: 'people only',
  set_coverage_member: 'signed in',
  save_topic: 'signed in',
  save_site: 'signed in',
  set_surge: 'signed in',
  report_load: 'server',
  set_role: 'signed in',
  set_active: 'signed in',
  desk_people: 'people only',
  desk_log: 'people only',
  desk_person: 'people only',
  begin_export: 'people only',
  export_page: 'people only',
  invite_person: 'people only',
  renew_invite: 'people only',
  revoke_invite: 'people only',
  accept_invite: 'people only',
  read_invite: 'everyone',
  invited_account: 'server',
  list_desk_updates: 'people only',
  desk_search: 'people only',
  desk_counts: 'people only',
  list_quiet_coverages: 'people only',
  desk_waiting: 'people only',
  desk_roster: 'people only',
  list_updates_by_person: 'everyone',
  list_ended_coverages: 'everyone',
  archive_months: 'everyone',
  coverage_days: 'everyone',
  sitemap_parts: 'everyone',
  sitemap_part: 'everyone',
  sitemap_pages: 'everyone',
  sitemap_news: 'everyone',
  site_seqs: 'server',
  my_sessions: 'people only',
  end_session: 'people only',
  save_me: 'people only',
  delete_account: 'server',
  offer_setup: 'server',
  is_setup_open: 'server',
  create_first_owner: 'server',
  save_photo: 'signed in',
  cancel_photo: 'signed in',
  replace_photo: 'signed in',
  remove_photo: 'signed in',
  photo_library: 'people only',
  photo_uses: 'people only',
  list_photos_to_process: 'server',
  mark_photo_ready: 'server',
  refuse_photo: 'server',
  list_deletable_photos: 'server',
  delete_unused_photos: 'server',
  get_alert_channels: 'everyone',
  save_alert_settings: 'server',
  save_follow: 'people only',
  my_follows: 'people only',
  save_push_subscription: 'people only',
  my_push_subscriptions: 'people only',
  delete_push_subscription: 'people only',
  read_unsubscribe_link: 'everyone',
  unsubscribe: 'everyone',
  claim_deliveries: 'server',
  begin_deliveries: 'server',
  record_deliveries: 'server',
  alerts_due: 'server',
  my_data: 'people only',
  add_tip: 'server',
  tip_receipt: 'everyone',
  my_tips: 'people only',
  review_tip: 'people only',
  hand_over_tip: 'people only',
  use_tip: 'people only',
  close_tip: 'people only',
  reopen_tip: 'people only',
  release_tip: 'people only',
  tip_queue: 'people only',
  tip_counts: 'people only',
  tip_handlers: 'people only',
  tip_photo: 'people only',
};

/** Functions that policies and views use, and the check before each request. They run as the caller. */
const HELPERS: Record<string, Readers> = {
  can_administer: 'people only',
  can_upload_photo: 'people only',
  check_session: 'everyone',
  is_public: 'everyone',
  desk_coverages: 'signed in',
  can_see_photo: 'signed in',
  can_join_coverage: 'everyone',
  can_join_desk: 'people only',
  can_join_tips: 'people only',
  can_join_own_topic: 'people only',
  time_position: 'everyone',
};

describe('functions', () => {
  const runnable = async (schema: string) => {
    const catalogRows = await rows<{ name: string; who: string }>(`
      select p.proname as name, coalesce(string_agg(r, ',' order by r), '') as who
      from pg_proc p left join unnest(array['anon', 'authenticated', 'service_role']) r
        on has_function_privilege(r, p.oid, 'execute')
      where p.pronamespace = '${schema}'::regnamespace
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
      group by p.oid, p.proname order by 1`);
    // Overloads are not allowed, because roles are listed by name.
    expect(new Set(catalogRows.map(({ name }) => name)).size).toBe(catalogRows.length);
    return Object.fromEntries(catalogRows.map(({ name, who }) => [name, READERS[who]]));
  };

  test('of the API can be called by the expected roles', async () => {
    expect(await runnable('public')).toEqual(FUNCTIONS);
  });

  test('of the schema private cannot be called, except those that run as the caller', async () => {
    const helpers = Object.entries(await runnable('private')).filter(([, who]) => who !== 'nobody');
    expect(Object.fromEntries(helpers)).toEqual(HELPERS);
  });

  test('with SECURITY DEFINER have an empty search path', async () => {
    const trusting = await rows(`select oid::regprocedure::text as name from pg_proc
      where pronamespace in ('public'::regnamespace, 'private'::regnamespace) and prosecdef
        and not coalesce(proconfig @> '{"search_path=\\"\\""}', false)`);
    expect(trusting).toEqual([]);
  });

  test('of every kind have an empty search path', async () => {
    const trusting = await rows(`select oid::regprocedure::text as name from pg_proc p
      where pronamespace in ('public'::regnamespace, 'private'::regnamespace)
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
        -- A procedure with one cannot commit: it names schemas.
        and prokind <> 'p' and prosqlbody is null and not coalesce(proconfig @> '{"search_path=\\"\\""}', false)`);
    expect(trusting).toEqual([]);
  });

  test('cannot be called by API roles before they are granted', async () => {
    const who = await catalog.rolledBack(async (session) => {
      await session.exec('create function public.new_one() returns integer language sql return 1');
      return session.query(`select r from unnest(array['anon', 'authenticated', 'service_role']) r
        where has_function_privilege(r, 'public.new_one()', 'execute')`);
    });
    expect(who.rows).toEqual([]);
  });
});

test('no API role may create objects', async () => {
  const makers = await rows(`select r, s from unnest(array['public', 'private']) s,
    unnest(array['anon', 'authenticated', 'service_role', 'authenticator']) r where has_schema_privilege(r, s, 'create')`);
  expect(makers).toEqual([]);
});

test('the database and the site agree about readable colours', async () => {
  const colours = Array.from(
    { length: 400 },
    (_, n) => `#${((n * 41_943) % 0x1000000).toString(16).padStart(6, '0')}`,
  );
  for (const scheme of SCHEMES) {
    const catalogRows = await rows<{ colour: string; fit: boolean }>(
      `select c as colour, private.is_accent(c, ${scheme === 'dark'}) as fit from unnest('{${colours}}'::text[]) c`,
    );
    expect(catalogRows).toEqual(colours.map((colour) => ({ colour, fit: isReadableAccent(colour, scheme) })));
    const [paper] = await rows<{ paper: string }>(
      `select private.background_colour(${scheme === 'dark'}) as paper`,
    );
    expect(paper).toEqual({ paper: BACKGROUND[scheme] });
  }
});

describe('the list of time zones', () => {
  it('contains every zone that the form offers', async () => {
    const offered = timeZones().filter((zone) => zone !== 'UTC');
    const [catalogRows] = await rows<{ missing: string[] }>(`select coalesce(array_agg(zone), '{}') as missing
      from unnest('{${offered}}'::text[]) zone where not private.is_time_zone(zone)`);
    expect(catalogRows?.missing).toEqual([]);
  });

  it('has only names that PostgreSQL and Intl read alike', async () => {
    for (const at of ['2026-01-15T12:00:00Z', '2026-07-15T12:00:00Z']) {
      const read = await rows<{ zone: string; shown: string }>(`
        select zone, to_char(timestamptz '${at}' at time zone zone, 'YYYY-MM-DD HH24:MI:SS') as shown
        from unnest(private.time_zones()) zone where private.is_time_zone(zone)`);
      expect(read.length).toBeGreaterThan(500);
      const byIntl = read.map(({ zone }) => {
        // This locale has the format of the query.
        const shown = new Intl.DateTimeFormat('sv-SE', {
          timeZone: zone,
          dateStyle: 'short',
          timeStyle: 'medium',
        });
        return { zone, shown: shown.format(new Date(at)) };
      });
      expect(read).toEqual(byIntl);
    }
  });
});

describe('limits', () => {
  test('exist for every name that a function reads', async () => {
    // An unknown name would be null, and a comparison with null refuses nothing.
    const catalogRows = await rows<{ name: string }>(`
      select distinct m[1] as name from pg_proc,
        regexp_matches(pg_get_functiondef(oid), 'get_limit\\(''(\\w+)''', 'g') m
      where pronamespace in ('public'::regnamespace, 'private'::regnamespace)
      union select distinct m[1] from pg_proc,
        regexp_matches(pg_get_functiondef(oid), '(?:is_line|is_text|optional_line|optional_multiline)\\([^;\n]*?, ''(\\w+)''\\s*(?:, 0)?\\)', 'g') m
      where pronamespace in ('public'::regnamespace, 'private'::regnamespace)
      union select distinct m[1] from pg_constraint,
        regexp_matches(pg_get_constraintdef(oid), '(?:is_line|is_text)\\([^;]*?''(\\w+)''', 'g') m`);
    const [limits] = await rows<{ limits: Record<string, number> }>('select private.limits() as limits');
    expect(catalogRows.length).toBeGreaterThan(15);
    for (const { name } of catalogRows) expect(limits?.limits, name).toHaveProperty(name);
  });
});
