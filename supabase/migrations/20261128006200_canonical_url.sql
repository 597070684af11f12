-- The address of a coverage on another site of the newspaper, where search engines shall find it.

-- Whether the value can be a canonical address: an https URL without a fragment, in ASCII, because it stands in a header.
create function private.is_canonical_url(value text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return private.is_url(value) and value ~ '^https://[\u0021-\u007e]+$' and value !~ '#';
end $$;

alter table public.coverages
  add column canonical_url text,
  add constraint canonical_url_form check (private.is_canonical_url(canonical_url));
grant select (canonical_url) on public.coverages to anon, authenticated;

-- Sets the canonical address of a coverage; null for its live page. Returns {id, canonical_url}. It changes no text, so open
-- pages are not told of it.
-- Errors: forbidden; invalid, if it is no https URL.
create function public.set_canonical_url(idempotency_key uuid, coverage_id uuid, url text default null)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages;
  stored_result jsonb;
begin
  -- Locked before the coverage, as in arrange_front_page().
  perform from public.site s where s.id for update;
  coverage := private.lock_coverage(coverage_id);
  stored_result := private.begin_command(idempotency_key, 'set_canonical_url', jsonb_build_array(coverage_id, url));
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('run_coverage', coverage.id);
  if url is not null and not private.is_canonical_url(url) then
    perform private.raise_invalid('canonical_url', 'canonical_url_wrong');
  end if;
  update public.coverages c set canonical_url = url where c.id = coverage.id;
  if private.is_public(coverage.state) and url is distinct from coverage.canonical_url then
    perform private.announce_site_change(array['sitemaps', 'coverage:' || coverage.id]);
  end if;
  perform private.log_action('set_canonical_url', 'coverage', coverage.id);
  return private.finish_command(idempotency_key, jsonb_build_object('id', coverage.id, 'canonical_url', url));
end $$;

grant execute on function public.set_canonical_url to authenticated, service_role;

-- ---- Sitemaps ----
-- They leave out coverages with a canonical address elsewhere. Pages of updates keep their own.

-- Whether a month has an entry. All of them may belong to withdrawn coverages.
create or replace function private.has_sitemap_entries(month date) returns boolean
language sql stable set search_path = '' as $$
  select exists (select from public.coverages c where private.is_public(c.state)
      and c.canonical_url is null and private.month_of(c.published_at) = month)
    or (select true from private.sitemap_updates u
      where u.published_at >= private.month_begins(month) and u.published_at < private.month_ends(month)
        and (select private.is_public(c.state) from public.coverages c where c.id = u.coverage_id)
      order by u.published_at, u.id limit 1)
$$;

-- Entries of one part: {coverages: [{slug, changed_at, ended}], updates: [{slug, number, changed_at}]}.
create or replace function public.sitemap_part(month date, part integer) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'coverages', coalesce((select jsonb_agg(jsonb_build_object('slug', c.slug, 'changed_at', private.coverage_changed_at(c.id),
        'ended', c.state in ('ended', 'archived')) order by c.published_at, c.id)
      from public.coverages c
      where sitemap_part.part = 1 and private.is_public(c.state) and c.canonical_url is null
        and private.month_of(c.published_at) = sitemap_part.month), '[]'),
    'updates', coalesce((select jsonb_agg(jsonb_build_object('slug', f.slug, 'number', f.number, 'changed_at', f.changed_at)
        order by f.published_at, f.id)
      from (
        select c.slug, c.state, u.number, u.published_at, u.id, greatest(u.published_at, u.revised_at, u.corrected_at) as changed_at
        from (
          select x.* from private.sitemap_updates x
          where x.published_at >= private.month_begins(sitemap_part.month)
            and x.published_at < private.month_ends(sitemap_part.month)
          order by x.published_at, x.id
          offset greatest(sitemap_part.part - 1, 0)::bigint * private.sitemap_size() limit private.sitemap_size()) u
        join public.coverages c on c.id = u.coverage_id) f
      where private.is_public(f.state)), '[]'))
$$;

