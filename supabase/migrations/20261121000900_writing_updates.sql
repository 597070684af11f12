-- What people do to updates. Each is one transaction: lock, op, right, rule, row, revision, change.

/* Keeps an update at the desk, unpublished: makes it, or saves version `version` + 1 of it. */
create function public.save_update(op uuid, coverage_id uuid, update_id uuid, content jsonb, version integer default null)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage(coverage_id);
  known public.updates;
  done jsonb := private.begin_op(op, 'save_update', jsonb_build_array(coverage_id, update_id, content, version));
  read private.update_content;
begin
  if done is not null then return done; end if;
  perform private.require('write_update', coverage.id);
  select * into known from public.updates u where u.id = update_id;
  if known.id is null then
    read := private.read_content(content, 0, auth.uid());
    perform private.guard_urgency(coverage.id, null, read.urgency);
    perform private.file_update(coverage.id, update_id, auth.uid(), now());
  else
    perform private.guard_unpublished(known, coverage.id);
    perform private.guard_version(known.version, version);
    read := private.read_content(content, case known.state when 'draft' then 0 else 1 end, known.author, known.id);
    perform private.guard_urgency(coverage.id, known.urgency, read.urgency);
    -- What one person saves of a draft time after time, as it is typed, is one version of its history: the newest.
    delete from public.update_revisions r
    where known.state = 'draft' and r.update_id = known.id and r.version = known.version and r.by = auth.uid();
    -- Who saves what is on the schedule stands for it from now on.
    update public.updates u set version = u.version + 1,
      scheduled_by = case known.state when 'scheduled' then auth.uid() end
    where u.id = update_id;
  end if;
  perform private.write_version(update_id, read, 'revision', null);
  return private.finish_op(op, private.update_result(update_id));
end $$;

/* An unpublished update of this coverage that the caller may change: their own, or any for an editor. What is on the
   schedule goes out as it stands, so only those change it who may publish it. */
create function private.guard_unpublished(known public.updates, coverage uuid) returns void
language plpgsql stable set search_path = '' as $$
begin
  if known.coverage_id <> coverage then perform private.refuse_taken(); end if;
  if known.state not in ('draft', 'submitted', 'scheduled') then
    perform private.refuse('bad_state', 'This update is no longer at the desk. Open it again to see where it is.');
  end if;
  if known.author is distinct from auth.uid() then perform private.require('run_coverage', coverage); end if;
  if known.state = 'scheduled' then perform private.require('publish_update', coverage, known.author); end if;
end $$;

/* Hands a draft to the editors. */
create function public.submit_update(op uuid, update_id uuid, version integer)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage_of(update_id);
  known public.updates;
  done jsonb := private.begin_op(op, 'submit_update', jsonb_build_array(update_id, version));
begin
  if done is not null then return done; end if;
  perform private.require('write_update', coverage.id);
  select * into known from public.updates u where u.id = update_id;
  perform private.guard_unpublished(known, coverage.id);
  perform private.guard_version(known.version, version);
  if known.state <> 'draft' then perform private.refuse('bad_state', 'This update was submitted or scheduled already.'); end if;
  if not private.is_body(known.body) then perform private.refuse_field('body', 'Write something first.'); end if;
  update public.updates u set state = 'submitted' where u.id = update_id;
  return private.finish_op(op, private.update_result(update_id));
end $$;

/* Publishes: a new update, or one at the desk (`version` is then the one that was seen). Idempotent by
   update id too: the same words published again by the same author answer what was published. */
create function public.publish_update(op uuid, coverage_id uuid, update_id uuid, content jsonb, version integer default null)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage(coverage_id);
  known public.updates;
  done jsonb := private.begin_op(op, 'publish_update', jsonb_build_array(coverage_id, update_id, content, version));
  read private.update_content;
begin
  if done is not null then return done; end if;
  select * into known from public.updates u where u.id = update_id;
  perform private.require('publish_update', coverage.id, case when known.id is null then auth.uid() else known.author end);
  read := private.read_content(content, 1, case when known.id is null then auth.uid() else known.author end, known.id);
  if known.state = 'published' and known.coverage_id = coverage.id and known.revised_at is null and exists (
      select from public.update_revisions r
      where r.update_id = known.id and r.version = known.version and r.content = to_jsonb(read)) then
    return private.finish_op(op, private.update_result(update_id));
  end if;
  perform private.guard_urgency(coverage.id, known.urgency, read.urgency);
  if known.id is null then
    perform private.file_update(coverage.id, update_id, auth.uid(), now());
  else
    perform private.guard_unpublished(known, coverage.id);
    perform private.guard_version(known.version, version);
    update public.updates u set version = u.version + 1 where u.id = update_id;
  end if;
  -- The clock, not the transaction: it may have waited for the lock, and times follow numbers.
  perform private.publish(coverage, update_id, read, clock_timestamp());
  return private.finish_op(op, private.update_result(update_id));
end $$;

/* A published update that the caller may change, or a refusal. */
create function private.published_update(wanted uuid, coverage uuid) returns public.updates
language plpgsql stable set search_path = '' as $$
declare known public.updates;
begin
  select * into known from public.updates u where u.id = wanted;
  perform private.require('publish_update', coverage, known.author);
  if known.state = 'withdrawn' then
    perform private.refuse('gone', 'This update was withdrawn. Publish a new one instead.');
  elsif known.state <> 'published' then
    perform private.refuse('bad_state', 'This update is not published yet.');
  end if;
  return known;
end $$;

