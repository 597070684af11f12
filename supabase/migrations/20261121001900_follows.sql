-- Follows: which person gets alerts about which coverage or topic, by e-mail or push, and on which devices.

create type public.follow_scope as enum ('all', 'key');

-- A person who follows a coverage, or every coverage of a topic: all updates or key events, by e-mail, push or
-- both.
create table public.follows (
  id uuid primary key default gen_random_uuid(),
  person_id uuid not null references public.people (id),
  coverage_id uuid references public.coverages (id),
  topic_id uuid references public.topics (id),
  scope public.follow_scope not null,
  mail boolean not null,
  push boolean not null,
  created_at timestamptz not null default clock_timestamp(),
  -- Part of every e-mail of this follow: it unsubscribes without an account, so it is stored in the clear.
  unsubscribe_secret text not null default private.new_secret(),
  constraint coverage_or_topic check ((coverage_id is null) <> (topic_id is null)),
  constraint mail_or_push check (mail or push)
);
create index follows_person on public.follows (person_id);
create unique index follows_coverage on public.follows (coverage_id, person_id) where coverage_id is not null;
create unique index follows_topic on public.follows (topic_id, person_id) where topic_id is not null;
-- By digest, so that the time of a lookup reveals nothing about the secret.
create unique index follows_unsubscribe on public.follows (private.sha256_hex(unsubscribe_secret));
-- Followers of a coverage or topic by scope and channel, in the order of their ids.
create index follows_coverage_push on public.follows (coverage_id, scope, person_id) where push and coverage_id is not null;
create index follows_coverage_mail on public.follows (coverage_id, scope, person_id) where mail and coverage_id is not null;
create index follows_topic_push on public.follows (topic_id, scope, person_id) where push and topic_id is not null;
create index follows_topic_mail on public.follows (topic_id, scope, person_id) where mail and topic_id is not null;
alter table public.follows enable row level security;

-- The unsubscribe links of ended follows, so that they can still say what they were about.
create table private.stopped_follows (
  secret_hash text primary key,
  coverage_id uuid references public.coverages (id),
  topic_id uuid references public.topics (id),
  at timestamptz not null default now()
);
create index stopped_follows_at on private.stopped_follows (at);
alter table private.stopped_follows enable row level security;

-- Push services that may be used: an origin, or a pattern with one arbitrary subdomain.
create table private.push_services (pattern text primary key);
alter table private.push_services enable row level security;
insert into private.push_services values
  ('https://fcm.googleapis.com'), ('https://updates.push.services.mozilla.com'), ('https://*.push.services.mozilla.com'),
  ('https://*.notify.windows.com'), ('https://web.push.apple.com'), ('https://*.push.apple.com');

-- ---- Push subscriptions ----

-- Whether the address belongs to an allowed push service. Only the origin counts. User name, password, unusual
-- ports and ambiguous characters are not allowed.
create function private.is_push_endpoint(value text) returns boolean
language plpgsql stable set search_path = '' as $$
declare origin text;
begin
  if char_length(value) > private.get_limit('url') or value !~ '^https?://[a-z0-9.:-]+/[A-Za-z0-9._~:/?@!$&''()*+,;=%-]*$' then
    return false;
  end if;
  origin := regexp_replace(substring(value from '^(https?://[a-z0-9.-]+(:[0-9]{1,5})?)/'), '^(https://.*):443$', '\1');
  return coalesce(exists (select from private.push_services s
    where s.pattern in (origin, regexp_replace(origin, '^https://[a-z0-9-]+\.', 'https://*.'))), false);
end $$;

-- Whether the value is a P-256 public key as browsers send it: 65 bytes, the first of them 4, in base64url.
create function private.is_push_key(value text) returns boolean
language sql immutable return coalesce(value ~ '^B[A-P][A-Za-z0-9_-]{85}$', false);

create function private.is_push_secret(value text) returns boolean
language sql immutable return coalesce(value ~ '^[A-Za-z0-9_-]{21}[AQgw]$', false);

