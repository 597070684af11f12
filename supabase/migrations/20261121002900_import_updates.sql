-- Import of a coverage from files: its updates with their versions, its changes, and the end of the import.

-- A coverage that is being imported, locked. Errors: bad_state.
create function private.lock_import(coverage_id uuid) returns public.coverages
language plpgsql volatile set search_path = '' as $$
declare coverage public.coverages;
begin
  select * into coverage from public.coverages c where c.id = lock_import.coverage_id and c.is_importing for update;
  if coverage.id is null then
    perform private.raise_error('bad_state', 'import_ended');
  end if;
  return coverage;
end $$;

-- ---- Updates ----

-- Reads the content of an update or version. Bylines must be people of the file.
create function private.read_archived_content(content jsonb, min_blocks integer, people uuid[]) returns private.update_content
language plpgsql stable set search_path = '' as $$
declare result private.update_content;
begin
  if content ? 'desk_note' then perform private.raise_invalid('desk_note', 'unknown_field'); end if;
  result := private.read_content(content - 'bylines', min_blocks, null);
  if jsonb_typeof(content -> 'bylines') is distinct from 'array' or jsonb_array_length(content -> 'bylines') > private.get_limit('bylines')
      or exists (select from jsonb_array_elements(content -> 'bylines') b(id) where jsonb_typeof(b.id) <> 'string') then
    perform private.raise_invalid('bylines', 'invalid_imported_bylines', jsonb_build_object('max', private.get_limit('bylines')));
  end if;
  result.bylines := array(select private.to_uuid(b.id) from jsonb_array_elements_text(content -> 'bylines') with ordinality b(id, n) order by b.n);
  if exists (select from unnest(result.bylines) b(id) where not coalesce(b.id = any (people), false))
      or cardinality(result.bylines) <> (select count(distinct b.id) from unnest(result.bylines) b(id)) then
    perform private.raise_invalid('bylines', 'invalid_imported_bylines', jsonb_build_object('max', private.get_limit('bylines')));
  end if;
  return result;
end $$;

-- Versions of a published update, from the first public one to the current one, whose content is in the update.
-- Returns rows of update_revisions.
create function private.read_versions(item jsonb, current_content private.update_content, people uuid[]) returns setof public.update_revisions
language plpgsql stable set search_path = '' as $$
declare
  last_version constant integer := private.required_integer(item, 'version', 1);
  item_version jsonb;
  row public.update_revisions;
  before integer;
begin
  for item_version in select private.required_list(item, 'versions', '{version,kind,note,at,redacted_at,redacted_reason,content}', 100000) loop
    row := null;
    row.update_id := (item ->> 'id')::uuid;
    row.public := true;
    row.version := private.required_integer(item_version, 'version', 1);
    row.kind := private.optional_enum(item_version, 'kind', null::public.revision_kind, null);
    row.created_at := private.required_time(item_version, 'at');
    row.redacted_at := private.optional_past_time(item_version, 'redacted_at');
    if row.version <> before + 1 or row.version > last_version then
      perform private.raise_invalid('versions', 'version_gap');
    elsif row.kind is null or row.kind = 'withdrawal' or (before is null and row.kind <> 'revision') then
      perform private.raise_invalid('kind', 'invalid_version_kind');
    end if;
    if row.kind <> 'revision' then row.note := private.read_note(private.get_string(item_version, 'note'), 'note');
    elsif jsonb_typeof(item_version -> 'note') is distinct from 'null' then perform private.raise_invalid('note', 'unknown_field');
    end if;
    if row.redacted_at is not null then
      row.redacted_reason := private.read_note(private.get_string(item_version, 'redacted_reason'), 'redacted_reason');
    elsif jsonb_typeof(item_version -> 'redacted_reason') is distinct from 'null' then
      perform private.raise_invalid('redacted_reason', 'unknown_field');
    end if;
    if (jsonb_typeof(item_version -> 'content') is not distinct from 'null') <> (row.version = last_version or row.redacted_at is not null)
        or (row.version = last_version and row.redacted_at is not null) then
      perform private.raise_invalid('content', 'version_content_mismatch');
    elsif row.version = last_version then
      row.content := to_jsonb(current_content);
    elsif row.redacted_at is null then
      row.content := to_jsonb(private.read_archived_content(item_version -> 'content', 1, people));
    end if;
    before := row.version;
    return next row;
  end loop;
  if before is distinct from last_version then
    perform private.raise_invalid('versions', 'version_gap');
  end if;
