-- Search for readers: highlighting, ranking, results.

-- ---- Highlighting ----

-- A text with the matching words between U+0002 and U+0003. With `max_length`, an excerpt of that length where most of
-- the matches are.
create function private.highlight(value text, dictionary regdictionary, stems text[], runs text[], max_length integer default null) returns text
language plpgsql immutable set search_path = '' as $$
declare
  folded text;
  prefixes text;
  forms text;
  run text;
  places integer[];
  lengths integer[];
  first integer;
  last integer := char_length(value);
  result text := '';
  copied_to integer;
begin
  if value is null or value = '' then return value; end if;
  -- Runs of characters without spaces occur within words of any length.
  foreach run in array runs loop
    if position(run in value) > 0 then
      first := greatest(1, position(run in value) - coalesce(max_length, 0) / 5);
      result := substr(value, first, coalesce(max_length, last));
      foreach run in array runs loop
        result := replace(result, run, E'\x02' || run || E'\x03');
      end loop;
      return case when first > 1 then '…' else '' end || regexp_replace(result, E'\n+', ' · ', 'g')
        || case when first + coalesce(max_length, last) <= last then '…' else '' end;
    end if;
  end loop;

  folded := private.fold_text(value);
  -- Characters whose folded form has another length are folded one by one, so that positions stay aligned.
  if char_length(folded) <> last then
    folded := (select string_agg(case when octet_length(c) = 1 then c when char_length(private.fold_text(c)) = 1
      then private.fold_text(c) else ' ' end, '' order by n)
      from string_to_table(value, null) with ordinality s(c, n));
    folded := private.fold_text(folded);
  end if;
  -- A stem starts with the same letters as its words, except in languages with prefixes.
  if dictionary not in ('pg_catalog.arabic_stem', 'pg_catalog.indonesian_stem', 'pg_catalog.tamil_stem') then
    prefixes := (select '(?:' || string_agg(distinct left(s, 2), '|') || ')' from unnest(stems) s);
  end if;
  select string_agg(w.word, '|' order by w.word desc) into forms from (
    select distinct m[1] as word from regexp_matches(folded, '(?:^| )(' || coalesce(prefixes, '[^ ]') || '[^ ]*)', 'g') m) w
  where private.stem(w.word, dictionary) = any (stems);

  if forms is not null then
    select array_agg(m.at order by m.at), array_agg(m.long order by m.at) into places, lengths from (
      select (sum(char_length(p.part)) over (order by p.n rows unbounded preceding) - char_length(p.part) - p.n + 3)::integer as at,
        position(E'\x03' in p.part) - 1 as long, p.n
      from string_to_table(regexp_replace(folded, '(^| )(' || forms || ')(?= |$)', E'\\1\x02\\2\x03', 'g'), E'\x02') with ordinality p(part, n)) m
    where m.n > 1;
  end if;
  first := 1;
  if max_length is not null and last > max_length then
    if places[1] > 60 then
      select o.at - 60 into first from unnest(places[:20]) o(at)
      order by (select count(*) from unnest(places) h where h between o.at and o.at + max_length - 80) desc, o.at limit 1;
      first := greatest(1, least(first, last - max_length + 1));
      if first > 1 then first := first + position(' ' in substr(folded, first, 40)); end if;
    end if;
    if first + max_length <= last then
      last := first + max_length - 1;
      last := last - coalesce(nullif(position(' ' in reverse(substr(folded, last - 39, 40))), 0) - 1, 0);
    end if;
  end if;
  copied_to := first;
  for n in 1 .. coalesce(cardinality(places), 0) loop
    continue when places[n] < first;
    exit when places[n] + lengths[n] - 1 > last;
    result := result || substr(value, copied_to, places[n] - copied_to) || E'\x02' || substr(value, places[n], lengths[n]) || E'\x03';
    copied_to := places[n] + lengths[n];
  end loop;
  return case when first > 1 then '…' else '' end || btrim(regexp_replace(result || substr(value, copied_to,
    last - copied_to + 1), E'\n+', ' · ', 'g'), ' ·')
    || case when last < char_length(value) then '…' else '' end;