-- A browser that receives push messages. Its keys are for the server that encrypts them.
create table public.push_subscriptions (
  id uuid primary key default gen_random_uuid(),
  person_id uuid not null references public.people (id),
  endpoint text not null unique,
  p256dh text not null,
  auth text not null,
  -- The name that the person gave the device.
  device text not null default '',
  created_at timestamptz not null default clock_timestamp(),
  last_notified_at timestamptz,
  constraint keys_form check (private.is_push_key(p256dh) and private.is_push_secret(auth)),
  constraint device_form check (private.is_line(device, 'push_device', 0))
);
create index push_subscriptions_person on public.push_subscriptions (person_id, created_at);
alter table public.push_subscriptions enable row level security;

-- How the newsroom can send alerts: its key pair for push services, which never changes because every subscription
-- depends on it, and whether it sends e-mail.
create table private.alert_settings (
  id boolean primary key default true check (id),
  push_public text,
  push_private text,
  mail boolean not null default false,
  constraint both_keys_or_none check ((push_public is null) = (push_private is null))
);
alter table private.alert_settings enable row level security;
insert into private.alert_settings default values;

-- Available channels: {push_key, mail}. Without a key there is no push.
create function public.get_alert_channels() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('push_key', m.push_public, 'mail', m.mail) from private.alert_settings m
$$;

-- Stores whether there is e-mail, and a key pair if there is none yet. Returns the stored pair: {push_public,
-- push_private}.
create function public.save_alert_settings(push_public text, push_private text, mail boolean) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_variable
declare stored private.alert_settings;
begin
  if push_public is not null or push_private is not null then
    if not private.is_push_key(push_public) then perform private.raise_invalid('push_public', 'invalid_push_public_key'); end if;
    if not coalesce(push_private ~ '^[A-Za-z0-9_-]{43}$', false) then
      perform private.raise_invalid('push_private', 'invalid_push_private_key');
    end if;
  end if;
  update private.alert_settings m set mail = coalesce(save_alert_settings.mail, m.mail),
    push_public = coalesce(m.push_public, save_alert_settings.push_public), push_private = coalesce(m.push_private, save_alert_settings.push_private)
  where m.id returning * into stored;
  return jsonb_build_object('push_public', stored.push_public, 'push_private', stored.push_private);
end $$;

-- ---- Follows ----

-- The followed coverage or topic, as readers may see it. A withdrawn coverage has only its slug.
create function private.follow_target(coverage uuid, topic uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('kind', 'coverage', 'slug', c.slug, 'name', case when private.is_public(c.state) then c.headline else c.slug end)
  from public.coverages c where c.id = coverage
  union all
  select jsonb_build_object('kind', 'topic', 'slug', t.slug, 'name', t.name) from public.topics t where t.id = topic
$$;

-- Follows a coverage or topic, changes how, or ends it if neither e-mail nor push is chosen. Returns {id, scope,
-- mail, push}, or null. `target`: {coverage: slug} or {topic: slug}.
-- Errors: not_found, unless readers may see it or it was followed before; bad_state, beyond `max_follows`.
create function public.save_follow(idempotency_key uuid, target jsonb, scope public.follow_scope, by_mail boolean, by_push boolean)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'save_follow', jsonb_build_array(target, scope, by_mail, by_push));
  person public.people;
  existing public.follows;
