-- Filing: people write updates in a chat. Channels, senders that are linked to people, and the messages that became updates.
-- The edge function `receive-filing` checks where a delivery comes from. These functions decide what becomes of it.

-- The connected channels. The newsroom has at most one account, such as a bot, at each.
create table private.filing_channels (
  channel text primary key,
  -- Name of the account at the channel.
  account text not null,
  -- The token of the account, encrypted by the edge function, which alone has the key.
  token text not null,
  -- SHA-256 of the secret that the channel sends with each delivery. The secret itself is not stored.
  delivery_hash text not null,
  connected_at timestamptz not null default now(),
  constraint channel_known check (channel in ('telegram')),
  constraint delivery_hash_form check (delivery_hash ~ '^[0-9a-f]{64}$')
);
alter table private.filing_channels enable row level security;

-- Senders at a channel, each linked to a person.
create table private.filing_senders (
  id uuid primary key default gen_random_uuid(),
  channel text not null,
  -- Id of the sender at the channel, and the name that the channel shows.
  sender text not null,
  name text not null,
  person_id uuid not null references public.people (id),
  -- Language of the answers.
  language text not null,
  -- Whether messages are published at once, as far as the person has the permission. Otherwise they are submitted.
  publishes boolean not null default false,
  -- The code that linked the sender.
  code_hash text not null,
  -- The coverage that the person chose, until this time.
  coverage_id uuid references public.coverages (id) on delete set null,
  chosen_until timestamptz,
  -- The coverages that the person can choose from, in order. Null without an open question.
  offered uuid[],
  linked_at timestamptz not null default now(),
  last_filed_at timestamptz,
  constraint sender_once unique (channel, sender),
  constraint language_form check (private.is_language(language))
);
create index filing_senders_person on private.filing_senders (person_id);
create index filing_senders_coverage on private.filing_senders (coverage_id);
alter table private.filing_senders enable row level security;

-- Codes that link a sender to a person. Each person has at most one for each channel.
create table private.filing_codes (
  person_id uuid references public.people (id),
  channel text,
  -- SHA-256 of the code. Null after its use. The code itself is not stored.
  code_hash text unique,
  language text not null,
  expires_at timestamptz not null,
  -- Number of codes that were made since this time.
  made integer not null default 1,
  made_since timestamptz not null default now(),
  primary key (person_id, channel)
);
alter table private.filing_codes enable row level security;

-- Messages that were filed or that wait for the choice of a coverage. The edge function computes the id
-- from channel, account and message, with a key. It is also the id of the update.
create table private.filed_messages (
  id uuid primary key,
  sender_id uuid not null references private.filing_senders (id) on delete cascade,
  -- When the message was written or last edited.
  written_at timestamptz not null,
  -- The content and whether it stays a draft, while it waits.
  waiting jsonb,
  -- The version of the update that the message wrote.
  version integer,
  -- The photo of the message, and the id of its file at the channel, from where the edge function fetches it.
  photo_id uuid,
  file text,
  -- The answer, for repeated deliveries.
  result jsonb not null,
  received_at timestamptz not null default now()
);
create index filed_messages_sender on private.filed_messages (sender_id, written_at);
create index filed_messages_received on private.filed_messages (received_at);
alter table private.filed_messages enable row level security;

-- Number of refused deliveries by day. Nothing else is stored about them.
create table private.filing_refusals (
  channel text,
  reason text,
  day date,
  number integer not null default 1,
  primary key (channel, reason, day),
  constraint reason_known check (reason in ('forged', 'unlinked', 'inactive', 'code'))
);
alter table private.filing_refusals enable row level security;

-- ---- Channels ----

-- Errors: invalid, unless the value is a channel.
create function private.require_filing_channel(channel text) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if not coalesce(channel in ('telegram'), false) then perform private.raise_invalid('channel', 'unknown_filing_channel'); end if;
end $$;

