-- Search for readers: parsing of queries, highlighting, typing errors, ranking.

-- ---- Queries ----

-- A term of a query: words in sequence that must occur, or must not. Branches are alternatives.
create type private.sought as (branch integer, absent boolean, words text[]);

-- Parses a query like websearch_to_tsquery: "words together", -without, or.
create function private.read_sought(typed text) returns private.sought[]
language plpgsql immutable set search_path = '' as $$
declare
  result private.sought[] := '{}';
  term record;
  said private.sought;
  branch integer := 1;
  words text[];
  left_over integer := private.limit_of('search_words');
begin
  for term in select m[1] = '-' as absent, coalesce(m[2], m[3]) as said, m[2] is not null as quoted
    from regexp_matches(translate(typed, '“”„«»「」', '"""""""'), '(-?)(?:"([^"]*)(?:"|$)|([^ \t\n\r\u3000"]+))', 'g') m
  loop
    if not term.quoted and lower(term.said) = 'or' then
      branch := branch + 1;
      continue;
    end if;
    words := (string_to_array(regexp_replace(trim(regexp_replace(private.folded(term.said), '([' || private.unspaced() || ']+)', ' \1 ', 'g')), ' +', ' ', 'g'), ' '))[:left_over];
    if cardinality(words) > 0 and words <> '{""}' then
      said := row(branch, term.absent, words);
      -- A repeated phrase is evaluated once.
      if said <> all (result) then result := result || said; end if;
      left_over := left_over - cardinality(words);
    end if;
    exit when left_over = 0;
  end loop;
  return result;
end $$;

-- The terms as a tsquery for these dictionaries; null if there is no word to search for. `mark` is put before each
-- word: with ^ the query finds words of headlines in any position.
create function private.query_of(sought private.sought[], dictionaries regdictionary[], mark text default '') returns text
language sql stable set search_path = '' as $$
  with words as (
    select s.n as term, s.branch, s.absent, w.n, w.word, w.word ~ ('^[' || private.unspaced() || ']') as runs,
      (select array_agg(distinct d.stem) from (select private.stem(w.word, o) as stem from unnest(dictionaries) o) d where d.stem is not null) as stems,
      exists (select from unnest(dictionaries) o where private.stem(w.word, o) is null) as small
    from unnest(sought) with ordinality s(branch, absent, words, n), unnest(s.words) with ordinality w(word, n)),
  said as (
    -- A stop word of any language is used only if there are no other words.
    select w.*, case
      when w.stems is null or (w.small and exists (select from words o where not o.small and not o.absent)) then null
      when not w.runs then '(' || (select string_agg(quote_literal(mark || s), ' | ') from unnest(w.stems) s) || ')'
      when char_length(w.word) = 1 then quote_literal(mark || w.word)
      else '(' || (select string_agg(quote_literal(mark || substr(w.word, i, 2)), case mark when '' then ' <-> ' else ' & ' end order by i)
        from generate_series(1, char_length(w.word) - 1) i) || ')' end as query
    from words w),
  terms as (
    select s.term, s.branch, s.absent, '(' || string_agg(case when s.before is null then '' when mark <> '' or s.runs then ' & '
      else ' <' || s.n - s.before || '> ' end || s.query, '' order by s.n) || ')' as query
    from (select *, lag(n) over (partition by term order by n) as before from said where query is not null) s
    group by s.term, s.branch, s.absent),
  branches as (
    select branch, string_agg(case when absent then '!' || query else query end, ' & ' order by term) as query
    from terms where not (absent and mark <> '') group by branch having bool_or(not absent))
  select '(' || string_agg(distinct '(' || query || ')', ' | ') || ')' from branches
$$;

-- The terms as a tsquery for entries of several languages, each with its own dictionary.
create function private.query_in_each(sought private.sought[], dictionaries regdictionary[]) returns text
language sql stable set search_path = '' as $$
  select case when cardinality(dictionaries) = 1 then private.query_of(sought, dictionaries)
    else (select '(' || string_agg('(' || q.query || format(' & ''+%s'')', d), ' | ') || ')'
      from unnest(dictionaries) d cross join lateral (select private.query_of(sought, array[d]) as query) q where q.query is not null) end
$$;

-- The terms as they would be typed.
create function private.said_again(sought private.sought[]) returns text
language sql immutable set search_path = '' as $$
  select string_agg(b.said, ' or ' order by b.branch) from (
    select s.branch, string_agg(case when s.absent then '-' else '' end
      || case when cardinality(s.words) > 1 then '"' || array_to_string(s.words, ' ') || '"' else s.words[1] end, ' ' order by s.n) as said
    from unnest(sought) with ordinality s(branch, absent, words, n) group by s.branch) b
$$;

-- ---- Highlighting ----

