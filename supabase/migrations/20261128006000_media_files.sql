-- Video and audio files of the newsroom in media blocks: their data, arrival, use and deletion.
-- A file is registered, uploaded to storage, checked or refused by the website's server, and deleted if it is not used. Its object
-- has the file's id as its name, in the private bucket `media`. The uploaded bytes are served unchanged.
-- A media block names its file by a path with its size and its length in seconds, so that pages, feeds and exports need
-- no other source: /media/<id>/<bytes>[-<seconds>].<format>

create table public.media_files (
  id uuid primary key,
  coverage_id uuid not null references public.coverages (id),
  format text not null,
  -- Size of the object, once the server has checked it.
  bytes integer,
  -- Length as the sender's browser read it; null if it could not.
  seconds integer,
  -- Why the file was refused: a code of the error catalogue.
  refusal_code text,
  uploaded_by uuid references public.people (id),
  created_at timestamptz not null default now(),
  ready_at timestamptz,
  constraint format_form check (format in ('mp4', 'webm', 'mp3', 'm4a')),
  -- The size limit of the bucket.
  constraint bytes_form check (bytes between 1 and 104857600),
  constraint seconds_form check (seconds between 1 and 99999),
  constraint sized_when_ready check (ready_at is null or bytes is not null),
  constraint refusal_code_form check (refusal_code is null or (ready_at is null and refusal_code ~ '^[a-z_]{1,40}$'))
);
create index media_files_coverage on public.media_files (coverage_id);
create index media_files_by on public.media_files (uploaded_by, created_at) where uploaded_by is not null;
create index media_files_created on public.media_files (created_at);
alter table public.media_files enable row level security;
grant select on public.media_files to service_role;

-- Files in the current body of an update.
create table public.update_media (
  update_id uuid not null references public.updates (id),
  file_id uuid not null references public.media_files (id),
  primary key (update_id, file_id)
);
create index update_media_file on public.update_media (file_id);
alter table public.update_media enable row level security;
grant select on public.update_media to service_role;

create index update_revisions_media on public.update_revisions using gin ((content -> 'body') jsonb_path_ops)
  where content -> 'body' @> '[{"type":"media"}]';

-- The same settings as in config.toml, for a project that was created without it.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
  values ('media', 'media', false, 104857600, '{video/mp4,video/x-m4v,video/webm,audio/mpeg,audio/mp4,audio/x-m4a}')
on conflict (id) do nothing;

-- ---- Paths in bodies ----

-- Whether the value is the path of a file. src/lib/domain/media-files.ts has the same pattern.
create function private.is_media_file_path(value text) returns boolean
language sql immutable return coalesce(
  value ~ '^/media/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[1-9][0-9]{0,8}(-[1-9][0-9]{0,4})?\.(mp4|webm|mp3|m4a)$', false);

-- The path of a file whose size is known.
create function private.media_file_path(file public.media_files) returns text
language sql stable return '/media/' || file.id || '/' || file.bytes || coalesce('-' || file.seconds, '') || '.' || file.format;

-- Whether the value is the address of one video or recording at another site, or the path of a file, in the only form that
-- is stored. src/lib/domain/body/media.ts has the same patterns, and the players.
create or replace function private.is_media_url(value text) returns boolean
language sql immutable return coalesce(
  value ~ '^https://www\.youtube\.com/(watch\?v=[A-Za-z0-9_-]{11}(&t=[1-9][0-9]{0,4})?|shorts/[A-Za-z0-9_-]{11})$'
  or value ~ '^https://vimeo\.com/[1-9][0-9]{0,11}(/[0-9a-f]{6,16})?$'
  or value ~ '^https://www\.tiktok\.com/@[A-Za-z0-9_.]{1,30}/video/[0-9]{5,20}$'
  or value ~ '^https://soundcloud\.com/[a-z0-9_-]{1,60}/(sets/)?[a-z0-9_-]{1,255}(/s-[A-Za-z0-9]{1,40})?$'
  or private.is_media_file_path(value), false);

