-- Tips from readers. The server accepts them; only people who handle tips can read them.

create type public.tip_state as enum ('new', 'in_review', 'used', 'declined', 'spam');

create table public.tips (
  id uuid primary key,
  coverage_id uuid references public.coverages (id),
  body text not null,
  name text,
  contact text,
  state public.tip_state not null default 'new',
  -- Suspected spam or a flood: kept apart, not refused.
  held boolean not null default false,
  -- Why it is suspicious: a hidden field was filled in, or the form was filled in faster than a human can type.
  suspicion text check (suspicion in ('honeypot', 'haste')),
  -- Whether an update that quotes the tip may name the sender.
  may_be_named boolean not null default false,
  -- Incremented by each action. Callers pass the version that they saw.
  version integer not null default 1,
  -- The person who reviews it, or reviewed it last.
  assigned_to uuid references public.people (id),
  review_started_at timestamptz,
  update_id uuid references public.updates (id),
  -- The sender, if they were signed in.
  sender uuid references public.people (id),
  -- Salted digests of the sender's address and device and of the words, and the digest of the receipt.
  sender_hash text,
  device_hash text,
  words_hash text,
  -- Whether the device had a token of this site when it sent the tip, or was given its first one for it.
  device_known boolean not null default false,
  receipt_hash text not null unique,
  created_at timestamptz not null default now(),
  -- When and by whom it was used, declined or marked as spam.
  handled_at timestamptz,
  handled_by uuid references public.people (id),
  constraint reviewed_has_reviewer check (case state when 'new' then assigned_to is null and review_started_at is null
    else assigned_to is not null and review_started_at is not null end),
  constraint handled_has_time check ((state in ('used', 'declined', 'spam')) = (handled_at is not null)),
  constraint used_has_update check ((state = 'used') = (update_id is not null)),
  constraint held_is_new check (state = 'new' or not held),
  constraint body_form check (private.is_text(body, 'tip_body')),
  constraint name_form check (name is null or private.is_line(name, 'tip_name')),
  constraint contact_form check (contact is null or private.is_line(contact, 'tip_contact'))
);
create index tips_newest on public.tips (created_at desc);
create index tips_by_sender on public.tips (sender_hash, created_at) where not held;
create index tips_by_device on public.tips (device_hash, created_at);
create index tips_by_words on public.tips (words_hash, created_at);
create index tips_by_person on public.tips (sender, created_at desc) where sender is not null;
create index tips_used on public.tips (update_id) where update_id is not null;
-- New tips by time. They are few.
create index tips_waiting on public.tips (created_at) where state = 'new' and not held;
-- Lists of the queue: open tips of all coverages and of one, then by state and reviewer. Each is read in its order
-- from the end.
create index tips_open on public.tips (created_at, id) where state in ('new', 'in_review') and not held;
create index tips_open_in on public.tips (coverage_id, created_at, id) where state in ('new', 'in_review') and not held;
create index tips_held on public.tips (created_at, id) where held;
create index tips_held_in on public.tips (coverage_id, created_at, id) where held;
create index tips_mine on public.tips (assigned_to, created_at, id) where state = 'in_review';
create index tips_state on public.tips (state, created_at, id);
create index tips_state_in on public.tips (coverage_id, state, created_at, id);
create index tips_in on public.tips (coverage_id, created_at, id);
alter table public.tips enable row level security;

alter table public.photos add foreign key (tip_id) references public.tips (id);

-- Salt of the digests of senders. Without it, addresses could be found by trying all of them.
create table private.tip_salt (
  id boolean primary key default true check (id),
  salt text not null default gen_random_uuid()::text || gen_random_uuid()::text
);
alter table private.tip_salt enable row level security;
insert into private.tip_salt default values;

-- ---- Senders ----

create function private.sender_digest(kind text, value text) returns text
language sql stable set search_path = '' as $$
  select private.sha256_hex(t.salt || kind || ':' || value) from private.tip_salt t where value is not null
