-- Search for readers, out of what they find (3000), by what they look for (3020).

/* A day of what is asked for, or null. */
create function private.search_day(wanted jsonb, key text) returns date
language plpgsql immutable set search_path = '' as $$
declare value text := private.optional_text(wanted, key);
begin
  if value !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' then raise datetime_field_overflow; end if;
  return value::date;
exception when data_exception then
  perform private.refuse_field(key, 'Give a day, as 2026-03-01.');
end $$;

/* The marks within a mark of time, the newest first: years within all (''), after what has no time yet; months; days. */
create function private.marks_within(mark text, first timestamptz, until timestamptz) returns text[]
language sql stable set search_path = '' as $$
  select array(
    select m.mark from (
      select '%' as mark, 9999 as n where mark = '' and first is null and until is null
      union all
      select '%' || y, y from generate_series((select extract(year from min(f.published_at))::integer - 1 from private.found_words f),
        (select extract(year from max(f.published_at))::integer + 1 from private.found_words f)) y where mark = ''
      union all
      select mark || to_char(m, '"-"FM00'), m from generate_series(1, case char_length(mark) when 5 then 12 when 8 then 31 else 0 end) m) m
    where (first is null or m.mark >= left(to_char(first at time zone 'UTC', '"%"YYYY-MM-DD'), char_length(m.mark)))
      and (until is null or m.mark <= left(to_char(until at time zone 'UTC', '"%"YYYY-MM-DD'), char_length(m.mark)))
    order by m.n desc)
$$;

/* The newest of what a query finds, at most so many: all at once where they are few, else by years, by months and by days, the
   newest first. So little is read that is not given on. `loose` is the query as the index knows it, which has no places of words:
   what must be read to be known is read for some thousands of rows and no more. */
create function private.newest_found(query text, loose text, first timestamptz, until timestamptz, most integer) returns setof uuid
language plpgsql stable set search_path = '' as $$
declare
  -- The newest month first: what fills it by itself need not be looked for in all the others.
  is_first boolean := loose = query;
  marks text[] := case when is_first then array(select to_char(f.published_at at time zone 'UTC', '"%"YYYY-MM') from private.found_words f
    where f.published_at < coalesce(until, 'infinity') order by f.published_at desc limit 1) || '{""}' else '{""}' end;
  mark text;
  ids uuid[];
  enough constant integer := 2 * most;
  left_over integer := most;
  to_read integer := 8 * most;
  found_here integer;
  is_least boolean;
begin
  while cardinality(marks) > 0 and left_over > 0 and to_read > 0 loop
    mark := marks[1];
    marks := marks[2:];
    is_least := mark = '%' or char_length(mark) = 11;
    found_here := 0;
    if loose <> query then
      select count(*) into found_here from (select from private.found_words f
        where f.words @@ (loose || case mark when '' then '' else format(' & ''%s''', mark) end)::tsquery limit enough) few;
    end if;
    if found_here < enough or is_least then
      to_read := to_read - found_here;
      select array_agg(f.id order by f.published_at desc nulls first, f.number desc), count(*) into ids, found_here from (
        select f.id, f.published_at, f.number from private.found_words f
        where f.words @@ (query || case mark when '' then '' else format(' & ''%s''', mark) end)::tsquery
          and (first is null or greatest(f.published_at) >= first) and (until is null or greatest(f.published_at) < until)
        limit enough) f;
    end if;
    if found_here = enough and not is_least then
      marks := private.marks_within(mark, first, until) || case when is_first and mark <> '' then '{}' else marks end;
      is_first := false;
      continue;
    end if;
    if is_first and mark <> '' then
      is_first := false;
      continue;
    end if;
    return query select unnest(ids[:left_over]);
    left_over := left_over - coalesce(cardinality(ids), 0);
  end loop;
end $$;

