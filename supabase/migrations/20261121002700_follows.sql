-- Follows: who wants to be told of what, how, and on which devices.

create type public.follow_scope as enum ('all', 'key');

/* 256 bits that nobody guesses, in 43 characters that may stand in a URL. */
create function private.new_secret() returns text
language sql volatile set search_path = '' as $$
  select translate(encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
    'base64'), '+/=', '-_')
$$;

/* Who is told of a coverage, or of every coverage of a topic: of all updates or of key events, by mail, push or both. */
create table public.follows (
  id uuid primary key default gen_random_uuid(),
  person_id uuid not null references public.people (id),
  coverage_id uuid references public.coverages (id),
  topic_id uuid references public.topics (id),
  scope public.follow_scope not null,
  mail boolean not null,
  push boolean not null,
  created_at timestamptz not null default clock_timestamp(),
  -- Stands in each of its mails: whoever holds it may stop them, without an account. So it is kept as it is.
  stop_secret text not null default private.new_secret(),
  constraint one_thing check ((coverage_id is null) <> (topic_id is null)),
  constraint told_somehow check (mail or push)
);
create index follows_person on public.follows (person_id);
create unique index follows_coverage on public.follows (coverage_id, person_id) where coverage_id is not null;
create unique index follows_topic on public.follows (topic_id, person_id) where topic_id is not null;
-- By its digest: how long a look takes says nothing of how much of a secret was right.
create unique index follows_stop on public.follows (private.token_digest(stop_secret));
-- Followers of one thing, scope and channel in the order of their ids: whether there are any, and the next few of them.
create index follows_coverage_push on public.follows (coverage_id, scope, person_id) where push and coverage_id is not null;
create index follows_coverage_mail on public.follows (coverage_id, scope, person_id) where mail and coverage_id is not null;
create index follows_topic_push on public.follows (topic_id, scope, person_id) where push and topic_id is not null;
create index follows_topic_mail on public.follows (topic_id, scope, person_id) where mail and topic_id is not null;

/* What a link in a mail still answers for when its follow has ended: of what, never of whom. */
create table private.stopped_follows (
  secret_hash text primary key,
  coverage_id uuid references public.coverages (id),
  topic_id uuid references public.topics (id),
  at timestamptz not null default now()
);
create index stopped_follows_at on private.stopped_follows (at);

/* The services that may be asked to push: an origin, or one with a single name of any kind in front. */
create table private.push_services (pattern text primary key);
insert into private.push_services values
  ('https://fcm.googleapis.com'), ('https://updates.push.services.mozilla.com'), ('https://*.push.services.mozilla.com'),
  ('https://*.notify.windows.com'), ('https://web.push.apple.com'), ('https://*.push.apple.com');

/* Whether an address is that of a service above: its origin alone counts, with no name or password before it and no port
   but the usual one, and no character that could be read in two ways. */
create function private.is_push_endpoint(value text) returns boolean
language plpgsql stable set search_path = '' as $$
declare origin text;
begin
  if char_length(value) > private.limit_of('url') or value !~ '^https?://[a-z0-9.:-]+/[A-Za-z0-9._~:/?@!$&''()*+,;=%-]*$' then
    return false;
  end if;
  origin := regexp_replace(substring(value from '^(https?://[a-z0-9.-]+(:[0-9]{1,5})?)/'), '^(https://.*):443$', '\1');
  return coalesce(exists (select from private.push_services s
    where s.pattern in (origin, regexp_replace(origin, '^https://[a-z0-9-]+\.', 'https://*.'))), false);
end $$;

/* A point on a curve as browsers send it: 65 bytes, the first of them 4, in base64url. */
create function private.is_push_key(value text) returns boolean
language sql immutable return coalesce(value ~ '^B[A-P][A-Za-z0-9_-]{85}$', false);
create function private.is_push_secret(value text) returns boolean
language sql immutable return coalesce(value ~ '^[A-Za-z0-9_-]{21}[AQgw]$', false);

