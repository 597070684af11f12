-- The WordPress site of the newsroom: its address and password, the drafts that were made there from updates, and the
-- transfer that it offers.

-- The site and one of its users. There is at most one.
create table private.wordpress (
  id boolean primary key default true,
  url text not null,
  username text not null,
  -- The application password, encrypted by the edge function `wordpress`, which alone has the key.
  password text not null,
  saved_at timestamptz not null default now(),
  constraint only_one check (id)
);
alter table private.wordpress enable row level security;

-- Drafts that were made from updates.
create table private.wordpress_drafts (
  update_id uuid primary key references public.updates (id) on delete cascade,
  created_by uuid references public.people (id),
  created_at timestamptz not null default now(),
  -- A call makes the draft until this time.
  claimed_until timestamptz,
  -- The address at which WordPress opens the draft. Null until there is a draft.
  link text
);
create index wordpress_drafts_by on private.wordpress_drafts (created_by);
alter table private.wordpress_drafts enable row level security;

-- Whether the value can be the address of a site: http or https, without credentials, query, fragment and final slash.
-- The edge function requires https, except for an address that the operator of the server has named.
create function private.is_site_url(value text) returns boolean
language sql immutable set search_path = '' as $$
  select private.is_url(value) and value ~ '^https?://[\u0021-\u007e]+[^/]$' and value !~ '[?#]'
$$;

-- Saves the site, its user and the encrypted password. Returns {url, username}.
-- Errors: forbidden; invalid.
create function public.save_wordpress(idempotency_key uuid, url text, username text, password text) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'save_wordpress', jsonb_build_array(url, username, password));
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('administer', null);
  if not coalesce(private.is_site_url(url), false) then perform private.raise_invalid('url', 'invalid_address'); end if;
  if not coalesce(private.is_line(username, 'display_name'), false) then
    perform private.raise_invalid('username', 'invalid_line', jsonb_build_object('max', private.get_limit('display_name')));
  end if;
  if not coalesce(char_length(password) between 40 and 1000 and password ~ '^[A-Za-z0-9_-]+$', false) then
    perform private.raise_invalid('password', 'wordpress_password_form');
  end if;
  insert into private.wordpress (url, username, password) values (url, username, password)
  on conflict (id) do update set url = excluded.url, username = excluded.username, password = excluded.password, saved_at = now();
  perform private.log_action('save_wordpress', 'site', null);
  return private.finish_command(idempotency_key, jsonb_build_object('url', url, 'username', username));
end $$;