end $$;

-- ---- Results ----

-- An optional day of the arguments.
create function private.read_day(arguments jsonb, key text) returns date
language plpgsql immutable set search_path = '' as $$
declare value text := private.optional_text(arguments, key);
begin
  if value !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' then raise datetime_field_overflow; end if;
  return value::date;
exception when data_exception then
  perform private.raise_invalid(key, 'invalid_day');
end $$;

-- The parts of a period, newest first: years of all times (''), months of a year, days of a month.
create function private.periods_within(mark text, first timestamptz, until timestamptz) returns text[]
language sql stable set search_path = '' as $$
  select array(
    select m.mark from (
      select '%' as mark, 9999 as n where mark = '' and first is null and until is null
      union all
      select '%' || y, y from generate_series((select extract(year from min(f.published_at))::integer - 1 from private.search_index f),
        (select extract(year from max(f.published_at))::integer + 1 from private.search_index f)) y where mark = ''
      union all
      select mark || to_char(m, '"-"FM00'), m from generate_series(1, case char_length(mark) when 5 then 12 when 8 then 31 else 0 end) m) m
    where (first is null or m.mark >= left(to_char(first at time zone 'UTC', '"%"YYYY-MM-DD'), char_length(m.mark)))
      and (until is null or m.mark <= left(to_char(until at time zone 'UTC', '"%"YYYY-MM-DD'), char_length(m.mark)))
    order by m.n desc)
$$;

-- A query without the positions of its words, as the index evaluates it.
create function private.without_positions(query text) returns text
language sql immutable return replace(replace(query, ' <-> ', ' & '), ' <1> ', ' & ');

-- The newest results of a query, at most `max_rows`: all at once if they are few, else by years, months and days.
-- `loose` is the query without positions; rows that must be read to check positions are
-- limited to some thousands.
create function private.newest_results(query text, loose text, first timestamptz, until timestamptz, max_rows integer) returns setof uuid
language plpgsql stable set search_path = '' as $$
declare
  -- Starts with the newest month. If it fills the result, no other period is read.
  is_first boolean := loose = query;
  marks text[] := case when is_first then array(select to_char(f.published_at at time zone 'UTC', '"%"YYYY-MM') from private.search_index f
    where f.published_at < coalesce(until, 'infinity') order by f.published_at desc limit 1) || '{""}' else '{""}' end;
  mark text;
  ids uuid[];
  enough constant integer := 2 * max_rows;
  remaining integer := max_rows;
  to_read integer := 8 * max_rows;
  returned integer;
  is_least boolean;
begin
  while cardinality(marks) > 0 and remaining > 0 and to_read > 0 loop
    mark := marks[1];
    marks := marks[2:];
    is_least := mark = '%' or char_length(mark) = 11;
    returned := 0;
    if loose <> query then
      select count(*) into returned from (select from private.search_index f
        where f.words @@ (loose || case mark when '' then '' else format(' & ''%s''', mark) end)::tsquery limit enough) limited;
    end if;
    if returned < enough or is_least then
      to_read := to_read - returned;
      select array_agg(f.id order by f.published_at desc nulls first, f.number desc), count(*) into ids, returned from (
        select f.id, f.published_at, f.number from private.search_index f
        where f.words @@ (query || case mark when '' then '' else format(' & ''%s''', mark) end)::tsquery
          and (first is null or greatest(f.published_at) >= first) and (until is null or greatest(f.published_at) < until)
        limit enough) f;
    end if;
    if returned = enough and not is_least then
      marks := private.periods_within(mark, first, until) || case when is_first and mark <> '' then '{}' else marks end;
      is_first := false;
      continue;
    end if;
    if is_first and mark <> '' then
      is_first := false;
      continue;
    end if;
    return query select unnest(ids[:remaining]);
    remaining := remaining - coalesce(cardinality(ids), 0);
  end loop;
end $$;

