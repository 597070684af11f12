-- Data of the desk: updates of every state, lists, search, counts, and people.

-- Updates of every state with the fields of the desk, for those who may read it. Photos and people are read by
-- subqueries, because a join may read whole tables.
create view public.desk_updates with (security_barrier) as
  select u.id, u.coverage_id, u.number, u.state, u.headline, u.body, u.key_event, u.urgency, u.verification,
    u.attribution, u.desk_note, u.dateline, u.author, u.created_by, u.published_by, u.occurred_at, u.created_at,
    u.scheduled_for, u.schedule_error_code, u.published_at, u.revised_at, u.corrected_at, u.withdrawn_at, u.withdrawn_reason, u.version, u.seq,
    coalesce((select jsonb_agg((select jsonb_build_object('id', p.id, 'handle', p.handle, 'display_name', p.display_name)
        from public.people p where p.id = b.person_id) order by b.position)
      from public.update_bylines b where b.update_id = u.id), '[]') as bylines,
    coalesce((select jsonb_agg((select jsonb_build_object('id', p.id, 'state', p.state, 'refusal_code', p.refusal_code, 'width', p.width,
        'height', p.height, 'renditions', p.renditions, 'alt', p.alt, 'caption', p.caption, 'credit', p.credit)
        from public.photos p where p.id = o.photo_id) order by o.position)
      from public.update_photos o where o.update_id = u.id), '[]') as photos
  from public.updates u
  where u.coverage_id in (select private.desk_coverages());
grant select on public.desk_updates to authenticated, service_role;
create trigger read_only instead of insert or update or delete on public.desk_updates
  for each row execute function private.reject_write();

-- All versions of updates, with the names of the people involved.
create view public.desk_revisions with (security_barrier) as
  select r.update_id, u.coverage_id, r.version, r.content, r.kind, r.note, r.created_by, r.created_at, r.public,
    r.redacted_at, r.redacted_by, r.redacted_reason,
    (select p.display_name from public.people p where p.id = r.created_by) as by_name,
    (select p.display_name from public.people p where p.id = r.redacted_by) as redacted_by_name,
    coalesce((select jsonb_agg((select jsonb_build_object('id', p.id, 'handle', p.handle, 'display_name', p.display_name)
        from public.people p where p.id = b.id::uuid) order by b.n)
      from jsonb_array_elements_text(r.content -> 'bylines') with ordinality b(id, n)), '[]') as people
  from public.update_revisions r join public.updates u on u.id = r.update_id
  where u.coverage_id in (select private.desk_coverages());
grant select on public.desk_revisions to authenticated, service_role;
create trigger read_only instead of insert or update or delete on public.desk_revisions
  for each row execute function private.reject_write();

-- Ids and versions of the updates that a desk shows: at most `max_rows` in these states. Unpublished updates come
-- first, by time of filing, then published ones by number, newest first. Empty for callers who may not read the
-- desk. The settings make the planner read the indexes in order instead of sorting a whole coverage.
create function public.list_desk_updates(coverage_id uuid, states text[], max_rows integer)
returns table (id uuid, version integer, state public.update_state, seq bigint, schedule_error_code text)
language plpgsql stable security definer set search_path = '' set enable_sort = off set enable_bitmapscan = off as $$
#variable_conflict use_column
declare
  target_coverage alias for $1;
  -- The parameter is text[], because the database driver learns array types when it connects, before they are
  -- created.
  requested_states public.update_state[] := states::public.update_state[];
  count integer := (select c.update_count from public.coverages c where c.id = target_coverage and c.id in (select private.desk_coverages()));
  remaining integer := least(greatest(max_rows, 0), 1000);
  returned integer;
begin
  if count is null then return; end if;
  return query select u.id, u.version, u.state, u.seq, u.schedule_error_code from public.updates u
    where u.coverage_id = target_coverage and u.number is null and u.state = any (requested_states) order by u.created_at desc limit remaining;
  get diagnostics returned = row_count;
  remaining := remaining - returned;
  if requested_states @> '{published,withdrawn}' then
    -- Numbers have no gaps.
    return query select u.id, u.version, u.state, u.seq, u.schedule_error_code from public.updates u
      where u.coverage_id = target_coverage and u.number between count - remaining + 1 and count order by u.number desc;
  elsif 'withdrawn' = any (requested_states) then
    return query select u.id, u.version, u.state, u.seq, u.schedule_error_code from public.updates u
      where u.coverage_id = target_coverage and u.state = 'withdrawn' order by u.number desc limit remaining;
  elsif 'published' = any (requested_states) then
    return query select u.id, u.version, u.state, u.seq, u.schedule_error_code from public.updates u
      where u.coverage_id = target_coverage and u.number <= count and u.state = 'published' order by u.number desc limit remaining;
  end if;
