-- Finding an update at a desk: by its words, by who wrote it, by what sets it apart; and what of it waits for somebody.

/* What is said, as words to be found by: small letters without their accents, parted by whatever is no letter or digit.
   The characters are spelled out, because classes of them hang on the engine's locale. A word is cut at 64 characters: an
   index takes no word of any length. Every version that is saved comes through here, so what is plain ASCII is not looked
   through for accents, and nothing is left that a tsvector as it is written would mean something by. */
create function private.word_vector(said text) returns tsvector
language plpgsql immutable set search_path = '' as $$
declare
  plain text := lower(said);
begin
  if octet_length(said) = char_length(said) then
    -- Most versions: by the shorter way.
    plain := regexp_replace(plain, '[^a-z0-9]', ' ', 'g');
  else
    plain := lower(regexp_replace(regexp_replace(normalize(said, NFKD), '[\u0300-\u036f\u064b-\u0655\u0670]+', '', 'g'),
      '[\u0080-\u00bf\u00d7\u00f7\u02b0-\u02ff\u060c\u061b\u061f\u066a-\u066d\u06d4\u2000-\u2bff\u3000-\u303f\ufe00-\ufe6f\uff00-\uff0f]+', ' ', 'g'));
    plain := translate(plain, E'\t\n\r!"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~\x7f', repeat(' ', 36));
  end if;
  if plain ~ '[^ ]{65}' then plain := regexp_replace(plain, '([^ ]{64})[^ ]+', '\1', 'g'); end if;
  return plain::tsvector;
end $$;

/* The same words, one by one. */
create function private.words_of(said text) returns text[]
language sql immutable set search_path = '' return tsvector_to_array(private.word_vector(said));

/* The words of each update as it is now. Beside them stand words that nobody can type, so that one look into the index
   asks for everything at once: `#<coverage>:<thousand>` (`-` where there is no number yet), `@<person>` for each
   byline, `=<person>` for the author, and `!key`, `!corrected`, `!photos`, `!withdrawn`. */
create table private.update_words (
  update_id uuid primary key references public.updates (id),
  words tsvector not null
);
-- Sixty words each in its place cost a press more than all its other rows. They are put there some forty updates at once;
-- every search reads what waits, which is 64 kB at the most.
create index update_words_found on private.update_words using gin (words) with (fastupdate = on, gin_pending_list_limit = 64);
alter table private.update_words enable row level security;
revoke all on private.update_words from public, anon, authenticated, service_role;

-- What is handed in waits for editors, what readers tell for those who handle tips: few of many.
create index updates_handed_in on public.updates (filed_at) where state = 'submitted';
create index tips_waiting on public.tips (created_at) where state = 'new' and not held;

/* Updates of a coverage in bands of a thousand numbers: a search looks into one after another, the newest first, until
   it has what it was asked for. So it never reads more than a thousand rows that it does not show. */
create function private.band_of(coverage uuid, number integer) returns text
language sql immutable return '#' || coverage || ':' || coalesce((number / 1000)::text, '-');

/* Notes by which words an update is found, as it was just saved, under these bylines. `said` is the text of its body, where that
   is known already: to gather it from many blocks takes its time. */
create function private.note_words(saved public.updates, bylines uuid[], said text default null) returns void
language plpgsql volatile set search_path = '' as $$
declare
  found_by tsvector := private.word_vector(concat_ws(' ', saved.headline, coalesce(said, private.body_text(saved.body)), saved.attribution,
      saved.dateline, saved.desk_note, saved.withdrawn_reason))
    || array_to_tsvector(array_remove(array[private.band_of(saved.coverage_id, saved.number), '=' || saved.author,
      case when saved.key_event then '!key' end, case when saved.corrected_at is not null then '!corrected' end,
      case when private.has_photos(saved.body) then '!photos' end, case saved.state when 'withdrawn' then '!withdrawn' end], null)
      || string_to_array('@' || nullif(array_to_string(bylines, ' @'), ''), ' '));
begin
  insert into private.update_words as known (update_id, words) values (saved.id, found_by)
  on conflict (update_id) do update set words = excluded.words where known.words <> excluded.words;
end $$;

/* The people whose name has a word that begins so, as what their bylines are found by: ` | '@<person>'` each. */
create function private.named_so(word text) returns text
language sql stable set search_path = '' as $$
  select coalesce(string_agg(format(' | ''@%s''', p.id), ''), '')
  from public.people p
  where p.bylined_at is not null and exists (select from unnest(private.words_of(p.display_name)) n where starts_with(n, word))