end $$;

-- Errors: invalid, if a photo belongs to another coverage.
create function private.require_own_photos(coverage uuid, bodies jsonb[]) returns void
language plpgsql stable set search_path = '' as $$
begin
  if exists (select from unnest(bodies) b(body), unnest(private.photo_ids(b.body)) n(id)
      join public.photos p on p.id = n.id where p.coverage_id is distinct from coverage) then
    perform private.raise_invalid('body', 'photo_of_other_coverage');
  end if;
end $$;

-- Writes the next update of a file. Returns the people whom it shows to readers.
create function private.import_update(coverage uuid, next_number integer, item jsonb, people uuid[], photos uuid[], last_seq bigint) returns uuid[]
language plpgsql volatile set search_path = '' as $$
declare
  content_keys constant text[] := '{headline,body,key_event,urgency,verification,attribution,dateline,occurred_at,bylines}';
  saved public.updates;
  new_content private.update_content;
  versions public.update_revisions[];
  photo_ids uuid[];
begin
  perform private.require_object(item, content_keys
    || '{id,number,state,published_at,revised_at,corrected_at,withdrawn_at,withdrawn_reason,version,seq,photos,versions}'::text[]);
  saved.id := private.required_uuid(item, 'id');
  saved.number := private.required_integer(item, 'number', 1);
  if saved.number <> next_number then
    perform private.raise_invalid('number', 'unexpected_number', jsonb_build_object('next', next_number));
  elsif not coalesce(private.get_string(item, 'state') in ('published', 'withdrawn'), false) then
    perform private.raise_invalid('state', 'state_not_public');
  elsif exists (select from public.updates u where u.id = saved.id) then
    perform private.raise_invalid('id', 'update_exists');
  end if;
  saved.state := (item ->> 'state')::public.update_state;
  saved.published_at := private.required_time(item, 'published_at');
  saved.revised_at := private.optional_past_time(item, 'revised_at');
  saved.corrected_at := private.optional_past_time(item, 'corrected_at');
  saved.withdrawn_at := private.optional_past_time(item, 'withdrawn_at');
  saved.version := private.required_integer(item, 'version', 1);
  saved.seq := private.required_integer(item, 'seq', 1);
  if saved.seq > last_seq then perform private.raise_invalid('seq', 'seq_after_last'); end if;
  new_content := private.read_archived_content((select jsonb_object_agg(key, value) from jsonb_each(item) where key = any (content_keys)),
    case saved.state when 'published' then 1 else 0 end, people);
  photo_ids := array(select n.id from unnest(private.photo_ids(new_content.body)) with ordinality n(id, n) where n.id = any (photos) order by n.n);
  if item -> 'photos' is distinct from to_jsonb(photo_ids) then
    perform private.raise_invalid('photos', 'photo_order_mismatch');
  end if;

  if saved.state = 'published' then
    if saved.withdrawn_at is not null or jsonb_typeof(item -> 'withdrawn_reason') is distinct from 'null' then
      perform private.raise_invalid('withdrawn_at', 'unknown_field');
    end if;
    versions := array(select v from private.read_versions(item, new_content, people) v);
    if (cardinality(versions) > 1) <> (saved.revised_at is not null) then
      perform private.raise_invalid('revised_at', 'revision_time_mismatch');
    elsif exists (select from unnest(versions) v where v.kind = 'correction') <> (saved.corrected_at is not null) then
      perform private.raise_invalid('corrected_at', 'correction_time_mismatch');
    end if;
  else
    saved.withdrawn_at := private.required_time(item, 'withdrawn_at');
    saved.withdrawn_reason := private.read_note(private.get_string(item, 'withdrawn_reason'), 'withdrawn_reason');
    if coalesce(new_content.headline, new_content.attribution, new_content.dateline) is not null
      or new_content.body <> '[]' or new_content.bylines <> '{}'
        or item -> 'versions' is distinct from '[]' then
      perform private.raise_invalid('body', 'withdrawn_with_content');
    elsif saved.version < 2 then
      perform private.raise_invalid('version', 'withdrawn_without_version');
    end if;
    saved.body := '[]';
    versions := array[row(saved.id, saved.version, null, 'withdrawal', saved.withdrawn_reason, null, saved.withdrawn_at, false,
      null, null, null)::public.update_revisions];
  end if;
  perform private.require_own_photos(coverage, array(select v.content -> 'body' from unnest(versions) v
    where private.has_photos(v.content -> 'body')));

  insert into public.updates (id, coverage_id, number, state, headline, body, key_event, urgency, verification, attribution, dateline,
      occurred_at, created_at, published_at, revised_at, corrected_at, withdrawn_at, withdrawn_reason, version, seq)
    values (saved.id, coverage, saved.number, saved.state, new_content.headline, new_content.body,
      new_content.key_event, new_content.urgency, new_content.verification,
      new_content.attribution, new_content.dateline, new_content.occurred_at, saved.published_at, saved.published_at,
        saved.revised_at, saved.corrected_at,
      saved.withdrawn_at, saved.withdrawn_reason, saved.version, saved.seq)
  returning * into saved;
  insert into public.update_revisions select v.* from unnest(versions) v;
  insert into public.update_bylines (update_id, person_id, position, published_at)
    select saved.id, b.id, b.n, saved.published_at from unnest(new_content.bylines) with ordinality b(id, n);
  if photo_ids <> '{}' then
    insert into public.update_photos (update_id, photo_id, position)
      select saved.id, o.id, o.n from unnest(photo_ids) with ordinality o(id, n);
    perform private.refresh_photo_use(photo_ids);
  end if;
  perform private.index_update_for_desk(saved, new_content.bylines);
  return array(select distinct b.id::uuid from unnest(versions) v, jsonb_array_elements_text(v.content -> 'bylines') b(id));