-- A result as it is shown.
create function private.search_result(entry_id uuid, stems text[], runs text[]) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'kind', case when f.number is null then 'coverage' else 'update' end,
    'coverage', jsonb_build_object('slug', c.slug, 'headline', c.headline, 'kicker', c.kicker, 'state', c.state,
      'language', c.language, 'time_zone', c.time_zone),
    'number', f.number,
    'headline', private.highlight(case when f.number is null then c.headline else u.headline end, d.dictionary, stems, runs),
    'snippet', coalesce(private.highlight(case when f.number is null then concat_ws(E'\n\n', nullif(c.standfirst, ''),
      nullif(private.body_text(c.summary), ''))
      else private.body_text(u.body) end, d.dictionary, stems, runs, private.get_limit('search_snippet')), ''),
    'key_event', coalesce(u.key_event, false),
    'published_at', f.published_at,
    'corrected', u.corrected_at is not null)
  from private.search_index f
  join public.coverages c on c.id = f.coverage_id
  left join public.updates u on u.id = f.id
  cross join lateral (select private.dictionary_for(f.language) as dictionary) d
  where f.id = entry_id
$$;

-- Searches public coverages and updates: {query, coverage?, topic?, person?, from?, to?, page?}. Returns {hits,
-- total, more, page, corrected_query}; `corrected_query` is the corrected query, or null.
create function public.search(filters jsonb) returns jsonb
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
  condition text;
  scope_filter text := '';
  search_terms private.search_term[];
  corrected private.search_term[];
  required_terms private.search_term[];
  dictionaries regdictionary[];
  query text;
  plain tsquery;
  near tsquery;
  head tsquery;
  total integer;
  counted integer := private.get_limit('search_counted');
  suggestion text;
  ids uuid[];
  ranked uuid[];
  stems text[];
  runs text[];
  page_size integer := private.get_limit('search_page');
  empty_result jsonb;
