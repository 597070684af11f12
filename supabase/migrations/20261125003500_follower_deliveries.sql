-- Deliveries to followers with and without an account. The functions are those of the deliveries migration, for
-- followers instead of people. The mails with the links of follow_requests are handed out here too.

drop function private.follows_of(uuid, uuid, public.alert_channel);
-- Follows through which a follower gets alerts of a coverage over a channel.
create function private.follows_of(follower uuid, coverage uuid, delivery_channel public.alert_channel) returns setof public.follows
language sql stable set search_path = '' rows 1 as $$
  select f.* from public.follows f where f.coverage_id = coverage and f.follower_id = follower
    and case delivery_channel when 'push' then f.push else f.mail end
  union all
  select f.* from public.coverage_topics t join public.follows f on f.topic_id = t.topic_id and f.follower_id = follower
  where t.coverage_id = coverage and case delivery_channel when 'push' then f.push else f.mail end
$$;

-- The next receivers of an alert in the order of their ids.
create or replace function private.next_followers(alert public.alerts, max_rows integer) returns setof uuid
language plpgsql stable set search_path = '' set enable_seqscan = off set enable_sort = on as $$
declare
  delivery_channel text := alert.channel::text;
  after_follower uuid := coalesce(alert.last_follower_id, '00000000-0000-0000-0000-000000000000');
begin
  return query execute format('
    select distinct n.follower_id from (
      (select f.follower_id from public.follows f
        where f.coverage_id = $1 and f.scope = $2 and f.%1$I and f.follower_id > $3 order by f.follower_id limit $4)
      union all
      select o.follower_id from public.coverage_topics t, lateral (select f.follower_id from public.follows f
        where f.topic_id = t.topic_id and f.scope = $2 and f.%1$I and f.follower_id > $3 order by f.follower_id limit $4) o
        where t.coverage_id = $1) n
    order by n.follower_id limit $4', delivery_channel) using alert.coverage_id, alert.scope, after_follower, max_rows;
end $$;

-- Creates deliveries of the due alerts of a channel, urgent ones first, until there are about `max_rows`. Returns their
-- number.
create or replace function private.create_deliveries(delivery_channel public.alert_channel, max_rows integer) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  batch constant integer := least(private.get_limit('delivery_batch_people'), greatest(max_rows, 1));
  alert public.alerts;
  follower_ids uuid[];
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
    follower_ids := array(select private.next_followers(alert, batch));
    insert into public.deliveries (alert_id, follower_id, channel, subscription_id)
      select alert.id, w.id, alert.channel, d.subscription_id
      from public.followers w left join public.people p on p.id = w.person_id cross join lateral (
        select s.id as subscription_id from public.push_subscriptions s where alert.channel = 'push' and s.follower_id = w.id
        union all select null where alert.channel = 'mail') d
      -- Followers in both scopes get everything from the other stream.
      where w.id = any (follower_ids) and coalesce(p.active, true) and (alert.scope = 'all' or not exists (
        select from private.follows_of(w.id, alert.coverage_id, alert.channel) f where f.scope = 'all'))
      -- A follower that is being deleted gets nothing.
      for key share of w skip locked
    on conflict do nothing;
    get diagnostics inserted = row_count;
    remaining := remaining - inserted;
    update public.alerts a set last_follower_id = coalesce(follower_ids[cardinality(follower_ids)], a.last_follower_id),
      deliveries_created_at = case when cardinality(follower_ids) < batch then now() end
    where a.id = alert.id;
  end loop;
  return max_rows - remaining;
end $$;

-- Content of these deliveries, which the caller has locked. `content` is null if a delivery is not to be sent any
-- more. Each alert is read once for all its deliveries.
create or replace function private.delivery_contents(delivery_ids uuid[])
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
    select h.id, h.channel, t.id as alert_id, t.coverage_id, t.language, t.coverage, f.since, f.key_since, w.id as follower_id, w.person_id,
      coalesce(w.email, u.email) as email, s.push,
      array(select already_sent from other_scope_alerts r join public.deliveries o on o.alert_id = r.other_alert_id and o.follower_id = h.follower_id
          and o.subscription_id is not distinct from h.subscription_id and o.state in ('sending', 'sent', 'unclear'),
        unnest(o.updates) already_sent where r.alert_id = t.id) as already_sent
    from claimed h join current_alerts t on t.id = h.alert_id
    join public.followers w on w.id = h.follower_id
    left join public.people p on p.id = w.person_id and p.active
    left join auth.users u on u.id = p.id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
    cross join lateral (
      select min(o.created_at) filter (where o.scope = 'all') as since, min(o.created_at) as key_since
      from private.follows_of(h.follower_id, t.coverage_id, h.channel) o) f
    left join lateral (
      select jsonb_build_object('endpoint', s.endpoint, 'p256dh', s.p256dh, 'auth', s.auth) as push
      from public.push_subscriptions s
      where s.id = h.subscription_id and s.follower_id = h.follower_id and private.is_push_endpoint(s.endpoint)) s on true
    where (w.person_id is null or u.id is not null)
      and case h.channel when 'push' then s.push is not null else w.email is not null or (u.email <> '' and u.email_confirmed_at is not null) end),
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
        select jsonb_build_object('to', r.email, 'account', r.person_id is not null, 'stop', o.unsubscribe_secret, 'follow',
          private.follow_target(o.coverage_id, o.topic_id))
        from private.follows_of(r.follower_id, r.coverage_id, r.channel) o
        order by o.scope, o.coverage_id is null, o.created_at limit 1) end) end
  from claimed h left join receivers r on r.id = h.id
  left join lateral (
    select w.ids, w.urgent, w.texts from eligibility e join full_content w on w.alert_id = r.alert_id where e.id = r.id and e.of_all
    union all
    select o.ids, o.urgent, o.texts from partial_content o where o.id = r.id) n on true;