end $$;

-- Imports the next updates in the order of their numbers and returns how many there are. An invalid update fails
-- the whole batch, with its number and field.
create function public.import_coverage_updates(coverage_id uuid, items jsonb) returns integer
language plpgsql security definer set search_path = '' set statement_timeout = '60s' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_import(coverage_id);
  import_row private.coverage_imports;
  people uuid[];
  photos uuid[];
  bylined uuid[];
  item jsonb;
  current_number integer := coverage.update_count;
  details text;
begin
  select * into import_row from private.coverage_imports r where r.coverage_id = coverage.id;
  people := array(select (p ->> 'id')::uuid from jsonb_array_elements(import_row.content -> 'people') p);
  photos := array(select (p ->> 'id')::uuid from jsonb_array_elements(import_row.content -> 'photos') p);
  bylined := import_row.bylined;
  for item in select value from jsonb_array_elements(items) loop
    current_number := current_number + 1;
    bylined := bylined || private.import_update(coverage.id, current_number, item, people, photos,
      (import_row.content -> 'coverage' ->> 'seq')::bigint);
  end loop;
  update public.coverages c set update_count = current_number where c.id = coverage.id;
  update private.coverage_imports r set bylined = array(select distinct n from unnest(bylined) n) where r.coverage_id = coverage.id;
  return current_number;
exception
  when sqlstate 'PT422' then
    get stacked diagnostics details = pg_exception_detail;
    perform private.raise_invalid_item(details, jsonb_build_object('number', current_number));
  when integrity_constraint_violation then
    get stacked diagnostics details = constraint_name;
    perform private.raise_error('invalid', 'invalid_update', jsonb_build_object('field', details, 'number', current_number));
end $$;

-- ---- Changes ----

