-- Publication of updates and start of coverages at a scheduled time.

-- ---- Commands ----

-- Errors: invalid, unless the time is in the future and within `schedule_days`.
create function private.read_schedule_time(at timestamptz) returns timestamptz
language plpgsql stable set search_path = '' as $$
begin
  if at is null or at <= clock_timestamp() then
    perform private.raise_invalid('scheduled_for', 'schedule_time_in_past');
  elsif at > clock_timestamp() + make_interval(days => private.get_limit('schedule_days')) then
    perform private.raise_invalid('scheduled_for', 'schedule_time_too_late',
      jsonb_build_object('max_days', private.get_limit('schedule_days')));
  end if;
  return at;
end $$;

-- Schedules a new update or one at the desk; `version` is the one that the caller saw. It is published with the
-- rights that this person has at that time.
create function public.schedule_update(idempotency_key uuid, coverage_id uuid, update_id uuid, content jsonb, scheduled_for timestamptz,
  version integer default null)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage(coverage_id);
  existing public.updates;
  stored_result jsonb := private.begin_command(idempotency_key, 'schedule_update', jsonb_build_array(coverage_id, update_id, content, scheduled_for, version));
  author uuid;
  new_content private.update_content;
  at timestamptz;
begin
  if stored_result is not null then return stored_result; end if;
  select * into existing from public.updates u where u.id = update_id;
  author := case when existing.id is null then auth.uid() else existing.author end;
  perform private.require_permission('publish_update', coverage.id, author);
  if coverage.state in ('archived', 'withdrawn') then
    perform private.raise_error('bad_state', 'coverage_closed');
  end if;
  new_content := private.read_content(content, 1, author, existing.id);
  at := private.read_schedule_time(scheduled_for);
  perform private.require_urgency_permission(coverage.id, existing.urgency, new_content.urgency);
  perform private.begin_version(coverage.id, existing, update_id, version);
  update public.updates u set state = 'scheduled', scheduled_for = at, scheduled_by = auth.uid(), schedule_error_code = null, body = new_content.body
  where u.id = update_id;
  perform private.write_version(update_id, new_content, 'revision', null);
  return private.finish_command(idempotency_key, private.update_result(update_id));
end $$;

-- Turns a scheduled update into a draft again.
create function public.unschedule_update(idempotency_key uuid, update_id uuid, version integer)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage_of_update(update_id);
  stored_result jsonb := private.begin_command(idempotency_key, 'unschedule_update', jsonb_build_array(update_id, version));
  existing public.updates;
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('write_update', coverage.id);
  select * into existing from public.updates u where u.id = update_id;
  perform private.require_unpublished_update(existing, coverage.id, version);
  if existing.state <> 'scheduled' then perform private.raise_error('bad_state', 'update_not_scheduled'); end if;
  update public.updates u set state = 'draft' where u.id = update_id;
  return private.finish_command(idempotency_key, private.update_result(update_id));
end $$;

-- Clears the schedule of an update that is no longer scheduled.
create function private.clear_schedule() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.scheduled_for := null;
  new.scheduled_by := null;
  new.schedule_error_code := null;
  return new;
end $$;
create trigger clear_schedule before update of state on public.updates
  for each row when (old.state = 'scheduled' and new.state <> 'scheduled') execute function private.clear_schedule();

-- ---- Jobs ----

-- The rest of the transaction runs with the current rights of this person; null is the server.
create function private.act_as(person uuid) returns void
language sql volatile set search_path = '' as $$
  select set_config('request.jwt.claims', case when person is null then '{"role":"service_role"}'
    else jsonb_build_object('sub', person, 'role', 'authenticated')::text end, true)
$$;

-- Publishes an update that is due, or stores the error code, and then it waits for a person. A temporary failure
-- (lock, full disk) changes nothing, and the next run tries again.
create function private.publish_scheduled(update_id uuid) returns void
language plpgsql volatile set search_path = '' as $$
declare
  coverage public.coverages;
  scheduled public.updates;
  stored jsonb;
  error_code text;
begin
  begin
    perform set_config('lock_timeout', '1s', true);
    select c.* into coverage from public.coverages c
    where c.id = (select u.coverage_id from public.updates u where u.id = publish_scheduled.update_id) for update;
    select * into scheduled from public.updates u
    where u.id = publish_scheduled.update_id and u.state = 'scheduled' and u.scheduled_for <= clock_timestamp() and u.schedule_error_code is null;
    if scheduled.id is null then return; end if;
    perform private.act_as(scheduled.scheduled_by);
    perform private.require_permission('publish_update', coverage.id, scheduled.author);
    select r.content into stored from public.update_revisions r where r.update_id = publish_scheduled.update_id and r.version = scheduled.version;
    update public.updates u set version = u.version + 1 where u.id = publish_scheduled.update_id;
    perform private.publish(coverage, publish_scheduled.update_id, private.read_content(stored, 1, scheduled.author,
      publish_scheduled.update_id), clock_timestamp());
    -- Deferred constraints are checked here, so that a failure affects only this update.
    set constraints all immediate;
  exception
    when transaction_rollback or insufficient_resources or object_not_in_prerequisite_state or operator_intervention or system_error then
      raise warning 'The scheduled update % waits for the next round: %', publish_scheduled.update_id, sqlerrm;
      return;
    when others then
      error_code := case when sqlstate like 'PT%' then sqlerrm else 'internal' end;
      if error_code = 'internal' then raise warning 'The scheduled update % cannot be published: %', publish_scheduled.update_id, sqlerrm; end if;
  end;
  perform set_config('request.jwt.claims', '', true);
  if error_code is null then return; end if;
  update public.updates u set schedule_error_code = error_code where u.id = publish_scheduled.update_id;
  perform private.notify_desk_of_update(publish_scheduled.update_id);
end $$;

-- Takes a scheduled coverage live when it is due.
create function private.start_scheduled(coverage_id uuid) returns void
language plpgsql volatile set search_path = '' as $$
declare coverage public.coverages;
begin
  perform set_config('lock_timeout', '1s', true);
  select * into coverage from public.coverages c
  where c.id = start_scheduled.coverage_id and c.state = 'scheduled' and c.starts_at <= clock_timestamp() for update;
  if coverage.id is null then return; end if;
  perform private.change_state(coverage, 'live', clock_timestamp());
  set constraints all immediate;
exception when others then
  raise warning 'The announced coverage % waits for the next round: %', start_scheduled.coverage_id, sqlerrm;
end $$;

-- Publishes everything that is due in the order of the times, each in a transaction of its own. Coverages come
-- first, so that they can take their updates. A procedure with a search path cannot commit, so every name is
-- qualified.
create procedure private.publish_due()
language plpgsql as $$
declare due uuid;
begin
  foreach due in array array(select c.id from public.coverages c
      where c.state = 'scheduled' and c.starts_at <= clock_timestamp() order by c.starts_at, c.id) loop
    perform private.start_scheduled(due);
    commit;
  end loop;
  foreach due in array array(select u.id from public.updates u
      where u.state = 'scheduled' and u.scheduled_for <= clock_timestamp() and u.schedule_error_code is null
      order by u.scheduled_for, u.created_at, u.id) loop
    perform private.publish_scheduled(due);
    commit;
  end loop;
end $$;

-- Due updates are published within 5 s.
select cron.schedule('publish-due', '3 seconds', 'call private.publish_due()');
select cron.schedule('delete-old-job-runs', '23 4 * * *',
  $$delete from cron.job_run_details where end_time < now() - interval '7 days'$$);

-- ---- Execute rights ----

grant execute on function public.schedule_update, public.unschedule_update to authenticated, service_role;
