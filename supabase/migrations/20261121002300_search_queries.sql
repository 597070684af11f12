-- Queries of readers: parsing, and correction of typing errors.

-- ---- Queries ----

-- A term of a query: words in sequence that must occur, or must not. Branches are alternatives.
create type private.search_term as (branch integer, excluded boolean, words text[]);

-- Parses a query like websearch_to_tsquery: "words together", -without, or.
create function private.parse_query(query text) returns private.search_term[]
language plpgsql immutable set search_path = '' as $$
declare
  result private.search_term[] := '{}';
  term record;
  part private.search_term;
  branch integer := 1;
  words text[];
  remaining integer := private.get_limit('search_words');
begin
  for term in select m[1] = '-' as excluded, coalesce(m[2], m[3]) as part, m[2] is not null as quoted
    from regexp_matches(translate(query, '“”„«»「」', '"""""""'), '(-?)(?:"([^"]*)(?:"|$)|([^ \t\n\r\u3000"]+))', 'g') m
  loop
    if not term.quoted and lower(term.part) = 'or' then
      branch := branch + 1;
      continue;
    end if;
    words := (string_to_array(regexp_replace(trim(regexp_replace(private.fold_text(term.part),
      '([' || private.unspaced_characters() || ']+)', ' \1 ', 'g')), ' +', ' ', 'g'), ' '))[:remaining];
    if cardinality(words) > 0 and words <> '{""}' then
      part := row(branch, term.excluded, words);
      -- A repeated phrase is evaluated once.
      if part <> all (result) then result := result || part; end if;
      remaining := remaining - cardinality(words);
    end if;
    exit when remaining = 0;
  end loop;
  return result;
end $$;

-- The terms as a tsquery for these dictionaries; null if there is no word to search for. `mark` is put before each
-- word: with ^ the query finds words of headlines in any position.
create function private.to_query(search_terms private.search_term[], dictionaries regdictionary[], mark text default '') returns text
language sql stable set search_path = '' as $$
  with words as (
    select s.n as term, s.branch, s.excluded, w.n, w.word, w.word ~ ('^[' || private.unspaced_characters() || ']') as runs,
      (select array_agg(distinct d.stem) from (select private.stem(w.word, o) as stem from unnest(dictionaries) o) d
        where d.stem is not null) as stems,
      exists (select from unnest(dictionaries) o where private.stem(w.word, o) is null) as is_stop_word
    from unnest(search_terms) with ordinality s(branch, excluded, words, n), unnest(s.words) with ordinality w(word, n)),
  word_queries as (
    -- A stop word of any language is used only if there are no other words.
    select w.*, case
      when w.stems is null or (w.is_stop_word and exists (select from words o where not o.is_stop_word and not o.excluded)) then null
      when not w.runs then '(' || (select string_agg(quote_literal(mark || s), ' | ') from unnest(w.stems) s) || ')'
      when char_length(w.word) = 1 then quote_literal(mark || w.word)
      else '(' || (select string_agg(quote_literal(mark || substr(w.word, i, 2)), case mark when '' then ' <-> ' else ' & ' end order by i)
        from generate_series(1, char_length(w.word) - 1) i) || ')' end as query
    from words w),
  terms as (
    select s.term, s.branch, s.excluded, '(' || string_agg(case when s.before is null then '' when mark <> '' or s.runs then ' & '
      else ' <' || s.n - s.before || '> ' end || s.query, '' order by s.n) || ')' as query
    from (select *, lag(n) over (partition by term order by n) as before from word_queries where query is not null) s
    group by s.term, s.branch, s.excluded),
  branches as (
    select branch, string_agg(case when excluded then '!' || query else query end, ' & ' order by term) as query
    from terms where not (excluded and mark <> '') group by branch having bool_or(not excluded))
  select '(' || string_agg(distinct '(' || query || ')', ' | ') || ')' from branches
$$;

-- The terms as a tsquery for entries of several languages, each with its own dictionary.
create function private.to_query_by_language(search_terms private.search_term[], dictionaries regdictionary[]) returns text
language sql stable set search_path = '' as $$
  select case when cardinality(dictionaries) = 1 then private.to_query(search_terms, dictionaries)
    else (select '(' || string_agg('(' || q.query || format(' & ''+%s'')', d), ' | ') || ')'
      from unnest(dictionaries) d cross join lateral (select private.to_query(search_terms, array[d]) as query) q where q.query is not null) end