-- Connects an account of a channel, with its encrypted token and the digest of the secret that deliveries have. Returns
-- {account}.
-- Errors: forbidden; invalid.
create function public.connect_filing_channel(idempotency_key uuid, channel text, account text, token text, delivery_hash text)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'connect_filing_channel',
    jsonb_build_array(channel, account, token, delivery_hash));
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('administer', null);
  perform private.require_filing_channel(channel);
  if not coalesce(private.is_line(account, 'display_name'), false) then
    perform private.raise_invalid('account', 'invalid_line', jsonb_build_object('max', private.get_limit('display_name')));
  end if;
  if not coalesce(char_length(token) between 40 and 1000 and token ~ '^[A-Za-z0-9_-]+$', false) then
    perform private.raise_invalid('token', 'filing_token_form');
  end if;
  if not coalesce(delivery_hash ~ '^[0-9a-f]{64}$', false) then perform private.raise_invalid('delivery_hash', 'invalid_code_hash'); end if;
  insert into private.filing_channels (channel, account, token, delivery_hash) values (channel, account, token, delivery_hash)
  on conflict on constraint filing_channels_pkey do update set account = excluded.account, token = excluded.token,
    delivery_hash = excluded.delivery_hash, connected_at = now();
  perform private.log_action('connect_filing_channel', 'site', null);
  return private.finish_command(idempotency_key, jsonb_build_object('account', account));
end $$;

-- Forgets the account of a channel and its token. The senders remain.
create function public.remove_filing_channel(idempotency_key uuid, channel text) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare stored_result jsonb := private.begin_command(idempotency_key, 'remove_filing_channel', jsonb_build_array(channel));
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('administer', null);
  delete from private.filing_channels c where c.channel = channel;
  if found then perform private.log_action('remove_filing_channel', 'site', null); end if;
  return private.finish_command(idempotency_key, '{}');
end $$;

-- The account of a channel with its encrypted token, for the edge function: {account, token, delivery_hash}; null without one.
create function public.filing_connection(channel text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('account', c.account, 'token', c.token, 'delivery_hash', c.delivery_hash)
  from private.filing_channels c where c.channel = filing_connection.channel
$$;

-- The ids at a channel that are linked to a person, for the edge function.
create function public.filing_senders_of(channel text, person_id uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(s.sender order by s.linked_at), '[]') from private.filing_senders s
  where s.channel = filing_senders_of.channel and s.person_id = filing_senders_of.person_id
$$;

-- ---- People ----

-- Whether a person may write updates anywhere.
create function private.may_file(person uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select private.person_has_permission(person, 'write_update', null, person) or exists (
    select from public.coverage_members m where m.person_id = person and private.person_has_permission(person, 'write_update', m.coverage_id, person))
$$;

-- The connections, senders and counts, for owners: {channels: [{channel, account, connected_at}], senders: [{id, channel, name, person_id, person, may_file,
-- publishes, linked_at, last_filed_at}], refusals: [{channel, reason, number}] of the last 7 days}.
-- Errors: forbidden.
create function public.read_filing() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('administer', null);
  return jsonb_build_object(
    'channels', coalesce((select jsonb_agg(jsonb_build_object('channel', c.channel, 'account', c.account, 'connected_at', c.connected_at)
      order by c.channel) from private.filing_channels c), '[]'),
    'senders', coalesce((select jsonb_agg(jsonb_build_object('id', s.id, 'channel', s.channel, 'name', s.name, 'person_id', s.person_id,
        'person', p.display_name, 'may_file', private.may_file(s.person_id), 'publishes', s.publishes, 'linked_at', s.linked_at,
        'last_filed_at', s.last_filed_at) order by lower(p.display_name), s.linked_at)
      from private.filing_senders s join public.people p on p.id = s.person_id), '[]'),
    'refusals', coalesce((select jsonb_agg(jsonb_build_object('channel', r.channel, 'reason', r.reason, 'number', r.number)
        order by r.channel, r.reason)
      from (select f.channel, f.reason, sum(f.number) as number from private.filing_refusals f
        where f.day > (now() at time zone 'UTC')::date - 7 group by f.channel, f.reason) r), '[]'));
end $$;

-- The channels and the caller's own senders, for people who may write updates: {channels: [{channel, account}], senders: [{id, channel, name, publishes,
-- linked_at, last_filed_at}]}. Null for all others.
create function public.my_filing() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'channels', coalesce((select jsonb_agg(jsonb_build_object('channel', c.channel, 'account', c.account) order by c.channel)
      from private.filing_channels c), '[]'),
    'senders', coalesce((select jsonb_agg(jsonb_build_object('id', s.id, 'channel', s.channel, 'name', s.name, 'publishes', s.publishes,
        'linked_at', s.linked_at, 'last_filed_at', s.last_filed_at) order by s.linked_at)
      from private.filing_senders s where s.person_id = auth.uid()), '[]'))
  where private.may_file(auth.uid())
