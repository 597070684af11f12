-- Typing errors are forgiven: for a word that is nowhere, the one that was probably meant.

create function private.is_found(query text) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (select from private.found_words f where f.words @@ query::tsquery);
end $$;

/* How many letters two words differ in: left out, put in, changed, or two changed about. */
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

/* The word that somebody may have meant who typed one that is nowhere: one error in a word of up to seven letters, two in a
   longer one. Only words that readers can find. Null when there is none. */
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
    -- It must stand there still, and not only another form of it.
    if exists (select from (
        select f.id from private.found_words f
        where f.words @@ (private.query_of(array[row(1, false, array[likely.word])::private.sought], dictionaries) || within)::tsquery limit 50) few
      where ' ' || private.found_text(few.id) || ' ' like '% ' || likely.word || ' %') then
      return likely.word;
    end if;
  end loop;
  return null;
end $$;

/* What was looked for, with the words that are nowhere replaced by those that were probably meant; null when nothing of it is. */
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

/* The same as it would be typed. */
create function private.said_again(sought private.sought[]) returns text
language sql immutable set search_path = '' as $$
  select string_agg(b.said, ' or ' order by b.branch) from (
    select s.branch, string_agg(case when s.absent then '-' else '' end
      || case when cardinality(s.words) > 1 then '"' || array_to_string(s.words, ' ') || '"' else s.words[1] end, ' ' order by s.n) as said
    from unnest(sought) with ordinality s(branch, absent, words, n) group by s.branch) b
$$;