begin
  perform private.require_object(filters, '{query,coverage,topic,person,from,to,page}');
  if jsonb_typeof(filters -> 'query') is distinct from 'string' then
    perform private.raise_invalid('query', 'search_query_missing');
  end if;
  page := coalesce(private.optional_integer(filters, 'page', 'min_search_page', 'search_pages'), 1);
  first := private.read_day(filters, 'from');
  last := private.read_day(filters, 'to');
  empty_result := jsonb_build_object('hits', jsonb_build_array(), 'total', 0, 'more', false, 'page', page, 'corrected_query', null);

  if private.optional_text(filters, 'coverage') is not null then
    select c.* into one_coverage from public.coverage_slugs s join public.coverages c on c.id = s.coverage_id
    where s.slug = filters ->> 'coverage' and private.is_public(c.state);
    scope_filter := scope_filter || format(' & ''#%s'' & !''!coverage''', one_coverage.id);
    dictionaries := array[private.dictionary_for(one_coverage.language)];
  else
    with recursive languages as (
      (select f.language from private.search_index f where f.number is null order by f.language limit 1)
      union all
      select (select f.language from private.search_index f where f.number is null and f.language > l.language order by f.language limit 1)
      from languages l where l.language is not null)
    select array_agg(distinct private.dictionary_for(l.language)) into dictionaries from languages l where l.language is not null;
  end if;
  dictionaries := coalesce(dictionaries, array['pg_catalog.english_stem'::regdictionary]);

  search_terms := private.parse_query(left(filters ->> 'query', private.get_limit('search_query')));
  query := private.to_query_by_language(search_terms, dictionaries);
  if query is null then
    perform private.raise_invalid('query', 'no_searchable_word');
  end if;

  if private.optional_text(filters, 'coverage') is not null and one_coverage.id is null then return empty_result; end if;
  if private.optional_text(filters, 'topic') is not null then
    select ' & (' || string_agg(format('''#%s''', c.id), ' | ') || ')' into condition
    from (select c.id from public.topics t join public.coverage_topics o on o.topic_id = t.id join public.coverages c on c.id = o.coverage_id
      where t.slug = filters ->> 'topic' and private.is_public(c.state) order by c.published_at desc nulls first limit 1000) c;
    if condition is null then return empty_result; end if;
    scope_filter := scope_filter || condition;
  end if;
  if private.optional_text(filters, 'person') is not null then
    select p.id into one_person from public.people p where p.handle = filters ->> 'person' and p.bylined_at is not null;
    if one_person is null then return empty_result; end if;
    scope_filter := scope_filter || format(' & ''@%s''', one_person);
  end if;
  if first is not null or last is not null then
    first := case when first is not null then greatest(first, '1900-01-01') end;
    last := least(last, (now() at time zone 'UTC')::date + 1);
    if first > last then return empty_result; end if;
    since := first::timestamp at time zone 'UTC';
    until := (last + 1)::timestamp at time zone 'UTC';
  end if;

  ids := array(select private.newest_results(query || scope_filter, private.without_positions(query) || scope_filter, since, until, counted));
  if ids = '{}' then
    corrected := private.correct_query(search_terms, dictionaries, scope_filter);
    if corrected is null then return empty_result; end if;
    search_terms := corrected;
    query := private.to_query_by_language(search_terms, dictionaries);
    ids := array(select private.newest_results(query || scope_filter, private.without_positions(query) || scope_filter, since, until, counted));
    if ids = '{}' then return empty_result; end if;
    suggestion := private.format_query(search_terms);
  end if;

  -- Excluded words do not take part in ranking.
  required_terms := array(select row(s.branch, s.excluded, s.words)::private.search_term from unnest(search_terms) s where not s.excluded);
  plain := private.to_query(required_terms, dictionaries);
  head := private.to_query(required_terms, dictionaries, '^');
  if cardinality(required_terms) > 1 and not exists (select from unnest(required_terms) p where p.branch > 1) then
    near := private.to_query(array[row(1, false, array(select w.w from unnest(required_terms) with ordinality p(branch, excluded, words, n),
      unnest(p.words) with ordinality w(w, m) order by p.n, w.m))::private.search_term], dictionaries);
  end if;

  total := cardinality(ids);
  if total = counted then
    -- There are more than are counted: adds the best matches of all times, by headline, coverage and key event.
    -- Reading the distance between words of every key event would take too long.
    condition := query || scope_filter || ' & (''!coverage'' | ' || head::text || case when plain::text like '%<%'
      then '' else ' | ''!key''' end || ')';
    ids := ids[:page_size * private.get_limit('search_pages')] || array(select private.newest_results(condition, condition, since, until, 300));
  end if;
  ranked := array(
    select r.id from (
      select f.id, f.number, f.published_at, ts_rank_cd(f.words, plain, 1) as rank, f.words @@ head as headed,
        coalesce(f.words @@ near, false) as near, f.words @@ '''!key'''::tsquery as key_event
      from (select distinct i.id from unnest(ids) i(id)) i join private.search_index f on f.id = i.id offset 0) r
    -- Prefers the key event itself to updates that mention it.
    order by case when r.headed then case when r.number is null then 8 else 4 end else 0 end
        + case when r.near then case when r.key_event then 3 else 2 end else 0 end + case when r.key_event then 2 * r.rank else r.rank end desc,
      r.published_at desc nulls first, r.number desc, r.id);

  select array_agg(distinct x.stem) filter (where x.stem is not null),
    array_agg(distinct w.word) filter (where w.word ~ ('^[' || private.unspaced_characters() || ']'))
  into stems, runs
  from unnest(required_terms) p, unnest(p.words) w(word), unnest(dictionaries) d, lateral (select private.stem(w.word, d) as stem) x;
  return jsonb_build_object(
    'hits', coalesce((select jsonb_agg(private.search_result(r.id, coalesce(stems, '{}'), coalesce(runs, '{}')) order by r.n)
      from unnest(ranked) with ordinality r(id, n) where r.n > (page - 1) * page_size and r.n <= page * page_size), '[]'),
    'total', total, 'more', page < private.get_limit('search_pages') and cardinality(ranked) > page * page_size,
    'page', page, 'corrected_query', suggestion);
end $$;

-- ---- Execute rights ----

grant execute on function public.search to anon, authenticated, service_role;
