import { randomUUID } from 'node:crypto';
import type { Engine } from '../../packages/embedded-supabase/src/engine/engine.ts';

/**
 * Inserts updates without calling the product's functions, except the one that maintains search words. Texts use
 * words of the newest coverage with their frequencies, so that common and rare words stay so. Two updates contain a
 * unique word.
 */
export async function fillUp(engine: Engine, upTo: number): Promise<void> {
  const { rows: checks } = await engine.transaction((session) =>
    session.query<{ name: string; definition: string }>(
      `select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
       where contype = 'c' and conrelid = 'public.updates'::regclass`,
    ),
  );
  const coverages = Array.from({ length: COVERAGES }, () => randomUUID());
  const drop = checks.map(({ name }) => `alter table public.updates drop constraint ${name};`).join('\n');
  const add = checks
    .map(({ name, definition }) => {
      const later = definition.endsWith('NOT VALID') ? definition : `${definition} not valid`;
      return `alter table public.updates add constraint ${name} ${later};`;
    })
    .join('\n');
  await engine.transaction((session) =>
    session.exec(`${drop} ${opening(coverages)} ${insertUpdates(upTo)} ${add}`),
  );
  for (let from = 1; from <= upTo; from += AT_ONCE) {
    await engine.transaction((session) => session.exec(noting(from, from + AT_ONCE - 1)));
  }
  for (;;) {
    const { rows } = await engine.transaction((session) =>
      session.query<{ learnt: number }>('select private.update_vocabulary(2000) as learnt'),
    );
    if (!rows[0]?.learnt) break;
  }
  // A server does this automatically, PGlite does not.
  if (engine.kind !== 'pglite') await engine.execOutsideTransaction('analyze');
}

const COVERAGES = 40;
const AT_ONCE = 5_000;

const opening = (ids: string[]) =>
  ids
    .map(
      (id, n) => `
    insert into public.coverages (id, slug, headline, standfirst, state, starts_at, published_at)
      values ('${id}', 'filled-${n}', 'What was said, ${n}', 'Words of another day.', 'live', '2025-01-01', '2025-01-01');
    insert into public.coverage_slugs (slug, coverage_id) values ('filled-${n}', '${id}');`,
    )
    .join('\n');

const insertUpdates = (upTo: number) => `
  select setseed(0.5);
  create table private.bench_words as
    select row_number() over () as n, w.word from public.updates u,
      string_to_table(regexp_replace(private.body_text(u.body), '[[:space:]]+', ' ', 'g'), ' ') w(word) where w.word <> '';
  create unique index on private.bench_words (n);
  create table private.bench_updates as
    select n, gen_random_uuid() as id, (select count(*) from private.bench_words) as words from generate_series(1, ${upTo}) n;
  set session_replication_role = replica;
  insert into public.updates (id, coverage_id, number, state, headline, body, key_event, created_at, published_at, version, seq)
    select b.id, c.id, (b.n - 1) / ${COVERAGES} + 1, 'published',
      case when b.n % 100 = 0 then (select left(string_agg(w.word, ' '), 100) from private.bench_words w where w.n between b.from_word and b.from_word + 5) end,
      jsonb_build_array(jsonb_build_object('type', 'paragraph', 'runs', jsonb_build_array(jsonb_build_object('text', b.said)))),
      b.n % 50 = 0, b.at, b.at, 1, (b.n - 1) / ${COVERAGES} + 1
    from (
      select s.n, s.id, s.from_word, timestamptz '2025-01-01 12:00+00' + s.n * interval '8 minutes' as at,
        (select string_agg(w.word, ' ' order by w.n) from private.bench_words w where w.n between s.from_word and s.from_word + 39)
        || case when s.n % 2 = 0 then ' Roger. ' else ' ' end
        || (select string_agg(w.word, ' ' order by w.n) from private.bench_words w where w.n between s.other_word and s.other_word + 19)
        || case when s.n % 12345 = 0 then ' A zeppelin over Harrowgate.' else '' end as said
      from (select u.*, 1 + floor(random() * (u.words - 60))::bigint as from_word, 1 + floor(random() * (u.words - 60))::bigint as other_word
        from private.bench_updates u) s) b
    join (select row_number() over (order by slug) - 1 as n, id from public.coverages where slug like 'filled-%') c on c.n = b.n % ${COVERAGES}
    order by b.n;
  update public.coverages c set update_count = ${upTo} / ${COVERAGES}, seq = ${upTo} / ${COVERAGES} where slug like 'filled-%';
  set session_replication_role = origin;`;

const noting = (from: number, to: number) => `
  select private.index_update(u, '{}') from private.bench_updates b join public.updates u on u.id = b.id
  where b.n between ${from} and ${to} order by b.n;`;
