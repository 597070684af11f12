-- A clock that was years ahead and came back silenced a coverage for those years: each new update was put into the alert that
-- waited for a time of then, or after one that was told then.

/* Puts an update into a stream: into what waits there, or opens the next alert. What waits is put off a little, so that each of
   its updates can be undone; what is urgent is not. Answers when it is due. The coverage is locked. */
create or replace function private.put_into_stream(fresh public.updates, wanted public.follow_scope, way public.alert_channel) returns timestamptz
language plpgsql volatile set search_path = '' as $$
declare
  hold constant interval := make_interval(secs => private.limit_of('alert_hold_seconds'));
  soon constant timestamptz := clock_timestamp() + hold;
  at_once constant boolean := fresh.urgency = 'urgent';
  newest public.alerts;
  overdue boolean;
  due timestamptz;
begin
  -- What waits beyond the next alert's time was put there by a clock that was ahead: it is told now, and not when that time comes.
  update public.alerts a set due_at = soon, latest_at = soon + hold
  where a.coverage_id = fresh.coverage_id and a.scope = wanted and a.channel = way and a.begun_at is null
    and a.due_at > soon + private.alert_interval(way);
  select * into newest from public.alerts a
  where a.coverage_id = fresh.coverage_id and a.scope = wanted and a.channel = way and a.due_at <= soon + private.alert_interval(way)
    and (a.begun_at is null or a.begun_at <= soon)
  order by a.due_at desc limit 1;
  -- Whoever publishes waits a moment for one that is just begun, never for those that are being told. One that somebody holds for
  -- longer goes out without this update.
  if newest.begun_at is null then
    begin
      select * into newest from public.alerts a where a.id = newest.id for update;
    exception when lock_not_available then newest.begun_at := clock_timestamp();
    end;
  end if;
  -- Nobody is telling what is overdue: there is no harm in putting it off once more.
  overdue := newest.latest_at < clock_timestamp();
  if newest.begun_at is null and (overdue or soon <= newest.latest_at) then
    due := case when at_once then soon else greatest(newest.due_at, soon) end;
    update public.alerts a set updates = a.updates || fresh.id, urgent = a.urgent or at_once, due_at = due,
      latest_at = case when at_once then due when overdue then due + hold else a.latest_at end
    where a.id = newest.id;
    return due;
  end if;
  due := case when at_once then soon else greatest(soon, coalesce(newest.begun_at, newest.due_at) + private.alert_interval(way)) end;
  insert into public.alerts (coverage_id, scope, channel, updates, urgent, due_at, latest_at)
    values (fresh.coverage_id, wanted, way, array[fresh.id], at_once, due, case when at_once then due else due + hold end);
  return due;
end $$;