-- Forgets the site and its password. Links to drafts remain.
create function public.remove_wordpress(idempotency_key uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare stored_result jsonb := private.begin_command(idempotency_key, 'remove_wordpress', '[]');
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('administer', null);
  if exists (select from private.wordpress) then perform private.log_action('remove_wordpress', 'site', null); end if;
  delete from private.wordpress w where w.id;
  return private.finish_command(idempotency_key, '{}');
end $$;

-- The site as owners see it: {url, username, saved_at}; null without one. The password is not part of it.
create function public.read_wordpress() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('administer', null);
  return (select jsonb_build_object('url', w.url, 'username', w.username, 'saved_at', w.saved_at) from private.wordpress w);
end $$;

-- The site with its encrypted password, for the edge function: {url, username, password}; null without one.
create function public.wordpress_connection() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('url', w.url, 'username', w.username, 'password', w.password) from private.wordpress w
$$;

-- ---- Drafts ----

-- For editors: whether there is a site, and the links of the drafts of a coverage: {is_connected, links: {update id: link}}.
-- Null for all others.
create function public.list_wordpress_drafts(coverage_id uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('is_connected', exists (select from private.wordpress),
    'links', coalesce((select jsonb_object_agg(d.update_id, d.link) from private.wordpress_drafts d
      join public.updates u on u.id = d.update_id
      where u.coverage_id = list_wordpress_drafts.coverage_id and d.link is not null), '{}'))
  where private.has_permission('run_coverage', list_wordpress_drafts.coverage_id)
$$;

-- Claims a published update for two minutes, so that two calls do not make two drafts. Returns {link} if there is a draft,
-- or else {slug, number, headline, coverage, body, photo, is_repeated}: the headline is the coverage's if the update has none;
-- photo {id, bucket, width, alt, caption, credit} is the first one that readers see, or null; `is_repeated`: an earlier call may
-- have made a draft before it failed.
-- Errors: forbidden; gone, if update or coverage was withdrawn; bad_state, if the update is not published, or another call makes
-- its draft.
create function public.claim_wordpress_draft(update_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage_of_update(update_id);
  existing public.updates;
  draft private.wordpress_drafts;
  photo jsonb;
begin
  perform private.require_permission('run_coverage', coverage.id);
  select * into draft from private.wordpress_drafts d where d.update_id = update_id;
  if draft.link is not null then return jsonb_build_object('link', draft.link); end if;
  existing := private.require_published_update(update_id, coverage.id);
  if not private.is_public(coverage.state) then perform private.raise_error('gone', 'coverage_withdrawn'); end if;
  if draft.claimed_until > clock_timestamp() then perform private.raise_error('bad_state', 'wordpress_draft_in_progress'); end if;
  insert into private.wordpress_drafts (update_id, created_by, claimed_until)
    values (update_id, auth.uid(), clock_timestamp() + interval '2 minutes')
  on conflict on constraint wordpress_drafts_pkey do update set created_by = excluded.created_by, claimed_until = excluded.claimed_until;
  select jsonb_build_object('id', p.id, 'bucket', p.bucket, 'width', p.renditions -> -1 -> 'width', 'alt', p.alt,
      'caption', p.caption, 'credit', p.credit) into photo
  from public.update_photos o join public.photos p on p.id = o.photo_id
  where o.update_id = update_id and private.is_public_photo(p) order by o.position limit 1;
  return jsonb_build_object('slug', coverage.slug, 'number', existing.number,
    'headline', coalesce(existing.headline, coverage.headline), 'coverage', coverage.headline, 'body', existing.body, 'photo', photo,
    'is_repeated', draft.update_id is not null);
end $$;

-- Ends the claim of an update: with the link of its draft, or without one, after a failure.
create function public.finish_wordpress_draft(update_id uuid, link text default null) returns void
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage_of_update(update_id);
  draft private.wordpress_drafts;
begin
  update private.wordpress_drafts d set claimed_until = null, link = link
  where d.update_id = update_id and d.link is null returning * into draft;
  if draft.link is null then return; end if;
  -- The server calls this function for the person who began.
  insert into public.audit_log (created_by, action, subject, subject_id, detail, coverage_id)
    select draft.created_by, 'make_wordpress_draft', 'update', update_id,
      jsonb_build_object('coverage', coverage.id, 'number', u.number), coverage.id
    from public.updates u where u.id = update_id;
end $$;

grant execute on function public.save_wordpress, public.remove_wordpress, public.read_wordpress,
  public.list_wordpress_drafts, public.claim_wordpress_draft to authenticated;
grant execute on function public.wordpress_connection, public.finish_wordpress_draft to service_role;

-- ---- Transfer ----

-- What the WordPress site sent: staff, name, colour, logo and menu. An owner accepts or declines it. There is at most one.
create table private.wordpress_transfer (
  id boolean primary key default true,
  -- SHA-256 of the code with which WordPress may send, once and until `expires_at`. The code itself is not stored.
  code_hash text not null,
  expires_at timestamptz not null,
  -- {name, accent, logo, menu: [{label, url}], people: [{email, name, role}]}; the logo is a file in base64.
  content jsonb,
  received_at timestamptz,
  constraint only_one check (id),
  constraint code_hash_form check (code_hash ~ '^[0-9a-f]{64}$'),
  constraint received_has_time check ((content is null) = (received_at is null))
);
alter table private.wordpress_transfer enable row level security;

-- Whether the value is a person of a transfer: {email, name, role}.
create function private.is_transferred_person(person jsonb) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return private.is_object(person, '{email,name,role}') and jsonb_typeof(person -> 'email') = 'string'
    and private.is_email(person ->> 'email') and private.is_display_name(private.get_string(person, 'name'))
    and coalesce(person ->> 'role' in ('contributor', 'reporter', 'editor'), false);
end $$;

-- Lets WordPress send one transfer within the next hour. Replaces an earlier code and what was sent with it. Returns
-- {expires_at}.
-- Errors: forbidden; invalid.
create function public.offer_wordpress_transfer(idempotency_key uuid, code_hash text) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'offer_wordpress_transfer', jsonb_build_array(code_hash));
  offered private.wordpress_transfer;
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('administer', null);
  if not coalesce(code_hash ~ '^[0-9a-f]{64}$', false) then perform private.raise_invalid('code_hash', 'invalid_code_hash'); end if;
  delete from private.wordpress_transfer t where t.id;
  insert into private.wordpress_transfer (code_hash, expires_at) values (code_hash, now() + interval '1 hour') returning * into offered;
  perform private.log_action('offer_wordpress_transfer', 'site', null);
  return private.finish_command(idempotency_key, jsonb_build_object('expires_at', offered.expires_at));
end $$;

-- Takes what WordPress sends with a valid code. It changes nothing until an owner accepts it. The same content may be sent
-- again, because an answer can be lost. Returns {people}: how many.
-- Errors: gone, if the code is wrong, used or expired; invalid.
create function public.send_wordpress_transfer(code text, content jsonb) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  transfer private.wordpress_transfer;
  max_people constant integer := 50;
  wrong bigint;
begin
  select * into transfer from private.wordpress_transfer t where t.code_hash = private.sha256_hex(code) for update;
  if transfer.id is null or transfer.expires_at <= now() or (transfer.content is not null and transfer.content <> content) then
    perform private.raise_error('gone', 'transfer_code_wrong');
  end if;
  perform private.require_object(content, '{name,accent,logo,menu,people}');
  if content ? 'name' and not private.is_line(private.get_string(content, 'name'), 'site_name') then
    perform private.raise_invalid('name', 'invalid_line', jsonb_build_object('max', private.get_limit('site_name')));
  end if;
  if content ? 'accent' and not coalesce(private.get_string(content, 'accent') ~ '^#[0-9a-f]{6}$', false) then
    perform private.raise_invalid('accent', 'invalid_accent_colour');
  end if;
  if content ? 'logo' and not coalesce(char_length(private.get_string(content, 'logo')) between 4 and 204800
      and private.get_string(content, 'logo') ~ '^[A-Za-z0-9+/]+={0,2}$', false) then
    perform private.raise_invalid('logo', 'transferred_logo_wrong');
  end if;
  if content ? 'menu' then perform private.read_site_menu(content); end if;
  if jsonb_typeof(content -> 'people') is distinct from 'array' or jsonb_array_length(content -> 'people') > max_people then
    perform private.raise_invalid('people', 'invalid_list', jsonb_build_object('max', max_people));
  end if;
  -- The form of the owner has one choice for each address.
  select min(p.position) into wrong from (
    select q.person, q.position, row_number() over (partition by lower(q.person ->> 'email') order by q.position) as nth
    from jsonb_array_elements(content -> 'people') with ordinality q(person, position)) p
  where not coalesce(private.is_transferred_person(p.person), false) or p.nth > 1;
  if wrong is not null then
    perform private.raise_invalid('people', 'transferred_person_wrong', jsonb_build_object('position', wrong));
  end if;
  if transfer.content is null then
    update private.wordpress_transfer t set content = content, received_at = now() where t.id;
  end if;
  return jsonb_build_object('people', jsonb_array_length(content -> 'people'));
end $$;

-- The transfer as owners see it: {expires_at, received_at, content}, the last two null until WordPress has sent it. Null
-- without one, and after a code that was not used.
create function public.read_wordpress_transfer() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('administer', null);
  return (select jsonb_build_object('expires_at', t.expires_at, 'received_at', t.received_at, 'content', t.content)
    from private.wordpress_transfer t where t.content is not null or t.expires_at > now());
end $$;

-- Deletes the transfer, after an owner has accepted or declined it.
create function public.close_wordpress_transfer(idempotency_key uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare stored_result jsonb := private.begin_command(idempotency_key, 'close_wordpress_transfer', '[]');
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('administer', null);
  if exists (select from private.wordpress_transfer) then
    perform private.log_action('close_wordpress_transfer', 'site', null);
  end if;
  delete from private.wordpress_transfer t where t.id;
  return private.finish_command(idempotency_key, '{}');
end $$;

-- It has addresses of people, so it is deleted when no owner has decided for a week.
select cron.schedule('delete-old-transfer', '19 * * * *',
  $$delete from private.wordpress_transfer where coalesce(received_at + interval '7 days', expires_at) < now()$$);

grant execute on function public.offer_wordpress_transfer, public.read_wordpress_transfer, public.close_wordpress_transfer
  to authenticated;
grant execute on function public.send_wordpress_transfer to anon, authenticated, service_role;