$$;

-- Stores the digest of a code that links a sender to the caller, once and for 15 minutes. Replaces an earlier code. The answers
-- in the chat have the given language. Returns {expires_at}.
-- Errors: forbidden; invalid; bad_state, if the channel is not connected, or after 10 codes in an hour.
create function public.make_filing_code(idempotency_key uuid, channel text, code_hash text, language text) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'make_filing_code', jsonb_build_array(channel, code_hash, language));
  max_codes constant integer := 10;
  made private.filing_codes;
begin
  if stored_result is not null then return stored_result; end if;
  if not private.may_file(auth.uid()) then perform private.raise_error('forbidden', 'permission_missing'); end if;
  perform private.require_filing_channel(channel);
  if not coalesce(code_hash ~ '^[0-9a-f]{64}$', false) then perform private.raise_invalid('code_hash', 'invalid_code_hash'); end if;
  perform private.require_language(language);
  if not exists (select from private.filing_channels c where c.channel = channel) then
    perform private.raise_error('bad_state', 'filing_not_connected');
  end if;
  insert into private.filing_codes as c (person_id, channel, code_hash, language, expires_at)
    values (auth.uid(), channel, code_hash, language, now() + interval '15 minutes')
  on conflict on constraint filing_codes_pkey do update set code_hash = excluded.code_hash, language = excluded.language,
    expires_at = excluded.expires_at,
    made = case when c.made_since < now() - interval '1 hour' then 1 else c.made + 1 end,
    made_since = case when c.made_since < now() - interval '1 hour' then now() else c.made_since end
  returning * into made;
  if made.made > max_codes then perform private.raise_error('bad_state', 'too_many_filing_codes'); end if;
  return private.finish_command(idempotency_key, jsonb_build_object('expires_at', made.expires_at));
end $$;

-- Unlinks a sender from its person. People unlink their own, owners any. Messages that wait are deleted.
-- Errors: not_found, also for the sender of another person.
create function public.unlink_filing_sender(idempotency_key uuid, sender_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'unlink_filing_sender', jsonb_build_array(sender_id));
  unlinked private.filing_senders;
begin
  if stored_result is not null then return stored_result; end if;
  delete from private.filing_senders s
  where s.id = sender_id and (s.person_id = auth.uid() or private.has_permission('administer')) returning * into unlinked;
  if unlinked.id is null then perform private.raise_not_found(); end if;
  perform private.log_action('unlink_filing_sender', 'person', unlinked.person_id);
  return private.finish_command(idempotency_key, jsonb_build_object('id', sender_id));
end $$;

-- Decides whether the messages of a sender are published at once. The person still needs the permission to publish.
-- Errors: forbidden; not_found.
create function public.set_filing_trust(idempotency_key uuid, sender_id uuid, publishes boolean) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'set_filing_trust', jsonb_build_array(sender_id, publishes));
  trusted private.filing_senders;
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('administer', null);
  update private.filing_senders s set publishes = coalesce(set_filing_trust.publishes, false)
  where s.id = sender_id returning * into trusted;
  if trusted.id is null then perform private.raise_not_found(); end if;
  perform private.log_action(case when trusted.publishes then 'trust_filing_sender' else 'distrust_filing_sender' end,
    'person', trusted.person_id);
  return private.finish_command(idempotency_key, jsonb_build_object('id', sender_id, 'publishes', trusted.publishes));
end $$;

-- A deleted account has no senders and codes.
create function private.delete_filing_of_person() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from private.filing_senders s where s.person_id = new.id;
  delete from private.filing_codes c where c.person_id = new.id;
  return null;
end $$;
create trigger delete_filing after update of deleted_at on public.people
  for each row when (new.deleted_at is not null) execute function private.delete_filing_of_person();

-- ---- Deliveries ----

