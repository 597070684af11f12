-- The steps that the public functions on updates are made of. People, imports and whatever comes later
-- publish through the same ones.

/* The same words for what never was and for what is not the caller's to know. */
create function private.refuse_unknown() returns void
language sql set search_path = '' as $$
  select private.refuse('not_found', 'There is no such thing, or it is not open to you.')
$$;

/* An id that names something else already, without a word on what. */
create function private.refuse_taken() returns void
language sql set search_path = '' as $$
  select private.refuse('forbidden', 'This id is taken. Make a new one; your text is kept.')
$$;

/* The lock that orders everything in a coverage: the first act of each transaction that changes it.
   What the caller may not know of is not found. */
create function private.lock_coverage(wanted uuid) returns public.coverages
language plpgsql volatile set search_path = '' as $$
declare coverage public.coverages;
begin
  if (select auth.uid()) is null and not private.is_service() then
    perform private.refuse('signed_out', 'Sign in, then press again. Your text is kept.');
  end if;
  select * into coverage from public.coverages c where c.id = wanted for update;
  if coverage.id is null or not (private.is_public(coverage.state) or private.may('read_desk', coverage.id)) then
    perform private.refuse_unknown();
  end if;
  if coverage.restoring then
    perform private.refuse('bad_state', 'This coverage is being brought in from a folder. Wait until all of it is here.');
  end if;
  return coverage;
end $$;

/* The coverage of an update, locked. What is still at the desk is not found by those who may not read the desk. */
create function private.lock_coverage_of(wanted uuid) returns public.coverages
language plpgsql volatile set search_path = '' as $$
declare coverage public.coverages := private.lock_coverage((select u.coverage_id from public.updates u where u.id = wanted));
begin
  if not exists (select from public.updates u where u.id = wanted and u.number is not null)
     and not private.may('read_desk', coverage.id) then
    perform private.refuse_unknown();
  end if;
  return coverage;
end $$;

create function private.require(wanted text, coverage uuid, author uuid default null) returns void
language plpgsql stable set search_path = '' as $$
begin
  if not private.may(wanted, coverage, author) then
    perform private.refuse('forbidden', 'Your role does not allow this. Ask an editor. Your text is kept.');
  end if;
end $$;

/* Opens the row of an update that is not known yet. Two at once with one id: the second is told that it is taken. */
create function private.file_update(coverage uuid, wanted uuid, author uuid, at timestamptz) returns void
language plpgsql volatile set search_path = '' as $$
begin
  if wanted is null then perform private.refuse_field('update_id', 'Send an id made for this update.'); end if;
  insert into public.updates (id, coverage_id, author, filed_by, filed_at) values (wanted, coverage, author, author, at)
  on conflict (id) do nothing;
  if not found then perform private.refuse_taken(); end if;
end $$;

/* Takes the next seq of a coverage that this transaction has locked, and logs the change. */
create function private.log_change(coverage uuid, changed uuid, kind public.change_kind) returns bigint
language plpgsql volatile set search_path = '' as $$
declare taken bigint;
begin
  update public.coverages c set seq = c.seq + 1 where c.id = coverage returning c.seq into taken;
  insert into public.coverage_changes (coverage_id, seq, update_id, kind) values (coverage, taken, changed, kind);
  return taken;
end $$;

/* What every function on an update answers. */
create function private.update_result(wanted uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', u.id, 'coverage_id', u.coverage_id, 'number', u.number, 'state', u.state,
    'version', u.version, 'seq', u.seq, 'published_at', u.published_at)
  from public.updates u where u.id = wanted
$$;

/* Refuses a body with a photo that is not the caller's to show there: one of this coverage that is their own, or in
   this update already, or published; any, for an editor. What readers see says what its photos show. */
create function private.guard_photos(saved public.updates, body jsonb) returns void
language plpgsql volatile set search_path = '' as $$
declare photos uuid[];
begin
  if not private.has_photos(body) then return; end if;
  photos := private.photos_in(body);
  -- Held until the update names them: one that nobody uses may be forgotten at any moment.
  perform from public.photos p where p.id = any (photos) order by p.id for key share;
  if exists (select from unnest(photos) id where not exists (
      select from public.photos p where p.id = id.id and p.coverage_id = saved.coverage_id and p.state <> 'removed'
        and (p.uploaded_by = auth.uid() or private.may('run_coverage', p.coverage_id)
          or exists (select from public.update_photos o join public.updates u on u.id = o.update_id
            where o.photo_id = p.id and (o.update_id = saved.id or u.state = 'published'))))) then
    perform private.refuse_field('photos', 'One of the photos is not here any more, or not yours. Take it out, or add it again.');
  end if;
  if saved.state in ('scheduled', 'published') and exists (select from public.photos p where p.id = any (photos) and p.alt is null) then
    perform private.refuse_field('photos', 'Say of each photo what it shows, for those who do not see it.');
  end if;
