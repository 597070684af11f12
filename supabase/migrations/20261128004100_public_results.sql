-- Search results are checked against the state of their updates and coverages. Jobs that write the search index lock the
-- coverage, so that no entry of a withdrawn coverage is left.

-- The newest results of a query, at most `max_rows`: all at once if they are few, else by years, months and days.
-- `loose` is the query without positions; rows that must be read to check positions are
-- limited to some thousands. Entries that are not public are left out.
create or replace function private.newest_results(query text, loose text, first timestamptz, until timestamptz, max_rows integer) returns setof uuid
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
    return query select i.id from unnest(ids) with ordinality i(id, n)
      left join public.updates u on u.id = i.id join public.coverages c on c.id = coalesce(u.coverage_id, i.id)
      where private.is_public(c.state) and (u.id is null or u.state = 'published') order by i.n limit remaining;
    get diagnostics returned = row_count;
    remaining := remaining - returned;
  end loop;
end $$;

-- Adds the words of at most `max_rows` entries to the vocabulary: words of four letters or more. Entries in an outdated
-- language are indexed again.
create or replace function private.update_vocabulary(max_rows integer) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  entry_ids uuid[] := array(select id from private.vocabulary_queue limit max_rows for update skip locked);
begin
  if entry_ids = '{}' then return 0; end if;
  -- Waits for changes of these coverages: an entry of one that is being withdrawn would be written again.
  perform from public.coverages c where c.id in (select d.id from unnest(entry_ids) t(id)
      join private.search_index f on f.id = t.id join public.coverages d on d.id = f.coverage_id where d.language <> f.language)
    order by c.id for share;
  perform private.index_update(u, array(select b.person_id from public.update_bylines b where b.update_id = u.id))
  from unnest(entry_ids) t(id) join private.search_index f on f.id = t.id join public.updates u on u.id = f.id
  join public.coverages c on c.id = f.coverage_id where c.language <> f.language;
  insert into private.vocabulary (word, trigrams)
  select w.word, private.trigrams(w.word)
  from (select distinct w.word from unnest(entry_ids) t(id), string_to_table(private.entry_text(t.id), ' ') w(word)
    where char_length(w.word) between 4 and 32) w
  where not exists (select from private.vocabulary v where v.word = w.word) and w.word !~ ('[0-9' || private.unspaced_characters() || ']')
  on conflict do nothing;
  delete from private.vocabulary_queue where id = any (entry_ids);
  return cardinality(entry_ids);
end $$;

-- Adds published updates with numbers from `after` + 1 to the search index, at most `max_rows`. It is called until it
-- has reached the end; repeating it changes nothing. Returns the last number.
create or replace function public.index_imported_updates(coverage_id uuid, after integer, max_rows integer) returns integer
language plpgsql security definer set search_path = '' set statement_timeout = '60s' as $$
#variable_conflict use_variable
declare
  saved public.updates;
  last integer := after + least(greatest(max_rows, 0), 1000);
begin
  -- Waits for changes of the coverage: entries of one that is being withdrawn would remain.
  perform from public.coverages c where c.id = index_imported_updates.coverage_id for share;
  for saved in select u.* from public.updates u
      where u.coverage_id = index_imported_updates.coverage_id and u.number > after and u.number <= last and u.state = 'published'
        and not exists (select from private.search_index f where f.id = u.id)
      order by u.number for share loop
    perform private.index_update(saved, array(select b.person_id from public.update_bylines b where b.update_id = saved.id order by b.position));
  end loop;
  return last;
end $$;
