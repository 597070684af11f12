-- What happens by itself at its time: updates go out, coverages begin, what is kept for a time only is forgotten.

create extension if not exists pg_cron with schema pg_catalog;

/* A time for an update to go out at, or a refusal. */
create function private.schedule_time(at timestamptz) returns timestamptz
language plpgsql stable set search_path = '' as $$
begin
  if at is null or at <= clock_timestamp() then
    perform private.refuse_field('scheduled_for', 'Give a time to come, with its zone. To publish now, publish.');
  elsif at > clock_timestamp() + make_interval(days => private.limit_of('schedule_days')) then
    perform private.refuse_field('scheduled_for', format('Give a time within %s days.', private.limit_of('schedule_days')));
  end if;
  return at;
end $$;

/* Puts an update on the schedule, for one who may publish it: a new one, or one at the desk (`version` is then the one
   that was seen), also one that is there already. It goes out under the rights that this person has then. */
create function public.schedule_update(op uuid, coverage_id uuid, update_id uuid, content jsonb, scheduled_for timestamptz,
  version integer default null)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage(coverage_id);
  known public.updates;
  done jsonb := private.begin_op(op, 'schedule_update', jsonb_build_array(coverage_id, update_id, content, scheduled_for, version));
  read private.update_content;
  at timestamptz;
begin
  if done is not null then return done; end if;
  select * into known from public.updates u where u.id = update_id;
  perform private.require('publish_update', coverage.id, case when known.id is null then auth.uid() else known.author end);
  if coverage.state in ('archived', 'withdrawn') then
    perform private.refuse('bad_state', 'This coverage takes no more updates. Your text is kept.');
  end if;
  read := private.read_content(content, 1, case when known.id is null then auth.uid() else known.author end, known.id);
  at := private.schedule_time(scheduled_for);
  perform private.guard_urgency(coverage.id, known.urgency, read.urgency);
  if known.id is null then
    perform private.file_update(coverage.id, update_id, auth.uid(), now());
  else
    perform private.guard_unpublished(known, coverage.id);
    perform private.guard_version(known.version, version);
    update public.updates u set version = u.version + 1 where u.id = update_id;
  end if;
  update public.updates u set state = 'scheduled', scheduled_for = at, scheduled_by = auth.uid(), schedule_refusal = null, body = read.body
  where u.id = update_id;
  perform private.write_version(update_id, read, 'revision', null);
  return private.finish_op(op, private.update_result(update_id));
end $$;

/* Takes an update off the schedule: it is a draft again. */
create function public.unschedule_update(op uuid, update_id uuid, version integer)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage_of(update_id);
  done jsonb := private.begin_op(op, 'unschedule_update', jsonb_build_array(update_id, version));
  known public.updates;
begin
  if done is not null then return done; end if;
  perform private.require('write_update', coverage.id);
  select * into known from public.updates u where u.id = update_id;
  perform private.guard_unpublished(known, coverage.id);
  perform private.guard_version(known.version, version);
  if known.state <> 'scheduled' then perform private.refuse('bad_state', 'This update is not on the schedule.'); end if;
  update public.updates u set state = 'draft' where u.id = update_id;
  return private.finish_op(op, private.update_result(update_id));
end $$;

revoke execute on function public.schedule_update(uuid, uuid, uuid, jsonb, timestamptz, integer),
  public.unschedule_update(uuid, uuid, integer) from public, anon;
grant execute on function public.schedule_update(uuid, uuid, uuid, jsonb, timestamptz, integer),
  public.unschedule_update(uuid, uuid, integer) to authenticated, service_role;

/* An update that leaves the schedule, by whichever way, leaves nothing of it behind. */
create function private.clear_schedule() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.scheduled_for := null;
  new.scheduled_by := null;
  new.schedule_refusal := null;
  return new;
end $$;
create trigger clear_schedule before update of state on public.updates
  for each row when (old.state = 'scheduled' and new.state <> 'scheduled') execute function private.clear_schedule();

/* What follows in this transaction is done as this person, with the rights that they have now; null is the server. */
create function private.act_as(person uuid) returns void
language sql volatile set search_path = '' as $$
  select set_config('request.jwt.claims', case when person is null then '{"role":"service_role"}'
    else jsonb_build_object('sub', person, 'role', 'authenticated')::text end, true)
$$;

/* Publishes an update whose time has come, or writes down why not: then it waits for a person. A fault that passes
   (a lock, a full disk) changes nothing, so that the next round tries again. */
create function private.publish_scheduled(wanted uuid) returns void
language plpgsql volatile set search_path = '' as $$
declare
  coverage public.coverages;
  known public.updates;
  stored jsonb;
  why text;