end $$;

-- ---- Search words ----

-- The words of a text: lower case, without accents, split at everything that is no letter or digit. Characters are
-- spelled out, because classes depend on the locale. Words are cut to 64 characters, because a lexeme has a limit.
-- Nothing remains that has a meaning in the syntax of a tsvector.
create function private.word_vector(value text) returns tsvector
language plpgsql immutable set search_path = '' as $$
declare
  plain text := lower(value);
begin
  if octet_length(value) = char_length(value) then
    -- Most texts are ASCII and take the faster path.
    plain := regexp_replace(plain, '[^a-z0-9]', ' ', 'g');
  else
    plain := lower(regexp_replace(regexp_replace(normalize(value, NFKD), '[\u0300-\u036f\u064b-\u0655\u0670]+', '', 'g'),
      '[\u0080-\u00bf\u00d7\u00f7\u02b0-\u02ff\u060c\u061b\u061f\u066a-\u066d\u06d4\u2000-\u2bff\u3000-\u303f\ufe00-\ufe6f\uff00-\uff0f]+', ' ', 'g'));
    plain := translate(plain, E'\t\n\r!"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~\x7f', repeat(' ', 36));
  end if;
  if plain ~ '[^ ]{65}' then plain := regexp_replace(plain, '([^ ]{64})[^ ]+', '\1', 'g'); end if;
  return plain::tsvector;
end $$;

-- The words of a text as an array.
create function private.split_words(value text) returns text[]
language sql immutable set search_path = '' return tsvector_to_array(private.word_vector(value));

-- The words of the current version of each update. Marks that cannot be typed allow one index lookup for all
-- conditions: `#<coverage>:<thousand>` (`-` without a number), `@<person>` for each byline, `=<person>` for the
-- author, `!key`, `!corrected`, `!photos`, `!withdrawn`.
create table private.update_words (
  update_id uuid primary key references public.updates (id),
  words tsvector not null
);
-- Pending entries are merged in batches of about forty updates, because inserting each word at once would cost more
-- than the rest of a publication. Every search reads the pending list, at most 64 kB.
create index update_words_index on private.update_words using gin (words) with (fastupdate = on, gin_pending_list_limit = 64);
alter table private.update_words enable row level security;

-- Mark of a band of a thousand numbers. A search reads the bands from the newest until it has enough results, so it
-- reads at most a thousand rows that it does not return.
create function private.update_band(coverage uuid, number integer) returns text
language sql immutable return '#' || coverage || ':' || coalesce((number / 1000)::text, '-');

-- Indexes an update for the desk, as it was just saved. `body_text` is the text of its body if the caller has it
-- already.
create function private.index_update_for_desk(saved public.updates, bylines uuid[], body_text text default null) returns void
language plpgsql volatile set search_path = '' as $$
declare
  index_words tsvector := private.word_vector(concat_ws(' ', saved.headline, coalesce(body_text, private.body_text(saved.body)), saved.attribution,
      saved.dateline, saved.desk_note, saved.withdrawn_reason))
    || array_to_tsvector(array_remove(array[private.update_band(saved.coverage_id, saved.number), '=' || saved.author,
      case when saved.key_event then '!key' end, case when saved.corrected_at is not null then '!corrected' end,
      case when private.has_photos(saved.body) then '!photos' end, case saved.state when 'withdrawn' then '!withdrawn' end], null)
      || string_to_array('@' || nullif(array_to_string(bylines, ' @'), ''), ' '));
begin
  insert into private.update_words as existing (update_id, words) values (saved.id, index_words)
  on conflict (update_id) do update set words = excluded.words where existing.words <> excluded.words;
end $$;

-- People with a name that has a word with this prefix, as an alternative of a search query: ` | '@<person>'` each.
create function private.byline_query(word text) returns text
language sql stable set search_path = '' as $$
  select coalesce(string_agg(format(' | ''@%s''', p.id), ''), '')
  from public.people p
  where p.bylined_at is not null and exists (select from unnest(private.split_words(p.display_name)) n where starts_with(n, word))