-- Counts a refused delivery. The first one of a kind and day is an entry of the activity log.
create function public.refuse_filing(channel text, reason text) returns void
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare counted integer;
begin
  insert into private.filing_refusals as r (channel, reason, day) values (channel, reason, (now() at time zone 'UTC')::date)
  on conflict on constraint filing_refusals_pkey do update set number = r.number + 1 returning r.number into counted;
  if counted = 1 then
    perform private.log_action('refuse_' || reason || '_filing', 'site', null);
  end if;
end $$;

-- The answer about a link.
create function private.linked_result(person_id uuid, language text) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('outcome', 'linked', 'language', linked_result.language, 'person', p.display_name)
  from public.people p where p.id = linked_result.person_id
$$;

-- Links a sender to the person of a code. Returns {outcome, language, person}: `linked`, also if the code has linked the same
-- sender before; `wrong_code`, for a wrong, used or expired code; `other_person`, for a code of another person than that of
-- the sender. Null for a wrong code of a sender that is linked already.
create function public.link_filing_sender(channel text, sender text, name text, code text) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  digest text := private.sha256_hex(code);
  known private.filing_senders;
  used private.filing_codes;
begin
  select * into known from private.filing_senders s where s.channel = channel and s.sender = sender for update;
  if known.code_hash = digest then return private.linked_result(known.person_id, known.language); end if;
  if known.id is not null and exists (select from private.filing_codes c
      where c.channel = channel and c.code_hash = digest and c.expires_at > now() and c.person_id <> known.person_id) then
    return jsonb_build_object('outcome', 'other_person', 'language', known.language);
  end if;
  update private.filing_codes c set code_hash = null
  where c.channel = channel and c.code_hash = digest and c.expires_at > now() returning * into used;
  if used.person_id is null or not private.may_file(used.person_id) then
    if known.id is not null then return null; end if;
    perform public.refuse_filing(channel, 'code');
    return jsonb_build_object('outcome', 'wrong_code');
  end if;
  delete from private.filing_senders s where s.id = known.id;
  insert into private.filing_senders (channel, sender, name, person_id, language, code_hash)
    values (channel, sender, left(private.clean_display_name(name), private.get_limit('display_name')), used.person_id, used.language, digest);
  perform private.act_as(used.person_id);
  perform private.log_action('link_filing_sender', 'person', used.person_id);
  perform private.act_as(null);
  return private.linked_result(used.person_id, used.language);
end $$;

-- The live coverages in which a person may write, newest first.
create function private.filing_coverages(person uuid) returns uuid[]
language sql stable security definer set search_path = '' as $$
  select coalesce(array_agg(l.id order by l.published_at desc nulls last, l.id), '{}') from (
    select c.id, c.published_at from public.coverages c
    where c.state = 'live' and not c.is_importing and private.person_has_permission(person, 'write_update', c.id, person)
    order by c.published_at desc nulls last, c.id limit 9) l
$$;

-- The coverage with this slug, if it takes updates of the person.
create function private.filing_coverage_of_slug(slug text, person uuid) returns uuid
language sql stable security definer set search_path = '' as $$
  select c.id from public.coverage_slugs s join public.coverages c on c.id = s.coverage_id
  where s.slug = filing_coverage_of_slug.slug and c.state in ('draft', 'scheduled', 'live', 'paused', 'ended') and not c.is_importing
    and private.person_has_permission(person, 'write_update', c.id, person)
$$;

-- The answer about a filed update.
create function private.filing_result(update_id uuid, outcome text) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('outcome', filing_result.outcome, 'state', u.state, 'number', u.number, 'coverage', c.headline)
  from public.updates u join public.coverages c on c.id = u.coverage_id where u.id = filing_result.update_id
$$;

-- Registers the photo of a message, in the name of the person, so that an update can show it before it arrives.
create function private.register_filed_photo(message private.filed_messages, coverage_id uuid) returns void
language plpgsql volatile set search_path = '' as $$
begin
  if message.photo_id is null or exists (select from public.photos p where p.id = message.photo_id) then return; end if;
  perform public.save_photo(gen_random_uuid(), message.photo_id, register_filed_photo.coverage_id, '{}');
end $$;