-- A text with the matching words between U+0002 and U+0003. With `most`, an excerpt of that length where most of
-- the matches are.
create function private.marked(said text, dictionary regdictionary, stems text[], runs text[], most integer default null) returns text
language plpgsql immutable set search_path = '' as $$
declare
  folded text;
  begun text;
  forms text;
  run text;
  places integer[];
  lengths integer[];
  first integer;
  last integer := char_length(said);
  result text := '';
  done integer;
begin
  if said is null or said = '' then return said; end if;
  -- Runs of characters without spaces occur within words of any length.
  foreach run in array runs loop
    if position(run in said) > 0 then
      first := greatest(1, position(run in said) - coalesce(most, 0) / 5);
      result := substr(said, first, coalesce(most, last));
      foreach run in array runs loop
        result := replace(result, run, E'\x02' || run || E'\x03');
      end loop;
      return case when first > 1 then '…' else '' end || regexp_replace(result, E'\n+', ' · ', 'g')
        || case when first + coalesce(most, last) <= last then '…' else '' end;
    end if;
  end loop;

  folded := private.folded(said);
  -- Characters whose folded form has another length are folded one by one, so that positions stay aligned.
  if char_length(folded) <> last then
    folded := (select string_agg(case when octet_length(c) = 1 then c when char_length(private.folded(c)) = 1 then private.folded(c) else ' ' end, '' order by n)
      from string_to_table(said, null) with ordinality s(c, n));
    folded := private.folded(folded);
  end if;
  -- A stem starts with the same letters as its words, except in languages with prefixes.
  if dictionary not in ('pg_catalog.arabic_stem', 'pg_catalog.indonesian_stem', 'pg_catalog.tamil_stem') then
    begun := (select '(?:' || string_agg(distinct left(s, 2), '|') || ')' from unnest(stems) s);
  end if;
  select string_agg(w.word, '|' order by w.word desc) into forms from (
    select distinct m[1] as word from regexp_matches(folded, '(?:^| )(' || coalesce(begun, '[^ ]') || '[^ ]*)', 'g') m) w
  where private.stem(w.word, dictionary) = any (stems);

  if forms is not null then
    select array_agg(m.at order by m.at), array_agg(m.long order by m.at) into places, lengths from (
      select (sum(char_length(p.part)) over (order by p.n rows unbounded preceding) - char_length(p.part) - p.n + 3)::integer as at,
        position(E'\x03' in p.part) - 1 as long, p.n
      from string_to_table(regexp_replace(folded, '(^| )(' || forms || ')(?= |$)', E'\\1\x02\\2\x03', 'g'), E'\x02') with ordinality p(part, n)) m
    where m.n > 1;
  end if;
  first := 1;
  if most is not null and last > most then
    if places[1] > 60 then
      select o.at - 60 into first from unnest(places[:20]) o(at)
      order by (select count(*) from unnest(places) h where h between o.at and o.at + most - 80) desc, o.at limit 1;
      first := greatest(1, least(first, last - most + 1));
      if first > 1 then first := first + position(' ' in substr(folded, first, 40)); end if;
    end if;
    if first + most <= last then
      last := first + most - 1;
      last := last - coalesce(nullif(position(' ' in reverse(substr(folded, last - 39, 40))), 0) - 1, 0);
    end if;
  end if;
  done := first;
  for n in 1 .. coalesce(cardinality(places), 0) loop
    continue when places[n] < first;
    exit when places[n] + lengths[n] - 1 > last;
    result := result || substr(said, done, places[n] - done) || E'\x02' || substr(said, places[n], lengths[n]) || E'\x03';
    done := places[n] + lengths[n];
  end loop;
  return case when first > 1 then '…' else '' end || btrim(regexp_replace(result || substr(said, done, last - done + 1), E'\n+', ' · ', 'g'), ' ·')
    || case when last < char_length(said) then '…' else '' end;
end $$;

-- ---- Typing errors ----

-- Whether a query has a result.
create function private.is_found(query text) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (select from private.found_words f where f.words @@ query::tsquery);
end $$;

-- Edit distance of two words: letters left out, added, changed or swapped.
create function private.errors_between(one text, other text) returns integer
language plpgsql immutable set search_path = '' as $$
declare
  wide integer := char_length(other);
  a text[] := string_to_array(one, null);
  b text[] := string_to_array(other, null);
  before integer[];
  last integer[] := array(select generate_series(0, wide));
  here integer[];
begin
  for i in 1 .. char_length(one) loop
    here := array[i];
    for j in 1 .. wide loop
      here[j + 1] := least(here[j] + 1, last[j + 1] + 1, last[j] + case when a[i] = b[j] then 0 else 1 end,
        case when i > 1 and j > 1 and a[i] = b[j - 1] and a[i - 1] = b[j] then before[j - 1] + 1 end);
    end loop;
    before := last;
    last := here;
  end loop;
  return last[wide + 1];
end $$;

-- The word that was probably meant by one that does not occur: one error in words of up to seven letters, two in
-- longer words. Null if there is none that readers can find.
create function private.meant_by(typed text, dictionaries regdictionary[], within text) returns text
language plpgsql stable set search_path = '' as $$
declare
  parts text[] := private.grams(typed);
  most integer := case when char_length(typed) < 8 then 1 else 2 end;
  likely record;
