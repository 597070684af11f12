-- How photos arrive: announced by who takes them, uploaded into storage, developed or refused by the site's server,
-- and forgotten when nothing shows them. Objects are named `incoming/<id>` (what was sent; gone once it was looked at)
-- and `prints/<id>/<width>` (what the server made of it), in the bucket `photos`, or `tips` for a tip's.

-- config.toml says the same of them, for a project that is made without it.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
  select id, id, false, private.limit_of('photo_bytes'), '{image/jpeg,image/png,image/webp,image/avif}'
  from unnest(array['photos', 'tips']) id
on conflict (id) do nothing;

create function private.photo_result(photo public.photos) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object('id', photo.id, 'state', photo.state, 'refusal', photo.refusal)
$$;

/* A photo is not what it was: who follows published updates that show it learns so, and the desk of all that hold it. */
create function private.log_photo(photo public.photos) returns void
language plpgsql volatile set search_path = '' as $$
begin
  update public.updates u set seq = private.log_change(u.coverage_id, u.id, 'photo')
  where u.state = 'published' and u.id in (select p.update_id from public.update_photos p where p.photo_id = photo.id);
  perform private.tell_desk_of(u.id) from public.updates u
  where u.state <> 'published' and u.id in (select p.update_id from public.update_photos p where p.photo_id = photo.id);
end $$;

/* Refuses who may not change the words of a photo: theirs, or any for an editor. Those that readers see, or saw once,
   belong to the updates that show them or did. */
create function private.guard_photo(known public.photos) returns void
language plpgsql stable set search_path = '' set enable_seqscan = off as $$
begin
  perform private.require('publish_update', known.coverage_id, u.author)
  from (select r.update_id from public.update_revisions r where r.public and private.has_photos(r.content -> 'body')
      and r.content -> 'body' @> jsonb_build_array(jsonb_build_object('type', 'photo', 'photo', known.id))
    union
    -- A redacted version names no photo any more.
    select p.update_id from public.update_photos p where p.photo_id = known.id) named
  join public.updates u on u.id = named.update_id where u.number is not null;
  if not found and known.uploaded_by is distinct from auth.uid() then
    perform private.require('run_coverage', known.coverage_id);
  end if;
end $$;

/* Reads what is said of a photo over what is said now; a field that is not sent stays. */
create function private.read_photo(content jsonb, before public.photos) returns public.photos
language plpgsql stable set search_path = '' as $$
declare result public.photos := before;
begin
  perform private.refuse_unless_object(content, '{alt,caption,credit}');
  if content ? 'alt' then result.alt := private.optional_line(content, 'alt', 'alt'); end if;
  if content ? 'caption' then result.caption := private.optional_lines(content, 'caption', 'caption'); end if;
  if content ? 'credit' then result.credit := private.optional_line(content, 'credit', 'credit'); end if;
  if result.alt is null and exists (select from public.update_photos p join public.updates u on u.id = p.update_id
      where p.photo_id = before.id and u.state in ('scheduled', 'published')) then
    perform private.refuse_field('alt', 'This photo is for readers: say what it shows, for those who do not see it.');
  end if;
  return result;
end $$;

/* Announces a photo of a coverage, which may be uploaded from now on, or changes what is said of it:
   {id, state, refusal}. */
create function public.save_photo(op uuid, photo_id uuid, coverage_id uuid, content jsonb)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage(coverage_id);
  done jsonb := private.begin_op(op, 'save_photo', jsonb_build_array(photo_id, coverage_id, content));
  is_new boolean;
  known public.photos;
  read public.photos;
begin
  if done is not null then return done; end if;
  perform private.require('write_update', coverage.id);
  if photo_id is null then perform private.refuse_field('photo_id', 'Send an id made for this photo.'); end if;
  insert into public.photos (id, coverage_id, uploaded_by) values (photo_id, coverage.id, auth.uid()) on conflict (id) do nothing;
  is_new := found;
  select * into known from public.photos p where p.id = photo_id for update;
  if known.coverage_id is distinct from coverage.id then perform private.refuse_taken(); end if;
  if not is_new then perform private.guard_photo(known); end if;
  read := private.read_photo(content, known);
  if (read.alt, read.caption, read.credit) is distinct from (known.alt, known.caption, known.credit) then
    update public.photos p set alt = read.alt, caption = read.caption, credit = read.credit where p.id = photo_id;
    perform private.log_photo(known);
  end if;
  return private.finish_op(op, private.photo_result(known));
end $$;
revoke execute on function public.save_photo(uuid, uuid, uuid, jsonb) from public, anon;
grant execute on function public.save_photo(uuid, uuid, uuid, jsonb) to authenticated, service_role;

/* Whether the caller may upload an object of this name: the photo that they announced, once, for as long as they may
   write there. Storage asks no check_session(), so the session is asked for here; and it lets nobody sign an address
   for later, which would outlive session and right. */