-- The photos of a sender that have not arrived: [{id, file}], at most 5.
create function private.missing_filed_photos(sender_id uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', f.photo_id, 'file', f.file) order by f.written_at), '[]') from (
    select m.photo_id, m.file, m.written_at from private.filed_messages m join public.photos p on p.id = m.photo_id
    where m.sender_id = missing_filed_photos.sender_id and m.version is not null and p.state = 'uploading'
      and not exists (select from storage.objects o where o.bucket_id = 'photos' and o.name = 'incoming/' || p.id)
    order by m.written_at limit 5) f
$$;

-- Makes an update of a message, in the name of the person: published for a trusted sender, or else submitted, or a draft. An
-- update with a photo waits for an editor, who writes its text alternative.
create function private.save_filed_update(filer private.filing_senders, coverage_id uuid, message_id uuid, written_at timestamptz,
  content jsonb, is_draft boolean) returns jsonb
language plpgsql volatile set search_path = '' as $$
#variable_conflict use_variable
declare saved jsonb;
begin
  perform private.act_as(filer.person_id);
  perform private.register_filed_photo(m, coverage_id) from private.filed_messages m where m.id = message_id;
  if filer.publishes and not is_draft and not private.has_photos(content -> 'body') and private.has_permission('publish_update', coverage_id, filer.person_id)
     and (select c.state from public.coverages c where c.id = coverage_id) in ('live', 'paused', 'ended') then
    saved := public.publish_update(message_id, coverage_id, message_id, content);
  else
    saved := public.save_update(message_id, coverage_id, message_id, content);
    -- The desk lists unpublished updates by this time. Deliveries may arrive late and in another order.
    update public.updates u set created_at = written_at
    where u.id = message_id and written_at between now() - interval '2 days' and now();
    if not is_draft then saved := public.submit_update(gen_random_uuid(), message_id, (saved ->> 'version')::integer); end if;
  end if;
  perform private.act_as(null);
  update private.filed_messages m set waiting = null, version = (saved ->> 'version')::integer,
    result = private.filing_result(message_id, 'filed')
  where m.id = message_id;
  return private.filing_result(message_id, 'filed');
end $$;