$$;

-- The terms as they would be typed.
create function private.format_query(search_terms private.search_term[]) returns text
language sql immutable set search_path = '' as $$
  select string_agg(b.typed, ' or ' order by b.branch) from (
    select s.branch, string_agg(case when s.excluded then '-' else '' end
      || case when cardinality(s.words) > 1 then '"' || array_to_string(s.words, ' ') || '"' else s.words[1] end, ' ' order by s.n) as typed
    from unnest(search_terms) with ordinality s(branch, excluded, words, n) group by s.branch) b
$$;

-- ---- Typing errors ----

-- Whether a query has a result.
create function private.has_results(query text) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (select from private.search_index f where f.words @@ query::tsquery);
end $$;

-- Edit distance of two words: letters left out, added, changed or swapped.
create function private.edit_distance(one text, other text) returns integer
language plpgsql immutable set search_path = '' as $$
declare
  width integer := char_length(other);
  a text[] := string_to_array(one, null);
  b text[] := string_to_array(other, null);
  row_before integer[];
  previous_row integer[] := array(select generate_series(0, width));
  this_row integer[];
begin
  for i in 1 .. char_length(one) loop
    this_row := array[i];
    for j in 1 .. width loop
      this_row[j + 1] := least(this_row[j] + 1, previous_row[j + 1] + 1, previous_row[j] + case when a[i] = b[j] then 0 else 1 end,
        case when i > 1 and j > 1 and a[i] = b[j - 1] and a[i - 1] = b[j] then row_before[j - 1] + 1 end);
    end loop;
    row_before := previous_row;
    previous_row := this_row;
  end loop;
  return previous_row[width + 1];
end $$;

-- The word that was probably meant by one that does not occur: one error in words of up to seven letters, two in
-- longer words. Null if there is none that readers can find.
create function private.suggest_word(typed_word text, dictionaries regdictionary[], scope_filter text) returns text
language plpgsql stable set search_path = '' as $$
declare
  parts text[] := private.trigrams(typed_word);
  max_errors integer := case when char_length(typed_word) < 8 then 1 else 2 end;
  candidate record;
begin
  for candidate in
    select n.word from (
      select l.word, private.edit_distance(typed_word, l.word) as errors, l.shared_trigrams from (
        select v.word, a.shared_trigrams from private.vocabulary v
        cross join lateral (select count(*) as shared_trigrams from unnest(v.trigrams) g where g = any (parts)) a
        where v.trigrams && parts and char_length(v.word) between char_length(typed_word) - max_errors and char_length(typed_word) + max_errors
        order by 2 desc, v.word limit 20) l) n
    where n.errors <= max_errors order by n.errors, n.shared_trigrams desc, n.word limit 8
  loop
    -- The word itself must still occur, not only another form with the same stem.
    if exists (select from (
        select f.id from private.search_index f
        where f.words @@ (private.to_query(array[row(1, false, array[candidate.word])::private.search_term],
          dictionaries) || scope_filter)::tsquery limit 50) entries
      where ' ' || private.entry_text(entries.id) || ' ' like '% ' || candidate.word || ' %') then
      return candidate.word;
    end if;
  end loop;
  return null;
end $$;

-- The terms with unknown words replaced by those that were probably meant; null if nothing was replaced.
create function private.correct_query(search_terms private.search_term[], dictionaries regdictionary[],
  scope_filter text) returns private.search_term[]
language plpgsql stable set search_path = '' as $$
declare
  term private.search_term;
  words text[];
  result private.search_term[] := '{}';
  changed boolean := false;
  suggestion text;
  remaining integer := private.get_limit('search_corrections');
begin
  foreach term in array search_terms loop
    words := term.words;
    for n in 1 .. cardinality(words) loop
      if remaining > 0 and not term.excluded and char_length(words[n]) > 3 and words[n] !~ ('[0-9' || private.unspaced_characters() || ']')
         and not coalesce(private.has_results(private.to_query(array[row(1, false, array[words[n]])::private.search_term], dictionaries)), true) then
        remaining := remaining - 1;
        suggestion := private.suggest_word(words[n], dictionaries, scope_filter);
        if suggestion is not null then
          words[n] := suggestion;
          changed := true;
        end if;
      end if;
    end loop;
    result := result || row(term.branch, term.excluded, words)::private.search_term;
  end loop;
  return case when changed then result end;
end $$;
