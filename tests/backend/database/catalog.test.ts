import { describe, expect, it, test } from 'vitest';
import { BACKGROUND, isReadableAccent, SCHEMES } from '../../../src/lib/domain/colours.ts';
import { timeZones } from '../../../src/lib/domain/time.ts';
import { relationsOf } from '../../support/database.ts';
import { catalog, type Readers, readersOf, rows, useCatalog } from './catalog-context.ts';

useCatalog();

/** Roles that may select each column, apart from row policies. `*` stands for all columns, or all others. */
const COLUMNS: Record<string, Record<string, Readers>> = {
  'private.alert_settings': { '*': 'nobody' },
  'private.broadcast_positions': { '*': 'nobody' },
  'private.export_parts': { '*': 'nobody' },
  'private.feed_rows': { '*': 'nobody' },
  'private.sitemap_updates': { '*': 'nobody' },
  'private.search_index': { '*': 'nobody' },
  'private.filed_messages': { '*': 'nobody' },
  'private.filing_channels': { '*': 'nobody' },
  'private.filing_codes': { '*': 'nobody' },
  'private.filing_notices': { '*': 'nobody' },
  'private.filing_refusals': { '*': 'nobody' },
  'private.filing_senders': { '*': 'nobody' },
  'private.idempotency_keys': { '*': 'nobody' },
  'private.permissions': { '*': 'nobody' },
  'private.push_services': { '*': 'nobody' },
  'private.coverage_imports': { '*': 'nobody' },
  'private.follow_requests': { '*': 'nobody' },
  'private.setup': { '*': 'nobody' },
  'private.stopped_follows': { '*': 'nobody' },
  'private.table_readings': { '*': 'nobody' },
  'private.tip_salt': { '*': 'nobody' },
  'private.vocabulary_queue': { '*': 'nobody' },
  'private.update_words': { '*': 'nobody' },
  'private.vocabulary': { '*': 'nobody' },
  'private.wordpress': { '*': 'nobody' },
  'private.wordpress_drafts': { '*': 'nobody' },
  'private.wordpress_transfer': { '*': 'nobody' },
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
        'front_page_position',
        'lead_photo',
        'canonical_url',
        'version',
      ].map((column) => [column, 'everyone']),
    ),
  },
  'public.deliveries': { '*': 'nobody' },
  'public.desk_invites': { '*': 'people only' },
  'public.desk_photos': { '*': 'signed in' },
  'public.desk_revisions': { '*': 'signed in' },
  'public.desk_updates': { '*': 'signed in' },
  'public.followers': { '*': 'nobody' },
  'public.follows': { '*': 'nobody' },
  'public.invites': { '*': 'nobody' },
  'public.media_files': { '*': 'server' },
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
  'public.site_images': { '*': 'everyone' },
  'public.tips': { '*': 'nobody' },
  'public.topics': { '*': 'everyone' },
  'public.update_bylines': { '*': 'everyone' },
  'public.update_history': { '*': 'everyone' },
  'public.update_media': { '*': 'server' },
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

describe('tables and views', () => {
  test('grant each column to the expected roles', async () => {
    const catalogRows: Record<string, Record<string, string>> = {};
    const expected: typeof COLUMNS = {};
    for (const [relation, columns] of await relationsOf(catalog)) {
      const decided = COLUMNS[relation] ?? {};
      for (const column of columns) {
        const [row] = await rows<{ who: string }>(`
          select coalesce(string_agg(r, ',' order by r), '') as who
          from unnest(array['anon', 'authenticated', 'service_role']) r
          where has_schema_privilege(r, '${relation.split('.')[0]}', 'usage')
            and has_column_privilege(r, '${relation}', '${column}', 'select')`);
        catalogRows[relation] = { ...catalogRows[relation], [column]: readersOf(row?.who ?? '') };
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

  test('allow one insert into each bucket of staff, and no read', async () => {
    const ways = await rows(
      `select tablename, cmd, roles::text, with_check from pg_policies where schemaname = 'storage' order by with_check`,
    );
    expect(ways).toEqual([
      {
        tablename: 'objects',
        cmd: 'INSERT',
        roles: '{authenticated}',
        with_check: "((bucket_id = 'media'::text) AND private.can_upload_media_file(name))",
      },
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
