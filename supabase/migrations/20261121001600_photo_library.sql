-- The photo library: lists and search, where a photo is used, replacement and removal.

-- Mark of a band of 250 photos in the order of the library. Searches read the bands from the newest, as with
-- updates.
create function private.photo_band(library_position bigint) returns text
language sql immutable return '#' || library_position / 250;

-- Search words of a photo and marks that cannot be typed: `#<band>`, `@<coverage>`, `=<uploader>`, `!<state>`,
-- `!unused`.
create function private.photo_words(library_position bigint, coverage uuid, uploader uuid, state public.photo_state, in_use boolean,
  alt text, caption text, credit text) returns tsvector
language sql immutable set search_path = '' as $$
  select array_to_tsvector(private.split_words(concat_ws(' ', alt, caption, credit)) || array_remove(array[
    private.photo_band(library_position), '@' || coverage, '=' || uploader, '!' || state,
    case when not in_use and state <> 'removed' then '!unused' end], null))
$$;
create index photos_words on public.photos
  using gin (private.photo_words(library_position, coverage_id, uploaded_by, state, in_use, alt, caption, credit)) with (fastupdate = off)
  where coverage_id is not null;

-- A tsquery for words: each is a prefix of a word of the photo's texts, its uploader's name or its coverage's
-- headline. Null if there are no words.
create function private.photo_query(words text) returns text
language sql stable set search_path = '' set enable_seqscan = off as $$
  select string_agg(format('(''%s''%s%s%s)', w, case when char_length(w) > 2 then ':*' end,
    (select string_agg(format(' | ''=%s''', p.id), '') from public.people p
      where p.role <> 'reader' and exists (select from unnest(private.split_words(p.display_name)) n where starts_with(n, w))),
    (select string_agg(format(' | ''@%s''', c.id), '') from public.coverages c
      where exists (select from unnest(private.split_words(c.headline)) n where starts_with(n, w)))), ' & ')
  from unnest(private.split_words(left(words, 200))) w
$$;

-- Whether the caller may see a photo of a desk that they may read, or with `usable` put it into an update: their
-- own, those that an update shows (a published one for `usable`), any for editors.
create function private.is_listed_photo(photo public.photos, caller uuid, is_editor boolean, usable boolean) returns boolean
language sql stable set search_path = '' as $$
  select (not usable or photo.state = 'ready') and (is_editor or photo.uploaded_by = caller or coalesce((
    select true from public.update_photos o
    where o.photo_id = photo.id
      and (not usable or (select u.state = 'published' from public.updates u where u.id = o.update_id)) limit 1), false))
$$;

-- Photos that the caller may see, newest first, after the photo `before`: of one coverage or all. `filter` is all,
-- mine, unused, usable (in an update of the caller), or a state. `words` are prefixes of words of texts, headline
-- or uploader.
-- Orders that an index has are read from it; all others are read band by band.
create function public.photo_library(words text default null, coverage uuid default null, filter text default 'all',
  before uuid default null, max_rows integer default 24)
returns table (id uuid, coverage_id uuid, slug text, coverage_headline text, state public.photo_state, refusal_code text,
  width integer, height integer, placeholder_colour text, alt text, caption text, credit text, uploaded_by uuid, uploader text,
  created_at timestamptz, uses integer, published integer, withdrawn integer)
language plpgsql stable security definer set search_path = ''
  set enable_seqscan = off set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  caller uuid := auth.uid();
  is_editor boolean := private.has_permission('run_coverage');
  usable boolean := coalesce(filter = 'usable', false);
  page_size integer := least(greatest(coalesce($5, 24), 0), 200);
  before_position bigint := coalesce((select p.library_position from public.photos p where p.id = $4),
    (select p.library_position + 1 from public.photos p where p.coverage_id is not null order by p.library_position desc limit 1), 0);
  -- Coverages whose photos are listed; null means all.
  coverage_ids uuid[] := case when $2 is not null then array(select d.id from private.desk_coverages() d(id) where d.id = $2)
    when not private.has_permission('read_desk') then array(select private.desk_coverages()) end;
  search_query text := private.photo_query($1);
  photo_ids uuid[] := '{}';
  band bigint;