begin
  for likely in
    select n.word from (
      select l.word, private.errors_between(typed, l.word) as errors, l.alike from (
        select v.word, a.alike from private.vocabulary v
        cross join lateral (select count(*) as alike from unnest(v.grams) g where g = any (parts)) a
        where v.grams && parts and char_length(v.word) between char_length(typed) - most and char_length(typed) + most
        order by 2 desc, v.word limit 20) l) n
    where n.errors <= most order by n.errors, n.alike desc, n.word limit 8
  loop
    -- The word itself must still occur, not only another form with the same stem.
    if exists (select from (
        select f.id from private.found_words f
        where f.words @@ (private.query_of(array[row(1, false, array[likely.word])::private.sought], dictionaries) || within)::tsquery limit 50) few
      where ' ' || private.found_text(few.id) || ' ' like '% ' || likely.word || ' %') then
      return likely.word;
    end if;
  end loop;
  return null;
end $$;

-- The terms with unknown words replaced by those that were probably meant; null if nothing was replaced.
create function private.forgiven(sought private.sought[], dictionaries regdictionary[], within text) returns private.sought[]
language plpgsql stable set search_path = '' as $$
declare
  term private.sought;
  words text[];
  result private.sought[] := '{}';
  changed boolean := false;
  meant text;
  left_over integer := private.limit_of('search_forgiven');
begin
  foreach term in array sought loop
    words := term.words;
    for n in 1 .. cardinality(words) loop
      if left_over > 0 and not term.absent and char_length(words[n]) > 3 and words[n] !~ ('[0-9' || private.unspaced() || ']')
         and not coalesce(private.is_found(private.query_of(array[row(1, false, array[words[n]])::private.sought], dictionaries)), true) then
        left_over := left_over - 1;
        meant := private.meant_by(words[n], dictionaries, within);
        if meant is not null then
          words[n] := meant;
          changed := true;
        end if;
      end if;
    end loop;
    result := result || row(term.branch, term.absent, words)::private.sought;
  end loop;
  return case when changed then result end;
end $$;

-- ---- Results ----

-- An optional day of the arguments.
create function private.search_day(wanted jsonb, key text) returns date
language plpgsql immutable set search_path = '' as $$
declare value text := private.optional_text(wanted, key);
begin
  if value !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' then raise datetime_field_overflow; end if;
  return value::date;
exception when data_exception then
  perform private.refuse_field(key, 'Give a day, as 2026-03-01.');
end $$;

-- The parts of a period, newest first: years of all times (''), months of a year, days of a month.
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

-- The newest results of a query, at most `most`: all at once if they are few, else by years, months and days.
-- `loose` is the query without positions, as the index evaluates it; rows that must be read to check positions are
-- limited to some thousands.
create function private.newest_found(query text, loose text, first timestamptz, until timestamptz, most integer) returns setof uuid
language plpgsql stable set search_path = '' as $$
declare
  -- Starts with the newest month. If it fills the result, no other period is read.
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

-- A result as it is shown.
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

-- Searches public coverages and updates: {query, coverage?, topic?, person?, from?, to?, page?}. Returns {hits,
-- total, more, page, meant}; `meant` is the corrected query, or null.
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

  -- Excluded words do not take part in ranking.
  present := array(select row(s.branch, s.absent, s.words)::private.sought from unnest(sought) s where not s.absent);
  plain := private.query_of(present, dictionaries);
  head := private.query_of(present, dictionaries, '^');
  if cardinality(present) > 1 and not exists (select from unnest(present) p where p.branch > 1) then
    near := private.query_of(array[row(1, false, array(select w.w from unnest(present) with ordinality p(branch, absent, words, n),
      unnest(p.words) with ordinality w(w, m) order by p.n, w.m))::private.sought], dictionaries);
  end if;

  total := cardinality(ids);
  if total = counted then
    -- There are more than are counted: adds the best matches of all times, by headline, coverage and key event.
    -- Reading the distance between words of every key event would take too long.
    about := query || within || ' & (''!coverage'' | ' || head::text || case when plain::text like '%<%' then '' else ' | ''!key''' end || ')';
    ids := ids[:page_size * private.limit_of('search_pages')] || array(select private.newest_found(about, about, since, until, 300));
  end if;
  ranked := array(
    select r.id from (
      select f.id, f.number, f.published_at, ts_rank_cd(f.words, plain, 1) as rank, f.words @@ head as headed,
        coalesce(f.words @@ near, false) as near, f.words @@ '''!key'''::tsquery as key_event
      from (select distinct i.id from unnest(ids) i(id)) i join private.found_words f on f.id = i.id offset 0) r
    -- Prefers the key event itself to updates that mention it.
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

-- ---- Execute rights ----

revoke execute on function public.search(jsonb) from public;
grant execute on function public.search(jsonb) to anon, authenticated, service_role;
