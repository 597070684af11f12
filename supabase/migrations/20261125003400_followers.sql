-- Followers: alerts also without an account.
--
-- A follower receives alerts. It is one of three things: a person with an account, a confirmed e-mail address, or a
-- device. The same follows, alerts and deliveries serve all of them.
--
-- A device without an account proves itself by its push subscription: the key `auth` in it is a random secret of 128
-- bits that only the browser and the newsroom know. An address proves itself by a mailed link.

-- Limits and constants of the product, as in the first migration, with those of followers without an account.
create or replace function private.limits() returns jsonb
language sql immutable return '{
  "headline": 120, "slug_min": 3, "slug_max": 80, "kicker": 40, "standfirst": 300,
  "update_headline": 120, "body_blocks": 40, "body_characters": 10000, "body_bytes": 131072, "url": 2048,
  "attribution": 120, "desk_note": 1000, "dateline": 80, "note": 500, "bylines": 8,
  "link_title": 300, "link_description": 500, "link_site": 120,
  "handle_min": 3, "handle_max": 30, "display_name": 60, "bio": 500, "topics": 10,
  "topic_name": 60, "topic_description": 300, "site_name": 80, "tagline": 160, "publisher": 120,
  "contact": 200, "password_min": 10,
  "alt": 250, "caption": 500, "credit": 120, "photo_bytes": 20971520, "photo_pixels": 50000000,
  "photo_arrival_hours": 24, "photo_unused_days": 7,
  "tip_body": 2000, "tip_name": 60, "tip_contact": 120,
  "tips_per_hour": 5, "tips_per_day": 20, "tips_per_address": 60, "contact_days": 90, "sender_days": 30,
  "tip_min_typing_ms": 2000, "tip_same_minutes": 10, "tip_unhandled_days": 180, "tip_held_days": 30, "tip_spam_days": 30,
  "min_tips_per_page": 1, "tips_per_page": 50,
  "schedule_days": 366,
  "max_follows": 100, "max_push_devices": 10, "push_device": 80, "unsubscribe_link_days": 90,
  "alert_hold_seconds": 12, "alert_minutes": 10, "digest_minutes": 60, "alert_fresh_minutes": 10, "alert_stale_hours": 24,
  "alert_updates": 20, "alert_text": 200,
  "delivery_batch": 200, "delivery_batch_people": 100, "delivery_lease_seconds": 60, "delivery_attempts": 5, "delivery_retry_hours": 6, "deliveries_days": 7,
  "page_size": 10, "key_events_shown": 10, "changes_per_answer": 50, "changes_behind": 100,
  "check_interval_default": 10, "check_interval_min": 10, "check_interval_max": 300, "reader_jitter_ms": 1000,
  "surge_interval_seconds": 60, "surge_load_seconds": 120, "follow_jitter_ms": 20000,
  "quiet_hours": 12, "quiet_hours_min": 0, "quiet_hours_max": 168, "accent_contrast_tenths": 45, "embed_origins": 20,
  "contributor_days": 30, "contributor_days_min": 1, "contributor_days_max": 366,
  "email": 254, "invite_days": 7, "invite_kept_days": 30, "log_page": 50, "export_rows": 200,
  "export_updates": 50, "export_changes": 1000,
  "search_query": 200, "search_words": 12, "search_page": 20, "search_pages": 10, "min_search_page": 1, "search_counted": 400,
  "search_snippet": 200, "search_corrections": 3,
  "contributor_results": 20, "versions_per_page": 20, "session_days": 30, "people_per_page": 100,
  "device_followers_per_network": 300, "follow_mails_per_hour": 1000, "follow_mails_per_network": 60, "follow_mails_per_address": 3,
  "follow_request_hours": 24, "follow_ended_days": 30}'::jsonb;