-- The paths of the files of a body.
create function private.media_file_paths(body jsonb) returns text[]
language sql immutable set search_path = '' as $$
  select coalesce(array_agg(distinct b.block ->> 'url'), '{}')
  from jsonb_array_elements(body) b(block) where b.block ->> 'type' = 'media' and b.block ->> 'url' like '/media/%'
$$;

create function private.media_file_ids(body jsonb) returns uuid[]
language sql immutable set search_path = '' as $$
  select coalesce(array_agg(distinct private.to_uuid(split_part(path, '/', 3))), '{}')
  from unnest(private.media_file_paths(body)) path
$$;

create function private.has_media_files(body jsonb) returns boolean
language sql immutable return body @> '[{"type":"media"}]' and private.media_file_paths(body) <> '{}';

-- Whether a file has neither a description nor a transcript.
create function private.has_undescribed_file(body jsonb) returns boolean
language sql immutable set search_path = '' as $$
  select exists (select from jsonb_array_elements(body) b(block)
    where b.block ->> 'type' = 'media' and b.block ->> 'url' like '/media/%' and not b.block ? 'description')
$$;

-- Returns the body, or raises `invalid` for the limit that it breaks, so that the writer knows what to change.
create or replace function private.read_body(body jsonb, min_blocks integer, field text) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  if private.is_body(body, min_blocks) and not (field = 'summary' and private.has_photos(body))
      and not (field <> 'body' and private.has_media_files(body)) then
    return body;
  end if;
  if jsonb_typeof(body) is distinct from 'array' then
    perform private.raise_invalid(field, 'body_not_a_list');
  elsif jsonb_array_length(body) < min_blocks then
    perform private.raise_invalid(field, 'text_missing');
  elsif jsonb_array_length(body) > private.get_limit('body_blocks') then
    perform private.raise_invalid(field, 'too_many_blocks',
      jsonb_build_object('max', private.get_limit('body_blocks'), 'count', jsonb_array_length(body)));
  elsif private.has_other_media(body) then
    perform private.raise_invalid(field, 'media_address');
  elsif field <> 'body' and private.has_media_files(body) then
    perform private.raise_invalid(field, 'file_outside_update');
  elsif private.has_large_table(body) then
    perform private.raise_invalid(field, 'table_too_large', jsonb_build_object(
      'rows', private.get_limit('table_rows'), 'columns', private.get_limit('table_columns')));
  elsif private.has_invalid_map(body) then
    perform private.raise_invalid(field, 'invalid_map', jsonb_build_object('max', private.get_limit('dateline')));
  elsif char_length(private.body_text(body)) > private.get_limit('body_characters') then
    perform private.raise_invalid(field, 'too_many_characters',
      jsonb_build_object('max', private.get_limit('body_characters'), 'count', char_length(private.body_text(body))));
  elsif octet_length(body::text) > private.get_limit('body_bytes') then
    perform private.raise_invalid(field, 'body_too_large');
  elsif private.body_text(body) is not null and private.has_photos(body) and field = 'summary' then
    perform private.raise_invalid(field, 'photo_in_summary');
  elsif private.body_text(body) is not null and private.has_photos(body) then
    perform private.raise_invalid(field, 'duplicate_photo');
  end if;
  perform private.raise_invalid(field, 'invalid_block');
end $$;

-- ---- Files in updates ----

-- Requires that the caller may show the files of an update: they belong to the coverage and are the caller's own, or in this
-- update already, or published; editors may show any. Published files need a description. An import shows its own files.
create function private.require_usable_media(saved public.updates) returns void
language plpgsql volatile set search_path = '' as $$
declare
  paths text[] := private.media_file_paths(saved.body);
begin
  if paths = '{}' then return; end if;
  -- Locked until the update refers to them: an unused file may be deleted at any time.
  perform from public.media_files f where f.id = any (private.media_file_ids(saved.body)) order by f.id for key share;
  if exists (select from unnest(paths) path where not exists (
      select from public.media_files f join public.coverages c on c.id = f.coverage_id
      where f.id = private.to_uuid(split_part(path, '/', 3)) and f.coverage_id = saved.coverage_id
        and private.media_file_path(f) = path
        and (c.is_importing or (f.ready_at is not null and (f.uploaded_by = auth.uid()
          or private.has_permission('run_coverage', f.coverage_id)
          or exists (select from public.update_media o join public.updates u on u.id = o.update_id
            where o.file_id = f.id and (o.update_id = saved.id or u.state = 'published'))))))) then
    perform private.raise_invalid('body', 'file_unavailable');
  end if;
  if saved.state in ('scheduled', 'published') and private.has_undescribed_file(saved.body) then
    perform private.raise_invalid('body', 'file_description_missing');
  end if;