-- Lists for the sitemap: {changed_at, scheduled: [slug], topics: [{slug, changed_at}], people: [{handle,
-- changed_at}], months: [YYYY-MM]}. `months` are the pages of the archive, in the site's time zone.
create or replace function public.sitemap_pages() returns jsonb
language sql stable security definer set search_path = '' as $$
  with shown as (
    select c.id, c.slug, c.state, c.published_at, c.canonical_url, private.coverage_changed_at(c.id) as changed_at
    from public.coverages c where private.is_public(c.state))
  select jsonb_build_object(
    'changed_at', (select max(private.coverage_changed_at(c.id)) from public.coverages c
      where private.is_public(c.state) or c.state = 'withdrawn'),
    'scheduled', coalesce((select jsonb_agg(jsonb_build_object('slug', s.slug, 'changed_at', s.changed_at) order by s.slug)
      from shown s where s.published_at is null and s.canonical_url is null), '[]'),
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

-- Coverages and updates of the last two days, newest first: [{slug, number, title, body, coverage, language,
-- published_at}]. `number` is null for a coverage; `body` is set for updates without a headline; `coverage` is its
-- headline.
create or replace function public.sitemap_news(max_rows integer) returns jsonb
language sql stable security definer set search_path = '' as $$
  with coverages as (
    select c.slug, null::integer as number, c.headline as title, null::jsonb as body, c.headline as coverage, c.language, c.published_at
    from public.coverages c
    where private.is_public(c.state) and c.canonical_url is null
      and c.published_at > now() - interval '48 hours' and c.published_at <= now()
    order by c.published_at desc limit least(greatest(max_rows, 0), 1000)
  ), updates as (
    select c.slug, u.number, u.headline as title, case when u.headline is null then u.body end as body, c.headline as coverage,
      c.language, u.published_at
    from private.sitemap_updates u join public.coverages c on c.id = u.coverage_id
    where private.is_public(c.state)
      and u.published_at > now() - interval '48 hours' and u.published_at <= now()
    order by u.published_at desc, u.id desc limit least(greatest(max_rows, 0), 1000)
  )
  select coalesce(jsonb_agg(to_jsonb(n) order by n.published_at desc, n.slug, n.number nulls first), '[]')
  from (select * from (select * from coverages union all select * from updates) a
    order by a.published_at desc, a.slug, a.number nulls first limit least(greatest(max_rows, 0), 1000)) n
$$;

-- ---- The folder of a coverage ----
-- It contains the canonical address, if there is one.

-- Reads the coverage of the first file. `other_slug` replaces its slug.
create or replace function private.read_archived_coverage(c jsonb, other_slug text) returns public.coverages
language plpgsql stable set search_path = '' as $$
declare
  result public.coverages;
  base public.coverages;
begin
  perform private.require_object(c, '{id,slug,kicker,headline,standfirst,summary,summary_at,state,time_zone,language,starts_at,ended_at,published_at,revised_at,last_published_at,pinned_update,lead_photo,canonical_url,reader_follow_mode,check_interval_seconds,seq,update_count,version}');
  base.state := 'draft'; base.kicker := ''; base.standfirst := '';
  if not coalesce(private.get_string(c, 'state') in ('scheduled', 'live', 'paused', 'ended', 'archived'), false) then
    perform private.raise_invalid('state', 'state_not_public');
  end if;
  base.state := (c ->> 'state')::public.coverage_state;
  result := private.read_coverage(jsonb_build_object('slug', coalesce(to_jsonb(other_slug), c -> 'slug'), 'kicker', c -> 'kicker',
    'headline', c -> 'headline', 'standfirst', c -> 'standfirst', 'time_zone', c -> 'time_zone', 'language', c -> 'language',
    'starts_at', c -> 'starts_at', 'reader_follow_mode', c -> 'reader_follow_mode', 'check_interval_seconds', c -> 'check_interval_seconds'), base);
  result.id := private.required_uuid(c, 'id');
  result.summary := private.read_body(c -> 'summary', 0, 'summary');
  result.summary_at := private.optional_past_time(c, 'summary_at');
  result.ended_at := private.optional_past_time(c, 'ended_at');
  result.published_at := private.optional_past_time(c, 'published_at');
  result.revised_at := private.optional_past_time(c, 'revised_at');
  result.last_published_at := private.optional_past_time(c, 'last_published_at');
  result.seq := private.required_integer(c, 'seq', 1);
  result.update_count := private.required_integer(c, 'update_count', 0);
  result.version := private.required_integer(c, 'version', 1);
  if jsonb_typeof(c -> 'pinned_update') is distinct from 'null' then result.pinned_update := private.required_uuid(c, 'pinned_update'); end if;
  if c ? 'canonical_url' then
    result.canonical_url := private.get_string(c, 'canonical_url');
    if not coalesce(private.is_canonical_url(result.canonical_url), false) then
      perform private.raise_invalid('canonical_url', 'canonical_url_wrong');
    end if;
  end if;
  if c ? 'lead_photo' then result.lead_photo := private.required_uuid(c, 'lead_photo'); end if;
  if (result.state = 'scheduled') <> (result.published_at is null) then
    perform private.raise_invalid('published_at', 'publication_time_mismatch');
  elsif (result.state in ('ended', 'archived')) <> (result.ended_at is not null) then
    perform private.raise_invalid('ended_at', 'end_time_mismatch');
  elsif result.state = 'scheduled' and result.update_count > 0 then
    perform private.raise_invalid('update_count', 'updates_before_start');
  end if;
  return result;
end $$;

-- A public coverage without its updates and changes: {coverage, slugs, topics, people, photos}.
create or replace function public.export_coverage(slug text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_variable
declare c public.coverages := private.public_coverage(slug);
begin
  return jsonb_build_object(
    'coverage', jsonb_build_object('id', c.id, 'slug', c.slug, 'kicker', c.kicker, 'headline', c.headline,
      'standfirst', c.standfirst, 'summary', c.summary, 'summary_at', private.file_time(c.summary_at), 'state', c.state,
      'time_zone', c.time_zone, 'language', c.language, 'starts_at', private.file_time(c.starts_at),
      'ended_at', private.file_time(c.ended_at), 'published_at', private.file_time(c.published_at),
      'revised_at', private.file_time(c.revised_at), 'last_published_at', private.file_time(c.last_published_at),
      'pinned_update', c.pinned_update, 'reader_follow_mode', c.reader_follow_mode, 'check_interval_seconds', c.check_interval_seconds,
      'seq', c.seq, 'update_count', c.update_count, 'version', c.version)
      || coalesce((select jsonb_build_object('lead_photo', p.id) from public.photos p
        where p.id = c.lead_photo and p.coverage_id = c.id and private.is_public_photo(p)), '{}')
      || jsonb_strip_nulls(jsonb_build_object('canonical_url', c.canonical_url)),
    'slugs', (select jsonb_agg(jsonb_build_object('slug', s.slug, 'since', private.file_time(s.since)) order by s.since, s.slug)
      from public.coverage_slugs s where s.coverage_id = c.id),
    'topics', coalesce((select jsonb_agg(jsonb_build_object('id', t.id, 'slug', t.slug, 'name', t.name, 'description', t.description)
        order by t.slug)
      from public.coverage_topics o join public.topics t on t.id = o.topic_id where o.coverage_id = c.id), '[]'),
    'people', coalesce((select jsonb_agg(jsonb_build_object('id', p.id, 'handle', p.handle, 'display_name', p.display_name, 'bio', p.bio)
        order by p.id)
      from public.people p where p.id in (select private.bylined_people(c.id))), '[]'),
    'photos', coalesce((select jsonb_agg(jsonb_build_object('id', p.id, 'bucket', p.bucket, 'width', p.width, 'height', p.height,
        'renditions', p.renditions, 'placeholder_colour', p.placeholder_colour, 'alt', p.alt, 'caption', p.caption, 'credit', p.credit, 'ready_at', private.file_time(p.ready_at))
        order by p.library_position)
      from public.photos p where p.coverage_id = c.id and private.is_public_photo(p)), '[]'));
end $$;

-- Publishes an imported coverage: content, topics, photos, people. Readers and caches are notified once; followers
-- get no alert. Returns {id, slug, state, version, seq, pinned_update, people, topics, slugs}: changed handles,
-- differing topics, missing slugs. Errors: invalid, if the lead photo is not one of the coverage's public photos.
create or replace function public.finish_coverage_import(coverage_id uuid) returns jsonb
language plpgsql security definer set search_path = '' set statement_timeout = '60s' as $$
#variable_conflict use_variable
declare
  imported public.coverages := private.lock_import(coverage_id);
  import_row private.coverage_imports;
  expected public.coverages;
  topics jsonb;
  last public.coverage_changes;
begin
  select * into import_row from private.coverage_imports r where r.coverage_id = imported.id;
  expected := private.read_archived_coverage(import_row.content -> 'coverage', imported.slug);
  perform private.require_complete_import(imported, expected, import_row.content, import_row.bylined);
  perform private.import_renditions(imported.id, import_row.content);
  if expected.lead_photo is not null and not exists (
      select from public.photos p where p.id = expected.lead_photo and p.coverage_id = imported.id and private.is_public_photo(p)) then
    perform private.raise_invalid('lead_photo', 'photo_not_published');
  end if;
  topics := private.import_topics(imported.id, import_row.content);
  update public.people p set bylined_at = now() where p.id = any (import_row.bylined) and p.bylined_at is null;
  update public.coverages c set state = expected.state, seq = expected.seq, published_at = expected.published_at,
    ended_at = expected.ended_at, revised_at = expected.revised_at, last_published_at = expected.last_published_at, pinned_update = expected.pinned_update,
    lead_photo = expected.lead_photo, canonical_url = expected.canonical_url, continued_at = case expected.state when 'live' then now() end, is_importing = false
  where c.id = imported.id;
  perform private.write_coverage_revision(imported.id);
  perform private.log_action('import_coverage', 'coverage', imported.id, jsonb_build_object('slug', imported.slug));
  delete from private.coverage_imports r where r.coverage_id = imported.id;
  -- Inserted again, so that its deferred trigger announces the coverage at the end of this transaction.
  delete from public.coverage_changes h where h.coverage_id = imported.id and h.seq = expected.seq returning * into last;
  insert into public.coverage_changes select last.*;
  return private.coverage_result(imported.id) || jsonb_build_object('people', import_row.renamed, 'topics', topics, 'slugs', import_row.slugs_left);
end $$;