begin
  if coverage_ids = '{}' then return; end if;
  if search_query is null and coverage_ids is not null and coalesce(filter, 'all') in ('all', 'usable') then
    photo_ids := array(select f.id from unnest(coverage_ids) one(id) cross join lateral (
        select p.id, p.library_position from public.photos p
        where p.coverage_id = one.id and p.library_position < before_position and private.is_listed_photo(p, caller, is_editor, usable)
        order by p.library_position desc limit page_size) f
      order by f.library_position desc limit page_size);
  elsif search_query is null and coverage_ids is null and filter = 'mine' then
    photo_ids := array(select p.id from public.photos p
      where p.uploaded_by = caller and p.coverage_id is not null and p.library_position < before_position order by p.library_position desc limit page_size);
  elsif search_query is null and coverage_ids is null and coalesce(filter, 'all') = 'all' then
    photo_ids := array(select p.id from public.photos p
      where p.coverage_id is not null and p.library_position < before_position and private.is_listed_photo(p, caller, is_editor, usable)
      order by p.library_position desc limit page_size);
  else
    search_query := concat_ws(' & ', search_query, (select '(' || string_agg(format('''@%s''', h), ' | ') || ')' from unnest(coverage_ids) h),
      case when filter = 'mine' then format('''=%s''', caller) when usable then '''!ready'''
        when filter in ('unused', 'uploading', 'ready', 'refused', 'removed') then format('''!%s''', filter) end);
    for band in select generate_series((before_position - 1) / 250, 0, -1) loop
      exit when cardinality(photo_ids) >= page_size;
      -- Ordered by an expression that no index has, because walking along an index would read more rows.
      photo_ids := photo_ids || array(select p.id from public.photos p
        where p.coverage_id is not null
          and private.photo_words(p.library_position, p.coverage_id, p.uploaded_by, p.state, p.in_use, p.alt, p.caption, p.credit)
            @@ concat_ws(' & ', search_query, format('''%s''', private.photo_band(band * 250)))::tsquery
          and -p.library_position > -before_position and private.is_listed_photo(p, caller, is_editor, usable)
        order by -p.library_position limit page_size - cardinality(photo_ids));
    end loop;
  end if;
  return query
    select p.id, p.coverage_id, c.slug, c.headline, p.state, p.refusal_code, p.width, p.height, p.placeholder_colour, p.alt, p.caption, p.credit,
      p.uploaded_by, (select s.display_name from public.people s where s.id = p.uploaded_by), p.created_at,
      used.uses, used.published, used.withdrawn
    from unnest(photo_ids) with ordinality s(id, n) join public.photos p on p.id = s.id join public.coverages c on c.id = p.coverage_id
    cross join lateral (
      select count(*) filter (where u.state not in ('withdrawn', 'spiked'))::integer as uses,
        count(*) filter (where u.state = 'published')::integer as published,
        count(*) filter (where u.state = 'withdrawn')::integer as withdrawn
      from public.update_photos o join public.updates u on u.id = o.update_id where o.photo_id = p.id) used
    order by s.n;
end $$;

-- ---- Uses ----

-- Whether the caller may change which photos an update shows.
create function private.can_change_photos_of(target public.updates) returns boolean
language sql stable set search_path = '' as $$
  select case when target.number is not null or target.state = 'scheduled'
    then private.has_permission('publish_update', target.coverage_id, target.author)
      else true end
    and (target.state = 'published' or private.has_permission('run_coverage', target.coverage_id)
      or (target.author = auth.uid() and private.has_permission('write_update', target.coverage_id)))
$$;

-- Updates that show a photo, or showed it in a version, the published ones first. `shows`: the current version
-- shows it; `may_change`: the caller may change the update; `versions`: versions that refer to the photo.
create function public.photo_uses(photo_id uuid)
returns table (update_id uuid, number integer, state public.update_state, headline text, excerpt text, author text,
  shows boolean, may_change boolean, versions integer[])
