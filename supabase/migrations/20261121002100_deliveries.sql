-- Deliveries of alerts: to which followers, with which content, and that each is notified once.

create type public.delivery_state as enum ('queued', 'sending', 'sent', 'failed', 'dropped', 'unclear');

-- An alert for one person, by e-mail or on one device.
create table public.deliveries (
  id uuid primary key default gen_random_uuid(),
  alert_id uuid not null references public.alerts (id),
  person_id uuid not null references public.people (id),
  channel public.alert_channel not null,
  -- The subscription may have been deleted since.
  subscription_id uuid,
  state public.delivery_state not null default 'queued',
  attempts smallint not null default 0,
  due_at timestamptz not null default now(),
  -- The updates in the claimed message, when it was claimed, and the end of the lease.
  updates uuid[],
  claimed_at timestamptz,
  lease_expires_at timestamptz,
  -- When the transport reported that it was about to send.
  sending_started_at timestamptz,
  sent_at timestamptz,
  error text,
  unique nulls not distinct (alert_id, person_id, subscription_id),
  constraint push_has_device check ((channel = 'push') = (subscription_id is not null)),
  constraint leased_while_sending check ((state = 'sending') = (lease_expires_at is not null))
);
create index deliveries_due on public.deliveries (channel, due_at) where state = 'queued';
create index deliveries_leased on public.deliveries (lease_expires_at) where state = 'sending';
create index deliveries_person on public.deliveries (person_id);
alter table public.deliveries enable row level security;

-- ---- Creating deliveries ----

-- Whether an update of the alert is still published.
create function private.has_published_update(alert public.alerts) returns boolean
language sql stable set search_path = '' as $$
  select exists (select from public.updates u join public.coverages c on c.id = u.coverage_id
    where u.id = any (alert.updates) and u.state = 'published' and private.is_public(c.state))
$$;

-- Begins the delivery of a due alert with the updates that are still published; deletes it if there are none. An
-- alert that was early for an urgent update waits for its interval again if that update is gone.
create function private.begin_alert(alert public.alerts) returns public.alerts
language plpgsql volatile set search_path = '' as $$
declare
  remaining uuid[];
  still_urgent boolean;
  next_slot timestamptz;
begin
  select array_agg(u.id order by u.number), bool_or(u.urgency = 'urgent') into remaining, still_urgent
  from public.updates u join public.coverages c on c.id = u.coverage_id
  where u.id = any (alert.updates) and u.state = 'published' and private.is_public(c.state)
    and (alert.scope = 'all' or u.key_event or u.urgency = 'urgent')
    and alert.due_at > now() - make_interval(hours => private.get_limit('alert_stale_hours'));
  if remaining is null then
    delete from public.alerts a where a.id = alert.id;
    return null;
  end if;
  if alert.urgent and not still_urgent then
    select a.started_at + private.alert_interval(a.channel) into next_slot from public.alerts a
    where a.coverage_id = alert.coverage_id and a.scope = alert.scope and a.channel = alert.channel and a.started_at is not null
    order by a.due_at desc limit 1;
  end if;
  update public.alerts a set updates = remaining, urgent = still_urgent,
    started_at = case when next_slot > now() then null else now() end,
    due_at = case when next_slot > now() then next_slot else a.due_at end, latest_at = case when next_slot > now() then next_slot else a.latest_at end
  where a.id = alert.id returning * into alert;
  return case when alert.started_at is not null then alert end;
end $$;

-- Follows through which a person gets alerts of a coverage over a channel.
create function private.follows_of(person uuid, coverage uuid, delivery_channel public.alert_channel) returns setof public.follows
language sql stable set search_path = '' rows 1 as $$
  select f.* from public.follows f where f.coverage_id = coverage and f.person_id = person
    and case delivery_channel when 'push' then f.push else f.mail end
  union all
  select f.* from public.coverage_topics t join public.follows f on f.topic_id = t.topic_id and f.person_id = person
  where t.coverage_id = coverage and case delivery_channel when 'push' then f.push else f.mail end