-- Imports the next changes in order, after all updates, and returns how many there are.
create function public.import_coverage_changes(coverage_id uuid, items jsonb) returns bigint
language plpgsql security definer set search_path = '' set statement_timeout = '60s' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_import(coverage_id);
  last bigint := coalesce((select max(h.seq) from public.coverage_changes h where h.coverage_id = coverage.id), 0);
  item jsonb;
  changed_update uuid;
  details text;
begin
  for item in select value from jsonb_array_elements(items) loop
    last := last + 1;
    perform private.require_object(item, '{seq,kind,at,number}');
    if private.required_integer(item, 'seq', 1) <> last then
      perform private.raise_invalid('seq', 'unexpected_seq', jsonb_build_object('next', last));
    elsif private.optional_enum(item, 'kind', null::public.change_kind, null) is null then
      perform private.raise_invalid('kind', 'change_kind_missing');
    end if;
    changed_update := null;
    if jsonb_typeof(item -> 'number') is distinct from 'null' then
      select u.id into changed_update from public.updates u
      where u.coverage_id = coverage.id and u.number = private.required_integer(item, 'number', 1);
      if changed_update is null then perform private.raise_invalid('number', 'unknown_update_number'); end if;
    end if;
    insert into public.coverage_changes (coverage_id, seq, update_id, kind, at)
      values (coverage.id, last, changed_update, (item ->> 'kind')::public.change_kind, private.required_time(item, 'at'));
  end loop;
  return last;
exception when sqlstate 'PT422' then
  get stacked diagnostics details = pg_exception_detail;
  perform private.raise_invalid_item(details, jsonb_build_object('change', last));
end $$;

-- ---- End of the import ----

-- Errors: invalid, unless everything in the first file has been imported and is consistent.
create function private.require_complete_import(imported public.coverages, expected public.coverages, content jsonb, bylined uuid[]) returns void
language plpgsql stable set search_path = '' as $$
declare number integer;
begin
  if imported.update_count <> expected.update_count then
    perform private.raise_invalid('update_count', 'update_count_mismatch',
      jsonb_build_object('count', imported.update_count, 'expected', expected.update_count));
  elsif expected.seq <> (select count(*) from public.coverage_changes h where h.coverage_id = imported.id) then
    perform private.raise_invalid('seq', 'change_count_mismatch', jsonb_build_object('expected', expected.seq));
  elsif expected.last_published_at is distinct from (select u.published_at from public.updates u
      where u.coverage_id = imported.id and u.number = imported.update_count) then
    perform private.raise_invalid('last_published_at', 'last_publication_mismatch');
  elsif expected.pinned_update is not null and not exists (select from public.updates u
      where u.id = expected.pinned_update and u.coverage_id = imported.id and u.state = 'published') then
    perform private.raise_invalid('pinned_update', 'update_not_pinnable');
  elsif exists (select from jsonb_array_elements(content -> 'people') p(person) where (p.person ->> 'id')::uuid <> all (bylined)) then
    perform private.raise_invalid('people', 'person_without_updates');
  elsif exists (select from public.photos p where p.coverage_id = imported.id and not exists (
      select from public.update_photos o where o.photo_id = p.id)) then
    perform private.raise_invalid('photos', 'photo_without_update');
  end if;
  -- Each update has one publication and refers to its last change.
  select u.number into number
  from public.updates u left join (
    select h.update_id, count(*) filter (where h.kind = 'publication') as published,
      max(h.seq) filter (where h.kind <> 'pin') as last,
      bool_or(h.kind = 'withdrawal') as withdrawn
    from public.coverage_changes h where h.coverage_id = imported.id and h.update_id is not null group by h.update_id) h on h.update_id = u.id
  where u.coverage_id = imported.id and (h.published is distinct from 1 or h.last <> u.seq or h.withdrawn <> (u.state = 'withdrawn'))
  order by u.number limit 1;
  if number is not null then
    perform private.raise_error('invalid', 'change_mismatch', jsonb_build_object('field', 'seq', 'number', number));
  end if;
end $$;