$$;
create index people_bylined on public.people (id) where bylined_at is not null;

/* As desk_heads: updates of a coverage's desk in these states that have all of these words, or words that begin with
   them where they have three letters or more; of what has none `words` is empty. `trait` leaves in what is the caller's
   own (`mine`), a key event (`key`), was corrected (`corrected`) or shows photos (`photos`). */
create function public.desk_search(coverage_id uuid, words text, states text[], most integer, trait text default null)
returns table (id uuid, version integer, state public.update_state, seq bigint, schedule_refusal text)
language plpgsql stable security definer set search_path = '' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  wanted alias for $1;
  within public.update_state[] := states::public.update_state[];
  count integer := (select c.update_count from public.coverages c where c.id = wanted and c.id in (select private.desk_coverages()));
  left_over integer := least(greatest(most, 0), 1000);
  found_here integer;
  sought text;
  band text;
begin
  if count is null then return; end if;
  select string_agg(format('(''%s''%s%s)', w, case when char_length(w) > 2 then ':*' end, private.named_so(w)), ' & ') into sought
  from unnest(private.words_of(left($2, 200))) w;
  sought := concat_ws(' & ', sought, case when trait = 'mine' then format('''=%s''', (select auth.uid()))
    when trait in ('key', 'corrected', 'photos') then format('''!%s''', trait) end);
  if sought = '' then return; end if;
  for band in
    select private.band_of(wanted, null) where within && '{draft,submitted,scheduled,spiked}'
    union all
    (select private.band_of(wanted, b * 1000) from generate_series(count / 1000, 0, -1) b where within && '{published,withdrawn}')
  loop
    exit when left_over = 0;
    return query select u.id, u.version, u.state, u.seq, u.schedule_refusal
      from private.update_words w join public.updates u on u.id = w.update_id
      where w.words @@ concat_ws(' & ', sought, format('''%s''', band),
          case when not within @> '{published}' and band not like '%:-' then '''!withdrawn''' end)::tsquery
        and u.state = any (within)
      order by u.number desc nulls first, u.filed_at desc limit left_over;
    get diagnostics found_here = row_count;
    left_over := left_over - found_here;
  end loop;
end $$;

/* How many updates of a coverage there are in each state, up to a hundred: more are not counted. Of published ones, all,
   where fewer than a hundred were withdrawn. */
create function public.desk_counts(coverage_id uuid)
returns table (state public.update_state, updates integer)
language sql stable security definer set search_path = '' as $$
  with here as materialized (
    select c.id, c.update_count from public.coverages c
    where c.id = desk_counts.coverage_id and c.id in (select private.desk_coverages())),
  waiting as materialized (
    select s.state, (select count(*) from (select from public.updates u
      where u.coverage_id = h.id and u.state = s.state and u.number is null limit 100) few)::integer as updates
    from here h, unnest('{draft,submitted,scheduled,spiked}'::public.update_state[]) s(state)
    union all
    select 'withdrawn', (select count(*) from (select from public.updates u
      where u.coverage_id = h.id and u.state = 'withdrawn' limit 100) few)::integer
    from here h)
  select w.state, w.updates from waiting w
  union all
  select 'published', h.update_count - w.updates from here h, waiting w where w.state = 'withdrawn' and w.updates < 100
$$;

/* What waits for the caller: for editors what was handed in, by coverage; for who handles tips those that nobody has
   looked at, by coverage, or of none. A thousand at the most. */
create function public.desk_waiting()
returns table (coverage_id uuid, slug text, headline text, submitted integer, tips integer)
language sql stable security definer set search_path = '' as $$
  select c.id, c.slug, c.headline, count(*) filter (where w.what = 'update')::integer, count(*) filter (where w.what = 'tip')::integer
  from (
    (select u.coverage_id, 'update' as what from public.updates u
      where u.state = 'submitted' and (select private.may('run_coverage')) order by u.filed_at limit 1000)
    union all
    (select t.coverage_id, 'tip' from public.tips t
      where t.state = 'new' and not t.held and (select private.may('handle_tips')) order by t.created_at limit 1000)) w
  left join public.coverages c on c.id = w.coverage_id
  group by c.id
$$;

revoke execute on function public.desk_search(uuid, text, text[], integer, text), public.desk_counts(uuid), public.desk_waiting()
  from public, anon, service_role;
grant execute on function public.desk_search(uuid, text, text[], integer, text), public.desk_counts(uuid), public.desk_waiting()
  to authenticated;