-- Like before, with the code `rate_limited`.
create or replace function private.raise_error(code text, reason text, details jsonb default '{}') returns void
language plpgsql set search_path = '' as $$
begin
  raise exception using
    errcode = case code
      when 'invalid' then 'PT422' when 'signed_out' then 'PT401' when 'forbidden' then 'PT403'
      when 'not_found' then 'PT404' when 'gone' then 'PT410' when 'conflict' then 'PT409'
      when 'bad_state' then 'PT409' when 'rate_limited' then 'PT429' else 'PT500' end,
    message = code,
    detail = (details || jsonb_build_object('reason', reason))::text;
end $$;

-- ---- Tables ----

create table public.followers (
  id uuid primary key default gen_random_uuid(),
  -- The account of this follower, with the same id. Without account and address, the follower is a device.
  person_id uuid unique references public.people (id),
  -- A confirmed address without an account.
  email text unique,
  -- Salted digest of the client network that registered a device. Deleted after a day.
  network_hash text,
  created_at timestamptz not null default clock_timestamp(),
  constraint person_or_address check (person_id is null or email is null),
  constraint person_has_same_id check (person_id = id),
  constraint email_form check (email is null or private.is_email(email))
);
create index followers_by_network on public.followers (network_hash, created_at) where network_hash is not null;
create index followers_without_account on public.followers (id) where person_id is null;
alter table public.followers enable row level security;

insert into public.followers (id, person_id)
  select p.person_id, p.person_id from (
    select f.person_id from public.follows f union select s.person_id from public.push_subscriptions s
    union select d.person_id from public.deliveries d) p;

alter table public.follows drop constraint follows_person_id_fkey;
alter table public.follows rename column person_id to follower_id;
alter table public.follows add foreign key (follower_id) references public.followers (id);
alter index public.follows_person rename to follows_follower;
alter table public.push_subscriptions drop constraint push_subscriptions_person_id_fkey;
alter table public.push_subscriptions rename column person_id to follower_id;
alter table public.push_subscriptions add foreign key (follower_id) references public.followers (id);
alter index public.push_subscriptions_person rename to push_subscriptions_follower;
alter table public.deliveries drop constraint deliveries_person_id_fkey;
alter table public.deliveries rename column person_id to follower_id;
alter table public.deliveries add foreign key (follower_id) references public.followers (id);
alter index public.deliveries_person rename to deliveries_follower;
alter table public.alerts rename column last_person_id to last_follower_id;

-- Requests to follow by e-mail without an account. `deliver-alerts` mails a link for each; its token is created when
-- the mail is written, and only its digest is stored. Rows are deleted after `follow_request_hours`.
create table private.follow_requests (
  id uuid primary key default gen_random_uuid(),
  email text not null,
  coverage_id uuid references public.coverages (id),
  topic_id uuid references public.topics (id),
  scope public.follow_scope not null,
  network_hash text,
  created_at timestamptz not null default clock_timestamp(),
  -- When the mail is to be sent. Null once it was handed out for sending.
  due_at timestamptz default now(),
  attempts smallint not null default 0,
  token_hash text unique,
  confirmed_at timestamptz,
  constraint coverage_or_topic check ((coverage_id is null) <> (topic_id is null)),
  constraint email_form check (private.is_email(email))
);
create index follow_requests_address on private.follow_requests (email, created_at);
create index follow_requests_network on private.follow_requests (network_hash, created_at);
create index follow_requests_newest on private.follow_requests (created_at);
create index follow_requests_due on private.follow_requests (due_at) where due_at is not null;
alter table private.follow_requests enable row level security;

-- ---- Callers ----

-- Salted digest of the client's network: an IPv4 address or an IPv6 /64. Null if the address is not known. The
-- gateway names the client in the first entry of `x-forwarded-for`.
create function private.client_network_digest() returns text
language plpgsql stable set search_path = '' as $$
declare address inet;
begin
  address := trim(split_part(current_setting('request.headers', true)::jsonb ->> 'x-forwarded-for', ',', 1))::inet;
  return private.sender_digest('network', host(network(set_masklen(address, case family(address) when 4 then 32 else 64 end))));