$$;

-- Whether a device, person or address sent too many tips. Tips of a device or person count even if held, so the
-- flood ends when they stop. Held tips of an address do not count, because a whole street may share it. Counting
-- stops at the limit.
create function private.is_flood(tip public.tips) returns boolean
language plpgsql stable set search_path = '' as $$
declare
  hour_ago constant timestamptz := now() - interval '1 hour';
  day_ago constant timestamptz := now() - interval '1 day';
  per_hour constant integer := private.get_limit('tips_per_hour');
  per_day constant integer := private.get_limit('tips_per_day');
  per_address constant integer := private.get_limit('tips_per_address');
begin
  return (select count(*) from (select from public.tips t where t.device_hash = tip.device_hash and t.created_at > hour_ago limit per_hour) recent) >= per_hour
    or (select count(*) from (select from public.tips t where t.device_hash = tip.device_hash
      and t.created_at > day_ago limit per_day) recent) >= per_day
    or (select count(*) from (select from public.tips t where t.sender = tip.sender and t.created_at > hour_ago limit per_hour) recent) >= per_hour
    or (select count(*) from (select from public.tips t where t.sender = tip.sender and t.created_at > day_ago limit per_day) recent) >= per_day
    or (select count(*) from (select from public.tips t where t.sender_hash = tip.sender_hash and not t.held
      and t.created_at > hour_ago limit per_address) recent) >= per_address;
end $$;

-- The tip with the same words that was sent within `tip_same_minutes` from the same device, or from the same
-- address if one of the two devices was unknown. The sender has lost the response or sent the form twice.
create function private.find_duplicate_tip(tip public.tips) returns public.tips
language plpgsql stable set search_path = '' as $$
declare duplicate public.tips;
begin
  select * into duplicate from public.tips t
  where t.words_hash = tip.words_hash and t.created_at > now() - make_interval(mins => private.get_limit('tip_same_minutes'))
    and (t.device_hash = tip.device_hash or (t.sender_hash = tip.sender_hash and not (t.device_known and tip.device_known)))
    and (t.sender is null or tip.sender is null or t.sender = tip.sender)
  order by t.created_at limit 1;
  return duplicate;
end $$;

-- ---- Submission ----

-- Attaches a photo to a tip that has none or a refused one. Returns the id of the photo that may be uploaded, or
-- null.
create function private.attach_photo(tip public.tips, photo uuid) returns uuid
language plpgsql volatile set search_path = '' as $$
declare existing uuid;
begin
  if photo is null then return null; end if;
  delete from public.photos p where p.tip_id = tip.id and p.coverage_id is null and p.state = 'refused';
  select p.id into existing from public.photos p where p.tip_id = tip.id;
  if existing is not null then return existing; end if;
  insert into public.photos (id, tip_id, bucket, uploaded_by) values (photo, tip.id, 'tips', tip.sender) on conflict do nothing;
  if not found then perform private.raise_id_conflict(); end if;
  return photo;
end $$;

-- The response to the sender of a tip. The photo is included while it waits for its upload.
create function private.tip_answer(command_result jsonb) returns jsonb
language sql volatile set search_path = '' as $$
  select command_result || jsonb_build_object('photo',
    (select p.id from public.photos p where p.id = private.to_uuid(command_result ->> 'photo') and p.state = 'uploading'))
$$;

-- Accepts a tip: {id, held, photo}; `photo` may be uploaded. `content`: coverage (a slug), body, name, contact,
-- may_be_named, photo (an id), website (a hidden field), took_ms (time since the first key). `sender`: address, device,
-- known (the device had a token), person.
-- The same tip again returns the same answer; the same words from the same sender within minutes return the id of
-- the first tip. Suspicious tips are held.
create function public.add_tip(tip_id uuid, content jsonb, receipt text, sender jsonb)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  -- The id of the tip is the idempotency key. The time spent on the form may differ between two attempts.
  stored_result jsonb := private.begin_command(tip_id, 'add_tip', jsonb_build_array(content - '{website,took_ms}'::text[], receipt));
  photo uuid;
  tip public.tips;
  duplicate public.tips;
