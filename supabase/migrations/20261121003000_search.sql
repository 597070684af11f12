-- Search for readers: coverages and updates by their words, each in the language of its coverage, and forgiving typing errors.

/* What is said, as it is compared: small letters without their accents, and a space for each sign that is no letter or
   digit. The letters are spelled out, because the engine's own idea of them hangs on its locale. Spaces stay as many as
   they were. A Cyrillic й is a letter of its own, and stems tell it from и. */
create function private.folded(said text) returns text
language plpgsql immutable set search_path = '' as $$
declare plain text := said;
begin
  if octet_length(plain) > char_length(plain) then
    -- What stands in nearly every text and makes a plain one look foreign.
    plain := translate(plain, E'“”‘’„«»¿¡–—…·•\u00a0\u2009\u202f', repeat(' ', 17));
  end if;
  -- Most texts: by the shorter way.
  if octet_length(plain) = char_length(plain) then return regexp_replace(lower(plain), '[^a-z0-9]', ' ', 'g'); end if;
  plain := regexp_replace(translate(normalize(plain, NFKC), 'Йй', E'\ue000\ue000'), '[\u00ad\u0640\u200b-\u200d\u2060\ufeff]+', '', 'g');
  plain := regexp_replace(normalize(plain, NFKD), '[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]+', '', 'g');
  plain := translate(plain,
    E'АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩςԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖÆŒØĐÐŁıĦÞŊøđðłħ\ue000',
    E'абвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґαβγδεζηθικλμνξοπρστυφχψωσաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆæœoddlihþŋoddlhй');
  plain := replace(replace(replace(replace(plain, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
  plain := regexp_replace(normalize(plain, NFC),
    '[\u0080-\u00bf\u00d7\u00f7\u02b0-\u02ff\u055a-\u055f\u0589\u060c\u061b\u061f\u066a-\u066d\u06d4\u0964\u0965\u2000-\u2bff\u3000-\u3004\u3008-\u303f\u30fb\ue000-\uf8ff\ufe00-\ufe6f\uff00-\uff0f\ufff0-\uffff\U0001f000-\U0001faff\U000e0000-\U000e0fff]', ' ', 'g');
  return translate(lower(plain), E'\t\n\r\x0b\x0c!"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~\x7f\x01\x02\x03', repeat(' ', 50));
end $$;

/* Characters of scripts that put no space between words: Thai and its neighbours, Chinese, Japanese. */
create function private.unspaced() returns text
language sql immutable return '\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff';

/* The dictionary that knows which words of a language are one. */
create function private.stems_of(language text) returns regdictionary
language sql immutable return case split_part(language, '-', 1)
  when 'en' then 'pg_catalog.english_stem'::regdictionary when 'es' then 'pg_catalog.spanish_stem' when 'pt' then 'pg_catalog.portuguese_stem'
  when 'fr' then 'pg_catalog.french_stem' when 'it' then 'pg_catalog.italian_stem' when 'ca' then 'pg_catalog.catalan_stem'
  when 'ro' then 'pg_catalog.romanian_stem' when 'de' then 'pg_catalog.german_stem' when 'nl' then 'pg_catalog.dutch_stem'
  when 'da' then 'pg_catalog.danish_stem' when 'sv' then 'pg_catalog.swedish_stem' when 'no' then 'pg_catalog.norwegian_stem'
  when 'nb' then 'pg_catalog.norwegian_stem' when 'nn' then 'pg_catalog.norwegian_stem' when 'fi' then 'pg_catalog.finnish_stem'
  when 'hu' then 'pg_catalog.hungarian_stem' when 'ga' then 'pg_catalog.irish_stem' when 'lt' then 'pg_catalog.lithuanian_stem'
  when 'eu' then 'pg_catalog.basque_stem' when 'id' then 'pg_catalog.indonesian_stem' when 'tr' then 'pg_catalog.turkish_stem'
  when 'ru' then 'pg_catalog.russian_stem' when 'sr' then 'pg_catalog.serbian_stem' when 'el' then 'pg_catalog.greek_stem'
  when 'hy' then 'pg_catalog.armenian_stem' when 'ar' then 'pg_catalog.arabic_stem' when 'hi' then 'pg_catalog.hindi_stem'
  when 'ne' then 'pg_catalog.nepali_stem' when 'ta' then 'pg_catalog.tamil_stem' when 'yi' then 'pg_catalog.yiddish_stem'
  else 'pg_catalog.simple' end;

/* What a folded word is found by, or null for one of the small words that are in everything. Endings that are told by
   their accent get it back. */
create function private.stem(word text, dictionary regdictionary) returns text
language sql immutable return case when word ~ '[0-9]' then word else (ts_lexize(
  case when dictionary in ('pg_catalog.russian_stem', 'pg_catalog.hindi_stem') and octet_length(word) = char_length(word)
    then 'pg_catalog.english_stem' else dictionary end, case
  when dictionary = 'pg_catalog.spanish_stem'::regdictionary and word like '%ion' then left(word, -2) || 'ón'
  when dictionary = 'pg_catalog.portuguese_stem'::regdictionary and word like '%cao' then left(word, -3) || 'ção'
  when dictionary = 'pg_catalog.portuguese_stem'::regdictionary and word like '%coes' then left(word, -4) || 'ções'
  else word end))[1] end;

/* The words of a folded text, each in its place. Letters that no engine doubts are left
   to PostgreSQL's parser, which finds the words that stem() does; of others each word is looked up by itself. Of scripts
   without spaces each character is a word, and each two that follow one another. */
create function private.placed(folded text, dictionary regdictionary) returns tsvector
language plpgsql immutable set search_path = '' as $$
begin
  if octet_length(folded) = char_length(folded) or folded !~ '[^\u0001-\u06ff]' then
    return to_tsvector(case when dictionary = 'pg_catalog.simple'::regdictionary then 'pg_catalog.simple'::regconfig
      else ('pg_catalog.' || left(split_part(dictionary::text, '.', -1), -5))::regconfig end,
      case dictionary when 'pg_catalog.spanish_stem'::regdictionary then regexp_replace(folded, 'ion( |$)', 'ión\1', 'g')
        when 'pg_catalog.portuguese_stem'::regdictionary then regexp_replace(regexp_replace(folded, 'cao( |$)', 'ção\1', 'g'), 'coes( |$)', 'ções\1', 'g')
        else folded end);
  end if;
  return (
    with words as (
      select w.word, w.n, w.word ~ ('[' || private.unspaced() || ']') as runs
      from string_to_table(regexp_replace(folded, '([' || private.unspaced() || ']+)', ' \1 ', 'g'), ' ') with ordinality w(word, n)
      where w.word <> ''),
    places as (select w.*, sum(case when w.runs then char_length(w.word) else 1 end) over (order by w.n rows unbounded preceding)
      - case when w.runs then char_length(w.word) else 1 end as before from words w)
    select coalesce(string_agg('''' || t.stem || ''':' || least(t.place, 16383), ' '), '')
    from places p cross join lateral (
      -- Of any length a word would be refused.
      select private.stem(left(p.word, 64), dictionary) as stem, p.before + 1 as place where not p.runs
      union all
      select c.said, p.before + c.n from (
        select substr(p.word, i, 1) as said, i as n from generate_series(1, char_length(p.word)) i where p.runs
        union all
        select substr(p.word, i, 2), i from generate_series(1, char_length(p.word) - 1) i where p.runs) c) t
    where t.stem is not null)::tsvector;
end $$;

/* What readers find: each published update of a public coverage, and each public coverage (without a number), by its words.
   Beside them stand words that nobody can type, so that one look into the index asks for everything: `^<word>` for those
   of a headline, `#<coverage>`, `@<person>` for each byline, `%<year>`, `%<month>`, `%<day>` (`%` where there is no time yet),
   `+<dictionary>`, `!key` and `!coverage`. */
create table private.found_words (
  id uuid primary key,
  coverage_id uuid not null references public.coverages (id),
  number integer,
  published_at timestamptz,
  -- That of the coverage when this was noted.
  language text not null,
  words tsvector not null
);
-- As for the desk's words (2400): they are put in their places some forty updates at once.
create index found_words_found on private.found_words using gin (words) with (fastupdate = on, gin_pending_list_limit = 64);
-- When the newest was said, and the oldest.
create index found_words_newest on private.found_words (published_at);
create index found_words_languages on private.found_words (language) where number is null;
alter table private.found_words enable row level security;
revoke all on private.found_words from public, anon, authenticated, service_role;

/* The words that typing errors are compared with. Those that stand nowhere any more are never offered. */
create table private.vocabulary (
  word text primary key,
  grams text[] not null
);
create index vocabulary_like on private.vocabulary using gin (grams) with (fastupdate = on, gin_pending_list_limit = 64);
/* What is still to be gone through for words that are new: not by the press that published it. */
create table private.unlearned (
  id uuid not null
);
alter table private.vocabulary enable row level security;
alter table private.unlearned enable row level security;
revoke all on private.vocabulary, private.unlearned from public, anon, authenticated, service_role;

/* Each three letters of a word that follow one another, with its ends. */
create function private.grams(word text) returns text[]
language sql immutable set search_path = '' as $$
  select array_agg(distinct substr(' ' || word || ' ', i, 3)) from generate_series(1, char_length(word)) i
$$;

/* All words of something that is found, folded. */
create function private.found_text(found uuid) returns text
language sql stable set search_path = '' as $$
  select private.folded(case when f.number is null
    then (select concat_ws(' ', c.headline, c.kicker, c.standfirst, private.body_text(c.summary)) from public.coverages c where c.id = f.id)
    else (select concat_ws(' ', u.headline, private.body_text(u.body), u.attribution, u.dateline) from public.updates u where u.id = f.id) end)
  from private.found_words f where f.id = found
$$;

/* Learns the words of so much of what was published since: of four letters or more, in scripts that have letters. What was
   noted in another language than its coverage has by now is noted again. */
create function private.learn_words(most integer) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  taken uuid[] := array(select id from private.unlearned limit most for update skip locked);
begin
  if taken = '{}' then return 0; end if;
  perform private.note_found(u, array(select b.person_id from public.update_bylines b where b.update_id = u.id))
  from unnest(taken) t(id) join private.found_words f on f.id = t.id join public.updates u on u.id = f.id
  join public.coverages c on c.id = f.coverage_id where c.language <> f.language;
  insert into private.vocabulary (word, grams)
  select w.word, private.grams(w.word)
  from (select distinct w.word from unnest(taken) t(id), string_to_table(private.found_text(t.id), ' ') w(word)
    where char_length(w.word) between 4 and 32) w
  where not exists (select from private.vocabulary v where v.word = w.word) and w.word !~ ('[0-9' || private.unspaced() || ']')
  on conflict do nothing;
  delete from private.unlearned where id = any (taken);
  return cardinality(taken);
end $$;
select cron.schedule('learn-words', '10 seconds', 'select private.learn_words(100)');
select cron.schedule('tidy-words', '37 * * * *', 'vacuum private.unlearned');

/* The marks of a time: its year, month and day. */
create function private.day_marks(at timestamptz) returns text[]
language sql immutable return case when at is null then array['%'] else
  array['%' || to_char(at at time zone 'UTC', 'YYYY'), '%' || to_char(at at time zone 'UTC', 'YYYY-MM'), '%' || to_char(at at time zone 'UTC', 'YYYY-MM-DD')] end;

/* Keeps what somebody is found by. */
create function private.keep_found(id uuid, coverage public.coverages, number integer, at timestamptz, headline text, body text,
  weight text, marks text[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  dictionary regdictionary := private.stems_of(coverage.language);
  named tsvector := case when headline is not null then setweight(private.placed(private.folded(headline), dictionary), 'A') end;
  said tsvector := private.placed(private.folded(body), dictionary);
  beside text[] := array_remove(marks || private.day_marks(at) || ('+' || dictionary), null);
begin
  if weight <> 'D' then said := setweight(said, weight::"char"); end if;
  if named is not null then
    said := named || said;
    beside := beside || array(select '^' || w from unnest(tsvector_to_array(named)) w);
  end if;
  insert into private.found_words as known (id, coverage_id, number, published_at, language, words)
  values (keep_found.id, coverage.id, keep_found.number, at, coverage.language, said || array_to_tsvector(beside))
  on conflict on constraint found_words_pkey
  do update set published_at = excluded.published_at, language = excluded.language, words = excluded.words;
  insert into private.unlearned (id) values (keep_found.id);
end $$;

/* Notes by what readers find an update as it is now, under these bylines; or that they find it no more. */
create function private.note_found(saved public.updates, bylines uuid[]) returns void
language plpgsql volatile set search_path = '' as $$
declare coverage public.coverages;
begin
  if saved.number is null then return; end if;
  if saved.state = 'published' then
    select * into coverage from public.coverages c where c.id = saved.coverage_id;
  end if;
  if coverage.id is null or not private.is_public(coverage.state) then
    delete from private.found_words f where f.id = saved.id;
    return;
  end if;
  perform private.keep_found(saved.id, coverage, saved.number, saved.published_at, saved.headline,
    concat_ws(' ', private.body_text(saved.body), saved.attribution, saved.dateline),
    case when saved.key_event then 'C' else 'D' end,
    array['#' || coverage.id, case when saved.key_event then '!key' end] || array(select '@' || b from unnest(bylines) b));
end $$;

/* Notes by what readers find a coverage as it is now. One that is withdrawn goes with all its updates. */
create function private.note_found_coverage() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if private.is_public(new.state) then
    perform private.keep_found(new.id, new, null, new.published_at, new.headline,
      concat_ws(' ', new.kicker, new.standfirst, private.body_text(new.summary)), 'B', array['#' || new.id, '!coverage']);
    -- Its updates are noted anew in its new language, a few at a time.
    if tg_op = 'UPDATE' and new.language <> old.language then
      insert into private.unlearned (id) select f.id from private.found_words f where f.words @@ format('''#%s''', new.id)::tsquery;
    end if;
  else
    delete from private.found_words f where f.words @@ format('''#%s''', new.id)::tsquery;
  end if;
  return null;
end $$;
create trigger note_found_new after insert on public.coverages
  for each row when (private.is_public(new.state)) execute function private.note_found_coverage();
create trigger note_found after update of state, headline, kicker, standfirst, summary, language on public.coverages
  for each row when ((private.is_public(old.state) or private.is_public(new.state)) and
    (private.is_public(old.state), old.published_at, old.headline, old.kicker, old.standfirst, old.summary, old.language) is distinct from
    (private.is_public(new.state), new.published_at, new.headline, new.kicker, new.standfirst, new.summary, new.language))
  execute function private.note_found_coverage();

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
      return case when first > 1 then '…' else '' end || translate(result, E'\n', ' ')
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
  return case when first > 1 then '…' else '' end || btrim(translate(result || substr(said, done, last - done + 1), E'\n', ' '))
    || case when last < char_length(said) then '…' else '' end;
end $$;

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

-- What is public already.
do $$
begin
  perform private.keep_found(c.id, c, null, c.published_at, c.headline,
    concat_ws(' ', c.kicker, c.standfirst, private.body_text(c.summary)), 'B', array['#' || c.id, '!coverage'])
  from public.coverages c where private.is_public(c.state);
  perform private.note_found(u, array(select b.person_id from public.update_bylines b where b.update_id = u.id))
  from public.updates u where u.state = 'published' order by u.published_at;
end $$;