language sql stable security definer set search_path = ''
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  with uses as materialized (
    select v.update_id, array_agg(v.version order by v.version) as versions
    from private.versions_with_photo(photo_uses.photo_id) v group by v.update_id)
  select u.id, u.number, u.state, u.headline, left(private.body_text(u.body), 200),
    (select p.display_name from public.people p where p.id = u.author),
    exists (select from public.update_photos o where o.update_id = u.id and o.photo_id = photo_uses.photo_id),
    private.can_change_photos_of(u), coalesce((select n.versions from uses n where n.update_id = u.id), '{}')
  from (
    select o.update_id from public.update_photos o where o.photo_id = photo_uses.photo_id
    union
    select n.update_id from uses n
  ) shown_in join public.updates u on u.id = shown_in.update_id
  where exists (select from public.photos p
    where p.id = photo_uses.photo_id and p.coverage_id in (select private.desk_coverages())
      and (p.uploaded_by = auth.uid() or private.can_see_photo(p.id)
        or exists (select from public.update_photos o where o.photo_id = p.id)))
  order by u.number desc nulls last, u.created_at desc, u.id
$$;

-- ---- Replacement and removal ----

-- Requires that the caller may change every update that shows the photo. Errors: forbidden, with the updates that
-- are not theirs.
create function private.require_photo_changes(photo public.photos) returns void
language plpgsql stable set search_path = '' as $$
declare foreign_updates jsonb;
begin
  perform private.require_permission('write_update', photo.coverage_id);
  if photo.state = 'removed' then
    perform private.raise_error('bad_state', 'photo_already_removed', jsonb_build_object('state', photo.state));
  end if;
  select jsonb_agg(u.number order by u.number, u.created_at) into foreign_updates
  from public.update_photos o join public.updates u on u.id = o.update_id
  where o.photo_id = photo.id and u.state in ('draft', 'submitted', 'scheduled', 'published') and not private.can_change_photos_of(u);
  if foreign_updates is not null then
    perform private.raise_error('forbidden', 'photo_in_other_updates', jsonb_build_object('updates', foreign_updates));
  end if;
  perform private.require_photo_permission(photo);
end $$;

-- Replaces a photo in every unpublished and published update; null removes it. A published update gets a revision,
-- or a correction if there is a note. Returns {updates, published}.
create function private.replace_photo_in_updates(coverage public.coverages, photo public.photos, replacement uuid, note text) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  target public.updates;
  content private.update_content;
  count integer := 0;
  published integer := 0;
begin
  for target in select u.* from public.updates u
      where u.state in ('draft', 'submitted', 'scheduled', 'published')
        and u.id in (select o.update_id from public.update_photos o where o.photo_id = photo.id)
      order by u.number, u.created_at, u.id loop
    content := private.current_content(target);
    if replacement = any (private.photo_ids(content.body)) then
      perform private.raise_error('bad_state', 'update_shows_both_photos', jsonb_build_object('number', target.number));
    end if;
    content.body := (
      select coalesce(jsonb_agg(case when is_photo then jsonb_build_object('type', 'photo', 'photo', replacement) else block end order by n), '[]')
      from jsonb_array_elements(target.body) with ordinality b(block, n),
        lateral (select b.block ->> 'type' = 'photo' and b.block ->> 'photo' = photo.id::text as is_photo) it
      where replacement is not null or not is_photo);
    if content.body = '[]' and target.state = 'published' then
      perform private.raise_error('bad_state', 'update_shows_only_photo', jsonb_build_object('number', target.number));
    elsif content.body = '[]' and target.state <> 'draft' then
      perform private.raise_error('bad_state', 'waiting_update_shows_only_photo');
    end if;
    if target.state = 'published' then
      perform private.save_published_version(coverage, target.id, target.version, to_jsonb(content),
        case when note is null then 'revision' else 'correction' end::public.revision_kind, note);
      published := published + 1;
    else
      -- As with any save, the caller is responsible for a scheduled update from then on.
      update public.updates u set version = u.version + 1,
        scheduled_by = case u.state when 'scheduled' then auth.uid() end
      where u.id = target.id;
      perform private.write_version(target.id, content, 'revision', null);
    end if;
    count := count + 1;
  end loop;
  return jsonb_build_object('updates', count, 'published', published);
