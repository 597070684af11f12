-- Where a photo is used, and how another takes its place or it is removed from wherever it stands.

/* Whether the caller may change what an update shows: as they might save, revise or correct it. */
create function private.may_show(shown public.updates) returns boolean
language sql stable set search_path = '' as $$
  select case when shown.number is not null or shown.state = 'scheduled' then private.may('publish_update', shown.coverage_id, shown.author)
      else true end
    and (shown.state = 'published' or private.may('run_coverage', shown.coverage_id)
      or (shown.author = auth.uid() and private.may('write_update', shown.coverage_id)))
$$;

/* Where a photo is used, for those who may see it at the desk: each update that shows it or did in a version, the published
   ones first. `shows`: as it is now; `may_change`: the caller might change that; `versions`: those that name it. */
create function public.photo_uses(photo_id uuid)
returns table (update_id uuid, number integer, state public.update_state, headline text, excerpt text, author text,
  shows boolean, may_change boolean, versions integer[])
language sql stable security definer set search_path = ''
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  with named as materialized (
    select v.update_id, array_agg(v.version order by v.version) as versions
    from private.versions_with(photo_uses.photo_id) v group by v.update_id)
  select u.id, u.number, u.state, u.headline, left(private.body_text(u.body), 200),
    (select p.display_name from public.people p where p.id = u.author),
    exists (select from public.update_photos o where o.update_id = u.id and o.photo_id = photo_uses.photo_id),
    private.may_show(u), coalesce((select n.versions from named n where n.update_id = u.id), '{}')
  from (
    select o.update_id from public.update_photos o where o.photo_id = photo_uses.photo_id
    union
    select n.update_id from named n
  ) known join public.updates u on u.id = known.update_id
  where exists (select from public.photos p
    where p.id = photo_uses.photo_id and p.coverage_id in (select private.desk_coverages())
      and (p.uploaded_by = auth.uid() or private.sees_photo(p.id)
        or exists (select from public.update_photos o where o.photo_id = p.id)))
  order by u.number desc nulls last, u.filed_at desc, u.id
$$;

revoke execute on function public.photo_uses(uuid) from public, anon, service_role;
grant execute on function public.photo_uses(uuid) to authenticated;

/* What is said of an update now, to be said again with other photos. */
create function private.content_of(saved public.updates) returns private.update_content
language sql stable set search_path = '' as $$
  select row(saved.headline, saved.body, saved.key_event, saved.urgency, saved.verification, saved.attribution, saved.desk_note,
    saved.dateline, saved.occurred_at, array(select b.person_id from public.update_bylines b where b.update_id = saved.id
      order by b.position))::private.update_content
$$;

/* How a sentence names an update. */
create function private.named(shown public.updates) returns text
language sql immutable set search_path = '' as $$
  select case when shown.number is null then 'one at the desk' else 'number ' || shown.number end
$$;

/* A photo of a coverage that the caller may take out of every update that shows it, or a refusal that names those which are
   not theirs. Its coverage is locked. */
create function private.guard_shown(known public.photos) returns void
language plpgsql stable set search_path = '' as $$
declare others text;
begin
  perform private.require('write_update', known.coverage_id);
  if known.state = 'removed' then
    perform private.refuse('bad_state', 'This photo was removed already.', jsonb_build_object('state', known.state));
  end if;
  select string_agg(private.named(u), ', ' order by u.number, u.filed_at) into others
  from public.update_photos o join public.updates u on u.id = o.update_id
  where o.photo_id = known.id and u.state in ('draft', 'submitted', 'scheduled', 'published') and not private.may_show(u);
  if others is not null then
    perform private.refuse('forbidden', 'Updates that are not yours show it too: ' || others || '. Ask an editor.');
  end if;
  perform private.guard_photo(known);
end $$;

/* Puts another photo, or nothing, where one stands in each update that is at the desk or published; a published one gets a
   revision, or with a note a correction. @returns how many were changed, and of these how many readers see */
create function private.show_instead(coverage public.coverages, known public.photos, other uuid, note text) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  shown public.updates;
  content private.update_content;
  count integer := 0;
  published integer := 0;
begin
  for shown in select u.* from public.updates u
      where u.state in ('draft', 'submitted', 'scheduled', 'published')
        and u.id in (select o.update_id from public.update_photos o where o.photo_id = known.id)
      order by u.number, u.filed_at, u.id loop
    content := private.content_of(shown);
    if other = any (private.photos_in(content.body)) then
      perform private.refuse('bad_state', 'An update shows both photos: ' || private.named(shown) || '. Take one of them out there.');
    end if;
    content.body := (
      select coalesce(jsonb_agg(case when is_it then jsonb_build_object('type', 'photo', 'photo', other) else block end order by n), '[]')
      from jsonb_array_elements(shown.body) with ordinality b(block, n),
        lateral (select b.block ->> 'type' = 'photo' and b.block ->> 'photo' = known.id::text as is_it) it
      where other is not null or not is_it);
    if content.body = '[]' and shown.state = 'published' then
      perform private.refuse('bad_state', 'An update says nothing but this photo: ' || private.named(shown) || '. Withdraw that update instead.');
    elsif content.body = '[]' and shown.state <> 'draft' then
      perform private.refuse('bad_state', 'An update that waits says nothing but this photo. Put that update away first.');
    end if;
    if shown.state = 'published' then
      perform private.change_published(coverage, shown.id, shown.version, to_jsonb(content),
        case when note is null then 'revision' else 'correction' end::public.revision_kind, note);
      published := published + 1;
    else
      -- As with whoever saves it: they stand for what is on the schedule from now on.
      update public.updates u set version = u.version + 1,
        scheduled_by = case u.state when 'scheduled' then auth.uid() end
      where u.id = shown.id;
      perform private.write_version(shown.id, content, 'revision', null);
    end if;
    count := count + 1;
  end loop;
  return jsonb_build_object('updates', count, 'published', published);
