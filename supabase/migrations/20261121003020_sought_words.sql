-- What somebody looks for, as it was typed; and a text with that marked in it.

/* What somebody looks for: words that follow one another, which must be there (or must not), in one of several branches. */
create type private.sought as (branch integer, absent boolean, words text[]);

/* Reads what was typed, as websearch_to_tsquery would: "words together", -without, or. */
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
      -- Each phrase is looked for in every row that has its words: whoever says one again does not pay it again.
      if said <> all (result) then result := result || said; end if;
      left_over := left_over - cardinality(words);
    end if;
    exit when left_over = 0;
  end loop;
  return result;
end $$;

/* The same as a tsquery, by the dictionaries of these languages; null where there is no word that could be found. `mark` stands before each word:
   with ^ words of headlines are found, wherever they stand. */
create function private.query_of(sought private.sought[], dictionaries regdictionary[], mark text default '') returns text
language sql stable set search_path = '' as $$
  with words as (
    select s.n as term, s.branch, s.absent, w.n, w.word, w.word ~ ('^[' || private.unspaced() || ']') as runs,
      (select array_agg(distinct d.stem) from (select private.stem(w.word, o) as stem from unnest(dictionaries) o) d where d.stem is not null) as stems,
      exists (select from unnest(dictionaries) o where private.stem(w.word, o) is null) as small
    from unnest(sought) with ordinality s(branch, absent, words, n), unnest(s.words) with ordinality w(word, n)),
  said as (
    -- A word that is a small one in any language is looked for only where there is no other.
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

/* The same for rows of several languages, each by its own dictionary. */
create function private.query_in_each(sought private.sought[], dictionaries regdictionary[]) returns text
language sql stable set search_path = '' as $$
  select case when cardinality(dictionaries) = 1 then private.query_of(sought, dictionaries)
    else (select '(' || string_agg('(' || q.query || format(' & ''+%s'')', d), ' | ') || ')'
      from unnest(dictionaries) d cross join lateral (select private.query_of(sought, array[d]) as query) q where q.query is not null) end
$$;

/* A text with the words that were looked for between U+0002 and U+0003, as they are written: all of it, or with `most` so
   many characters around where most of them stand. */
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
  -- Characters that follow one another stand in words of any length.
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
  -- A sign that is more or fewer when it is folded: each by itself, for it must stay in its place.
  if char_length(folded) <> last then
    folded := (select string_agg(case when octet_length(c) = 1 then c when char_length(private.folded(c)) = 1 then private.folded(c) else ' ' end, '' order by n)
      from string_to_table(said, null) with ordinality s(c, n));
    folded := private.folded(folded);
  end if;
  -- A stem begins as its words do, but where a language puts signs before it.
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