exception when invalid_text_representation then return null;
end $$;

-- The follower of a person. Creates it at the first follow or device.
create function private.ensure_follower(person uuid) returns uuid
language plpgsql volatile set search_path = '' as $$
begin
  insert into public.followers (id, person_id) values (person, person) on conflict do nothing;
  return person;
end $$;

-- The follower without an account that has the confirmed address of this account. Null if there is none. Without a mail
-- server, accounts are confirmed without a check of their address, so then there is none either.
create function private.address_follower(person uuid) returns uuid
language sql stable set search_path = '' as $$
  select w.id from auth.users u join public.followers w on w.email = u.email
  where u.id = person and u.email_confirmed_at is not null and (select m.mail from private.alert_settings m)
$$;

-- ---- Follows ----

-- The follow of a coverage ({coverage: slug}) or topic ({topic: slug}) by a follower, or a new one without an id.
-- Errors: not_found, unless readers may see the target or it is followed already.
create function private.find_follow(follower uuid, target jsonb) returns public.follows
language plpgsql stable set search_path = '' as $$
declare
  follow public.follows;
  coverage uuid;
  topic uuid;
begin
  perform private.require_object(target, '{coverage,topic}');
  if (target ? 'coverage') = (target ? 'topic') then perform private.raise_invalid('target', 'follow_target_missing'); end if;
  coverage := (select s.coverage_id from public.coverage_slugs s where s.slug = private.optional_text(target, 'coverage'));
  topic := (select t.id from public.topics t where t.slug = private.optional_text(target, 'topic'));
  select * into follow from public.follows f where f.follower_id = follower and (f.coverage_id = coverage or f.topic_id = topic);
  if follow.id is null then
    if topic is null and not exists (select from public.coverages c where c.id = coverage and private.is_public(c.state)) then
      perform private.raise_not_found();
    end if;
    follow.follower_id := follower;
    follow.coverage_id := coverage;
    follow.topic_id := topic;
  end if;
  return follow;
end $$;

-- Creates or changes a follow. Errors: bad_state, beyond `max_follows`.
create function private.put_follow(follow public.follows, scope public.follow_scope, by_mail boolean, by_push boolean) returns public.follows
language plpgsql volatile set search_path = '' as $$
#variable_conflict use_variable
begin
  if scope is null then perform private.raise_invalid('scope', 'follow_scope_missing'); end if;
  if follow.id is not null then
    update public.follows f set scope = put_follow.scope, mail = by_mail, push = by_push where f.id = follow.id returning * into follow;
    return follow;
  end if;
  if (select count(*) from public.follows f where f.follower_id = follow.follower_id) >= private.get_limit('max_follows') then
    perform private.raise_error('bad_state', 'too_many_follows', jsonb_build_object('max', private.get_limit('max_follows')));
  end if;
  insert into public.follows (follower_id, coverage_id, topic_id, scope, mail, push)
    values (follow.follower_id, follow.coverage_id, follow.topic_id, scope, by_mail, by_push) returning * into follow;
  return follow;
end $$;

-- Moves follows to another follower: all of them, or that of one target. Of two follows of a target one remains, with
-- the channels of both and the wider scope.
create function private.move_follows(source uuid, destination uuid, coverage uuid default null, topic uuid default null) returns void
language plpgsql volatile set search_path = '' as $$
declare moved public.follows;
begin
  for moved in select * from public.follows f where f.follower_id = source
    and (f.coverage_id = coverage or f.topic_id = topic or (coverage is null and topic is null)) for update loop
    update public.follows f set scope = least(f.scope, moved.scope), mail = f.mail or moved.mail, push = f.push or moved.push
    where f.follower_id = destination and (f.coverage_id = moved.coverage_id or f.topic_id = moved.topic_id);
    if found then
      delete from public.follows f where f.id = moved.id;
    else
      update public.follows f set follower_id = destination where f.id = moved.id;
    end if;
  end loop;
end $$;