/* A browser that may be sent pushes. Its keys are for the server that encrypts them. */
create table public.push_subscriptions (
  id uuid primary key default gen_random_uuid(),
  person_id uuid not null references public.people (id),
  endpoint text not null unique,
  p256dh text not null,
  auth text not null,
  -- What its person calls it.
  device text not null default '',
  created_at timestamptz not null default clock_timestamp(),
  last_told_at timestamptz,
  constraint keys_form check (private.is_push_key(p256dh) and private.is_push_secret(auth)),
  constraint device_form check (private.is_line(device, 'push_device', 0))
);
create index push_subscriptions_person on public.push_subscriptions (person_id, created_at);

/* By what the newsroom can tell people: the key pair that push services know it by, kept for good because every
   subscription hangs on it, and whether it sends mail. */
create table private.alert_means (
  here boolean primary key default true check (here),
  push_public text,
  push_private text,
  mail boolean not null default false,
  constraint both_keys check ((push_public is null) = (push_private is null))
);
insert into private.alert_means default values;

alter table public.follows enable row level security;
alter table public.push_subscriptions enable row level security;
alter table private.stopped_follows enable row level security;
alter table private.push_services enable row level security;
alter table private.alert_means enable row level security;
revoke all on public.follows, public.push_subscriptions from public, anon, authenticated, service_role;
revoke all on private.stopped_follows, private.push_services, private.alert_means from public, anon, authenticated, service_role;

/* What can be offered: {push_key, mail}; without a key nobody can be told by push. */
create function public.alert_means() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('push_key', m.push_public, 'mail', m.mail) from private.alert_means m
$$;
revoke execute on function public.alert_means() from public;
grant execute on function public.alert_means() to anon, authenticated, service_role;

/* Says whether there is mail, and offers a key pair: the first one stays. {push_public, push_private}: the one that is kept. */
create function public.keep_alert_means(push_public text, push_private text, mail boolean) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_variable
declare kept private.alert_means;
begin
  if push_public is not null or push_private is not null then
    if not private.is_push_key(push_public) then perform private.refuse_field('push_public', 'Send a P-256 public key in base64url.'); end if;
    if not coalesce(push_private ~ '^[A-Za-z0-9_-]{43}$', false) then
      perform private.refuse_field('push_private', 'Send a P-256 private key in base64url.');
    end if;
  end if;
  update private.alert_means m set mail = coalesce(keep_alert_means.mail, m.mail),
    push_public = coalesce(m.push_public, keep_alert_means.push_public), push_private = coalesce(m.push_private, keep_alert_means.push_private)
  where m.here returning * into kept;
  return jsonb_build_object('push_public', kept.push_public, 'push_private', kept.push_private);
end $$;
revoke execute on function public.keep_alert_means(text, text, boolean) from public, anon, authenticated;
grant execute on function public.keep_alert_means(text, text, boolean) to service_role;