$$;

-- Updates of a coverage in these states that have all of these words; words of three letters or more match as
-- prefixes. Returns the same as list_desk_updates. `filter` restricts them to the caller's own (`mine`), key events
-- (`key`), corrected (`corrected`) or with photos (`photos`).
create function public.desk_search(coverage_id uuid, words text, states text[], max_rows integer, filter text default null)
returns table (id uuid, version integer, state public.update_state, seq bigint, schedule_error_code text)
language plpgsql stable security definer set search_path = '' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  target_coverage alias for $1;
  requested_states public.update_state[] := states::public.update_state[];
  count integer := (select c.update_count from public.coverages c where c.id = target_coverage and c.id in (select private.desk_coverages()));
  remaining integer := least(greatest(max_rows, 0), 1000);
  returned integer;
  search_query text;
  band text;
begin
  if count is null then return; end if;
  select string_agg(format('(''%s''%s%s)', w, case when char_length(w) > 2 then ':*' end, private.byline_query(w)), ' & ') into search_query
  from unnest(private.split_words(left($2, 200))) w;
  search_query := concat_ws(' & ', search_query, case when filter = 'mine' then format('''=%s''', (select auth.uid()))
    when filter in ('key', 'corrected', 'photos') then format('''!%s''', filter) end);
  if search_query = '' then return; end if;
  for band in
    select private.update_band(target_coverage, null) where requested_states && '{draft,submitted,scheduled,spiked}'
    union all
    (select private.update_band(target_coverage, b * 1000) from generate_series(count / 1000, 0, -1) b
      where requested_states && '{published,withdrawn}')
  loop
    exit when remaining = 0;
    return query select u.id, u.version, u.state, u.seq, u.schedule_error_code
      from private.update_words w join public.updates u on u.id = w.update_id
      where w.words @@ concat_ws(' & ', search_query, format('''%s''', band),
          case when not requested_states @> '{published}' and band not like '%:-' then '''!withdrawn''' end)::tsquery
        and u.state = any (requested_states)
      order by u.number desc nulls first, u.created_at desc limit remaining;
    get diagnostics returned = row_count;
    remaining := remaining - returned;
  end loop;
end $$;

-- Number of updates of a coverage in each state, counted up to 100. Published updates are counted exactly if fewer
-- than 100 are withdrawn.
create function public.desk_counts(coverage_id uuid)
returns table (state public.update_state, updates integer)
language sql stable security definer set search_path = '' as $$
  with target as materialized (
    select c.id, c.update_count from public.coverages c
    where c.id = desk_counts.coverage_id and c.id in (select private.desk_coverages())),
  waiting as materialized (
    select s.state, (select count(*) from (select from public.updates u
      where u.coverage_id = h.id and u.state = s.state and u.number is null limit 100) counted)::integer as updates
    from target h, unnest('{draft,submitted,scheduled,spiked}'::public.update_state[]) s(state)
    union all
    select 'withdrawn', (select count(*) from (select from public.updates u
      where u.coverage_id = h.id and u.state = 'withdrawn' limit 100) counted)::integer
    from target h)
  select w.state, w.updates from waiting w
  union all
  select 'published', h.update_count - w.updates from target h, waiting w where w.state = 'withdrawn' and w.updates < 100
$$;

-- People who may read the desk of a coverage, for those who may read it too.
create function public.desk_roster(coverage_id uuid)
returns table (id uuid, display_name text, handle text, role public.person_role)
language sql stable security definer set search_path = '' as $$
  select p.id, p.display_name, p.handle, p.role
  from public.people p join private.permissions t on t.role = p.role and t.permission = 'read_desk'
  where p.active and p.deleted_at is null
    and desk_roster.coverage_id in (select private.desk_coverages())
    and (t.scope = 'any' or exists (select from public.coverage_members m
      where m.coverage_id = desk_roster.coverage_id and m.person_id = p.id and m.expires_at > now()))
  order by p.role desc, lower(p.display_name), p.id
$$;

-- ---- Execute rights ----

grant execute on function public.list_desk_updates, public.desk_search, public.desk_counts, public.desk_roster to
  authenticated;