create function private.awaits_photo(name text) returns boolean
language sql stable security definer set search_path = '' as $$
  select private.session_stands() and coalesce(storage.operation(), '') not like '%object.sign_upload_url' and exists (
    select from public.photos p
    where p.id = private.as_uuid(substr(awaits_photo.name, 10)) and 'incoming/' || p.id = awaits_photo.name
      and p.tip_id is null and p.state = 'arriving' and p.uploaded_by = (select auth.uid())
      and private.may('write_update', p.coverage_id))
$$;
grant execute on function private.awaits_photo(text) to authenticated;

/* The one policy for both buckets. There is none for reading: whoever may select an object may sign an address that
   outlives its withdrawal. The server reads prints itself, after asking who may see the photo. */
create policy "writers upload the photos that they announced" on storage.objects for insert to authenticated
  with check (bucket_id = 'photos' and private.awaits_photo(name));

/* The photos that were uploaded and not looked at yet, or the one that is asked for: the newsroom's own first, then those
   of tips, then those of tips that are held; of each, the oldest first. */
create function public.photos_to_develop(wanted uuid default null)
returns table (id uuid, bucket text, path text, held boolean)
language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_column
begin
  return query select p.id, o.bucket_id, o.name, coalesce(t.held, false)
    from public.photos p
    left join public.tips t on t.id = p.tip_id
    join storage.objects o on o.bucket_id = p.bucket and o.name = 'incoming/' || p.id
    where p.state = 'arriving' and (wanted is null or p.id = wanted)
    order by p.tip_id is not null, coalesce(t.held, false), p.created_at, p.id;
end $$;

/* A photo, locked, its coverage before it. */
create function private.lock_photo(wanted uuid) returns public.photos
language plpgsql volatile set search_path = '' as $$
declare photo public.photos;
begin
  perform private.lock_coverage(p.coverage_id) from public.photos p where p.id = wanted and p.coverage_id is not null;
  select * into photo from public.photos p where p.id = wanted for update;
  if photo.id is null then perform private.refuse_unknown(); end if;
  return photo;
end $$;

create function private.refuse_developed(photo public.photos) returns void
language sql set search_path = '' as $$
  select private.refuse('bad_state', 'This photo is ' || photo.state || ' already.', jsonb_build_object('state', photo.state))
$$;

/* Makes a photo ready: its prints are in storage, the smallest first. Done twice, the first one counts; what was removed
   meanwhile stays so. Of somebody who may not write there any more it is refused, `forbidden`: an update of theirs may show it already. */
create function public.photo_developed(photo_id uuid, prints jsonb, colour text)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare photo public.photos := private.lock_photo(photo_id);
begin
  if photo.state = 'refused' then perform private.refuse_developed(photo); end if;
  if photo.state = 'arriving' then
    if not private.are_prints(prints) then
      perform private.refuse_field('prints', 'Send the prints with width, height and bytes, the smallest first.');
    end if;
    if not coalesce(colour ~ '^#[0-9a-f]{6}$', false) then perform private.refuse_field('colour', 'Send a colour as #0a1b2c.'); end if;
    if photo.coverage_id is not null and photo.uploaded_by is not null
        and not private.person_may(photo.uploaded_by, 'write_update', photo.coverage_id, null) then
      return public.photo_refused(photo_id, 'forbidden');
    end if;
    update public.photos p set state = 'ready', prints = prints, colour = colour, ready_at = clock_timestamp(),
      width = (prints -> -1 ->> 'width')::integer, height = (prints -> -1 ->> 'height')::integer
    where p.id = photo_id returning * into photo;
    perform private.log_photo(photo);
  end if;
  return private.photo_result(photo);
end $$;

/* Refuses what was uploaded, for good, with a code of the error catalogue. */
create function public.photo_refused(photo_id uuid, code text)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare photo public.photos := private.lock_photo(photo_id);
begin
  if photo.state = 'ready' then perform private.refuse_developed(photo); end if;
  if photo.state = 'arriving' then
    if not coalesce(code ~ '^[a-z_]{1,40}$', false) then perform private.refuse_field('code', 'Send a code of the error catalogue.'); end if;
    update public.photos p set state = 'refused', refusal = code where p.id = photo_id returning * into photo;
    perform private.log_photo(photo);
  end if;
  return private.photo_result(photo);
end $$;

/* Gives up a photo that the device of whoever announced it cannot bring: it was no picture after all. Nobody waits for
   it any more. One that was looked at meanwhile stays as it is: {id, state, refusal}. */
create function public.give_up_photo(op uuid, photo_id uuid)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  photo public.photos := private.lock_photo(photo_id);
  done jsonb := private.begin_op(op, 'give_up_photo', jsonb_build_array(photo_id));
begin
  if done is not null then return done; end if;
  if photo.uploaded_by is distinct from auth.uid() then
    perform private.refuse('forbidden', 'Somebody else sends this photo.');
  end if;
  return private.finish_op(op, case photo.state
    when 'arriving' then public.photo_refused(photo_id, 'unsupported_media') else private.photo_result(photo) end);
end $$;
revoke execute on function public.give_up_photo(uuid, uuid) from public, anon;
grant execute on function public.give_up_photo(uuid, uuid) to authenticated, service_role;