begin
  if stored_result is not null then return private.tip_answer(stored_result); end if;
  perform private.require_object(content, '{coverage,body,name,contact,may_be_named,photo,website,took_ms}');
  perform private.require_object(sender, '{address,device,known,person}');
  if not coalesce(receipt ~ '^[A-Za-z0-9_-]{32,128}$', false) then
    perform private.raise_invalid('receipt', 'invalid_receipt');
  end if;
  tip.id := tip_id;
  tip.body := private.optional_multiline(content, 'body', 'tip_body');
  if tip.body is null then perform private.raise_invalid('body', 'text_missing'); end if;
  tip.name := private.optional_line(content, 'name', 'tip_name');
  tip.contact := private.optional_line(content, 'contact', 'tip_contact');
  if not private.is_boolean(nullif(content -> 'may_be_named', 'null')) then perform private.raise_invalid('may_be_named', 'not_boolean'); end if;
  tip.may_be_named := coalesce((content ->> 'may_be_named')::boolean, false);
  tip.suspicion := case when private.optional_text(content, 'website') is not null then 'honeypot'
    when private.is_number(content -> 'took_ms') and (content ->> 'took_ms')::numeric < private.get_limit('tip_min_typing_ms') then 'haste' end;
  photo := private.to_uuid(private.optional_text(content, 'photo'));
  if photo is null and private.optional_text(content, 'photo') is not null then
    perform private.raise_invalid('photo', 'photo_id_missing');
  end if;
  -- An unpublished coverage is treated as missing, so that nothing is revealed about drafts.
  tip.coverage_id := (select c.id from public.coverage_slugs s join public.coverages c on c.id = s.coverage_id
    where s.slug = private.optional_text(content, 'coverage') and private.is_public(c.state));
  tip.sender := (select p.id from public.people p where p.id = private.to_uuid(private.optional_text(sender, 'person')));
  -- One tip at a time, because concurrent tips would each be counted as the first.
  perform from private.tip_salt t for update;
  tip.sender_hash := private.sender_digest('address', private.optional_text(sender, 'address'));
  tip.device_hash := private.sender_digest('device', private.optional_text(sender, 'device'));
  tip.device_known := coalesce(sender -> 'known' = 'true', false);
  tip.words_hash := private.sender_digest('words', jsonb_build_array(tip.coverage_id, tip.body, tip.name, tip.contact)::text);
  duplicate := private.find_duplicate_tip(tip);
  if duplicate.id is not null then
    -- The sender's latest choice about being named applies.
    if duplicate.may_be_named <> tip.may_be_named then update public.tips t set may_be_named = tip.may_be_named,
      version = t.version + 1 where t.id = duplicate.id; end if;
    return private.tip_answer(private.finish_command(tip_id,
      jsonb_build_object('id', duplicate.id, 'held', duplicate.held, 'photo', private.attach_photo(duplicate, photo))));
  end if;
  tip.held := tip.suspicion is not null or private.is_flood(tip);
  insert into public.tips (id, coverage_id, body, name, contact, may_be_named, held, suspicion, sender, sender_hash, device_hash, words_hash,
      device_known, receipt_hash, created_at)
    values (tip_id, tip.coverage_id, tip.body, tip.name, tip.contact, tip.may_be_named, tip.held, tip.suspicion, tip.sender, tip.sender_hash,
      tip.device_hash, tip.words_hash, tip.device_known, private.sha256_hex(receipt), clock_timestamp())
  on conflict do nothing;
  if not found then perform private.raise_id_conflict(); end if;
  return private.finish_command(tip_id, jsonb_build_object('id', tip_id, 'held', tip.held, 'photo', private.attach_photo(tip, photo)));