-- Turns a follower without an account into a part of a person's: follows, waiting deliveries and devices.
create function private.adopt_follower(source uuid, person uuid) returns void
language plpgsql volatile set search_path = '' as $$
begin
  -- No delivery is created from here on.
  perform from public.followers w where w.id = source for update;
  perform private.move_follows(source, private.ensure_follower(person));
  perform from public.deliveries d where d.follower_id = source order by d.id for update;
  update public.deliveries d set follower_id = person where d.follower_id = source and not exists (
    select from public.deliveries o where o.alert_id = d.alert_id and o.follower_id = person and o.subscription_id is not distinct from d.subscription_id);
  delete from public.deliveries d where d.follower_id = source;
  update public.push_subscriptions s set follower_id = person where s.follower_id = source;
  delete from public.followers w where w.id = source;
end $$;

-- Follows a coverage or topic, changes how, or ends it if neither e-mail nor push is chosen. Returns {id, scope,
-- mail, push}, or null. `target`: {coverage: slug} or {topic: slug}. A follow of the same target by the person's
-- confirmed address becomes this one.
-- Errors: not_found, unless readers may see it or it was followed before; bad_state, beyond `max_follows`.
create or replace function public.save_follow(idempotency_key uuid, target jsonb, scope public.follow_scope, by_mail boolean, by_push boolean)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'save_follow', jsonb_build_array(target, scope, by_mail, by_push));
  person public.people;
  follow public.follows;
begin
  if stored_result is not null then return stored_result; end if;
  person := private.lock_account();
  follow := private.find_follow(private.ensure_follower(person.id), target);
  if scope is null then perform private.raise_invalid('scope', 'follow_scope_missing'); end if;
  if by_mail is null or by_push is null then
    perform private.raise_invalid(case when by_mail is null then 'by_mail' else 'by_push' end, 'not_boolean');
  end if;
  if by_mail then
    perform private.move_follows(private.address_follower(person.id), person.id, follow.coverage_id, follow.topic_id);
    follow := private.find_follow(person.id, target);
  end if;
  if not by_mail and not by_push then
    delete from public.follows f where f.id = follow.id;
    return private.finish_command(idempotency_key, 'null');
  end if;
  follow := private.put_follow(follow, scope, by_mail, by_push);
  return private.finish_command(idempotency_key, jsonb_build_object('id', follow.id, 'scope', follow.scope, 'mail', follow.mail, 'push', follow.push));
end $$;

-- Follows of a follower, newest first: {kind, slug, name, state, scope}. `state` is the state of a coverage.
create function private.list_follows(follower uuid) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(private.follow_target(f.coverage_id, f.topic_id) || jsonb_build_object('scope', f.scope,
    'state', (select c.state from public.coverages c where c.id = f.coverage_id)) order by f.created_at desc, f.id), '[]')
  from public.follows f where f.follower_id = follower
$$;

create or replace function public.my_follows()
returns table (id uuid, kind text, slug text, name text, state public.coverage_state, scope public.follow_scope, mail boolean, push boolean)
language sql stable security definer set search_path = '' as $$
  select f.id, t.it ->> 'kind', t.it ->> 'slug', t.it ->> 'name', (select c.state from public.coverages c where c.id = f.coverage_id),
    f.scope, f.mail, f.push
  from public.follows f, lateral (select private.follow_target(f.coverage_id, f.topic_id) as it) t
  where f.follower_id = (select auth.uid()) order by f.created_at desc, f.id
$$;

-- ---- Push subscriptions ----