end $$;

-- Checks and records the files of a saved body.
create function private.save_update_media() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  ids uuid[] := private.media_file_ids(new.body);
begin
  perform private.require_usable_media(new);
  delete from public.update_media o where o.update_id = new.id and o.file_id <> all (ids);
  insert into public.update_media (update_id, file_id) select new.id, f.id from unnest(ids) f(id) on conflict do nothing;
  return null;
end $$;
create trigger save_new_update_media after insert on public.updates
  for each row when (private.has_media_files(new.body)) execute function private.save_update_media();
create trigger save_update_media after update of body on public.updates
  for each row when (private.has_media_files(new.body) or private.has_media_files(old.body))
  execute function private.save_update_media();

-- Whether a version shows the file with this path. The settings force the index on media in versions, as for photos.
create function private.is_media_in_versions(path text) returns boolean
language sql stable set search_path = '' set enable_seqscan = off set enable_indexscan = off as $$
  select exists (select from public.update_revisions r
    where r.content -> 'body' @> '[{"type":"media"}]'
      and r.content -> 'body' @> jsonb_build_array(jsonb_build_object('type', 'media', 'url', path)))
$$;

-- ---- Registration, upload and check ----

create function private.media_file_result(file public.media_files) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', file.id, 'format', file.format, 'bytes', file.bytes, 'refusal_code', file.refusal_code,
    'state', case when file.ready_at is not null then 'ready' when file.refusal_code is not null then 'refused' else 'uploading' end,
    'path', case when file.ready_at is not null then private.media_file_path(file) end)
$$;