end $$;

-- ---- State for the sender ----

-- State of a tip for its sender. Spam is reported as declined.
create function private.sender_state(state public.tip_state) returns public.tip_state
language sql immutable return case state when 'spam' then 'declined' else state end;

-- The published update that uses a tip: {slug, number}, or null.
create function private.tip_use(update_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('slug', c.slug, 'number', u.number)
  from public.updates u join public.coverages c on c.id = u.coverage_id
  where u.id = update_id and u.state = 'published' and private.is_public(c.state)
$$;

-- The coverage of a tip if readers may see it: {slug, headline}, or null.
create function private.tip_coverage(coverage_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('slug', c.slug, 'headline', c.headline) from public.coverages c
  where c.id = tip_coverage.coverage_id and private.is_public(c.state)
$$;

-- State of a tip for the holder of its receipt: {state, created_at, coverage: {slug, headline} | null, used_in: {slug,
-- number} | null}, or null.
create function public.tip_receipt(receipt text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('state', private.sender_state(t.state), 'created_at', t.created_at,
    'coverage', private.tip_coverage(t.coverage_id), 'used_in', private.tip_use(t.update_id))
  from public.tips t where t.receipt_hash = private.sha256_hex(receipt)
$$;

-- The caller's own tips, newest first, at most fifty: [{id, body, state, created_at, coverage, used_in}].
create function public.my_tips() returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'body', t.body, 'state', private.sender_state(t.state),
    'created_at', t.created_at, 'coverage', private.tip_coverage(t.coverage_id), 'used_in', private.tip_use(t.update_id))
    order by t.created_at desc, t.id desc), '[]')
  from (select * from public.tips t where t.sender = (select auth.uid()) order by t.created_at desc limit 50) t
$$;

-- ---- Deletion ----

-- Deletes tips with their photos and receipts: unhandled ones after `tip_unhandled_days`, held ones after
-- `tip_held_days`, spam after `tip_spam_days`. A photo that an update shows remains with its coverage.
create function private.delete_old_tips() returns void
language plpgsql volatile set search_path = '' as $$
declare tip_ids uuid[] := array(
  select t.id from public.tips t
  where (t.state in ('new', 'in_review') and t.created_at < now() - make_interval(days => private.get_limit('tip_unhandled_days')))
    or (t.held and t.created_at < now() - make_interval(days => private.get_limit('tip_held_days')))
    or (t.state = 'spam' and t.handled_at < now() - make_interval(days => private.get_limit('tip_spam_days')))
  for update);
begin
  if tip_ids = '{}' then return; end if;
  delete from public.photos p where p.tip_id = any (tip_ids) and p.coverage_id is null;
  update public.photos p set tip_id = null where p.tip_id = any (tip_ids);
  delete from public.tips t where t.id = any (tip_ids);
  delete from private.idempotency_keys o where o.key = any (tip_ids);
end $$;

-- Deletes data that is kept for a limited time: contacts of handled tips, digests of senders, tips, invitations.
create function private.delete_expired_data() returns void
language plpgsql volatile set search_path = '' as $$
begin
  update public.tips t set name = null, contact = null
  where t.handled_at < now() - make_interval(days => private.get_limit('contact_days')) and (t.name is not null or t.contact is not null);
  update public.tips t set sender_hash = null, device_hash = null, words_hash = null
  where t.created_at < now() - make_interval(days => private.get_limit('sender_days'))
    and (t.sender_hash is not null or t.device_hash is not null);
  perform private.delete_old_tips();
  perform private.delete_old_invites();
end $$;

select cron.schedule('delete-expired-data', '41 3 * * *', 'select private.delete_expired_data()');

-- ---- Execute rights ----

grant execute on function public.add_tip to service_role;
grant execute on function public.tip_receipt to anon, authenticated, service_role;
grant execute on function public.my_tips to authenticated;
