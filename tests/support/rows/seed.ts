import { randomUUID } from 'node:crypto';
import type { DatabaseSession, Engine } from '../../../packages/embedded-supabase/src/engine/engine.ts';
import { openEngine } from '../../../packages/embedded-supabase/src/engine/open.ts';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { dataEnvironment, newDataFolder } from '../data-folders.ts';

/** A coverage that SQL statements have filled, with all related rows. */
export type SeededCoverage = {
  id: string;
  slug: string;
  topic: string;
  /** The editor in all bylines. */
  person: Claims & { sub: string };
  handle: string;
  /** The highest number. */
  count: number;
  /** The last seq. */
  seq: number;
};

/**
 * Of each hundred updates one is withdrawn, ten are corrected and ten show a photo, always at the same positions.
 * Therefore the ends of coverages look alike.
 */
const WITHDRAWN = 'n % 100 = 44';
const CORRECTED = 'n % 10 = 5';
const WITH_PHOTO = 'n % 10 = 3';
/** Key events are rare, but the first hundred updates have enough for a full page. */
const KEY_EVENT = 'n % 50 = 0 or n < 75';

const FIRST_AT = "timestamptz '2025-01-01 12:00+00'";
/** Number of drafts in each coverage. */
const WAITING = 20;

/** About sixty words, the usual length of an update. */
const WORDS =
  'The river stood two metres above its usual mark this morning and was still rising when the second watch came on. ' +
  'Crews have carried sandbags to the lower gates, the school is closed, and the ferry stays at its pier. ' +
  'The council asks people near the water to move their cars and to look in on their neighbours before dark.';

const BODY = `case when ${WITHDRAWN} then '[]' else jsonb_build_array(jsonb_build_object('type', 'paragraph', 'runs',
  jsonb_build_array(jsonb_build_object('text', 'Report ' || n || '. ' || ${quoted(WORDS)}))))
  || case when ${WITH_PHOTO} then jsonb_build_array(jsonb_build_object('type', 'photo', 'photo', photo)) else '[]' end end`;

/** Inserts an empty live coverage with a topic, a former slug and an editor. */
export async function createSeededCoverage(session: DatabaseSession, name: string): Promise<SeededCoverage> {
  const [id, sub, session_id, topic] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  await session.exec(`
    insert into auth.users (id, email) values ('${sub}', '${name}@example.com');
    insert into auth.sessions (id, user_id) values ('${session_id}', '${sub}');
    update public.people set role = 'editor', handle = 'editor-${name}', bylined_at = now() where id = '${sub}';
    insert into public.topics (id, slug, name) values ('${topic}', 'topic-${name}', 'Topic ${name}');
    insert into public.coverages (id, slug, headline, state, starts_at, published_at)
      values ('${id}', 'coverage-${name}', 'A coverage', 'live', ${FIRST_AT}, ${FIRST_AT});
    insert into public.coverage_slugs (slug, coverage_id) values ('coverage-${name}', '${id}'), ('before-${name}', '${id}');
    insert into public.coverage_topics values ('${id}', '${topic}');
    insert into private.broadcast_positions values ('${id}', 0);
    insert into public.updates (id, coverage_id, body, author, created_by, created_at)
      select gen_random_uuid(), '${id}', '[]', '${sub}', '${sub}', ${FIRST_AT} from generate_series(1, ${WAITING}) n;`);
  return {
    id,
    slug: `coverage-${name}`,
    topic: `topic-${name}`,
    person: { role: 'authenticated', sub, session_id },
    handle: `editor-${name}`,
    count: 0,
    seq: 0,
  };
}

/**
 * Inserts updates up to a number without calling the product's functions. Triggers, foreign keys and checks are
 * off, because they would take most of a minute for 100,000 rows.
 */
export async function insertUpdates(
  session: DatabaseSession,
  coverage: SeededCoverage,
  upTo: number,
): Promise<SeededCoverage> {
  const { rows: checks } = await session.query<{ of: string; name: string; definition: string }>(`
    select conrelid::regclass::text as of, conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
    where contype = 'c' and conrelid in ('public.updates'::regclass, 'public.update_revisions'::regclass, 'public.photos'::regclass)`);
  for (const { of, name } of checks) await session.exec(`alter table ${of} drop constraint ${name}`);
  await session.exec(filling(coverage, upTo));
  for (const { of, name, definition } of checks) {
    const later = definition.endsWith('NOT VALID') ? definition : `${definition} not valid`;
    await session.exec(`alter table ${of} add constraint ${name} ${later}`);
  }
  const { rows } = await session.query<{ seq: string }>(
    'select seq::text from public.coverages where id = $1',
    [coverage.id],
  );
  return { ...coverage, count: upTo, seq: Number(rows[0]?.seq) };
}

