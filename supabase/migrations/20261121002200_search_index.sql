-- The search index for readers: words of public coverages and published updates, in the language of each coverage,
-- and the vocabulary for typing errors.

-- ---- Words ----

-- Text in the form in which it is compared: lower case, without accents, with a space for each character that is no
-- letter or digit. The number of spaces remains. Letters are spelled out, because the engine's classes depend on
-- its locale. A Cyrillic й is a letter of its own, because stemmers tell it from и.
create function private.fold_text(value text) returns text
language plpgsql immutable set search_path = '' as $$
declare plain text := value;
begin
  if octet_length(plain) > char_length(plain) then
    -- Typographic characters that occur in nearly every text and would make a plain one look non-ASCII.
    plain := translate(plain, E'“”‘’„«»¿¡–—…·•\u00a0\u2009\u202f', repeat(' ', 17));
  end if;
  -- Most texts are ASCII and take the faster path.
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

-- Characters of scripts without spaces between words: Thai and its neighbours, Chinese, Japanese.
create function private.unspaced_characters() returns text
language sql immutable return '\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff';

-- The stemming dictionary of a language.
create function private.dictionary_for(language text) returns regdictionary
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

-- The stem of a folded word, or null for a stop word. Endings that need an accent get it back.
create function private.stem(word text, dictionary regdictionary) returns text
language sql immutable return case when word ~ '[0-9]' then word else (ts_lexize(
  case when dictionary in ('pg_catalog.russian_stem', 'pg_catalog.hindi_stem') and octet_length(word) = char_length(word)
    then 'pg_catalog.english_stem' else dictionary end, case
  when dictionary = 'pg_catalog.spanish_stem'::regdictionary and word like '%ion' then left(word, -2) || 'ón'
  when dictionary = 'pg_catalog.portuguese_stem'::regdictionary and word like '%cao' then left(word, -3) || 'ção'
  when dictionary = 'pg_catalog.portuguese_stem'::regdictionary and word like '%coes' then left(word, -4) || 'ções'
  else word end))[1] end;

