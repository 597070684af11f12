-- One time zone for the site. New coverages start with it, and days and months of the archive and of the search follow
-- it. Adds also whether the desk shows the steps that remain after setup.

alter table public.site
  -- Zone in which pages that belong to no coverage show times.
  add column time_zone text not null default 'UTC',
  -- Whether the desk shows owners the steps that remain after setup.
  add column setup_checklist boolean not null default false,
  add constraint time_zone_form check (private.is_time_zone(time_zone));

create function private.site_time_zone() returns text
language sql stable set search_path = '' return (select s.time_zone from public.site s);

-- Changes settings of the site. Fields that are not sent remain.
create or replace function public.save_site(idempotency_key uuid, content jsonb)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'save_site', jsonb_build_array(content));
  settings public.site;
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('administer', null);
  perform private.require_object(content,
    '{name,tagline,language,publisher,contact,reader_follow_mode,check_interval_seconds,offline_pages,accent,accent_dark,about,quiet_hours,embed_origins,time_zone,setup_checklist}');
  select * into settings from public.site s for update;
  if content ? 'name' then settings.name := private.optional_line(content, 'name', 'site_name'); end if;
  if settings.name is null then perform private.raise_invalid('name', 'site_name_missing'); end if;
  if content ? 'tagline' then settings.tagline := coalesce(private.optional_line(content, 'tagline', 'tagline'), ''); end if;
  if content ? 'language' then settings.language := private.optional_text(content, 'language'); end if;
  perform private.require_language(settings.language);
  if content ? 'time_zone' then settings.time_zone := private.optional_text(content, 'time_zone'); end if;
  if not private.is_time_zone(settings.time_zone) then
    perform private.raise_invalid('time_zone', 'invalid_time_zone');
  end if;
  if content ? 'setup_checklist' then
    if not private.is_boolean(content -> 'setup_checklist') then
      perform private.raise_invalid('setup_checklist', 'not_boolean');
    end if;
    settings.setup_checklist := (content ->> 'setup_checklist')::boolean;
  end if;
  if content ? 'publisher' then settings.publisher := coalesce(private.optional_line(content, 'publisher', 'publisher'), ''); end if;
  if content ? 'contact' then settings.contact := coalesce(private.optional_multiline(content, 'contact', 'contact'), ''); end if;
  if content ? 'reader_follow_mode' then
    settings.reader_follow_mode := private.optional_enum(content, 'reader_follow_mode', null::public.reader_follow_mode, 'auto')::public.reader_follow_mode;
  end if;
  if content ? 'check_interval_seconds' then
    settings.check_interval_seconds := coalesce(private.optional_integer(content, 'check_interval_seconds', 'check_interval_min',
      'check_interval_max'), private.get_limit('check_interval_default'));
  end if;
  if content ? 'offline_pages' then
    if not private.is_boolean(content -> 'offline_pages') then
      perform private.raise_invalid('offline_pages', 'not_boolean');
    end if;
    settings.offline_pages := (content ->> 'offline_pages')::boolean;
  end if;
  if content ? 'accent' then settings.accent := private.read_accent(content, 'accent', false); end if;
  if content ? 'accent_dark' then settings.accent_dark := private.read_accent(content, 'accent_dark', true); end if;
  if content ? 'about' then
    if private.has_photos(content -> 'about') then perform private.raise_invalid('about', 'photo_in_about'); end if;
    settings.about := private.read_body(content -> 'about', 0, 'about');
  end if;
  if content ? 'quiet_hours' then
    settings.quiet_hours := coalesce(private.optional_integer(content, 'quiet_hours', 'quiet_hours_min', 'quiet_hours_max'),
      private.get_limit('quiet_hours'));
  end if;
  if content ? 'embed_origins' then settings.embed_origins := private.read_embed_origins(content); end if;
  update public.site s set name = settings.name, tagline = settings.tagline, language = settings.language,
    publisher = settings.publisher, contact = settings.contact, offline_pages = settings.offline_pages,
    accent = settings.accent, accent_dark = settings.accent_dark, about = settings.about,
    quiet_hours = settings.quiet_hours, embed_origins = settings.embed_origins, time_zone = settings.time_zone,
    setup_checklist = settings.setup_checklist,
    reader_follow_mode = settings.reader_follow_mode, check_interval_seconds = settings.check_interval_seconds where s.id;
  perform private.log_action('save_site', 'site', null, jsonb_build_object(
    'fields', (select jsonb_agg(k order by k) from jsonb_object_keys(content) k)));
  return private.finish_command(idempotency_key, jsonb_build_object('name', settings.name));
end $$;