-- A file that the caller may see: in a published update, the caller's own, or of a desk that the caller may read; the server sees
-- all. Null for all others. Returns {id, format, bytes, state, refusal_code, path, published}.
create function public.read_media_file(file_id uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select private.media_file_result(f) || jsonb_build_object('published', shown.published)
  from public.media_files f, lateral (select exists (
      select from public.update_media o join public.updates u on u.id = o.update_id join public.coverages c on c.id = u.coverage_id
      where o.file_id = f.id and u.state = 'published' and private.is_public(c.state)) as published) shown
  where f.id = read_media_file.file_id
    and (shown.published or private.is_service() or f.uploaded_by = auth.uid() or f.coverage_id in (select private.desk_coverages()))
$$;

-- Registers a file of a coverage, which may then be uploaded. Returns {id, format, bytes, state, refusal_code, path}.
create function public.save_media_file(idempotency_key uuid, file_id uuid, coverage_id uuid, format text, seconds integer default null)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage(coverage_id);
  stored_result jsonb := private.begin_command(idempotency_key, 'save_media_file', jsonb_build_array(file_id, coverage_id, format, seconds));
  existing public.media_files;
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('write_update', coverage.id);
  if file_id is null then perform private.raise_invalid('file_id', 'file_id_missing'); end if;
  if not coalesce(format in ('mp4', 'webm', 'mp3', 'm4a'), false) then perform private.raise_invalid('format', 'file_format'); end if;
  if seconds is not null and seconds not between 1 and 99999 then perform private.raise_invalid('seconds', 'file_length'); end if;
  insert into public.media_files (id, coverage_id, format, seconds, uploaded_by)
    values (file_id, coverage.id, format, seconds, auth.uid()) on conflict (id) do nothing;
  select * into existing from public.media_files f where f.id = file_id for update;
  if existing.coverage_id is distinct from coverage.id or existing.uploaded_by is distinct from auth.uid() then
    perform private.raise_id_conflict();
  end if;
  return private.finish_command(idempotency_key, private.media_file_result(existing));
end $$;

-- Whether the caller may upload an object with this name: a file that they registered, once. As with photos, the session is
-- checked here, and signed upload URLs are refused.
create function private.can_upload_media_file(name text) returns boolean
language sql stable security definer set search_path = '' as $$
  select private.is_session_valid() and coalesce(storage.operation(), '') not like '%object.sign_upload_url' and exists (
    select from public.media_files f
    where f.id = private.to_uuid(can_upload_media_file.name) and f.id::text = can_upload_media_file.name
      and f.ready_at is null and f.refusal_code is null and f.uploaded_by = (select auth.uid())
      and private.has_permission('write_update', f.coverage_id))
$$;

-- The only policy on the bucket. As with photos, the server reads the objects, after checking access to the file.
create policy "authenticated: upload media files that they registered" on storage.objects for insert to authenticated
  with check (bucket_id = 'media' and private.can_upload_media_file(name));

-- Records the result of the server's check: the size of the object, or why it is refused. A later call has no effect. A file
-- whose uploader lost the permission to write is refused. Returns the file as save_media_file does.
create function public.record_media_check(file_id uuid, bytes integer, refusal_code text default null)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  file public.media_files;
  code text := refusal_code;
begin
  perform private.lock_coverage(f.coverage_id) from public.media_files f where f.id = file_id;
  select * into file from public.media_files f where f.id = file_id for update;
  if file.id is null then perform private.raise_not_found(); end if;
  if file.ready_at is not null or file.refusal_code is not null then return private.media_file_result(file); end if;
  if code is not null and code !~ '^[a-z_]{1,40}$' then perform private.raise_invalid('refusal_code', 'invalid_error_code'); end if;
  if code is null and file.uploaded_by is not null
      and not private.person_has_permission(file.uploaded_by, 'write_update', file.coverage_id, null) then
    code := 'forbidden';
  end if;
  update public.media_files f set refusal_code = code, bytes = case when code is null then bytes end,
    ready_at = case when code is null then clock_timestamp() end
  where f.id = file_id returning * into file;
  return private.media_file_result(file);
end $$;

-- ---- Deletion of unused files ----

-- Whether a file can be deleted, by the rule of photos: it never arrived, or it was ready for `photo_unused_days`, and no version
-- shows it.
create function private.is_deletable_media_file(file public.media_files) returns boolean
language sql stable set search_path = '' as $$
  select case when file.ready_at is null then file.created_at < now() - make_interval(hours => private.get_limit('photo_arrival_hours'))
      else file.ready_at < now() - make_interval(days => private.get_limit('photo_unused_days')) end
    and not exists (select from public.update_media o where o.file_id = file.id)
    and (file.ready_at is null or not private.is_media_in_versions(private.media_file_path(file)))
$$;

-- Deletes unused files, and returns the names of objects that belong to no file, or to a refused one, at most 100. The server
-- deletes these objects; what remains is returned the next time. A new object is left alone: its file may be imported next.
create function public.delete_unused_media_files() returns setof text
language plpgsql volatile security definer set search_path = '' as $$
declare
  unused uuid[] := array(select f.id from public.media_files f where private.is_deletable_media_file(f)
    order by f.created_at limit 100);
begin
  -- The check follows the locks: an update that has just started to use a file keeps it.
  perform from public.media_files f where f.id = any (unused) order by f.id for update;
  delete from public.media_files f where f.id = any (unused) and private.is_deletable_media_file(f);
  return query select o.name from storage.objects o
    where o.bucket_id = 'media' and o.created_at < now() - interval '1 hour' and not exists (
      select from public.media_files f where f.id = private.to_uuid(o.name) and f.refusal_code is null)
    order by o.created_at limit 100;
end $$;

-- ---- Import and export ----

insert into private.export_parts (part, position, key, omits, requires_option) values
  ('media_files', 20, '{id}', '{}', null),
  ('update_media', 21, '{update_id,file_id}', '{}', null);

-- The files that the caller uploaded.
create function private.my_media_files() returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('media_files', coalesce((select jsonb_agg(jsonb_build_object('id', f.id, 'coverage', f.coverage_id,
      'format', f.format, 'bytes', f.bytes, 'seconds', f.seconds, 'created_at', f.created_at) order by f.created_at)
    from public.media_files f where f.uploaded_by = auth.uid()), '[]'))
$$;

-- All data about the caller except keys, digests and other people's content: {at, person, account, devices, memberships,
-- invites, follows, push, alerts, tips, versions, bylines, coverage_versions, photos, actions, media_files}.
create or replace function public.my_data() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('at', now()) || private.my_account() || private.my_subscriptions() || private.my_work()
    || private.my_media_files()