-- Writes an edited message into its update. Returns {outcome}: `edited`; `changed`, if the desk has changed or finished the
-- update; `live`, if readers see it and the sender may not change that.
create function private.revise_filed_update(filer private.filing_senders, filed private.filed_messages, content jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
#variable_conflict use_variable
declare
  existing public.updates;
  new_content jsonb;
  saved jsonb;
begin
  perform private.lock_coverage_of_update(filed.id);
  select * into existing from public.updates u where u.id = filed.id;
  if existing.state not in ('draft', 'submitted', 'published') or not exists (select from public.update_revisions r
      where r.update_id = existing.id and r.version = filed.version and r.content ->> 'headline' is not distinct from existing.headline
        and r.content -> 'body' = existing.body) then
    return private.filing_result(filed.id, 'changed');
  end if;
  perform private.act_as(filer.person_id);
  if existing.state = 'published' and not (filer.publishes and private.has_permission('publish_update', existing.coverage_id, existing.author)) then
    perform private.act_as(null);
    return private.filing_result(filed.id, 'live');
  end if;
  perform private.register_filed_photo(filed, existing.coverage_id);
  new_content := to_jsonb(private.current_content(existing)) || jsonb_build_object('headline', content -> 'headline', 'body',
    -- A photo that could not be fetched at first is not part of the update.
    (select coalesce(jsonb_agg(b.block order by b.position), '[]') from jsonb_array_elements(content -> 'body') with ordinality b(block, position)
      where b.block ->> 'photo' is null or b.block ->> 'photo' = filed.photo_id::text));
  if existing.state = 'published' then
    saved := public.revise_update(gen_random_uuid(), existing.id, existing.version, new_content);
  else
    saved := public.save_update(gen_random_uuid(), existing.coverage_id, existing.id, new_content, existing.version);
  end if;
  perform private.act_as(null);
  update private.filed_messages m set version = (saved ->> 'version')::integer where m.id = filed.id;
  return private.filing_result(filed.id, 'edited');
end $$;

-- Sets the coverage that a person chose for 12 hours, and files the messages that wait for it, in order.
create function private.choose_filing_coverage(filer private.filing_senders, coverage_id uuid) returns jsonb
language plpgsql volatile set search_path = '' as $$
#variable_conflict use_variable
declare
  message private.filed_messages;
  saved jsonb;
  number integer := 0;
begin
  update private.filing_senders s set coverage_id = choose_filing_coverage.coverage_id, chosen_until = now() + interval '12 hours', offered = null
  where s.id = filer.id;
  for message in select * from private.filed_messages m where m.sender_id = filer.id and m.waiting is not null order by m.written_at, m.id loop
    saved := private.save_filed_update(filer, coverage_id, message.id, message.written_at, message.waiting -> 'content',
      (message.waiting ->> 'is_draft')::boolean);
    number := number + 1;
  end loop;
  return jsonb_build_object('outcome', 'chosen', 'coverage', (select c.headline from public.coverages c where c.id = coverage_id),
    'filed', number, 'state', saved -> 'state', 'number', saved -> 'number');
end $$;

-- Files a message of a linked sender. See file_message.
create function private.file_message_of(filer private.filing_senders, message_id uuid, written_at timestamptz, content jsonb, options jsonb)
returns jsonb language plpgsql volatile set search_path = '' as $$
#variable_conflict use_variable
declare
  max_waiting constant integer := 20;
  filed private.filed_messages;
  candidates uuid[];
  chosen uuid;
  answer jsonb;
begin
  select * into filed from private.filed_messages m where m.id = message_id;
  if filed.written_at >= written_at then return filed.result; end if;
  if filed.id is not null and filed.version is null and filed.waiting is null then return filed.result; end if;
  if filed.version is not null then
    answer := private.revise_filed_update(filer, filed, content);
    update private.filed_messages m set written_at = written_at, result = answer where m.id = message_id;
    return answer;
  end if;

  -- A message that is delivered after it was forgotten.
  if filed.id is null and exists (select from public.updates u where u.id = message_id and u.author = filer.person_id) then
    return private.filing_result(message_id, 'filed');
  end if;

  candidates := private.filing_coverages(filer.person_id);
  if options ->> 'slug' is not null then
    chosen := private.filing_coverage_of_slug(options ->> 'slug', filer.person_id);
    if chosen is null then return jsonb_build_object('outcome', 'unknown_coverage'); end if;
  elsif filer.offered is not null and (options ->> 'choice')::integer between 1 and cardinality(filer.offered) then
    chosen := filer.offered[(options ->> 'choice')::integer];
    if chosen <> all (candidates) then return jsonb_build_object('outcome', 'unknown_coverage'); end if;
    answer := private.choose_filing_coverage(filer, chosen);
    insert into private.filed_messages (id, sender_id, written_at, result) values (message_id, filer.id, written_at, answer);
    return answer;
  elsif cardinality(candidates) = 1 then
    chosen := candidates[1];
  elsif filer.chosen_until > now() and filer.coverage_id = any (candidates) then
    chosen := filer.coverage_id;
  end if;

  if chosen is null and cardinality(candidates) = 0 then return jsonb_build_object('outcome', 'no_coverage'); end if;
  -- A message that waits is checked at once, so that its sender learns what is wrong with it.
  perform private.read_content(content, 1, filer.person_id);
  if chosen is null and filed.id is null and max_waiting <= (select count(*) from private.filed_messages m
      where m.sender_id = filer.id and m.waiting is not null) then
    return jsonb_build_object('outcome', 'too_many_waiting');
  end if;
  insert into private.filed_messages as m (id, sender_id, written_at, photo_id, file, waiting, result)
    values (message_id, filer.id, written_at, private.to_uuid(options -> 'photo' ->> 'id'), options -> 'photo' ->> 'file',
      jsonb_build_object('content', content, 'is_draft', coalesce((options ->> 'is_draft')::boolean, false)), '{}')
  on conflict on constraint filed_messages_pkey do update set written_at = excluded.written_at, waiting = excluded.waiting,
    photo_id = excluded.photo_id, file = excluded.file;
  if chosen is null then
    answer := jsonb_build_object('outcome', 'choose', 'coverages', (select jsonb_agg(c.headline order by o.position)
      from unnest(candidates) with ordinality o(id, position) join public.coverages c on c.id = o.id));
    update private.filed_messages m set result = answer where m.id = message_id;
    update private.filing_senders s set offered = candidates where s.id = filer.id;
    return answer;
  end if;
  if options ->> 'slug' is not null then
    update private.filing_senders s set coverage_id = chosen, chosen_until = now() + interval '12 hours' where s.id = filer.id;
  end if;
  update private.filing_senders s set last_filed_at = now() where s.id = filer.id;
  return private.save_filed_update(filer, chosen, message_id, written_at, content, coalesce((options ->> 'is_draft')::boolean, false));
end $$;

-- Files a message of a sender. A repeated delivery gets the first answer. `content` is that of an update; `options` has
-- {slug, choice, is_draft, photo}: the slug that the message names, the position that it may choose, whether it stays a draft, and
-- the photo {id, file} that the content shows.
-- Without content it only tells whether the sender may file.
-- Returns {outcome, language, …}:
-- `linked`, without content; `filed`, `edited`, `changed`, `live` with {state, number, coverage}; `chosen` with {coverage, filed, state, number};
-- `choose` with {coverages}; `unknown_coverage`, `no_coverage`, `too_many_waiting`; `unlinked` or `inactive`, of which only a
-- count is stored. `photos` are those of the sender that have not arrived: [{id, file}].
-- Errors: those of the commands on updates.
create function public.file_message(channel text, sender text, message_id uuid, written_at timestamptz, content jsonb, options jsonb default '{}')
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  filer private.filing_senders;
  answer jsonb;
begin
  -- The lock puts the messages of a sender in order.
  select * into filer from private.filing_senders s where s.channel = channel and s.sender = sender for update;
  if filer.id is null then
    perform public.refuse_filing(channel, 'unlinked');
    return jsonb_build_object('outcome', 'unlinked');
  end if;
  if not private.may_file(filer.person_id) then
    perform public.refuse_filing(channel, 'inactive');
    return jsonb_build_object('outcome', 'inactive', 'language', filer.language);
  end if;
  answer := case when content is null then '{"outcome": "linked"}' else private.file_message_of(filer, message_id, written_at, content, options) end;
  return answer || jsonb_build_object('language', filer.language, 'photos', private.missing_filed_photos(filer.id));
end $$;

-- ---- Retention ----

-- Deletes messages that waited for 12 hours, what is remembered of others after 7 days, old codes, and old counts.
create function private.delete_old_filing() returns void
language sql volatile set search_path = '' as $$
  with forgotten as (
    delete from private.filed_messages m
    where m.received_at < now() - case when m.waiting is null then interval '7 days' else interval '12 hours' end returning m.sender_id)
    update private.filing_senders s set offered = null
    where s.id in (select f.sender_id from forgotten f) and not exists (select from private.filed_messages m
      where m.sender_id = s.id and m.waiting is not null and m.received_at >= now() - interval '12 hours');
  delete from private.filing_codes c where c.expires_at < now() - interval '1 day';
  delete from private.filing_refusals r where r.day < (now() at time zone 'UTC')::date - 30;
$$;
select cron.schedule('delete-old-filing', '31 * * * *', 'select private.delete_old_filing()');

-- ---- Own data ----

-- The caller's links to senders.
create function private.my_filing_senders() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('filing_senders', coalesce((select jsonb_agg(jsonb_build_object('channel', s.channel, 'sender', s.sender, 'name', s.name,
    'language', s.language, 'publishes', s.publishes, 'linked_at', s.linked_at, 'last_filed_at', s.last_filed_at) order by s.linked_at)
  from private.filing_senders s where s.person_id = auth.uid()), '[]'))
$$;

create or replace function public.my_data() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('at', now()) || private.my_account() || private.my_subscriptions() || private.my_work()
    || private.my_media_files() || private.my_filing_senders()
$$;

-- ---- Execute rights ----

grant execute on function public.connect_filing_channel, public.remove_filing_channel, public.read_filing, public.my_filing,
  public.make_filing_code, public.unlink_filing_sender, public.set_filing_trust to authenticated;
grant execute on function public.filing_connection, public.filing_senders_of, public.refuse_filing, public.link_filing_sender, public.file_message to service_role;