/* One thing that was found, as it is shown. */
create function private.hit(found uuid, stems text[], runs text[]) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'kind', case when f.number is null then 'coverage' else 'update' end,
    'coverage', jsonb_build_object('slug', c.slug, 'headline', c.headline, 'kicker', c.kicker, 'state', c.state,
      'language', c.language, 'time_zone', c.time_zone),
    'number', f.number,
    'headline', private.marked(case when f.number is null then c.headline else u.headline end, d.dictionary, stems, runs),
    'snippet', coalesce(private.marked(case when f.number is null then concat_ws(E'\n\n', nullif(c.standfirst, ''), nullif(private.body_text(c.summary), ''))
      else private.body_text(u.body) end, d.dictionary, stems, runs, private.limit_of('search_snippet')), ''),
    'key_event', coalesce(u.key_event, false),
    'published_at', f.published_at,
    'corrected', u.corrected_at is not null)
  from private.found_words f
  join public.coverages c on c.id = f.coverage_id
  left join public.updates u on u.id = f.id
  cross join lateral (select private.stems_of(f.language) as dictionary) d
  where f.id = found
$$;

/* What readers find of what is looked for: {query, coverage?, topic?, person?, from?, to?, page?}. */
create function public.search(wanted jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  page integer;
  first date;
  last date;
  since timestamptz;
  until timestamptz;
  one_coverage public.coverages;
  one_person uuid;
  about text;
  within text := '';
  sought private.sought[];
  forgiven private.sought[];
  present private.sought[];
  dictionaries regdictionary[];
  query text;
  plain tsquery;
  near tsquery;
  head tsquery;
  total integer;
  counted integer := private.limit_of('search_counted');
  meant text;
  ids uuid[];
  ranked uuid[];
  stems text[];
  runs text[];
  page_size integer := private.limit_of('search_page');
  nothing jsonb;
begin
  perform private.refuse_unless_object(wanted, '{query,coverage,topic,person,from,to,page}');
  if jsonb_typeof(wanted -> 'query') is distinct from 'string' then
    perform private.refuse_field('query', 'Write a word to look for.');
  end if;
  page := coalesce(private.optional_integer(wanted, 'page', 'search_pages_fewest', 'search_pages'), 1);
  first := private.search_day(wanted, 'from');
  last := private.search_day(wanted, 'to');
  nothing := jsonb_build_object('hits', jsonb_build_array(), 'total', 0, 'more', false, 'page', page, 'meant', null);

  if private.optional_text(wanted, 'coverage') is not null then
    select c.* into one_coverage from public.coverage_slugs s join public.coverages c on c.id = s.coverage_id
    where s.slug = wanted ->> 'coverage' and private.is_public(c.state);
    within := within || format(' & ''#%s'' & !''!coverage''', one_coverage.id);
    dictionaries := array[private.stems_of(one_coverage.language)];
  else
    with recursive languages as (
      (select f.language from private.found_words f where f.number is null order by f.language limit 1)
      union all
      select (select f.language from private.found_words f where f.number is null and f.language > l.language order by f.language limit 1)
      from languages l where l.language is not null)
    select array_agg(distinct private.stems_of(l.language)) into dictionaries from languages l where l.language is not null;
  end if;
  dictionaries := coalesce(dictionaries, array['pg_catalog.english_stem'::regdictionary]);

  sought := private.read_sought(left(wanted ->> 'query', private.limit_of('search_query')));
  query := private.query_in_each(sought, dictionaries);
  if query is null then
    perform private.refuse_field('query', 'Write a word to look for. Small words that are in every text find nothing.');
  end if;

  if private.optional_text(wanted, 'coverage') is not null and one_coverage.id is null then return nothing; end if;
  if private.optional_text(wanted, 'topic') is not null then
    select ' & (' || string_agg(format('''#%s''', c.id), ' | ') || ')' into about
    from (select c.id from public.topics t join public.coverage_topics o on o.topic_id = t.id join public.coverages c on c.id = o.coverage_id
      where t.slug = wanted ->> 'topic' and private.is_public(c.state) order by c.published_at desc nulls first limit 1000) c;
    if about is null then return nothing; end if;
    within := within || about;
  end if;
  if private.optional_text(wanted, 'person') is not null then
    select p.id into one_person from public.people p where p.handle = wanted ->> 'person' and p.bylined_at is not null;
    if one_person is null then return nothing; end if;
    within := within || format(' & ''@%s''', one_person);
  end if;
  if first is not null or last is not null then
    first := case when first is not null then greatest(first, '1900-01-01') end;
    last := least(last, (now() at time zone 'UTC')::date + 1);
    if first > last then return nothing; end if;
    since := first::timestamp at time zone 'UTC';
    until := (last + 1)::timestamp at time zone 'UTC';
  end if;

  ids := array(select private.newest_found(query || within, replace(replace(query, ' <-> ', ' & '), ' <1> ', ' & ') || within, since, until, counted));
  if ids = '{}' then
    forgiven := private.forgiven(sought, dictionaries, within);
    if forgiven is null then return nothing; end if;
    sought := forgiven;
    query := private.query_in_each(sought, dictionaries);
    ids := array(select private.newest_found(query || within, replace(replace(query, ' <-> ', ' & '), ' <1> ', ' & ') || within, since, until, counted));
    if ids = '{}' then return nothing; end if;
    meant := private.said_again(sought);
  end if;

  -- What is not to be there has no part in the order.
  present := array(select row(s.branch, s.absent, s.words)::private.sought from unnest(sought) s where not s.absent);
  plain := private.query_of(present, dictionaries);
  head := private.query_of(present, dictionaries, '^');
  if cardinality(present) > 1 and not exists (select from unnest(present) p where p.branch > 1) then
    near := private.query_of(array[row(1, false, array(select w.w from unnest(present) with ordinality p(branch, absent, words, n),
      unnest(p.words) with ordinality w(w, m) order by p.n, w.m))::private.sought], dictionaries);
  end if;

  total := cardinality(ids);
  if total = counted then
    -- There are more: beside the newest ones those that are what is looked for rather than mention it. Whether words stand together
    -- would have to be read of all key events.
    about := query || within || ' & (''!coverage'' | ' || head::text || case when plain::text like '%<%' then '' else ' | ''!key''' end || ')';
    ids := ids[:page_size * private.limit_of('search_pages')] || array(select private.newest_found(about, about, since, until, 300));
  end if;
  ranked := array(
    select r.id from (
      select f.id, f.number, f.published_at, ts_rank_cd(f.words, plain, 1) as rank, f.words @@ head as headed,
        coalesce(f.words @@ near, false) as near, f.words @@ '''!key'''::tsquery as key_event
      from (select distinct i.id from unnest(ids) i(id)) i join private.found_words f on f.id = i.id offset 0) r
    -- The key event of something, rather than an update that mentions it.
    order by case when r.headed then case when r.number is null then 8 else 4 end else 0 end
        + case when r.near then case when r.key_event then 3 else 2 end else 0 end + case when r.key_event then 2 * r.rank else r.rank end desc,
      r.published_at desc nulls first, r.number desc, r.id);

  select array_agg(distinct x.stem) filter (where x.stem is not null),
    array_agg(distinct w.word) filter (where w.word ~ ('^[' || private.unspaced() || ']'))
  into stems, runs
  from unnest(present) p, unnest(p.words) w(word), unnest(dictionaries) d, lateral (select private.stem(w.word, d) as stem) x;
  return jsonb_build_object(
    'hits', coalesce((select jsonb_agg(private.hit(r.id, coalesce(stems, '{}'), coalesce(runs, '{}')) order by r.n)
      from unnest(ranked) with ordinality r(id, n) where r.n > (page - 1) * page_size and r.n <= page * page_size), '[]'),
    'total', total, 'more', page < private.limit_of('search_pages') and cardinality(ranked) > page * page_size,
    'page', page, 'meant', meant);
end $$;
revoke execute on function public.search(jsonb) from public;
grant execute on function public.search(jsonb) to anon, authenticated, service_role;