-- Changes of the quiet hours, the checklist and the surge do not affect pages.
create or replace trigger announce_site after update of name, tagline, language, publisher, contact, reader_follow_mode,
  check_interval_seconds, offline_pages, accent, accent_dark, about, embed_origins, time_zone on public.site
  for each row when (to_jsonb(old) - '{quiet_hours,setup_checklist}'::text[] is distinct from
    to_jsonb(new) - '{quiet_hours,setup_checklist}'::text[])
  execute function private.announce_site('site');

-- Creates a coverage as a draft.
create or replace function public.create_coverage(idempotency_key uuid, coverage_id uuid, content jsonb)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'create_coverage', jsonb_build_array(coverage_id, content));
  new_values public.coverages;
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('run_coverage', coverage_id);
  if coverage_id is null then perform private.raise_invalid('coverage_id', 'coverage_id_missing'); end if;
  new_values.state := 'draft'; new_values.time_zone := private.site_time_zone(); new_values.language := 'en'; new_values.kicker := ''; new_values.standfirst := '';
  new_values := private.read_coverage(content, new_values);
  -- The slug before the row, as in save_coverage(), so that two callers with the same slug lock in the same order.
  perform private.claim_slug(coverage_id, new_values.slug);
  insert into public.coverages (id, slug, kicker, headline, standfirst, time_zone, language, starts_at, reader_follow_mode, check_interval_seconds, created_by)
    values (coverage_id, new_values.slug, new_values.kicker, new_values.headline, new_values.standfirst, new_values.time_zone,
      new_values.language, new_values.starts_at, new_values.reader_follow_mode, new_values.check_interval_seconds, auth.uid())
  on conflict (id) do nothing;
  if not found then perform private.raise_id_conflict(); end if;
  perform private.set_topics(coverage_id, content -> 'topics');
  perform private.write_coverage_revision(coverage_id);
  perform private.log_action('create_coverage', 'coverage', coverage_id, jsonb_build_object('slug', new_values.slug));
  return private.finish_command(idempotency_key, private.coverage_result(coverage_id));
end $$;

-- Months in the site's time zone in which public coverages began, newest first.
create or replace function public.archive_months()
returns table (month text, coverages integer)
language sql stable security definer set search_path = '' as $$
  select to_char(c.published_at at time zone (select private.site_time_zone()), 'YYYY-MM'), count(*)::integer from public.coverages c
  where c.state in ('live', 'paused', 'ended', 'archived') and c.published_at is not null
  group by 1 order by 1 desc
$$;

-- Lists for the sitemap: {changed_at, scheduled: [slug], topics: [{slug, changed_at}], people: [{handle,
-- changed_at}], months: [YYYY-MM]}. `months` are the pages of the archive, in the site's time zone.
create or replace function public.sitemap_pages() returns jsonb
language sql stable security definer set search_path = '' as $$
  with shown as (
    select c.id, c.slug, c.state, c.published_at, private.coverage_changed_at(c.id) as changed_at
    from public.coverages c where private.is_public(c.state))
  select jsonb_build_object(
    'changed_at', (select max(private.coverage_changed_at(c.id)) from public.coverages c
      where private.is_public(c.state) or c.state = 'withdrawn'),
    'scheduled', coalesce((select jsonb_agg(jsonb_build_object('slug', s.slug, 'changed_at', s.changed_at) order by s.slug)
      from shown s where s.published_at is null), '[]'),
    'topics', coalesce((select jsonb_agg(jsonb_build_object('slug', t.slug, 'changed_at', t.changed_at) order by t.slug)
      from (select o.slug, max(s.changed_at) as changed_at from public.topics o
        join public.coverage_topics ct on ct.topic_id = o.id join shown s on s.id = ct.coverage_id group by o.slug) t), '[]'),
    'people', coalesce((select jsonb_agg(jsonb_build_object('handle', p.handle, 'changed_at', (
          select max(b.published_at) from public.update_bylines b where b.person_id = p.id)) order by p.handle)
      from public.people p where p.bylined_at is not null), '[]'),
    'months', coalesce((select jsonb_agg(m.month order by m.month)
      from (select distinct to_char(s.published_at at time zone (select private.site_time_zone()), 'YYYY-MM') as month from shown s
        where s.published_at is not null) m), '[]'))
$$;

-- ---- Search ----

-- Searches public coverages and updates: {query, coverage?, topic?, person?, from?, to?, page?}. Returns {hits,
-- total, more, page, corrected_query}; `corrected_query` is the corrected query, or null.
create or replace function public.search(filters jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  page integer;
  zone constant text := private.site_time_zone();
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
    last := least(last, (now() at time zone zone)::date + 1);
    if first > last then return empty_result; end if;
    since := first::timestamp at time zone zone;
    until := (last + 1)::timestamp at time zone zone;
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