end $$;

-- Marks deliveries as being sent, immediately before sending. Returns those that may be sent. Those with an expired
-- lease are omitted; those with content that changed since the claim are queued again.
create or replace function public.begin_deliveries(ids uuid[]) returns uuid[]
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
    and coalesce((select w.person_id is null or (p.active and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now()))
      from public.followers w left join public.people p on p.id = w.person_id left join auth.users u on u.id = w.person_id
      where w.id = d.follower_id), false)
    and coalesce((select private.is_public(c.state) and (
        select count(*) > 0 from private.follows_of(d.follower_id, a.coverage_id, d.channel))
      from public.alerts a join public.coverages c on c.id = a.coverage_id where a.id = d.alert_id), false)
    and (d.channel = 'mail' or coalesce((select s.follower_id = d.follower_id from public.push_subscriptions s where s.id = d.subscription_id), false)));
  update public.deliveries d set sending_started_at = now(), attempts = d.attempts + 1,
    lease_expires_at = now() + make_interval(secs => private.get_limit('delivery_lease_seconds'))
  where d.id = any (delivery_ids) and d.state = 'sending';
  return array(select d.id from public.deliveries d where d.id = any (delivery_ids) and d.state = 'sending');
end $$;

-- Records results: [{id, outcome, retry_after?, error?}]. Outcomes: `sent`; `again` (retry while attempts are
-- left); `gone` (the device no longer exists); `refused` (permanent). Returns {sent, again, gone, failed}.
create or replace function public.record_deliveries(results jsonb) returns jsonb
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
    if outcome = 'gone' then
      delete from public.push_subscriptions s where s.id = existing.subscription_id;
      -- A device without an account follows nothing once it is gone.
      delete from public.follows f using public.followers w
      where w.id = existing.follower_id and f.follower_id = w.id and w.person_id is null and w.email is null;
    end if;
    if outcome = 'sent' then update public.push_subscriptions s set last_notified_at = now() where s.id = existing.subscription_id; end if;
    counts := counts || jsonb_build_object(outcome, (counts ->> outcome)::integer + 1);
  end loop;
  return counts;
end $$;

-- Seconds until something is to be sent, 0 for now, null for nothing.
create or replace function public.alerts_due() returns integer
language sql stable security definer set search_path = '' as $$
  select private.seconds_until(least(
    (select min(a.due_at) from public.alerts a where a.deliveries_created_at is null),
    (select min(d.due_at) from public.deliveries d where d.state = 'queued' and d.channel = 'push'),
    (select min(d.due_at) from public.deliveries d where d.state = 'queued' and d.channel = 'mail'),
    (select min(d.lease_expires_at) from public.deliveries d where d.state = 'sending'),
    (select min(r.due_at) from private.follow_requests r where r.due_at is not null)))
$$;

-- ---- Links that confirm an address ----

-- Hands out at most `max_rows` requests, each with a new token: [{id, token, to, scope, language, site: {name}, follow:
-- {kind, slug, name}}]. A request is handed out once, unless retry_follow_requests() names it: a mail too few is possible,
-- one too many is not.
create function public.claim_follow_requests(max_rows integer) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  request private.follow_requests;
  token text;
  claimed jsonb := '[]';
begin
  for request in select * from private.follow_requests r where r.due_at <= now() order by r.due_at
    limit least(greatest(coalesce(max_rows, 0), 0), private.get_limit('delivery_batch')) for update skip locked loop
    token := private.new_secret();
    update private.follow_requests r set due_at = null, attempts = r.attempts + 1, token_hash = private.sha256_hex(token) where r.id = request.id;
    claimed := claimed || (select jsonb_build_object('id', request.id, 'token', token, 'to', request.email, 'scope', request.scope,
        'language', coalesce(c.language, s.language), 'site', jsonb_build_object('name', s.name),
        'follow', private.follow_target(request.coverage_id, request.topic_id))
      from public.site s left join public.coverages c on c.id = request.coverage_id);
  end loop;
  return claimed;
end $$;

-- Hands requests out again later, whose mails the mail server did not accept, while attempts are left.
create function public.retry_follow_requests(ids uuid[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_variable
begin
  update private.follow_requests r set due_at = now() + private.retry_after(r.attempts, null)
  where r.id = any (ids) and r.due_at is null and r.confirmed_at is null and r.attempts < private.get_limit('delivery_attempts');
end $$;

grant execute on function public.claim_follow_requests, public.retry_follow_requests to service_role;