end $$;

/* Notes which of these photos are in use: by an update at the desk or a published one. Their coverage is locked. */
create function private.note_use(photos uuid[]) returns void
language sql volatile set search_path = '' as $$
  update public.photos p set in_use = not p.in_use
  where p.id = any (photos) and p.in_use <> coalesce((select true from public.update_photos o
    where o.photo_id = p.id and (select u.state not in ('withdrawn', 'spiked') from public.updates u where u.id = o.update_id) limit 1), false)
$$;

/* An update that is withdrawn or put away, or comes back, uses its photos no more, or again. */
create function private.note_use_by() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.note_use(array(select o.photo_id from public.update_photos o where o.update_id = new.id));
  return null;
end $$;
create trigger note_use_by after update of state on public.updates
  for each row when ((old.state in ('withdrawn', 'spiked')) <> (new.state in ('withdrawn', 'spiked')))
  execute function private.note_use_by();

/* Writes a content over an update as its next version, with its revision, bylines and photos. */
create function private.write_version(wanted uuid, content private.update_content, kind public.revision_kind, note text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  saved public.updates;
  said text := private.body_text(content.body);
  shown uuid[];
  -- Those that it showed before, too.
  photos uuid[];
begin
  update public.updates u set headline = content.headline, body = content.body, key_event = content.key_event,
    urgency = content.urgency, verification = content.verification, attribution = content.attribution,
    desk_note = content.desk_note, dateline = content.dateline, occurred_at = content.occurred_at
  where u.id = wanted returning * into saved;
  perform private.guard_photos(saved, content.body);
  if saved.version > 1 and saved.state = 'published' and exists (select from public.update_photos p
      where p.update_id = wanted and p.photo_id <> all (private.photos_in(content.body))) then
    perform private.note_photo_left(saved.coverage_id);
  end if;
  -- An import writes thousands of first versions: what those cannot have yet is not looked for.
  if private.has_photos(content.body)
    or (saved.version > 1 and exists (select from public.update_photos p where p.update_id = wanted)) then
    shown := private.photos_in(content.body);
    with before as (delete from public.update_photos p where p.update_id = wanted returning p.photo_id)
      select shown || array_agg(b.photo_id) into photos from before b;
    insert into public.update_photos (update_id, photo_id, position)
      select wanted, p.id, p.n from unnest(shown) with ordinality p(id, n);
    perform private.note_use(photos);
  end if;
  if saved.version > 1 then delete from public.update_bylines b where b.update_id = wanted; end if;
  if content.bylines <> '{}' then
    insert into public.update_bylines (update_id, person_id, position, published_at)
      select wanted, p.id, p.n, saved.published_at from unnest(content.bylines) with ordinality p(id, n);
    if saved.state = 'published' then
      update public.people p set bylined_at = now() where p.id = any (content.bylines) and p.bylined_at is null;
    end if;
  end if;
  insert into public.update_revisions (update_id, version, content, kind, note, by, public)
    values (wanted, saved.version, to_jsonb(content), kind, note, auth.uid(), saved.state = 'published');
  perform private.note_words(saved, content.bylines, said);
  perform private.note_found(saved, content.bylines, said);
end $$;

/* Only an editor raises an update to urgent; leaving one as it is, is nobody's business. */
create function private.guard_urgency(coverage uuid, before public.update_urgency, after public.update_urgency) returns void
language plpgsql stable set search_path = '' as $$
begin
  if after = 'urgent' and before is distinct from after and not private.may('run_coverage', coverage) then
    perform private.refuse('forbidden', 'Only an editor marks an update urgent. Choose important, or ask an editor.');
  end if;
end $$;

/* Refuses when somebody saved meanwhile: names the version that is there now. */
create function private.guard_version(current integer, expected integer) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if current is distinct from expected then
    perform private.refuse('conflict', 'Somebody saved a newer version meanwhile. Compare the two, then save again.',
      jsonb_build_object('version', current));
  end if;
end $$;

/* Makes an unpublished update public at a time: number and seq, row, revision, change. The caller has
   locked the coverage and asked whether it may. */
create function private.publish(coverage public.coverages, wanted uuid, content private.update_content, at timestamptz) returns void
language plpgsql volatile set search_path = '' as $$
declare next_number integer;
begin
  if coverage.state not in ('live', 'paused', 'ended') then
    perform private.refuse('bad_state', 'Updates are published into a live, paused or ended coverage. Set its state first; your text is kept.');
  end if;
  update public.coverages c set update_count = c.update_count + 1, newest_at = at where c.id = coverage.id
    returning c.update_count into next_number;
  update public.updates u set state = 'published', number = next_number, published_at = at, body = content.body,
    published_by = auth.uid(), seq = private.log_change(coverage.id, wanted, 'publication')
  where u.id = wanted;
  perform private.write_version(wanted, content, 'revision', null);
end $$;
