-- Commands on updates. Each is one transaction: lock, idempotency key, permission, validation, row, revision,
-- change.

-- ---- Steps ----

-- Locks the coverage of an update. Errors: not_found, also for an unpublished update without access to the desk.
create function private.lock_coverage_of_update(update_id uuid) returns public.coverages
language plpgsql volatile set search_path = '' as $$
declare coverage public.coverages := private.lock_coverage((select u.coverage_id from public.updates u
  where u.id = lock_coverage_of_update.update_id));
begin
  if not exists (select from public.updates u where u.id = lock_coverage_of_update.update_id and u.number is not null)
     and not private.has_permission('read_desk', coverage.id) then
    perform private.raise_not_found();
  end if;
  return coverage;
end $$;

-- Creates the row of a new update. Errors: forbidden, if another update has the id.
create function private.create_update_row(coverage uuid, update_id uuid, author uuid, at timestamptz) returns void
language plpgsql volatile set search_path = '' as $$
begin
  if create_update_row.update_id is null then perform private.raise_invalid('update_id', 'update_id_missing'); end if;
  insert into public.updates (id, coverage_id, author, created_by, created_at) values (create_update_row.update_id, coverage, author, author, at)
  on conflict (id) do nothing;
  if not found then perform private.raise_id_conflict(); end if;
end $$;

-- Only an editor may raise an update to urgent.
create function private.require_urgency_permission(coverage uuid, before public.update_urgency, after public.update_urgency) returns void
language plpgsql stable set search_path = '' as $$
begin
  if after = 'urgent' and before is distinct from after and not private.has_permission('run_coverage', coverage) then
    perform private.raise_error('forbidden', 'urgent_needs_editor');
  end if;
end $$;

-- Requires an unpublished update of this coverage that the caller may change, and that they saw its current version.
-- They may change their own, editors any. A scheduled update is published as it stands, so it requires the permission
-- to publish.
create function private.require_unpublished_update(existing public.updates, coverage uuid, expected integer) returns void
language plpgsql stable set search_path = '' as $$
begin
  if existing.coverage_id <> coverage then perform private.raise_id_conflict(); end if;
  if existing.state not in ('draft', 'submitted', 'scheduled') then
    perform private.raise_error('bad_state', 'update_not_waiting');
  end if;
  if existing.author is distinct from auth.uid() then perform private.require_permission('run_coverage', coverage); end if;
  if existing.state = 'scheduled' then perform private.require_permission('publish_update', coverage, existing.author); end if;
  perform private.require_version(existing.version, expected);
end $$;