-- The stems of a folded text with their positions. PostgreSQL's parser handles scripts on which all engines agree
-- and finds the same stems as stem(); other texts are split here. In scripts without spaces each character and each
-- pair of characters is a word.
create function private.stem_positions(folded text, dictionary regdictionary) returns tsvector
language plpgsql immutable set search_path = '' as $$
begin
  if octet_length(folded) = char_length(folded) or folded !~ '[^\u0001-\u06ff]' then
    return to_tsvector(case when dictionary = 'pg_catalog.simple'::regdictionary then 'pg_catalog.simple'::regconfig
      else ('pg_catalog.' || left(split_part(dictionary::text, '.', -1), -5))::regconfig end,
      case dictionary when 'pg_catalog.spanish_stem'::regdictionary then regexp_replace(folded, 'ion( |$)', 'ión\1', 'g')
        when 'pg_catalog.portuguese_stem'::regdictionary then regexp_replace(regexp_replace(folded, 'cao( |$)',
          'ção\1', 'g'), 'coes( |$)', 'ções\1', 'g')
        else folded end);
  end if;
  return (
    with words as (
      select w.word, w.n, w.word ~ ('[' || private.unspaced_characters() || ']') as runs
      from string_to_table(regexp_replace(folded, '([' || private.unspaced_characters() || ']+)', ' \1 ', 'g'), ' ') with ordinality w(word, n)
      where w.word <> ''),
    positions as (select w.*, sum(case when w.runs then char_length(w.word) else 1 end) over (order by w.n rows unbounded preceding)
      - case when w.runs then char_length(w.word) else 1 end as before from words w)
    select coalesce(string_agg('''' || t.stem || ''':' || least(t.place, 16383), ' '), '')
    from positions p cross join lateral (
      -- Longer lexemes would be refused.
      select private.stem(left(p.word, 64), dictionary) as stem, p.before + 1 as place where not p.runs
      union all
      select c.part, p.before + c.n from (
        select substr(p.word, i, 1) as part, i as n from generate_series(1, char_length(p.word)) i where p.runs
        union all
        select substr(p.word, i, 2), i from generate_series(1, char_length(p.word) - 1) i where p.runs) c) t
    where t.stem is not null)::tsvector;
end $$;

-- ---- Index ----

-- Each published update of a public coverage, and each public coverage (without a number). Marks that cannot be
-- typed allow one index lookup for all conditions: `^<word>` for words of a headline, `#<coverage>`, `@<person>`
-- for each byline, `%<year>`, `%<month>`, `%<day>` (`%` without a time), `+<dictionary>`, `!key` and `!coverage`.
create table private.search_index (
  id uuid primary key,
  coverage_id uuid not null references public.coverages (id),
  number integer,
  published_at timestamptz,
  -- Language of the coverage when the row was written.
  language text not null,
  words tsvector not null
);
-- Pending entries are merged in batches, as in private.update_words.
create index search_index_words on private.search_index using gin (words) with (fastupdate = on, gin_pending_list_limit = 64);
-- Time of the newest and the oldest entry.
create index search_index_newest on private.search_index (published_at);
create index search_index_languages on private.search_index (language) where number is null;
alter table private.search_index enable row level security;

-- Words that typing errors are compared with. Words that no longer occur are never suggested.
create table private.vocabulary (
  word text primary key,
  trigrams text[] not null
);
create index vocabulary_trigrams on private.vocabulary using gin (trigrams) with (fastupdate = on, gin_pending_list_limit = 64);
alter table private.vocabulary enable row level security;

-- Entries whose words are not in the vocabulary yet. A job adds them, so that publishing need not.
create table private.vocabulary_queue (
  id uuid not null
);
alter table private.vocabulary_queue enable row level security;

-- All groups of three letters of a word, including its ends.
create function private.trigrams(word text) returns text[]
language sql immutable set search_path = '' as $$
  select array_agg(distinct substr(' ' || word || ' ', i, 3)) from generate_series(1, char_length(word)) i
$$;

-- The folded text of an entry.
create function private.entry_text(entry_id uuid) returns text
language sql stable set search_path = '' as $$
  select private.fold_text(case when f.number is null
    then (select concat_ws(' ', c.headline, c.kicker, c.standfirst, private.body_text(c.summary)) from public.coverages c where c.id = f.id)
    else (select concat_ws(' ', u.headline, private.body_text(u.body), u.attribution, u.dateline) from public.updates u where u.id = f.id) end)
  from private.search_index f where f.id = entry_id
$$;

-- Marks of a time: year, month and day.
create function private.day_marks(at timestamptz) returns text[]
language sql immutable return case when at is null then array['%'] else
  array['%' || to_char(at at time zone 'UTC', 'YYYY'), '%' || to_char(at at time zone 'UTC', 'YYYY-MM'),
    '%' || to_char(at at time zone 'UTC', 'YYYY-MM-DD')] end;

-- Writes an entry of the index.
create function private.write_search_entry(id uuid, coverage public.coverages, number integer, at timestamptz, headline text, body text,
  weight text, marks text[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  dictionary regdictionary := private.dictionary_for(coverage.language);
  headline_words tsvector := case when headline is not null then setweight(private.stem_positions(private.fold_text(headline), dictionary), 'A') end;
  body_words tsvector := private.stem_positions(private.fold_text(body), dictionary);
  all_marks text[] := array_remove(marks || private.day_marks(at) || ('+' || dictionary), null);
begin
  if weight <> 'D' then body_words := setweight(body_words, weight::"char"); end if;
  if headline_words is not null then
    body_words := headline_words || body_words;
    all_marks := all_marks || array(select '^' || w from unnest(tsvector_to_array(headline_words)) w);
  end if;
  insert into private.search_index as existing (id, coverage_id, number, published_at, language, words)
  values (write_search_entry.id, coverage.id, write_search_entry.number, at, coverage.language, body_words || array_to_tsvector(all_marks))
  on conflict on constraint search_index_pkey
  do update set published_at = excluded.published_at, language = excluded.language, words = excluded.words;
  insert into private.vocabulary_queue (id) values (write_search_entry.id);
end $$;

-- Indexes an update as it is now, or removes it from the index.
create function private.index_update(saved public.updates, bylines uuid[], body_text text default null) returns void
language plpgsql volatile set search_path = '' as $$
declare coverage public.coverages;
begin
  if saved.number is null then return; end if;
  if saved.state = 'published' then
    select * into coverage from public.coverages c where c.id = saved.coverage_id;
  end if;
  if coverage.id is null or not private.is_public(coverage.state) then
    delete from private.search_index f where f.id = saved.id;
    return;
  end if;
  perform private.write_search_entry(saved.id, coverage, saved.number, saved.published_at, saved.headline,
    concat_ws(' ', coalesce(body_text, private.body_text(saved.body)), saved.attribution, saved.dateline),
    case when saved.key_event then 'C' else 'D' end,
    array['#' || coverage.id, case when saved.key_event then '!key' end] || array(select '@' || b from unnest(bylines) b));
end $$;

-- Indexes a coverage as it is now. A withdrawn coverage is removed with all its updates.
create function private.index_coverage() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if private.is_public(new.state) then
    perform private.write_search_entry(new.id, new, null, new.published_at, new.headline,
      concat_ws(' ', new.kicker, new.standfirst, private.body_text(new.summary)), 'B', array['#' || new.id, '!coverage']);
    -- Its updates are indexed again with the new language, in batches.
    if tg_op = 'UPDATE' and new.language <> old.language then
      insert into private.vocabulary_queue (id) select f.id from private.search_index f where f.words @@ format('''#%s''', new.id)::tsquery;
    end if;
  else
    delete from private.search_index f where f.words @@ format('''#%s''', new.id)::tsquery;
  end if;
  return null;
end $$;
create trigger index_new_coverage after insert on public.coverages
  for each row when (private.is_public(new.state)) execute function private.index_coverage();
create trigger index_coverage after update of state, headline, kicker, standfirst, summary, language on public.coverages
  for each row when ((private.is_public(old.state) or private.is_public(new.state)) and
    (private.is_public(old.state), old.published_at, old.headline, old.kicker, old.standfirst, old.summary, old.language) is distinct from
    (private.is_public(new.state), new.published_at, new.headline, new.kicker, new.standfirst, new.summary, new.language))
  execute function private.index_coverage();

-- Adds the words of at most `max_rows` entries to the vocabulary: words of four letters or more. Entries in an outdated
-- language are indexed again.
create function private.update_vocabulary(max_rows integer) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  entry_ids uuid[] := array(select id from private.vocabulary_queue limit max_rows for update skip locked);
begin
  if entry_ids = '{}' then return 0; end if;
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

select cron.schedule('update-vocabulary', '10 seconds', 'select private.update_vocabulary(100)');
select cron.schedule('vacuum-vocabulary-queue', '37 * * * *', 'vacuum private.vocabulary_queue');