begin
  begin
    perform set_config('lock_timeout', '1s', true);
    select c.* into coverage from public.coverages c
    where c.id = (select u.coverage_id from public.updates u where u.id = wanted) for update;
    select * into known from public.updates u
    where u.id = wanted and u.state = 'scheduled' and u.scheduled_for <= clock_timestamp() and u.schedule_refusal is null;
    if known.id is null then return; end if;
    perform private.act_as(known.scheduled_by);
    perform private.require('publish_update', coverage.id, known.author);
    select r.content into stored from public.update_revisions r where r.update_id = wanted and r.version = known.version;
    update public.updates u set version = u.version + 1 where u.id = wanted;
    perform private.publish(coverage, wanted, private.read_content(stored, 1, known.author, wanted), clock_timestamp());
    -- What would be checked at the end is checked here, where it is this update's alone.
    set constraints all immediate;
  exception
    when transaction_rollback or insufficient_resources or object_not_in_prerequisite_state or operator_intervention or system_error then
      raise warning 'The scheduled update % waits for the next round: %', wanted, sqlerrm;
      return;
    when others then
      why := case when sqlstate like 'PT%' then sqlerrm else 'internal' end;
      if why = 'internal' then raise warning 'The scheduled update % cannot be published: %', wanted, sqlerrm; end if;
  end;
  perform set_config('request.jwt.claims', '', true);
  if why is null then return; end if;
  update public.updates u set schedule_refusal = why where u.id = wanted;
  perform private.tell_desk_of(wanted);
end $$;

/* Takes an announced coverage live when its time has come. */
create function private.begin_scheduled(wanted uuid) returns void
language plpgsql volatile set search_path = '' as $$
declare coverage public.coverages;
begin
  perform set_config('lock_timeout', '1s', true);
  select * into coverage from public.coverages c
  where c.id = wanted and c.state = 'scheduled' and c.starts_at <= clock_timestamp() for update;
  if coverage.id is null then return; end if;
  perform private.enter_state(coverage, 'live', clock_timestamp());
  set constraints all immediate;
exception when others then
  raise warning 'The announced coverage % waits for the next round: %', wanted, sqlerrm;
end $$;

/* Everything whose time has come, each in a transaction of its own and in the order of their times; coverages first, so
   that they can take their updates. PostgreSQL lets no procedure with a search path of its own commit: every name in it
   says its schema. */
create procedure private.publish_due()
language plpgsql as $$
declare due uuid;
begin
  foreach due in array array(select c.id from public.coverages c
      where c.state = 'scheduled' and c.starts_at <= clock_timestamp() order by c.starts_at, c.id) loop
    perform private.begin_scheduled(due);
    commit;
  end loop;
  foreach due in array array(select u.id from public.updates u
      where u.state = 'scheduled' and u.scheduled_for <= clock_timestamp() and u.schedule_refusal is null
      order by u.scheduled_for, u.filed_at, u.id) loop
    perform private.publish_scheduled(due);
    commit;
  end loop;
end $$;
revoke execute on procedure private.publish_due() from public, anon, authenticated, service_role;

/* Reminds the desks of live coverages in which nothing has happened for as long as the site says: each once, until
   something does. */
create function private.remind_quiet() returns void
language plpgsql volatile set search_path = '' as $$
declare
  hours integer := (select s.quiet_hours from public.site s);
  silent uuid;
begin
  for silent in
    update public.coverages c set quiet_since = case when hours > 0 and q.since <= now() - make_interval(hours => hours) then q.since end
    from (select l.id, greatest(l.newest_at, l.went_on_at) as since from public.coverages l where l.state = 'live'
      -- Whoever is publishing there now breaks the silence anyway.
      for update skip locked) q
    where c.id = q.id
      and (c.quiet_since is not null) <> (hours > 0 and q.since <= now() - make_interval(hours => hours))
    returning c.id loop
    perform private.tell_desk(silent);
  end loop;
end $$;

/* The coverages that their desks were reminded of, and since when they are silent, for those who may read those desks:
   whether one was forgotten is nobody else's business. */
create function public.desk_silent() returns table (coverage_id uuid, quiet_since timestamptz)
language sql stable security definer set search_path = '' as $$
  select c.id, c.quiet_since from public.coverages c
  where c.quiet_since is not null and private.may('read_desk', c.id)
$$;
revoke execute on function public.desk_silent() from public, anon, service_role;
grant execute on function public.desk_silent() to authenticated;

-- What is due may wait for one round: 5 s are promised.
select cron.schedule('publish-due', '3 seconds', 'call private.publish_due()');
select cron.schedule('remind-quiet', '*/5 * * * *', 'select private.remind_quiet()');
select cron.schedule('forget-old', '41 3 * * *', 'select private.forget_old()');
select cron.schedule('forget-runs', '23 4 * * *',
  $$delete from cron.job_run_details where end_time < now() - interval '7 days'$$);
