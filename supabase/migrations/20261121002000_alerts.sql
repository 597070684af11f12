-- Alerts: which updates are announced to the followers of a coverage, and when.

create type public.alert_channel as enum ('push', 'mail');

-- One message to the followers of a coverage in one scope over one channel. A coverage, scope and channel form a
-- stream, which is limited to one alert per interval.
create table public.alerts (
  id uuid primary key default gen_random_uuid(),
  coverage_id uuid not null references public.coverages (id),
  scope public.follow_scope not null,
  channel public.alert_channel not null,
  updates uuid[] not null,
  urgent boolean not null,
  due_at timestamptz not null,
  -- Latest time to which new updates may postpone the alert.
  latest_at timestamptz not null,
  -- When delivery began, the last person for whom deliveries were created, and when all of them existed.
  started_at timestamptz,
  last_person_id uuid,
  deliveries_created_at timestamptz
);
create index alerts_stream on public.alerts (coverage_id, scope, channel, due_at);
create index alerts_due on public.alerts (due_at) where deliveries_created_at is null;
create index alerts_old on public.alerts (due_at);
alter table public.alerts enable row level security;

-- ---- Creating alerts ----

-- Whether a coverage or one of its topics has followers in this scope and channel.
create function private.has_followers(coverage uuid, stream_scope public.follow_scope, delivery_channel public.alert_channel) returns boolean
language plpgsql stable set search_path = '' set enable_seqscan = off as $$
begin
  if delivery_channel = 'push' then
    return exists (select from public.follows f where f.coverage_id = coverage and f.scope = stream_scope and f.push)
      or exists (select from public.coverage_topics t join public.follows f on f.topic_id = t.topic_id
        where t.coverage_id = coverage and f.scope = stream_scope and f.push);
  end if;
  return exists (select from public.follows f where f.coverage_id = coverage and f.scope = stream_scope and f.mail)
    or exists (select from public.coverage_topics t join public.follows f on f.topic_id = t.topic_id
      where t.coverage_id = coverage and f.scope = stream_scope and f.mail);
end $$;

-- Time between two alerts of a stream.
create function private.alert_interval(delivery_channel public.alert_channel) returns interval
language sql immutable return make_interval(mins => private.get_limit(case delivery_channel when 'push'
  then 'alert_minutes' else 'digest_minutes' end));

-- Whole seconds until a time; 0 if it has passed.
create function private.seconds_until(at timestamptz) returns integer
language sql stable set search_path = '' as $$
  select greatest(ceil(extract(epoch from at - clock_timestamp())), 0)::integer where at is not null
$$;

-- Adds an update to the waiting alert of a stream, or creates the next alert. A waiting alert is postponed a
-- little, so that each update can be undone; urgent updates are not postponed. Returns when the alert is due. The
-- caller has locked the coverage.
create function private.add_to_stream(item public.updates, stream_scope public.follow_scope,
  delivery_channel public.alert_channel) returns timestamptz
language plpgsql volatile set search_path = '' as $$
declare
  postponement constant interval := make_interval(secs => private.get_limit('alert_hold_seconds'));
  earliest constant timestamptz := clock_timestamp() + postponement;
  is_urgent constant boolean := item.urgency = 'urgent';
  newest public.alerts;
  overdue boolean;
  due timestamptz;
begin
  -- A later due time than the next alert's can only come from a clock that was ahead. Such an alert is sent now.
  update public.alerts a set due_at = earliest, latest_at = earliest + postponement
  where a.coverage_id = item.coverage_id and a.scope = stream_scope and a.channel = delivery_channel and a.started_at is null
    and a.due_at > earliest + private.alert_interval(delivery_channel);
  select * into newest from public.alerts a
  where a.coverage_id = item.coverage_id and a.scope = stream_scope and a.channel = delivery_channel
    and a.due_at <= earliest + private.alert_interval(delivery_channel)
    and (a.started_at is null or a.started_at <= earliest)
  order by a.due_at desc limit 1;
  -- Waits a moment for an alert that has just been claimed. If it stays locked, it is delivered without this
  -- update.
  if newest.started_at is null then
    begin
      select * into newest from public.alerts a where a.id = newest.id for update;
    exception when lock_not_available then newest.started_at := clock_timestamp();
    end;
  end if;
  -- An overdue alert that is not being delivered can be postponed once more.
  overdue := newest.latest_at < clock_timestamp();
  if newest.started_at is null and (overdue or earliest <= newest.latest_at) then
    due := case when is_urgent then earliest else greatest(newest.due_at, earliest) end;
    update public.alerts a set updates = a.updates || item.id, urgent = a.urgent or is_urgent, due_at = due,
      latest_at = case when is_urgent then due when overdue then due + postponement else a.latest_at end
    where a.id = newest.id;
    return due;
  end if;
  due := case when is_urgent then earliest else greatest(earliest, coalesce(newest.started_at,
    newest.due_at) + private.alert_interval(delivery_channel)) end;
  insert into public.alerts (coverage_id, scope, channel, updates, urgent, due_at, latest_at)
    values (item.coverage_id, stream_scope, delivery_channel, array[item.id], is_urgent, due, case when is_urgent
      then due else due + postponement end);
  return due;
end $$;

-- Runs at the end of a transaction that published an update. Imported and old updates create no alerts. A failure
-- is only logged, because it must not prevent the publication.
create function private.alert_followers() returns trigger
language plpgsql security definer set search_path = '' set lock_timeout = '500ms' as $$
declare
  item public.updates;
  first_due timestamptz;
begin
  select * into item from public.updates u where u.id = new.update_id and u.state = 'published'
    and u.published_at > now() - make_interval(mins => private.get_limit('alert_fresh_minutes'))
    and not (u.author is null and u.created_at = u.published_at);
  if item.id is null then return null; end if;
  select min(private.add_to_stream(item, s.scope, s.channel)) into first_due
  from (values ('all'::public.follow_scope, 'push'::public.alert_channel), ('all', 'mail'), ('key', 'push'), ('key', 'mail')) s(scope, channel)
  where (s.scope = 'all' or item.key_event or item.urgency = 'urgent') and private.has_followers(item.coverage_id, s.scope, s.channel);
  if first_due is not null then
    perform private.broadcast('site', 'alerts', jsonb_build_object('due', private.seconds_until(first_due)));
  end if;
  return null;
exception when others then
  raise warning 'Alerts for update % could not be created: %', new.update_id, sqlerrm;
  return null;
end $$;
create constraint trigger alert_followers after insert on public.coverage_changes
  deferrable initially deferred for each row when (new.kind = 'publication') execute function private.alert_followers();