/* What becomes of a photo is for the desk at once, whether an update holds it or not. */
create function private.announce_photo() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.tell('desk:' || new.coverage_id, 'photo', jsonb_build_object('photo', new.id));
  return null;
end $$;
create trigger announce_photo after update of state on public.photos
  for each row when (old.state <> new.state and new.coverage_id is not null) execute function private.announce_photo();

/* The versions of updates that show a photo. Their index is the only way that is left: where a photo is taken for one that
   is in many, to read all versions there are looks shorter. */
create function private.versions_with(photo uuid) returns table (update_id uuid, version integer)
language sql stable set search_path = '' set enable_seqscan = off set enable_indexscan = off as $$
  select r.update_id, r.version from public.update_revisions r
  where r.content -> 'body' @> '[{"type":"photo"}]'
    and r.content -> 'body' @> jsonb_build_array(jsonb_build_object('type', 'photo', 'photo', photo))
$$;

/* Whether nobody would miss a photo: it never came, or is ready and was never in a version of an update. */
create function private.may_forget(photo public.photos) returns boolean
language sql stable set search_path = '' as $$
  select case photo.state
      when 'ready' then photo.tip_id is null
        and photo.ready_at < now() - make_interval(days => private.limit_of('photo_unused_days'))
      else photo.created_at < now() - make_interval(hours => private.limit_of('photo_arrival_hours')) end
    and not exists (select from public.update_photos p where p.photo_id = photo.id)
    and not exists (select from private.versions_with(photo.id))
$$;

/* The photos that may be forgotten, and what of them, of those that were forgotten before and of those that were removed
   is in storage still.
   Call forget_photos first, then remove the objects: what is left behind is named again the next time. */
create function public.photos_to_forget() returns table (id uuid, bucket text, paths text[])
language sql stable security definer set search_path = '' as $$
  with objects as (
    select o.bucket_id as bucket, o.name, private.as_uuid(split_part(o.name, '/', 2)) as photo
    from storage.objects o where o.bucket_id in ('photos', 'tips')
  ), forgettable as (
    select p.id, p.bucket from public.photos p where private.may_forget(p)
  )
  select f.id, f.bucket, array(select o.name from objects o where o.photo = f.id and o.bucket = f.bucket order by o.name)
  from forgettable f
  union all
  select o.photo, o.bucket, array_agg(o.name order by o.name)
  from objects o
  where o.photo is not null and not exists (select from forgettable f where f.id = o.photo and f.bucket = o.bucket)
    and not exists (select from public.photos p where p.id = o.photo and p.bucket = o.bucket
      and (p.state = 'arriving' or (p.state <> 'removed' and o.name not like 'incoming/%')))
  group by o.photo, o.bucket
$$;

/* Forgets those of these photos that nobody would miss. @returns the ones that are forgotten */
create function public.forget_photos(ids uuid[]) returns setof uuid
language plpgsql volatile security definer set search_path = '' as $$
begin
  -- Asked after the locks: an update that has just taken one of them keeps it.
  perform from public.photos p where p.id = any (ids) order by p.id for update;
  return query delete from public.photos p where p.id = any (ids) and private.may_forget(p) returning p.id;
end $$;

revoke execute on function public.photos_to_develop(uuid), public.photo_developed(uuid, jsonb, text),
  public.photo_refused(uuid, text), public.photos_to_forget(), public.forget_photos(uuid[]) from public, anon, authenticated;
grant execute on function public.photos_to_develop(uuid), public.photo_developed(uuid, jsonb, text),
  public.photo_refused(uuid, text), public.photos_to_forget(), public.forget_photos(uuid[]) to service_role;

/* Whether a photo is the caller's to see at the desk where it is not their own and no update shows it now: an editor's,
   and anybody's when an earlier version shows it, which they may read. */
create function private.sees_photo(wanted uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select private.may('run_coverage') or exists (select from private.versions_with(wanted))
$$;
grant execute on function private.sees_photo(uuid) to authenticated, service_role;

/* The photos of a desk, for those who may read it: their own, those that its updates hold or held in a version, and all of
   them for an editor. */
create view public.desk_photos with (security_barrier) as
  select p.id, p.coverage_id, p.bucket, p.state, p.refusal, p.width, p.height, p.prints, p.colour, p.alt, p.caption, p.credit,
    p.uploaded_by, p.created_at, p.ready_at, p.removed_at,
    (select s.display_name from public.people s where s.id = p.uploaded_by) as uploader,
    (select s.display_name from public.people s where s.id = p.removed_by) as remover
  from public.photos p
  where p.coverage_id in (select private.desk_coverages())
    and (p.uploaded_by = (select auth.uid()) or exists (select from public.update_photos u where u.photo_id = p.id)
      or private.sees_photo(p.id));
create trigger read_only instead of insert or update or delete on public.desk_photos
  for each row execute function private.refuse_write();
revoke all on public.desk_photos from public, anon, authenticated, service_role;
grant select on public.desk_photos to authenticated, service_role;