/* What is followed, in the words that readers may see: of a withdrawn coverage its address alone. */
create function private.followed(coverage uuid, topic uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('kind', 'coverage', 'slug', c.slug, 'name', case when private.is_public(c.state) then c.headline else c.slug end)
  from public.coverages c where c.id = coverage
  union all
  select jsonb_build_object('kind', 'topic', 'slug', t.slug, 'name', t.name) from public.topics t where t.id = topic
$$;

/* Follows a coverage or a topic, changes how, or (neither by mail nor by push) ends it: {id, scope, mail, push}, or null. `target`:
   {coverage: slug} or {topic: slug}. What is not for readers is not there, but for the end of what was followed before. */
create function public.save_follow(op uuid, target jsonb, scope public.follow_scope, mail boolean, push boolean)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  done jsonb := private.begin_op(op, 'save_follow', jsonb_build_array(target, scope, mail, push));
  mine public.people;
  known public.follows;
begin
  if done is not null then return done; end if;
  mine := private.lock_account();
  perform private.refuse_unless_object(target, '{coverage,topic}');
  if (target ? 'coverage') = (target ? 'topic') then perform private.refuse_field('target', 'Name a coverage or a topic.'); end if;
  if scope is null then perform private.refuse_field('scope', 'Choose all updates or key events.'); end if;
  if mail is null or push is null then
    perform private.refuse_field(case when mail is null then 'mail' else 'push' end, 'Say true or false.');
  end if;
  known.coverage_id := (select s.coverage_id from public.coverage_slugs s where s.slug = private.optional_text(target, 'coverage'));
  known.topic_id := (select t.id from public.topics t where t.slug = private.optional_text(target, 'topic'));
  known.id := (select f.id from public.follows f where f.person_id = mine.id
    and (f.coverage_id = known.coverage_id or f.topic_id = known.topic_id));
  if known.id is null and known.topic_id is null
     and not exists (select from public.coverages c where c.id = known.coverage_id and private.is_public(c.state)) then
    perform private.refuse_unknown();
  end if;
  if not mail and not push then
    delete from public.follows f where f.id = known.id;
    return private.finish_op(op, 'null');
  end if;
  if known.id is null and (select count(*) from public.follows f where f.person_id = mine.id) >= private.limit_of('follows_most') then
    perform private.refuse('bad_state', format('Nobody follows more than %s things. End one of yours first.', private.limit_of('follows_most')));
  end if;
  if known.id is null then
    insert into public.follows (person_id, coverage_id, topic_id, scope, mail, push)
      values (mine.id, known.coverage_id, known.topic_id, scope, mail, push) returning * into known;
  else
    update public.follows f set scope = save_follow.scope, mail = save_follow.mail, push = save_follow.push
    where f.id = known.id returning * into known;
  end if;
  return private.finish_op(op, jsonb_build_object('id', known.id, 'scope', known.scope, 'mail', known.mail, 'push', known.push));
end $$;

/* A follow that ends leaves its secret's digest, so that a link in an old mail says that it is over. */
create function private.note_stopped() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into private.stopped_follows (secret_hash, coverage_id, topic_id)
    values (private.token_digest(old.stop_secret), old.coverage_id, old.topic_id) on conflict do nothing;
  return null;
end $$;
create trigger note_stopped after delete on public.follows for each row execute function private.note_stopped();

/* What the caller follows, the newest first. `state` is that of a coverage. */
create function public.my_follows()
returns table (id uuid, kind text, slug text, name text, state public.coverage_state, scope public.follow_scope, mail boolean, push boolean)
language sql stable security definer set search_path = '' as $$
  select f.id, t.it ->> 'kind', t.it ->> 'slug', t.it ->> 'name', (select c.state from public.coverages c where c.id = f.coverage_id),
    f.scope, f.mail, f.push
  from public.follows f, lateral (select private.followed(f.coverage_id, f.topic_id) as it) t
  where f.person_id = (select auth.uid()) order by f.created_at desc, f.id
$$;

/* Takes a browser's push subscription, as its own toJSON() says it: {id}. One that was somebody else's is the caller's now, since
   they sit before it; of more than `push_devices_most` the oldest goes. */
create function public.save_push(op uuid, subscription jsonb, device text)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  done jsonb := private.begin_op(op, 'save_push', jsonb_build_array(subscription, device));
  mine public.people;
  wanted public.push_subscriptions;
begin
  if done is not null then return done; end if;
  mine := private.lock_account();
  wanted.endpoint := private.optional_text(subscription, 'endpoint');
  if not coalesce(private.is_push_endpoint(wanted.endpoint), false) then
    perform private.refuse_field('endpoint', 'This browser is told by a service that is not known here. Choose e-mail, or another browser.');
  end if;
  wanted.p256dh := private.optional_text(subscription -> 'keys', 'p256dh');
  if not private.is_push_key(wanted.p256dh) then
    perform private.refuse_field('p256dh', 'This is no key of a browser. Turn alerts off in it and on again.');
  end if;
  wanted.auth := private.optional_text(subscription -> 'keys', 'auth');
  if not private.is_push_secret(wanted.auth) then
    perform private.refuse_field('auth', 'This is no key of a browser. Turn alerts off in it and on again.');
  end if;
  wanted.device := private.name_from(device);
  if not private.is_line(wanted.device, 'push_device', 0) then
    perform private.refuse_field('device', format('Use one line of words, at most %s characters.', private.limit_of('push_device')));
  end if;
  -- Two people may sit before one browser at once: the later one finds it there, and takes it.
  while wanted.id is null loop
    update public.push_subscriptions s set p256dh = wanted.p256dh, auth = wanted.auth, device = wanted.device
    where s.endpoint = wanted.endpoint and s.person_id = mine.id returning s.id into wanted.id;
    continue when wanted.id is not null;
    -- With another id, or what waits for the one before would be told to the other.
    delete from public.push_subscriptions s where s.endpoint = wanted.endpoint;
    insert into public.push_subscriptions as s (person_id, endpoint, p256dh, auth, device)
      values (mine.id, wanted.endpoint, wanted.p256dh, wanted.auth, wanted.device)
    on conflict do nothing returning s.id into wanted.id;
  end loop;
  delete from public.push_subscriptions s where s.id in (
    select o.id from public.push_subscriptions o where o.person_id = mine.id and o.id <> wanted.id
    order by o.created_at desc, o.id offset private.limit_of('push_devices_most') - 1);
  return private.finish_op(op, jsonb_build_object('id', wanted.id));
end $$;

/* The browsers on which the caller is told, the newest first. */
create function public.my_push()
returns table (id uuid, device text, created_at timestamptz, last_told_at timestamptz)
language sql stable security definer set search_path = '' as $$
  select s.id, s.device, s.created_at, s.last_told_at from public.push_subscriptions s
  where s.person_id = (select auth.uid()) order by s.created_at desc, s.id
$$;

/* Forgets one of the caller's browsers: {id}, also where there was none of theirs. */
create function public.drop_push(op uuid, id uuid)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare done jsonb := private.begin_op(op, 'drop_push', jsonb_build_array(id));
begin
  if done is not null then return done; end if;
  perform private.lock_account();
  delete from public.push_subscriptions s where s.id = drop_push.id and s.person_id = auth.uid();
  return private.finish_op(op, jsonb_build_object('id', id));
end $$;

revoke execute on function public.save_follow(uuid, jsonb, public.follow_scope, boolean, boolean), public.my_follows(),
  public.save_push(uuid, jsonb, text), public.my_push(), public.drop_push(uuid, uuid) from public, anon, service_role;
grant execute on function public.save_follow(uuid, jsonb, public.follow_scope, boolean, boolean), public.my_follows(),
  public.save_push(uuid, jsonb, text), public.my_push(), public.drop_push(uuid, uuid) to authenticated;

/* What the link in a mail is about, for whoever holds its secret: {kind, slug, name, mail}; `mail`: it is sent still. Null: no
   such link, or one that ended long ago. */
create function public.read_stop(secret text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select private.followed(f.coverage_id, f.topic_id) || jsonb_build_object('mail', f.mail)
  from public.follows f where private.token_digest(f.stop_secret) = private.token_digest(secret)
  union all
  select private.followed(s.coverage_id, s.topic_id) || '{"mail": false}'
  from private.stopped_follows s where s.secret_hash = private.token_digest(secret)
$$;

/* Ends the mails of a follow for whoever holds its secret, and the follow with them unless it is told by push too: {kind, slug,
   name, was}; `was`: there were mails until now. The same done twice. Null: no such link, or one that ended long ago. */
create function public.stop_follow(secret text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_variable
declare told jsonb;
begin
  perform from public.follows f where private.token_digest(f.stop_secret) = private.token_digest(secret) for update;
  told := public.read_stop(secret);
  delete from public.follows f where private.token_digest(f.stop_secret) = private.token_digest(secret) and not f.push;
  update public.follows f set mail = false where private.token_digest(f.stop_secret) = private.token_digest(secret) and f.mail;
  return (told - 'mail') || jsonb_build_object('was', told -> 'mail');
end $$;
revoke execute on function public.read_stop(text), public.stop_follow(text) from public;
grant execute on function public.read_stop(text), public.stop_follow(text) to anon, authenticated, service_role;