$$;

-- The next receivers of an alert in the order of their ids.
create function private.next_followers(alert public.alerts, max_rows integer) returns setof uuid
language plpgsql stable set search_path = '' set enable_seqscan = off set enable_sort = on as $$
declare
  delivery_channel text := alert.channel::text;
  after_person uuid := coalesce(alert.last_person_id, '00000000-0000-0000-0000-000000000000');
begin
  return query execute format('
    select distinct n.person_id from (
      (select f.person_id from public.follows f
        where f.coverage_id = $1 and f.scope = $2 and f.%1$I and f.person_id > $3 order by f.person_id limit $4)
      union all
      select o.person_id from public.coverage_topics t, lateral (select f.person_id from public.follows f
        where f.topic_id = t.topic_id and f.scope = $2 and f.%1$I and f.person_id > $3 order by f.person_id limit $4) o
        where t.coverage_id = $1) n
    order by n.person_id limit $4', delivery_channel) using alert.coverage_id, alert.scope, after_person, max_rows;
end $$;

-- Creates deliveries of the due alerts of a channel, urgent ones first, until there are about `max_rows`. Returns their
-- number.
create function private.create_deliveries(delivery_channel public.alert_channel, max_rows integer) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  batch constant integer := least(private.get_limit('delivery_batch_people'), greatest(max_rows, 1));
  alert public.alerts;
  person_ids uuid[];
  inserted integer;
  remaining integer := max_rows;
begin
  for round in 1 .. 20 loop
    exit when remaining <= 0;
    select * into alert from public.alerts a where a.deliveries_created_at is null and a.due_at <= now() and a.channel = delivery_channel
    order by a.urgent desc, a.due_at, a.id limit 1 for update skip locked;
    exit when alert.id is null;
    if alert.started_at is null then
      alert := private.begin_alert(alert);
      continue when alert.id is null;
    elsif not private.has_published_update(alert) then
      update public.alerts a set deliveries_created_at = now() where a.id = alert.id;
      continue;
    end if;
    person_ids := array(select private.next_followers(alert, batch));
    insert into public.deliveries (alert_id, person_id, channel, subscription_id)
      select alert.id, p.id, alert.channel, d.subscription_id
      from public.people p cross join lateral (
        select s.id as subscription_id from public.push_subscriptions s where alert.channel = 'push' and s.person_id = p.id
        union all select null where alert.channel = 'mail') d
      -- People who follow in both scopes get everything from the other stream.
      where p.id = any (person_ids) and p.active and (alert.scope = 'all' or not exists (
        select from private.follows_of(p.id, alert.coverage_id, alert.channel) f where f.scope = 'all'))
    on conflict do nothing;
    get diagnostics inserted = row_count;
    remaining := remaining - inserted;
    update public.alerts a set last_person_id = coalesce(person_ids[cardinality(person_ids)], a.last_person_id),
      deliveries_created_at = case when cardinality(person_ids) < batch then now() end
    where a.id = alert.id;
  end loop;
  return max_rows - remaining;
end $$;

-- Ends expired leases. A delivery that was not begun is queued again, and so is a push message, which the receiving
-- device recognises as the same. An e-mail may have been sent, so it is not sent again.
create function private.release_expired_leases(max_rows integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  update public.deliveries d set lease_expires_at = null,
    state = case when d.sending_started_at is null then 'queued' when d.channel = 'mail' then 'unclear'
      when d.attempts >= private.get_limit('delivery_attempts') then 'failed' else 'queued' end::public.delivery_state
  where d.id in (select o.id from public.deliveries o where o.state = 'sending' and o.lease_expires_at <= now()
    order by o.lease_expires_at limit max_rows for update skip locked);
end $$;

-- ---- Content of deliveries ----

-- An update as an alert shows it: the newest published text in one line.
create function private.alert_update(source public.updates) returns jsonb
language plpgsql stable set search_path = '' as $$
declare excerpt text := private.trim_text(regexp_replace(coalesce(private.body_text(source.body), ''), '[ \n]+', ' ', 'g'));
begin
  if char_length(excerpt) > private.get_limit('alert_text') then
    excerpt := regexp_replace(left(excerpt, private.get_limit('alert_text') - 1), ' [^ ]{0,30}$', '') || '…';
  end if;
  return jsonb_build_object('number', source.number, 'headline', source.headline, 'text', excerpt, 'key_event', source.key_event,
    'urgency', source.urgency, 'published_at', source.published_at);
end $$;

-- Content of these deliveries, which the caller has locked. `content` is null if a delivery is not to be sent any
-- more. Each alert is read once for all its deliveries.
create function private.delivery_contents(delivery_ids uuid[])
returns table (id uuid, updates uuid[], content jsonb)
-- plpgsql instead of sql, because its query is planned once per session.
language plpgsql stable set search_path = '' as $$
#variable_conflict use_column
declare
  site jsonb := (select jsonb_build_object('name', s.name, 'language', s.language) from public.site s);
  oldest_due constant timestamptz := now() - make_interval(hours => private.get_limit('alert_stale_hours'));
begin
  return query
  with claimed as materialized (select d.* from public.deliveries d where d.id = any (delivery_ids)),
  current_alerts as materialized (
    -- A push message has room for one update.
    select a.id, a.coverage_id, a.scope, a.channel, a.updates, case a.channel when 'push' then 1 else private.get_limit('alert_updates') end as max_updates,
      c.language, jsonb_build_object('slug', c.slug, 'headline', c.headline, 'time_zone', c.time_zone) as coverage
    from (select distinct h.alert_id from claimed h) one join public.alerts a on a.id = one.alert_id
    join public.coverages c on c.id = a.coverage_id
    where private.is_public(c.state) and a.due_at > oldest_due),
  items as materialized (
    select t.id as alert_id, u.id, u.number, u.published_at, u.urgency, u.key_event or u.urgency = 'urgent' as is_key, t.max_updates, u as update_row
    from current_alerts t cross join lateral unnest(t.updates) one(id) join public.updates u on u.id = one.id
    where u.state = 'published' and (t.scope = 'all' or u.key_event or u.urgency = 'urgent')),
  -- The content for most followers. Followers who get only a part of it are handled below.
  full_content as materialized (
    select n.alert_id, array_agg(n.id) as ids, bool_or(n.urgency = 'urgent') as urgent, min(n.published_at) as since,
      min(n.published_at) filter (where not n.is_key) as other_since,
      jsonb_agg(private.alert_update(n.update_row) order by n.number desc) filter (where n.nth <= n.max_updates) as texts
    from (select w.*, row_number() over (partition by w.alert_id order by w.number desc) as nth from items w) n group by n.alert_id),
  -- Alerts of the other scope with the same updates: a follower who changes the scope in between is notified once.
  other_scope_alerts as materialized (
    select t.id as alert_id, r.id as other_alert_id from current_alerts t join public.alerts r
      on r.coverage_id = t.coverage_id and r.channel = t.channel and r.scope <> t.scope and r.updates && t.updates),
  receivers as materialized (
    select h.id, h.channel, t.id as alert_id, t.coverage_id, t.language, t.coverage, f.since, f.key_since, p.id as person_id, p.display_name,
      u.email, s.push,
      array(select already_sent from other_scope_alerts r join public.deliveries o on o.alert_id = r.other_alert_id and o.person_id = h.person_id
          and o.subscription_id is not distinct from h.subscription_id and o.state in ('sending', 'sent', 'unclear'),
        unnest(o.updates) already_sent where r.alert_id = t.id) as already_sent
    from claimed h join current_alerts t on t.id = h.alert_id
    join public.people p on p.id = h.person_id and p.active
    join auth.users u on u.id = h.person_id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
    cross join lateral (
      select min(o.created_at) filter (where o.scope = 'all') as since, min(o.created_at) as key_since
      from private.follows_of(h.person_id, t.coverage_id, h.channel) o) f
    left join lateral (
      select jsonb_build_object('endpoint', s.endpoint, 'p256dh', s.p256dh, 'auth', s.auth) as push
      from public.push_subscriptions s
      where s.id = h.subscription_id and s.person_id = h.person_id and private.is_push_endpoint(s.endpoint)) s on true
    where case h.channel when 'push' then s.push is not null else u.email <> '' and u.email_confirmed_at is not null end),
  eligibility as materialized (
    select r.id, r.already_sent = '{}' and r.key_since <= w.since and (w.other_since is null or r.since <= w.other_since) as of_all
    from receivers r join full_content w on w.alert_id = r.alert_id),
  partial_content as materialized (
    select n.id, array_agg(n.update_id) as ids, bool_or(n.urgency = 'urgent') as urgent,
      jsonb_agg(private.alert_update(n.update_row) order by n.number desc) filter (where n.nth <= n.max_updates) as texts
    from (select r.id, w.id as update_id, w.urgency, w.number, w.max_updates, w.update_row,
      row_number() over (partition by r.id order by w.number desc) as nth
      from eligibility e join receivers r on r.id = e.id join items w on w.alert_id = r.alert_id
      where e.of_all is not true and w.published_at >= case when w.is_key then r.key_since else r.since end and w.id <> all (r.already_sent)) n
    group by n.id)
  select h.id, n.ids, case when n.ids is not null then jsonb_build_object('id', h.id, 'channel', r.channel, 'alert', r.alert_id,
      'urgent', n.urgent, 'language', r.language, 'site', site, 'coverage', r.coverage, 'updates', n.texts, 'total', cardinality(n.ids),
      'push', r.push, 'mail', case when r.channel = 'mail' then (
        select jsonb_build_object('to', r.email, 'name', r.display_name, 'stop', o.unsubscribe_secret, 'follow',
          private.follow_target(o.coverage_id, o.topic_id))
        from private.follows_of(r.person_id, r.coverage_id, r.channel) o
        order by o.scope, o.coverage_id is null, o.created_at limit 1) end) end
  from claimed h left join receivers r on r.id = h.id
  left join lateral (
    select w.ids, w.urgent, w.texts from eligibility e join full_content w on w.alert_id = r.alert_id where e.id = r.id and e.of_all
    union all
    select o.ids, o.urgent, o.texts from partial_content o where o.id = r.id) n on true;
end $$;

-- ---- Sending ----

-- Claims at most `max_rows` deliveries for `delivery_lease_seconds`. Returns an array of {id, channel, alert, urgent,
-- language, site: {name, language}, coverage: {slug, headline, time_zone}, updates: [{number, headline, text,
-- key_event, urgency, published_at}] (newest first; one for push), total, push: {endpoint, p256dh, auth} | null,
-- mail: {to, name, stop, follow: {kind, slug, name}} | null}.
-- Deliveries are dropped if the update was withdrawn, the follow ended or the person was deactivated.
create function public.claim_deliveries(max_rows integer default 200) returns jsonb
language plpgsql volatile security definer set search_path = '' set enable_seqscan = off as $$
#variable_conflict use_variable
declare
  batch_size constant integer := least(greatest(coalesce(max_rows, 0), 0), private.get_limit('delivery_batch'));
  waiting integer := 0;
  delivery_channel public.alert_channel;
  claimed uuid[];
  contents jsonb;
begin
  -- Push before mail: a slow mail server must not delay push messages. People are locked before deliveries, as in
  -- account deletion.
  foreach delivery_channel in array enum_range(null::public.alert_channel) loop
    exit when waiting >= batch_size;
    waiting := waiting + (select count(*) from (
      select from public.deliveries d where d.state = 'queued' and d.channel = delivery_channel and d.due_at <= now() limit batch_size) q);
    if waiting < batch_size then waiting := waiting + private.create_deliveries(delivery_channel, batch_size - waiting); end if;
  end loop;
  perform private.release_expired_leases(batch_size);
  -- If all claimed deliveries were dropped, others may be waiting.
  for round in 1 .. 3 loop
    claimed := array(select d.id from public.deliveries d where d.state = 'queued' and d.due_at <= now()
      order by d.channel, d.due_at limit batch_size for update skip locked);
    with ready as materialized (select * from private.delivery_contents(claimed)),
    claimed_rows as (
      update public.deliveries d set updates = r.updates, sending_started_at = null,
        state = case when r.content is null then 'dropped' else 'sending' end::public.delivery_state,
        claimed_at = case when r.content is not null then now() end,
        lease_expires_at = case when r.content is not null then now() + make_interval(secs => private.get_limit('delivery_lease_seconds')) end
      from ready r where r.id = d.id)
    select coalesce(jsonb_agg(r.content), '[]') into contents from ready r where r.content is not null;
    exit when contents <> '[]' or claimed = '{}';
  end loop;
  return contents;
end $$;

-- Marks deliveries as being sent, immediately before sending. Returns those that may be sent. Those with an expired
-- lease are omitted; those with content that changed since the claim are queued again.
create function public.begin_deliveries(ids uuid[]) returns uuid[]
language plpgsql volatile security definer set search_path = '' set enable_seqscan = off as $$
#variable_conflict use_variable
declare
  delivery_ids uuid[];
  changed_updates uuid[];
begin
  delivery_ids := array(select d.id from public.deliveries d
    where d.id = any (ids) and d.state = 'sending' and d.sending_started_at is null and d.lease_expires_at > now() order by d.id for update);
  changed_updates := array(select o.id from (select distinct unnest(d.updates) as id, d.claimed_at
    from public.deliveries d where d.id = any (delivery_ids)) o
    where not coalesce((select u.state = 'published' and coalesce(u.revised_at <= o.claimed_at, true)
      from public.updates u where u.id = o.id), false));
  -- One lookup for each delivery: with `exists` the planner may read the whole table first.
  update public.deliveries d set state = 'queued', lease_expires_at = null
  where d.id = any (delivery_ids) and not (not d.updates && changed_updates
    and coalesce((select p.active from public.people p where p.id = d.person_id), false)
    and coalesce((select u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
      from auth.users u where u.id = d.person_id), false)
    and coalesce((select private.is_public(c.state) and (
        select count(*) > 0 from private.follows_of(d.person_id, a.coverage_id, d.channel))
      from public.alerts a join public.coverages c on c.id = a.coverage_id where a.id = d.alert_id), false)
    and (d.channel = 'mail' or coalesce((select s.person_id = d.person_id from public.push_subscriptions s where s.id = d.subscription_id), false)));
  update public.deliveries d set sending_started_at = now(), attempts = d.attempts + 1,
    lease_expires_at = now() + make_interval(secs => private.get_limit('delivery_lease_seconds'))
  where d.id = any (delivery_ids) and d.state = 'sending';
  return array(select d.id from public.deliveries d where d.id = any (delivery_ids) and d.state = 'sending');
end $$;

-- Time until the next attempt: 1, 5, 15 and 60 minutes, with a fifth of random spread, or as long as the other side
-- asked for, within limits.
create function private.retry_after(attempts integer, requested_seconds numeric) returns interval
language sql volatile set search_path = '' as $$
  select greatest((array[interval '1 minute', '5 minutes', '15 minutes', '60 minutes'])[least(greatest(attempts, 1), 4)] * (0.8 + 0.4 * random()),
    make_interval(secs => least(greatest(coalesce(requested_seconds, 0), 0), private.get_limit('delivery_retry_hours') * 3600)))
$$;

-- Records results: [{id, outcome, retry_after?, error?}]. Outcomes: `sent`; `again` (retry while attempts are
-- left); `gone` (the device no longer exists); `refused` (permanent). Returns {sent, again, gone, failed}.
create function public.record_deliveries(results jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  result jsonb;
  existing public.deliveries;
  outcome text;
  counts jsonb := '{"sent": 0, "again": 0, "gone": 0, "failed": 0}';
begin
  for result in select value from jsonb_array_elements(results) order by value ->> 'id' loop
    outcome := result ->> 'outcome';
    select * into existing from public.deliveries d where d.id = private.to_uuid(result ->> 'id') and d.attempts > 0 for update;
    -- A successful delivery is recorded even if it is reported late. Other outcomes count only during the lease.
    continue when not case when outcome = 'sent' then existing.state in ('sending', 'queued', 'unclear') else existing.state = 'sending' end
      or existing.id is null;
    if outcome = 'again' and existing.attempts >= private.get_limit('delivery_attempts') then outcome := 'failed'; end if;
    if outcome = 'refused' or (outcome = 'gone' and existing.channel = 'mail') then outcome := 'failed'; end if;
    continue when not counts ? outcome;
    update public.deliveries d set lease_expires_at = null, error = left(result ->> 'error', private.get_limit('alert_text')),
      state = case outcome when 'sent' then 'sent' when 'again' then 'queued' when 'gone' then 'dropped' else 'failed' end::public.delivery_state,
      sent_at = case outcome when 'sent' then now() end,
      due_at = case outcome when 'again' then now() + private.retry_after(d.attempts,
        case jsonb_typeof(result -> 'retry_after') when 'number' then (result ->> 'retry_after')::numeric end) else d.due_at end
    where d.id = existing.id;
    if outcome = 'gone' then delete from public.push_subscriptions s where s.id = existing.subscription_id; end if;
    if outcome = 'sent' then update public.push_subscriptions s set last_notified_at = now() where s.id = existing.subscription_id; end if;
    counts := counts || jsonb_build_object(outcome, (counts ->> outcome)::integer + 1);
  end loop;
  return counts;
end $$;

-- Seconds until something is to be sent, 0 for now, null for nothing.
create function public.alerts_due() returns integer
language sql stable security definer set search_path = '' as $$
  select private.seconds_until(least(
    (select min(a.due_at) from public.alerts a where a.deliveries_created_at is null),
    (select min(d.due_at) from public.deliveries d where d.state = 'queued' and d.channel = 'push'),
    (select min(d.due_at) from public.deliveries d where d.state = 'queued' and d.channel = 'mail'),
    (select min(d.lease_expires_at) from public.deliveries d where d.state = 'sending')))
$$;

-- ---- Deletion ----

-- Deletes follows, deliveries and subscriptions of a deleted account.
create function private.delete_follower_data(person uuid) returns void
language plpgsql volatile set search_path = '' as $$
begin
  delete from public.follows f where f.person_id = person;
  -- The lock order of record_deliveries(): deliveries by id, then push subscriptions.
  perform from public.deliveries d where d.person_id = person order by d.id for update;
  delete from public.deliveries d where d.person_id = person;
  delete from public.push_subscriptions s where s.person_id = person;
  update public.photos p set uploaded_by = null where p.uploaded_by = person and p.tip_id is not null;
  update public.tips t set sender = null where t.sender = person;
end $$;

-- Deletes old alerts, `max_rows` deliveries at a time.
create function private.delete_old_alerts(max_rows integer) returns void
language plpgsql volatile set search_path = '' as $$
declare
  old constant timestamptz := now() - make_interval(days => private.get_limit('deliveries_days'));
begin
  delete from public.deliveries d where d.id in (
    select o.id from public.alerts a join public.deliveries o on o.alert_id = a.id where a.due_at < old order by a.due_at limit max_rows);
  delete from public.alerts a where a.due_at < old and not exists (select from public.deliveries d where d.alert_id = a.id);
  delete from private.stopped_follows s where s.at < now() - make_interval(days => private.get_limit('unsubscribe_link_days'));
end $$;

-- Deliveries are updated several times. Embedded databases have no autovacuum.
select cron.schedule('vacuum-deliveries', '29 * * * *', 'vacuum public.deliveries');
select cron.schedule('delete-old-alerts', '*/5 * * * *', 'select private.delete_old_alerts(2000)');

-- ---- Execute rights ----

grant execute on function public.claim_deliveries, public.begin_deliveries, public.record_deliveries,
  public.alerts_due to service_role;
