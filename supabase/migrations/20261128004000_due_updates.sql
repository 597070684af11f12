-- Scheduled updates are also published when a colleague in the byline deleted their account, and when their coverage
-- starts a round later than planned.

-- Publishes an update that is due, or stores the error code, and then it waits for a person. A temporary failure
-- (lock, full disk) changes nothing, and the next run tries again. An update also waits for the start of its coverage if
-- that is due.
create or replace function private.publish_scheduled(update_id uuid) returns void
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
    if coverage.state = 'scheduled' and coverage.starts_at <= clock_timestamp() then return; end if;
    perform private.act_as(scheduled.scheduled_by);
    perform private.require_permission('publish_update', coverage.id, scheduled.author);
    select r.content into stored from public.update_revisions r where r.update_id = publish_scheduled.update_id and r.version = scheduled.version;
    -- The bylines may have changed since: a colleague who deletes their account is removed from them.
    stored := stored || jsonb_build_object('bylines', array(select b.person_id from public.update_bylines b
      where b.update_id = publish_scheduled.update_id order by b.position));
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