create function private.change_published(coverage public.coverages, wanted uuid, expected integer, content jsonb,
  kind public.revision_kind, note text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  known public.updates := private.published_update(wanted, coverage.id);
  read private.update_content := private.read_content(content, 1, known.author, known.id);
begin
  perform private.guard_version(known.version, expected);
  perform private.guard_urgency(coverage.id, known.urgency, read.urgency);
  update public.updates u set version = u.version + 1, revised_at = clock_timestamp(),
    corrected_at = case kind when 'correction' then clock_timestamp() else u.corrected_at end,
    seq = private.log_change(coverage.id, wanted, kind::text::public.change_kind)
  where u.id = wanted;
  perform private.write_version(wanted, read, kind, note);
end $$;

/* Mends typing errors in a published update. `version` is the one that was seen. */
create function public.revise_update(op uuid, update_id uuid, version integer, content jsonb)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage_of(update_id);
  done jsonb := private.begin_op(op, 'revise_update', jsonb_build_array(update_id, version, content));
begin
  if done is not null then return done; end if;
  perform private.change_published(coverage, update_id, version, content, 'revision', null);
  return private.finish_op(op, private.update_result(update_id));
end $$;

/* Clarifies or corrects a published update, with a note that readers see. */
create function public.correct_update(op uuid, update_id uuid, version integer, content jsonb, note text,
  kind public.revision_kind default 'correction')
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage_of(update_id);
  done jsonb := private.begin_op(op, 'correct_update', jsonb_build_array(update_id, version, content, note, kind));
begin
  if done is not null then return done; end if;
  if coalesce(kind, 'revision') not in ('clarification', 'correction') then
    perform private.refuse_field('kind', 'Choose clarification or correction.');
  end if;
  perform private.change_published(coverage, update_id, version, content, kind, private.read_note(note, 'note'));
  return private.finish_op(op, private.update_result(update_id));
end $$;

/* Takes a published update back. The row keeps number, times and reason; the words stay in its revisions. */
create function public.withdraw_update(op uuid, update_id uuid, reason text)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage_of(update_id);
  done jsonb := private.begin_op(op, 'withdraw_update', jsonb_build_array(update_id, reason));
  known public.updates;
  why text;
begin
  if done is not null then return done; end if;
  known := private.published_update(update_id, coverage.id);
  why := private.read_note(reason, 'reason');
  if coverage.pinned_update = update_id then
    update public.coverages c set pinned_update = null where c.id = coverage.id;
    perform private.log_change(coverage.id, null, 'pin');
  end if;
  insert into public.update_revisions (update_id, version, kind, note, by)
    values (update_id, known.version + 1, 'withdrawal', why, auth.uid());
  update public.updates u set state = 'withdrawn', withdrawn_at = clock_timestamp(), withdrawn_reason = why, version = u.version + 1,
    headline = null, body = '[]', attribution = null, dateline = null,
    seq = private.log_change(coverage.id, update_id, 'withdrawal')
  where u.id = update_id returning * into known;
  update public.update_bylines b set published_at = null where b.update_id = withdraw_update.update_id;
  perform private.note_words(known, array(select b.person_id from public.update_bylines b where b.update_id = known.id));
  perform private.note_found(known, '{}');
  perform private.audit('withdraw_update', 'update', update_id, jsonb_build_object('coverage', coverage.id, 'number', known.number));
  return private.finish_op(op, private.update_result(update_id));
end $$;

/* Puts away an update that was never published. */
create function public.spike_update(op uuid, update_id uuid, version integer)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage_of(update_id);
  done jsonb := private.begin_op(op, 'spike_update', jsonb_build_array(update_id, version));
  known public.updates;
begin
  if done is not null then return done; end if;
  perform private.require('write_update', coverage.id);
  select * into known from public.updates u where u.id = update_id;
  perform private.guard_unpublished(known, coverage.id);
  perform private.guard_version(known.version, version);
  update public.updates u set state = 'spiked' where u.id = update_id;
  return private.finish_op(op, private.update_result(update_id));
end $$;

/* Holds one published update at the top of its coverage; null holds none. */
create function public.pin_update(op uuid, coverage_id uuid, update_id uuid default null)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage(coverage_id);
  done jsonb := private.begin_op(op, 'pin_update', jsonb_build_array(coverage_id, update_id));
begin
  if done is not null then return done; end if;
  perform private.require('run_coverage', coverage.id);
  if update_id is not null and not exists (select from public.updates u
      where u.id = update_id and u.coverage_id = coverage.id and u.state = 'published') then
    perform private.refuse('bad_state', 'Only a published update of this coverage can be pinned.');
  end if;
  if coverage.pinned_update is distinct from update_id then
    update public.coverages c set pinned_update = update_id where c.id = coverage.id;
    perform private.log_change(coverage.id, update_id, 'pin');
  end if;
  return private.finish_op(op, private.coverage_result(coverage.id));
end $$;

revoke execute on function public.save_update(uuid, uuid, uuid, jsonb, integer), public.submit_update(uuid, uuid, integer),
  public.publish_update(uuid, uuid, uuid, jsonb, integer), public.revise_update(uuid, uuid, integer, jsonb),
  public.correct_update(uuid, uuid, integer, jsonb, text, public.revision_kind), public.withdraw_update(uuid, uuid, text),
  public.spike_update(uuid, uuid, integer), public.pin_update(uuid, uuid, uuid) from public, anon;
grant execute on function public.save_update(uuid, uuid, uuid, jsonb, integer), public.submit_update(uuid, uuid, integer),
  public.publish_update(uuid, uuid, uuid, jsonb, integer), public.revise_update(uuid, uuid, integer, jsonb),
  public.correct_update(uuid, uuid, integer, jsonb, text, public.revision_kind), public.withdraw_update(uuid, uuid, text),
  public.spike_update(uuid, uuid, integer), public.pin_update(uuid, uuid, uuid) to authenticated, service_role;