-- Creates the row of a new update, or begins the next version of an unpublished one.
create function private.begin_version(coverage uuid, existing public.updates, update_id uuid, expected integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  if existing.id is null then
    perform private.create_update_row(coverage, begin_version.update_id, auth.uid(), now());
  else
    perform private.require_unpublished_update(existing, coverage, expected);
    update public.updates u set version = u.version + 1 where u.id = existing.id;
  end if;
end $$;

-- A published update that the caller may change.
-- Errors: gone, if it was withdrawn; bad_state, if it is not published.
create function private.require_published_update(update_id uuid, coverage uuid) returns public.updates
language plpgsql stable set search_path = '' as $$
declare existing public.updates;
begin
  select * into existing from public.updates u where u.id = require_published_update.update_id;
  perform private.require_permission('publish_update', coverage, existing.author);
  if existing.state = 'withdrawn' then
    perform private.raise_error('gone', 'update_withdrawn');
  elsif existing.state <> 'published' then
    perform private.raise_error('bad_state', 'update_not_published');
  end if;
  return existing;
end $$;

-- Writes the content of an update as its current version, with revision, bylines and photos, and updates the search
-- indexes.
create function private.write_version(update_id uuid, content private.update_content, kind public.revision_kind, note text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  saved public.updates;
  body_text text := private.body_text(content.body);
  photo_ids uuid[];
  -- Photos of this version and of the version before.
  photos uuid[];
begin
  update public.updates u set headline = content.headline, body = content.body, key_event = content.key_event,
    urgency = content.urgency, verification = content.verification, attribution = content.attribution,
    desk_note = content.desk_note, dateline = content.dateline, occurred_at = content.occurred_at
  where u.id = write_version.update_id returning * into saved;
  perform private.require_usable_photos(saved, content.body);
  if saved.version > 1 and saved.state = 'published' and exists (select from public.update_photos p
      where p.update_id = write_version.update_id and p.photo_id <> all (private.photo_ids(content.body))) then
    perform private.mark_photo_removed(saved.coverage_id);
  end if;
  -- An import writes thousands of first versions, which cannot have photos of an earlier version.
  if private.has_photos(content.body)
    or (saved.version > 1 and exists (select from public.update_photos p where p.update_id = write_version.update_id)) then
    photo_ids := private.photo_ids(content.body);
    with before as (delete from public.update_photos p where p.update_id = write_version.update_id returning p.photo_id)
      select photo_ids || array_agg(b.photo_id) into photos from before b;
    insert into public.update_photos (update_id, photo_id, position)
      select write_version.update_id, p.id, p.n from unnest(photo_ids) with ordinality p(id, n);
    perform private.refresh_photo_use(photos);
  end if;
  if saved.version > 1 then delete from public.update_bylines b where b.update_id = write_version.update_id; end if;
  if content.bylines <> '{}' then
    insert into public.update_bylines (update_id, person_id, position, published_at)
      select write_version.update_id, p.id, p.n, saved.published_at from unnest(content.bylines) with ordinality p(id, n);
    if saved.state = 'published' then
      update public.people p set bylined_at = now() where p.id = any (content.bylines) and p.bylined_at is null;
    end if;
  end if;
  insert into public.update_revisions (update_id, version, content, kind, note, created_by, public)
    values (write_version.update_id, saved.version, to_jsonb(content), kind, note, auth.uid(), saved.state = 'published');
  perform private.index_update_for_desk(saved, content.bylines, body_text);
  perform private.index_update(saved, content.bylines, body_text);
end $$;

-- Publishes an unpublished update at a given time: number, sequence number, row, revision, change. The caller has
-- locked the coverage and checked the permission.
create function private.publish(coverage public.coverages, update_id uuid, content private.update_content, at timestamptz) returns void
language plpgsql volatile set search_path = '' as $$
declare next_number integer;
begin
  if coverage.state not in ('live', 'paused', 'ended') then
    perform private.raise_error('bad_state', 'coverage_not_publishing');
  end if;
  update public.coverages c set update_count = c.update_count + 1, last_published_at = at where c.id = coverage.id
    returning c.update_count into next_number;
  update public.updates u set state = 'published', number = next_number, published_at = at, body = content.body,
    published_by = auth.uid(), seq = private.log_change(coverage.id, publish.update_id, 'publication')
  where u.id = publish.update_id;
  perform private.write_version(publish.update_id, content, 'revision', null);
end $$;

-- Saves a new version of a published update.
create function private.save_published_version(coverage public.coverages, update_id uuid, expected integer, content jsonb,
  kind public.revision_kind, note text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  existing public.updates := private.require_published_update(save_published_version.update_id, coverage.id);
  new_content private.update_content := private.read_content(content, 1, existing.author, existing.id);
begin
  perform private.require_version(existing.version, expected);
  perform private.require_urgency_permission(coverage.id, existing.urgency, new_content.urgency);
  update public.updates u set version = u.version + 1, revised_at = clock_timestamp(),
    corrected_at = case kind when 'correction' then clock_timestamp() else u.corrected_at end,
    seq = private.log_change(coverage.id, save_published_version.update_id, kind::text::public.change_kind)
  where u.id = save_published_version.update_id;
  perform private.write_version(save_published_version.update_id, new_content, kind, note);
end $$;

-- ---- Before publication ----

-- Saves an unpublished update: creates it, or saves version `version` + 1.
create function public.save_update(idempotency_key uuid, coverage_id uuid, update_id uuid, content jsonb, version integer default null)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage(coverage_id);
  existing public.updates;
  stored_result jsonb := private.begin_command(idempotency_key, 'save_update', jsonb_build_array(coverage_id, update_id, content, version));
  new_content private.update_content;
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('write_update', coverage.id);
  select * into existing from public.updates u where u.id = update_id;
  if existing.id is null then
    new_content := private.read_content(content, 0, auth.uid());
    perform private.require_urgency_permission(coverage.id, null, new_content.urgency);
    perform private.create_update_row(coverage.id, update_id, auth.uid(), now());
  else
    perform private.require_unpublished_update(existing, coverage.id, version);
    new_content := private.read_content(content, case existing.state when 'draft' then 0 else 1 end, existing.author, existing.id);
    perform private.require_urgency_permission(coverage.id, existing.urgency, new_content.urgency);
    -- Drafts are saved while they are typed. Consecutive saves by one person are one version: the newest.
    delete from public.update_revisions r
    where existing.state = 'draft' and r.update_id = existing.id and r.version = existing.version and r.created_by = auth.uid();
    -- A person who saves a scheduled update is responsible for it from then on.
    update public.updates u set version = u.version + 1,
      scheduled_by = case existing.state when 'scheduled' then auth.uid() end
    where u.id = update_id;
  end if;
  perform private.write_version(update_id, new_content, 'revision', null);
  return private.finish_command(idempotency_key, private.update_result(update_id));
end $$;

-- Hands a draft to the editors.
create function public.submit_update(idempotency_key uuid, update_id uuid, version integer)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage_of_update(update_id);
  existing public.updates;
  stored_result jsonb := private.begin_command(idempotency_key, 'submit_update', jsonb_build_array(update_id, version));
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('write_update', coverage.id);
  select * into existing from public.updates u where u.id = update_id;
  perform private.require_unpublished_update(existing, coverage.id, version);
  if existing.state <> 'draft' then perform private.raise_error('bad_state', 'update_not_draft'); end if;
  if not private.is_body(existing.body) then perform private.raise_invalid('body', 'text_missing'); end if;
  update public.updates u set state = 'submitted' where u.id = update_id;
  return private.finish_command(idempotency_key, private.update_result(update_id));
end $$;

-- Discards an update that was never published.
create function public.spike_update(idempotency_key uuid, update_id uuid, version integer)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage_of_update(update_id);
  stored_result jsonb := private.begin_command(idempotency_key, 'spike_update', jsonb_build_array(update_id, version));
  existing public.updates;
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('write_update', coverage.id);
  select * into existing from public.updates u where u.id = update_id;
  perform private.require_unpublished_update(existing, coverage.id, version);
  update public.updates u set state = 'spiked' where u.id = update_id;
  return private.finish_command(idempotency_key, private.update_result(update_id));
end $$;

-- ---- Publication ----

-- Publishes a new update or one at the desk; `version` is the one that the caller saw. A second call with the same
-- update id, author and content returns the published update.
create function public.publish_update(idempotency_key uuid, coverage_id uuid, update_id uuid, content jsonb, version integer default null)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage(coverage_id);
  existing public.updates;
  stored_result jsonb := private.begin_command(idempotency_key, 'publish_update', jsonb_build_array(coverage_id, update_id, content, version));
  author uuid;
  new_content private.update_content;
begin
  if stored_result is not null then return stored_result; end if;
  select * into existing from public.updates u where u.id = update_id;
  author := case when existing.id is null then auth.uid() else existing.author end;
  perform private.require_permission('publish_update', coverage.id, author);
  new_content := private.read_content(content, 1, author, existing.id);
  if existing.state = 'published' and existing.coverage_id = coverage.id and existing.revised_at is null and exists (
      select from public.update_revisions r
      where r.update_id = existing.id and r.version = existing.version and r.content = to_jsonb(new_content)) then
    return private.finish_command(idempotency_key, private.update_result(update_id));
  end if;
  perform private.require_urgency_permission(coverage.id, existing.urgency, new_content.urgency);
  perform private.begin_version(coverage.id, existing, update_id, version);
  -- The clock instead of the transaction time: the transaction may have waited for the lock, and times follow
  -- numbers.
  perform private.publish(coverage, update_id, new_content, clock_timestamp());
  return private.finish_command(idempotency_key, private.update_result(update_id));
end $$;

-- Fixes minor errors of a published update without a note.
create function public.revise_update(idempotency_key uuid, update_id uuid, version integer, content jsonb)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage_of_update(update_id);
  stored_result jsonb := private.begin_command(idempotency_key, 'revise_update', jsonb_build_array(update_id, version, content));
begin
  if stored_result is not null then return stored_result; end if;
  perform private.save_published_version(coverage, update_id, version, content, 'revision', null);
  return private.finish_command(idempotency_key, private.update_result(update_id));
end $$;

-- Clarifies or corrects a published update, with a note for readers.
create function public.correct_update(idempotency_key uuid, update_id uuid, version integer, content jsonb, note text,
  kind public.revision_kind default 'correction')
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage_of_update(update_id);
  stored_result jsonb := private.begin_command(idempotency_key, 'correct_update', jsonb_build_array(update_id, version, content, note, kind));
begin
  if stored_result is not null then return stored_result; end if;
  if coalesce(kind, 'revision') not in ('clarification', 'correction') then
    perform private.raise_invalid('kind', 'invalid_revision_kind');
  end if;
  perform private.save_published_version(coverage, update_id, version, content, kind, private.read_note(note, 'note'));
  return private.finish_command(idempotency_key, private.update_result(update_id));
end $$;

-- Withdraws a published update. The row keeps number, times and reason; the content remains in its revisions.
create function public.withdraw_update(idempotency_key uuid, update_id uuid, reason text)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage_of_update(update_id);
  stored_result jsonb := private.begin_command(idempotency_key, 'withdraw_update', jsonb_build_array(update_id, reason));
  existing public.updates;
  checked_reason text;
begin
  if stored_result is not null then return stored_result; end if;
  existing := private.require_published_update(update_id, coverage.id);
  checked_reason := private.read_note(reason, 'reason');
  if coverage.pinned_update = update_id then
    update public.coverages c set pinned_update = null where c.id = coverage.id;
    perform private.log_change(coverage.id, null, 'pin');
  end if;
  insert into public.update_revisions (update_id, version, kind, note, created_by)
    values (update_id, existing.version + 1, 'withdrawal', checked_reason, auth.uid());
  update public.updates u set state = 'withdrawn', withdrawn_at = clock_timestamp(), withdrawn_reason = checked_reason, version = u.version + 1,
    headline = null, body = '[]', attribution = null, dateline = null,
    seq = private.log_change(coverage.id, update_id, 'withdrawal')
  where u.id = update_id returning * into existing;
  update public.update_bylines b set published_at = null where b.update_id = withdraw_update.update_id;
  perform private.index_update_for_desk(existing, array(select b.person_id from public.update_bylines b where b.update_id = existing.id));
  perform private.index_update(existing, '{}');
  perform private.log_action('withdraw_update', 'update', update_id, jsonb_build_object('coverage', coverage.id, 'number', existing.number));
  return private.finish_command(idempotency_key, private.update_result(update_id));
end $$;

-- Pins a published update at the top of its coverage; null removes the pin.
create function public.pin_update(idempotency_key uuid, coverage_id uuid, update_id uuid default null)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage(coverage_id);
  stored_result jsonb := private.begin_command(idempotency_key, 'pin_update', jsonb_build_array(coverage_id, update_id));
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('run_coverage', coverage.id);
  if update_id is not null and not exists (select from public.updates u
      where u.id = update_id and u.coverage_id = coverage.id and u.state = 'published') then
    perform private.raise_error('bad_state', 'update_not_pinnable');
  end if;
  if coverage.pinned_update is distinct from update_id then
    update public.coverages c set pinned_update = update_id where c.id = coverage.id;
    perform private.log_change(coverage.id, update_id, 'pin');
  end if;
  return private.finish_command(idempotency_key, private.coverage_result(coverage.id));
end $$;

-- Removes the content of one version for good, for the desk too. Time, person and reason remain. The current
-- content must be corrected or withdrawn first. Unpublished versions with the same content are redacted as well.
-- With `with_note` the reason replaces the note of the version, also if its content was redacted before. Backups
-- made before are not changed.
-- Returns the result of the update with `also_redacted` (other versions) and `still_present` (versions that still have
-- the same content).
create function public.redact_revision(idempotency_key uuid, update_id uuid, version integer, reason text, with_note boolean default false)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage_of_update(update_id);
  stored_result jsonb := private.begin_command(idempotency_key, 'redact_revision', jsonb_build_array(update_id, version, reason, with_note));
  existing public.updates;
  revision public.update_revisions;
  checked_reason text;
  replaces_note boolean;
  same_content integer[];
  redacted integer[];
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('run_coverage', coverage.id);
  checked_reason := private.read_note(reason, 'reason');
  select * into existing from public.updates u where u.id = update_id;
  select * into revision from public.update_revisions r where r.update_id = update_id and r.version = version;
  if revision.update_id is null then perform private.raise_not_found(); end if;
  replaces_note := coalesce(with_note, false) and revision.kind in ('clarification', 'correction');
  if revision.content is null and not (replaces_note and revision.redacted_at is not null) then
    perform private.raise_error('bad_state', 'version_without_content');
  elsif revision.version = existing.version then
    perform private.raise_error('bad_state', 'version_is_current');
  end if;
  same_content := array(select r.version from public.update_revisions r where r.update_id = redact_revision.update_id
    and r.version <> revision.version and r.content -> 'headline' = revision.content -> 'headline'
    and r.content -> 'body' = revision.content -> 'body' order by r.version);
  redacted := array(select r.version from public.update_revisions r where r.update_id = redact_revision.update_id
    and r.version = any (same_content) and not r.public and r.version <> existing.version order by r.version);
  update public.update_revisions r set content = null, redacted_at = clock_timestamp(), redacted_by = auth.uid(), redacted_reason = checked_reason
  where r.update_id = redact_revision.update_id and r.version = any (redacted || revision.version) and r.content is not null;
  update public.update_revisions r set note = checked_reason where replaces_note
    and r.update_id = redact_revision.update_id and r.version = revision.version;
  -- A withdrawn update keeps references to its photos: from now on only to those that a version still names.
  delete from public.update_photos p where p.update_id = redact_revision.update_id and existing.state = 'withdrawn'
    and not exists (select from public.update_revisions r where r.update_id = redact_revision.update_id
      and p.photo_id = any (private.photo_ids(r.content -> 'body')));
  perform private.log_action('redact_revision', 'update', update_id,
    jsonb_build_object('coverage', coverage.id, 'number', existing.number, 'version', version, 'note', replaces_note, 'also_redacted', redacted));
  if existing.state = 'published' and revision.public then
    update public.updates u set seq = private.log_change(coverage.id, update_id, 'redaction') where u.id = update_id;
  else
    perform private.notify_desk_of_update(update_id);
  end if;
  return private.finish_command(idempotency_key, private.update_result(update_id) || jsonb_build_object('also_redacted', redacted,
    'still_present', array(select v from unnest(same_content) v where v <> all (redacted))));
end $$;

-- ---- Execute rights ----

grant execute on function public.save_update, public.submit_update, public.spike_update, public.publish_update,
  public.revise_update, public.correct_update, public.withdraw_update, public.pin_update, public.redact_revision to
  authenticated, service_role;