begin
  if stored_result is not null then return stored_result; end if;
  person := private.lock_account();
  perform private.require_object(target, '{coverage,topic}');
  if (target ? 'coverage') = (target ? 'topic') then perform private.raise_invalid('target', 'follow_target_missing'); end if;
  if scope is null then perform private.raise_invalid('scope', 'follow_scope_missing'); end if;
  if by_mail is null or by_push is null then
    perform private.raise_invalid(case when by_mail is null then 'by_mail' else 'by_push' end, 'not_boolean');
  end if;
  existing.coverage_id := (select s.coverage_id from public.coverage_slugs s where s.slug = private.optional_text(target, 'coverage'));
  existing.topic_id := (select t.id from public.topics t where t.slug = private.optional_text(target, 'topic'));
  existing.id := (select f.id from public.follows f where f.person_id = person.id
    and (f.coverage_id = existing.coverage_id or f.topic_id = existing.topic_id));
  if existing.id is null and existing.topic_id is null
     and not exists (select from public.coverages c where c.id = existing.coverage_id and private.is_public(c.state)) then
    perform private.raise_not_found();
  end if;
  if not by_mail and not by_push then
    delete from public.follows f where f.id = existing.id;
    return private.finish_command(idempotency_key, 'null');
  end if;
  if existing.id is null and (select count(*) from public.follows f where f.person_id = person.id) >= private.get_limit('max_follows') then
    perform private.raise_error('bad_state', 'too_many_follows', jsonb_build_object('max', private.get_limit('max_follows')));
  end if;
  if existing.id is null then
    insert into public.follows (person_id, coverage_id, topic_id, scope, mail, push)
      values (person.id, existing.coverage_id, existing.topic_id, scope, by_mail, by_push) returning * into existing;
  else
    update public.follows f set scope = save_follow.scope, mail = by_mail, push = by_push
    where f.id = existing.id returning * into existing;
  end if;
  return private.finish_command(idempotency_key, jsonb_build_object('id', existing.id, 'scope', existing.scope, 'mail', existing.mail, 'push', existing.push));
end $$;

-- Keeps the digest of the secret of an ended follow.
create function private.record_stopped_follow() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into private.stopped_follows (secret_hash, coverage_id, topic_id)
    values (private.sha256_hex(old.unsubscribe_secret), old.coverage_id, old.topic_id) on conflict do nothing;
  return null;
end $$;
create trigger record_stopped_follow after delete on public.follows for each row execute function private.record_stopped_follow();

-- The caller's follows, newest first. `state` is the state of a coverage.
create function public.my_follows()
returns table (id uuid, kind text, slug text, name text, state public.coverage_state, scope public.follow_scope, mail boolean, push boolean)
language sql stable security definer set search_path = '' as $$
  select f.id, t.it ->> 'kind', t.it ->> 'slug', t.it ->> 'name', (select c.state from public.coverages c where c.id = f.coverage_id),
    f.scope, f.mail, f.push
  from public.follows f, lateral (select private.follow_target(f.coverage_id, f.topic_id) as it) t
  where f.person_id = (select auth.uid()) order by f.created_at desc, f.id
$$;

-- Stores a push subscription as its toJSON() returns it: {id}. A browser that belonged to another person becomes
-- the caller's. Beyond `max_push_devices` the oldest subscription is deleted.
create function public.save_push_subscription(idempotency_key uuid, subscription jsonb, device text)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'save_push_subscription', jsonb_build_array(subscription, device));
  person public.people;
  new_subscription public.push_subscriptions;