end $$;

/* A note for readers, or none: then they are told of no correction. */
create function private.optional_note(note text) returns text
language sql immutable set search_path = '' as $$
  select case when nullif(private.trimmed(note), '') is not null then private.read_note(note, 'note') end
$$;

/* A photo of a coverage, locked with it, and with it another one that is there too. What is of another coverage waits for
   that one's lock and is left alone. */
create function private.lock_library_photo(wanted uuid, other uuid default null) returns public.photos
language plpgsql volatile set search_path = '' as $$
declare photo public.photos;
begin
  perform private.lock_coverage(p.coverage_id) from public.photos p where p.id = wanted and p.coverage_id is not null;
  -- In the order in which forget_photos takes them.
  perform from public.photos p where p.id in (wanted, other)
    and p.coverage_id = (select w.coverage_id from public.photos w where w.id = wanted) order by p.id for update;
  photo := private.lock_photo(wanted);
  if photo.coverage_id is null then perform private.refuse_unknown(); end if;
  return photo;
end $$;

/* Puts another photo of the same coverage, which has arrived, wherever one stands now; versions before keep the one that
   they had. With a note it is a correction. {id, state, refusal, updates, published} of the one that came. */
create function public.replace_photo(op uuid, photo_id uuid, by_photo uuid, note text default null)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  known public.photos := private.lock_library_photo(photo_id, by_photo);
  done jsonb := private.begin_op(op, 'replace_photo', jsonb_build_array(photo_id, by_photo, note));
  coverage public.coverages;
  other public.photos;
  changed jsonb;
begin
  if done is not null then return done; end if;
  perform private.guard_shown(known);
  select * into other from public.photos p where p.id = by_photo;
  if other.coverage_id is distinct from known.coverage_id or other.id = known.id
      or not (other.uploaded_by is not distinct from auth.uid() or private.may('run_coverage', known.coverage_id)) then
    perform private.refuse_field('by_photo', 'The other photo is not here, or not yours. Choose it again.');
  elsif other.state <> 'ready' then
    perform private.refuse('bad_state', 'The other photo has not arrived. Choose it again.', jsonb_build_object('state', other.state));
  end if;
  select * into coverage from public.coverages c where c.id = known.coverage_id;
  changed := private.show_instead(coverage, known, other.id, private.optional_note(note));
  perform private.audit('replace_photo', 'photo', known.id, changed || jsonb_build_object('coverage', coverage.id, 'by', other.id));
  return private.finish_op(op, private.photo_result(other) || changed);
end $$;

/* Takes a photo back for good: out of each update that is at the desk or published (with a note, as a correction), and from
   everybody who could see it. Its words and the versions that name it stay at the desk, its prints nowhere.
   {id, state, refusal, updates, published}. */
create function public.remove_photo(op uuid, photo_id uuid, note text default null)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  known public.photos := private.lock_library_photo(photo_id);
  done jsonb := private.begin_op(op, 'remove_photo', jsonb_build_array(photo_id, note));
  coverage public.coverages;
  changed jsonb;
begin
  if done is not null then return done; end if;
  perform private.guard_shown(known);
  select * into coverage from public.coverages c where c.id = known.coverage_id;
  changed := private.show_instead(coverage, known, null, private.optional_note(note));
  update public.photos p set state = 'removed', refusal = null, prints = '[]', width = null, height = null, colour = null,
    ready_at = null, removed_at = clock_timestamp(), removed_by = auth.uid()
  where p.id = photo_id returning * into known;
  -- Those that keep it, withdrawn or put away, are not what they were at the desk.
  perform private.tell_desk_of(o.update_id) from public.update_photos o where o.photo_id = known.id;
  perform private.audit('remove_photo', 'photo', known.id, changed || jsonb_build_object('coverage', coverage.id));
  return private.finish_op(op, private.photo_result(known) || changed);
end $$;

revoke execute on function public.replace_photo(uuid, uuid, uuid, text), public.remove_photo(uuid, uuid, text) from public, anon;
grant execute on function public.replace_photo(uuid, uuid, uuid, text), public.remove_photo(uuid, uuid, text)
  to authenticated, service_role;