const filling = ({ id, person: { sub }, count, seq }: SeededCoverage, upTo: number) => `
  set session_replication_role = replica;
  create temporary table seeded as
    select n, gen_random_uuid() as id, gen_random_uuid() as photo, ${FIRST_AT} + n * interval '1 minute' as at
    from generate_series(${count + 1}, ${upTo}) n;
  create temporary table happened as
    select ${seq} + row_number() over (order by n, kind) as seq, n, kind from (
      select n, 'publication'::public.change_kind as kind from seeded
      union all select n, 'correction' from seeded where ${CORRECTED}
      union all select n, 'withdrawal' from seeded where ${WITHDRAWN}) each;
  insert into public.coverage_changes (coverage_id, seq, update_id, kind, at)
    select '${id}', h.seq, s.id, h.kind, s.at from happened h join seeded s using (n) order by h.seq;
  insert into public.updates (id, coverage_id, number, state, body, key_event, author, created_by, published_by, created_at,
      published_at, revised_at, corrected_at, withdrawn_at, withdrawn_reason, version, seq)
    select id, '${id}', n, (case when ${WITHDRAWN} then 'withdrawn' else 'published' end)::public.update_state, ${BODY},
      ${KEY_EVENT}, '${sub}', '${sub}', '${sub}', at, at, case when ${CORRECTED} then at end,
      case when ${CORRECTED} then at end, case when ${WITHDRAWN} then at end,
      case when ${WITHDRAWN} then 'It was wrong.' end, case when ${CORRECTED} or ${WITHDRAWN} then 2 else 1 end, last
    from seeded join (select n, max(seq) as last from happened group by n) h using (n) order by n;
  insert into public.update_revisions (update_id, version, content, kind, note, created_by, created_at, public)
    select id, v, jsonb_build_object('body', ${BODY}),
      (case when v = 1 then 'revision' when ${CORRECTED} then 'correction' else 'withdrawal' end)::public.revision_kind,
      case when v = 2 then 'It was wrong.' end, '${sub}', at, v = 1 or ${CORRECTED}
    from seeded, generate_series(1, case when ${CORRECTED} or ${WITHDRAWN} then 2 else 1 end) v order by n, v;
  insert into public.update_bylines (update_id, person_id, position, published_at)
    select id, '${sub}', 1, case when not ${WITHDRAWN} then at end from seeded order by n;
  insert into public.photos (id, state, coverage_id, width, height, renditions, placeholder_colour, alt, uploaded_by, created_at, ready_at, in_use)
    select photo, 'ready', '${id}', 480, 360, '[{"width": 480, "height": 360, "bytes": 20000}]', '#334455', 'The river',
      '${sub}', at, at, true from seeded where ${WITH_PHOTO} order by n;
  insert into public.update_photos (update_id, photo_id, position)
    select id, photo, 1 from seeded where ${WITH_PHOTO} order by n;
  update public.coverages set update_count = ${upTo}, last_published_at = ${FIRST_AT} + ${upTo} * interval '1 minute', seq = (select max(seq) from happened),
    pinned_update = (select id from seeded where n = ${upTo} - 3) where id = '${id}';
  update private.broadcast_positions set seq = (select max(seq) from happened) where coverage_id = '${id}';
  insert into private.update_words (update_id, words)
    select id, array_to_tsvector(array['report', n::text, 'river', 'sandbags', '@${sub}', '=${sub}', private.update_band('${id}', n)]
      || array_remove(array[case when ${KEY_EVENT} then '!key' end, case when ${CORRECTED} then '!corrected' end,
        case when ${WITH_PHOTO} then '!photos' end, case when ${WITHDRAWN} then '!withdrawn' end,
        case when n = 2 then 'zeppelin' end], null))
    from seeded order by n;
  drop table seeded, happened;
  set session_replication_role = origin;`;

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A newsroom with a long coverage, many short ones, and one with updates of maximum length. */
export type LargeNewsroom = {
  long: SeededCoverage;
  /** 200 updates of 10,000 characters. */
  wordy: SeededCoverage;
  short: SeededCoverage[];
};

const LONG = 13_800;
const SHORT = { coverages: 20, updates: 300 };
const WORDY = 200;
/** Updates per statement. The engine ends statements after 5 s. */
const STEP = 1_500;

/** Inserts 20,000 updates by SQL, which takes only seconds. */
export async function seedLargeNewsroom(engine: Engine): Promise<LargeNewsroom> {
  const seed = async (name: string, count: number) => {
    let seeded = await engine.transaction((session) => createSeededCoverage(session, name));
    while (seeded.count < count) {
      const upTo = Math.min(count, seeded.count + STEP);
      const begun = seeded;
      seeded = await engine.transaction((session) => insertUpdates(session, begun, upTo));
    }
    return seeded;
  };
  const long = await seed('long', LONG);
  const wordy = await seed('wordy', WORDY);
  await engine.exec(`
    set session_replication_role = replica;
    update public.updates u set body = jsonb_build_array(jsonb_build_object('type', 'paragraph', 'runs',
      jsonb_build_array(jsonb_build_object('text', (
        select left(string_agg(translate(md5(u.number::text || n), 'abcdef', 'éèêëàâ'), ' '), 10000)
        from generate_series(1, 310) n)))))
    where coverage_id = '${wordy.id}' and state = 'published';
    set session_replication_role = origin;`);
  const short: SeededCoverage[] = [];
  for (let n = 0; n < SHORT.coverages; n++) short.push(await seed(`short-${n}`, SHORT.updates));
  await engine.execOutsideTransaction('analyze');
  return { long, wordy, short };
}

/** Creates a data folder with a large newsroom. */
export async function newLargeDataFolder(): Promise<LargeNewsroom & { data: string }> {
  const data = await newDataFolder();
  const engine = await openEngine({ data, databaseUrl: dataEnvironment(data).DATABASE_URL }, () => {});
  try {
    return { data, ...(await seedLargeNewsroom(engine)) };
  } finally {
    await engine.close();
  }
}