begin
  if stored_result is not null then return stored_result; end if;
  person := private.lock_account();
  new_subscription.endpoint := private.optional_text(subscription, 'endpoint');
  if not coalesce(private.is_push_endpoint(new_subscription.endpoint), false) then
    perform private.raise_invalid('endpoint', 'unknown_push_service');
  end if;
  new_subscription.p256dh := private.optional_text(subscription -> 'keys', 'p256dh');
  if not private.is_push_key(new_subscription.p256dh) then
    perform private.raise_invalid('p256dh', 'invalid_push_key');
  end if;
  new_subscription.auth := private.optional_text(subscription -> 'keys', 'auth');
  if not private.is_push_secret(new_subscription.auth) then
    perform private.raise_invalid('auth', 'invalid_push_key');
  end if;
  new_subscription.device := private.clean_display_name(device);
  if not private.is_line(new_subscription.device, 'push_device', 0) then
    perform private.raise_invalid('device', 'invalid_line', jsonb_build_object('max', private.get_limit('push_device')));
  end if;
  -- Two people may register the same browser at once. The later one takes it over.
  while new_subscription.id is null loop
    update public.push_subscriptions s set p256dh = new_subscription.p256dh, auth = new_subscription.auth, device = new_subscription.device
    where s.endpoint = new_subscription.endpoint and s.person_id = person.id returning s.id into new_subscription.id;
    continue when new_subscription.id is not null;
    -- With another id, so that deliveries queued for the previous person do not reach the new one.
    delete from public.push_subscriptions s where s.endpoint = new_subscription.endpoint;
    insert into public.push_subscriptions as s (person_id, endpoint, p256dh, auth, device)
      values (person.id, new_subscription.endpoint, new_subscription.p256dh, new_subscription.auth, new_subscription.device)
    on conflict do nothing returning s.id into new_subscription.id;
  end loop;
  delete from public.push_subscriptions s where s.id in (
    select o.id from public.push_subscriptions o where o.person_id = person.id and o.id <> new_subscription.id
    order by o.created_at desc, o.id offset private.get_limit('max_push_devices') - 1);
  return private.finish_command(idempotency_key, jsonb_build_object('id', new_subscription.id));
end $$;

-- The caller's push subscriptions, newest first.
create function public.my_push_subscriptions()
returns table (id uuid, device text, created_at timestamptz, last_notified_at timestamptz)
language sql stable security definer set search_path = '' as $$
  select s.id, s.device, s.created_at, s.last_notified_at from public.push_subscriptions s
  where s.person_id = (select auth.uid()) order by s.created_at desc, s.id
$$;

-- Deletes one of the caller's push subscriptions: {id}, even if there was none.
create function public.delete_push_subscription(idempotency_key uuid, id uuid)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare stored_result jsonb := private.begin_command(idempotency_key, 'delete_push_subscription', jsonb_build_array(id));
begin
  if stored_result is not null then return stored_result; end if;
  perform private.lock_account();
  delete from public.push_subscriptions s where s.id = delete_push_subscription.id and s.person_id = auth.uid();
  return private.finish_command(idempotency_key, jsonb_build_object('id', id));
end $$;

-- ---- Unsubscribing by link ----

-- The follow of an unsubscribe link: {kind, slug, name, mail}; `mail`: e-mails are still sent. Null if there is no
-- such link, or it expired.
create function public.read_unsubscribe_link(token text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select private.follow_target(f.coverage_id, f.topic_id) || jsonb_build_object('mail', f.mail)
  from public.follows f where private.sha256_hex(f.unsubscribe_secret) = private.sha256_hex(token)
  union all
  select private.follow_target(s.coverage_id, s.topic_id) || '{"mail": false}'
  from private.stopped_follows s where s.secret_hash = private.sha256_hex(token)
$$;

-- Stops the e-mails of a follow, and ends it unless it also uses push: {kind, slug, name, was_subscribed}; `was_subscribed`: e-mails were
-- sent until now. Null if there is no such link, or it expired.
create function public.unsubscribe(token text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_variable
declare result jsonb;
begin
  perform from public.follows f where private.sha256_hex(f.unsubscribe_secret) = private.sha256_hex(token) for update;
  result := public.read_unsubscribe_link(token);
  delete from public.follows f where private.sha256_hex(f.unsubscribe_secret) = private.sha256_hex(token) and not f.push;
  update public.follows f set mail = false where private.sha256_hex(f.unsubscribe_secret) = private.sha256_hex(token) and f.mail;
  return (result - 'mail') || jsonb_build_object('was_subscribed', result -> 'mail');
end $$;

-- ---- Execute rights ----

grant execute on function public.get_alert_channels, public.read_unsubscribe_link, public.unsubscribe to anon,
  authenticated, service_role;
grant execute on function public.save_alert_settings to service_role;
grant execute on function public.save_follow, public.my_follows, public.save_push_subscription,
  public.my_push_subscriptions, public.delete_push_subscription to authenticated;
