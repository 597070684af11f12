-- The folder of a coverage contains the lead photo that an editor chose. Folders without one, and those of earlier versions,
-- have no such field, so that their bytes stay the same.

-- Reads the coverage of the first file. `other_slug` replaces its slug.
create or replace function private.read_archived_coverage(c jsonb, other_slug text) returns public.coverages
language plpgsql stable set search_path = '' as $$
declare
  result public.coverages;
  base public.coverages;
begin
  perform private.require_object(c, '{id,slug,kicker,headline,standfirst,summary,summary_at,state,time_zone,language,starts_at,ended_at,published_at,revised_at,last_published_at,pinned_update,lead_photo,reader_follow_mode,check_interval_seconds,seq,update_count,version}');
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
        where p.id = c.lead_photo and p.coverage_id = c.id and private.is_public_photo(p)), '{}'),
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
    lead_photo = expected.lead_photo, continued_at = case expected.state when 'live' then now() end, is_importing = false
  where c.id = imported.id;
  perform private.write_coverage_revision(imported.id);
  perform private.log_action('import_coverage', 'coverage', imported.id, jsonb_build_object('slug', imported.slug));
  delete from private.coverage_imports r where r.coverage_id = imported.id;
  -- Inserted again, so that its deferred trigger announces the coverage at the end of this transaction.
  delete from public.coverage_changes h where h.coverage_id = imported.id and h.seq = expected.seq returning * into last;
  insert into public.coverage_changes select last.*;
  return private.coverage_result(imported.id) || jsonb_build_object('people', import_row.renamed, 'topics', topics, 'slugs', import_row.slugs_left);
end $$;