end $$;

-- A photo of a coverage, locked with its coverage, and with another photo of the same coverage.
create function private.lock_library_photo(photo_id uuid, other_photo_id uuid default null) returns public.photos
language plpgsql volatile set search_path = '' as $$
declare photo public.photos;
begin
  perform private.lock_coverage(p.coverage_id) from public.photos p where p.id = lock_library_photo.photo_id and p.coverage_id is not null;
  -- The lock order of delete_unused_photos().
  perform from public.photos p where p.id in (lock_library_photo.photo_id, other_photo_id)
    and p.coverage_id = (select w.coverage_id from public.photos w where w.id = lock_library_photo.photo_id) order by p.id for update;
  photo := private.lock_photo(lock_library_photo.photo_id);
  if photo.coverage_id is null then perform private.raise_not_found(); end if;
  return photo;
end $$;

-- Replaces a photo in all updates by another one of the same coverage that is ready. Earlier versions keep the old
-- one. With a note it is a correction. Returns {id, state, refusal_code, updates, published} of the new photo.
create function public.replace_photo(idempotency_key uuid, photo_id uuid, replacement_id uuid, note text default null)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  photo public.photos := private.lock_library_photo(photo_id, replacement_id);
  stored_result jsonb := private.begin_command(idempotency_key, 'replace_photo', jsonb_build_array(photo_id, replacement_id, note));
  coverage public.coverages;
  replacement public.photos;
  counts jsonb;
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_photo_changes(photo);
  select * into replacement from public.photos p where p.id = replacement_id;
  if replacement.coverage_id is distinct from photo.coverage_id or replacement.id = photo.id
      or not (replacement.uploaded_by is not distinct from auth.uid() or private.has_permission('run_coverage', photo.coverage_id)) then
    perform private.raise_invalid('replacement_id', 'replacement_unavailable');
  elsif replacement.state <> 'ready' then
    perform private.raise_error('bad_state', 'replacement_not_ready', jsonb_build_object('state', replacement.state));
  end if;
  select * into coverage from public.coverages c where c.id = photo.coverage_id;
  counts := private.replace_photo_in_updates(coverage, photo, replacement.id, private.optional_note(note));
  perform private.log_action('replace_photo', 'photo', photo.id, counts || jsonb_build_object('coverage', coverage.id, 'by', replacement.id));
  return private.finish_command(idempotency_key, private.photo_result(replacement) || counts);
end $$;

-- Takes a photo back for good: removes it from all updates (with a note as a correction) and deletes its
-- renditions. Its texts and the versions that refer to it remain at the desk. Returns {id, state, refusal_code, updates,
-- published}.
create function public.remove_photo(idempotency_key uuid, photo_id uuid, note text default null)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  photo public.photos := private.lock_library_photo(photo_id);
  stored_result jsonb := private.begin_command(idempotency_key, 'remove_photo', jsonb_build_array(photo_id, note));
  coverage public.coverages;
  counts jsonb;
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_photo_changes(photo);
  select * into coverage from public.coverages c where c.id = photo.coverage_id;
  counts := private.replace_photo_in_updates(coverage, photo, null, private.optional_note(note));
  update public.photos p set state = 'removed', refusal_code = null, renditions = '[]', width = null, height = null, placeholder_colour = null,
    ready_at = null, removed_at = clock_timestamp(), removed_by = auth.uid()
  where p.id = photo_id returning * into photo;
  -- Withdrawn and spiked updates that refer to it changed for the desk, too.
  perform private.notify_desk_of_update(o.update_id) from public.update_photos o where o.photo_id = photo.id;
  perform private.log_action('remove_photo', 'photo', photo.id, counts || jsonb_build_object('coverage', coverage.id));
  return private.finish_command(idempotency_key, private.photo_result(photo) || counts);
end $$;

-- ---- Execute rights ----

grant execute on function public.photo_library, public.photo_uses to authenticated;
grant execute on function public.replace_photo, public.remove_photo to authenticated, service_role;