-- A push subscription as its toJSON() returns it, checked. Only known push services are accepted.
create function private.read_push_subscription(subscription jsonb, device text) returns public.push_subscriptions
language plpgsql stable set search_path = '' as $$
#variable_conflict use_variable
declare item public.push_subscriptions;
begin
  item.endpoint := private.optional_text(subscription, 'endpoint');
  if not coalesce(private.is_push_endpoint(item.endpoint), false) then
    perform private.raise_invalid('endpoint', 'unknown_push_service');
  end if;
  item.p256dh := private.optional_text(subscription -> 'keys', 'p256dh');
  if not private.is_push_key(item.p256dh) then perform private.raise_invalid('p256dh', 'invalid_push_key'); end if;
  item.auth := private.optional_text(subscription -> 'keys', 'auth');
  if not private.is_push_secret(item.auth) then perform private.raise_invalid('auth', 'invalid_push_key'); end if;
  item.device := private.clean_display_name(device);
  if not private.is_line(item.device, 'push_device', 0) then
    perform private.raise_invalid('device', 'invalid_line', jsonb_build_object('max', private.get_limit('push_device')));
  end if;
  return item;
end $$;

-- The follower without an account whose device shows this push subscription. Null if there is none: the address is
-- another one, the secret is wrong, or the device belongs to an account. Secrets are compared by digest, so that the
-- time of a comparison reveals nothing.
create function private.device_follower(subscription jsonb) returns uuid
language sql stable set search_path = '' as $$
  select s.follower_id from public.push_subscriptions s join public.followers w on w.id = s.follower_id
  where s.endpoint = private.get_string(subscription, 'endpoint') and w.person_id is null
    and private.sha256_hex(s.auth) = private.sha256_hex(private.get_string(subscription -> 'keys', 'auth'))
$$;

-- Stores a push subscription as its toJSON() returns it: {id}. A browser that belonged to another person becomes
-- the caller's. One that was used without an account brings its follows along. Beyond `max_push_devices` the oldest
-- subscription is deleted.
create or replace function public.save_push_subscription(idempotency_key uuid, subscription jsonb, device text)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'save_push_subscription', jsonb_build_array(subscription, device));
  person public.people;
  item public.push_subscriptions;
  device_follower uuid;
begin
  if stored_result is not null then return stored_result; end if;
  person := private.lock_account();
  item := private.read_push_subscription(subscription, device);
  device_follower := private.device_follower(subscription);
  if device_follower is not null then perform private.adopt_follower(device_follower, person.id); end if;
  -- Two people may register the same browser at once. The later one takes it over.
  while item.id is null loop
    update public.push_subscriptions s set p256dh = item.p256dh, auth = item.auth, device = item.device
    where s.endpoint = item.endpoint and s.follower_id = person.id returning s.id into item.id;
    continue when item.id is not null;
    -- With another id, so that deliveries queued for the previous person do not reach the new one.
    delete from public.push_subscriptions s where s.endpoint = item.endpoint;
    insert into public.push_subscriptions as s (follower_id, endpoint, p256dh, auth, device)
      values (private.ensure_follower(person.id), item.endpoint, item.p256dh, item.auth, item.device)
    on conflict do nothing returning s.id into item.id;
  end loop;
  delete from public.push_subscriptions s where s.id in (
    select o.id from public.push_subscriptions o where o.follower_id = person.id and o.id <> item.id
    order by o.created_at desc, o.id offset private.get_limit('max_push_devices') - 1);
  return private.finish_command(idempotency_key, jsonb_build_object('id', item.id));
end $$;

create or replace function public.my_push_subscriptions()
returns table (id uuid, device text, created_at timestamptz, last_notified_at timestamptz)
language sql stable security definer set search_path = '' as $$
  select s.id, s.device, s.created_at, s.last_notified_at from public.push_subscriptions s
  where s.follower_id = (select auth.uid()) order by s.created_at desc, s.id
$$;

create or replace function public.delete_push_subscription(idempotency_key uuid, id uuid)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare stored_result jsonb := private.begin_command(idempotency_key, 'delete_push_subscription', jsonb_build_array(id));
begin
  if stored_result is not null then return stored_result; end if;
  perform private.lock_account();
  delete from public.push_subscriptions s where s.id = delete_push_subscription.id and s.follower_id = auth.uid();
  return private.finish_command(idempotency_key, jsonb_build_object('id', id));
end $$;