$$;

-- Registers files of an import by their paths, before its updates. They are not shown before their objects are in storage.
create function public.import_media_files(coverage_id uuid, paths text[]) returns void
language plpgsql security definer set search_path = '' set statement_timeout = '60s' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_import(coverage_id);
  path text;
begin
  foreach path in array coalesce(paths, '{}') loop
    if not private.is_media_file_path(path) then perform private.raise_invalid('media', 'media_address'); end if;
    insert into public.media_files (id, coverage_id, format, bytes, seconds)
      values (split_part(path, '/', 3)::uuid, coverage.id, split_part(path, '.', 2),
        substring(path from '/([0-9]+)[^/]*$')::integer, substring(path from '/[0-9]+-([0-9]+)[^/]*$')::integer)
    on conflict (id) do nothing;
    if not exists (select from public.media_files f where f.id = split_part(path, '/', 3)::uuid and f.coverage_id = coverage.id
        and private.media_file_path(f) = path) then
      perform private.raise_invalid('media', 'file_in_other_coverage', jsonb_build_object('file', path));
    end if;
  end loop;
end $$;

-- Marks the photos and files of a coverage as ready. Errors: invalid, if a rendition or a file is not in storage.
create or replace function private.import_renditions(coverage uuid, content jsonb) returns void
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
  select private.media_file_path(f) into missing from public.media_files f
  where f.coverage_id = coverage and not exists (
    select from storage.objects o where o.bucket_id = 'media' and o.name = f.id::text) limit 1;
  if missing is not null then perform private.raise_invalid('media', 'file_missing', jsonb_build_object('file', missing)); end if;
  update public.media_files f set ready_at = now() where f.coverage_id = coverage;
end $$;

-- Deletes an unfinished import. Its renditions and files are deleted with unused ones.
create or replace function private.delete_import(coverage uuid) returns void
language plpgsql volatile set search_path = '' as $$
declare created uuid[];
begin
  delete from private.coverage_imports r where r.coverage_id = coverage returning r.people into created;
  delete from private.update_words w where w.update_id in (select u.id from public.updates u where u.coverage_id = coverage);
  delete from public.update_photos o where o.update_id in (select u.id from public.updates u where u.coverage_id = coverage);
  delete from public.update_media o where o.update_id in (select u.id from public.updates u where u.coverage_id = coverage);
  delete from public.update_bylines b where b.update_id in (select u.id from public.updates u where u.coverage_id = coverage);
  delete from public.update_revisions r where r.update_id in (select u.id from public.updates u where u.coverage_id = coverage);
  delete from public.coverage_changes h where h.coverage_id = coverage;
  delete from public.updates u where u.coverage_id = coverage;
  delete from public.photos p where p.coverage_id = coverage;
  delete from public.media_files f where f.coverage_id = coverage;
  delete from public.invites i where i.coverage_id = coverage;
  delete from public.coverage_members m where m.coverage_id = coverage;
  delete from public.coverage_slugs s where s.coverage_id = coverage;
  delete from public.coverages c where c.id = coverage;
  -- Keeps people that other content refers to by now.
  delete from public.people p where p.id = any (created) and p.bylined_at is null
    and not exists (select from public.update_bylines b where b.person_id = p.id)
    and not exists (select from private.coverage_imports r where r.content -> 'people' @> jsonb_build_array(jsonb_build_object('id', p.id)));
end $$;

-- ---- Execute rights ----

grant execute on function public.read_media_file to anon, authenticated, service_role;
grant execute on function public.save_media_file to authenticated, service_role;
grant execute on function private.can_upload_media_file to authenticated;
grant execute on function public.record_media_check, public.delete_unused_media_files, public.import_media_files to service_role;