-- Marks the photos of a coverage as ready. Errors: invalid, if a rendition is not in storage.
create function private.import_renditions(coverage uuid, content jsonb) returns void
language plpgsql volatile set search_path = '' as $$
declare missing text;
begin
  select w.name into missing
  from jsonb_array_elements(content -> 'photos') p(photo), jsonb_array_elements(p.photo -> 'renditions') r(rendition),
    lateral (select 'renditions/' || (p.photo ->> 'id') || '/' || (r.rendition ->> 'width')) w(name)
  where not exists (select from storage.objects o where o.bucket_id = 'photos' and o.name = w.name) limit 1;
  if missing is not null then perform private.raise_invalid('photos', 'rendition_missing', jsonb_build_object('name', missing)); end if;
  update public.photos p set state = 'ready', width = (w.photo ->> 'width')::integer, height = (w.photo ->> 'height')::integer,
    renditions = w.photo -> 'renditions', placeholder_colour = w.photo ->> 'placeholder_colour', ready_at = (w.photo ->> 'ready_at')::timestamptz
  from jsonb_array_elements(content -> 'photos') w(photo)
  where p.id = (w.photo ->> 'id')::uuid and p.coverage_id = coverage;
end $$;

-- Publishes an imported coverage: content, topics, photos, people. Readers and caches are notified once; followers
-- get no alert. Returns {id, slug, state, version, seq, pinned_update, people, topics, slugs}: changed handles,
-- differing topics, missing slugs.
create function public.finish_coverage_import(coverage_id uuid) returns jsonb
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
  topics := private.import_topics(imported.id, import_row.content);
  update public.people p set bylined_at = now() where p.id = any (import_row.bylined) and p.bylined_at is null;
  update public.coverages c set state = expected.state, seq = expected.seq, published_at = expected.published_at,
    ended_at = expected.ended_at, revised_at = expected.revised_at, last_published_at = expected.last_published_at, pinned_update = expected.pinned_update,
    continued_at = case expected.state when 'live' then now() end, is_importing = false
  where c.id = imported.id;
  perform private.write_coverage_revision(imported.id);
  perform private.log_action('import_coverage', 'coverage', imported.id, jsonb_build_object('slug', imported.slug));
  delete from private.coverage_imports r where r.coverage_id = imported.id;
  -- Inserted again, so that its deferred trigger announces the coverage at the end of this transaction.
  delete from public.coverage_changes h where h.coverage_id = imported.id and h.seq = expected.seq returning * into last;
  insert into public.coverage_changes select last.*;
  return private.coverage_result(imported.id) || jsonb_build_object('people', import_row.renamed, 'topics', topics, 'slugs', import_row.slugs_left);
end $$;

-- Adds published updates with numbers from `after` + 1 to the search index, at most `max_rows`. It is called until it
-- has reached the end; repeating it changes nothing. Returns the last number.
create function public.index_imported_updates(coverage_id uuid, after integer, max_rows integer) returns integer
language plpgsql security definer set search_path = '' set statement_timeout = '60s' as $$
#variable_conflict use_variable
declare
  saved public.updates;
  last integer := after + least(greatest(max_rows, 0), 1000);
begin
  for saved in select u.* from public.updates u
      where u.coverage_id = index_imported_updates.coverage_id and u.number > after and u.number <= last and u.state = 'published'
        and not exists (select from private.search_index f where f.id = u.id)
      order by u.number for share loop
    perform private.index_update(saved, array(select b.person_id from public.update_bylines b where b.update_id = saved.id order by b.position));
  end loop;
  return last;
end $$;

-- Deletes an import that cannot be finished.
create function public.cancel_coverage_import(coverage_id uuid) returns void
language plpgsql security definer set search_path = '' set statement_timeout = '60s' as $$
begin
  perform private.delete_import((private.lock_import(cancel_coverage_import.coverage_id)).id);
end $$;

-- ---- Execute rights ----

grant execute on function public.import_coverage_updates, public.import_coverage_changes,
  public.finish_coverage_import, public.index_imported_updates, public.cancel_coverage_import to service_role;
