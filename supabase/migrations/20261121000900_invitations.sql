-- Invitations: an owner invites an address with a role; the holder of the link accepts it once, within
-- `invite_days`.

create table public.invites (
  id uuid primary key,
  email text not null,
  -- Suggested display name. The invited person can change it.
  name text not null,
  role public.person_role not null,
  -- Coverage that a contributor will write for, and the days of membership from acceptance.
  coverage_id uuid references public.coverages (id),
  days integer,
  -- SHA-256 of the secret in the link, in hexadecimal. The secret itself is not stored.
  token_hash text not null unique,
  invited_by uuid not null references public.people (id),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  accepted_at timestamptz,
  accepted_by uuid references public.people (id),
  revoked_at timestamptz,
  -- Both are '' after the account of the invited person was deleted.
  constraint email_form check (private.is_email(email) or email = ''),
  constraint name_form check (private.is_display_name(name) or name = ''),
  constraint contributor_has_coverage check ((role = 'contributor') = (coverage_id is not null)
    and (coverage_id is null) = (days is null)),
  constraint days_form check (days between 1 and private.get_limit('contributor_days_max')),
  constraint token_hash_form check (token_hash ~ '^[0-9a-f]{64}$'),
  constraint accepted_has_person check ((accepted_at is null) = (accepted_by is null)),
  constraint ends_once check (accepted_at is null or revoked_at is null)
);
create index invites_newest on public.invites (created_at desc, id);
create index invites_email on public.invites (email);
create index invites_by on public.invites (invited_by) where accepted_at is null and revoked_at is null;
alter table public.invites enable row level security;

create type public.invite_state as enum ('pending', 'accepted', 'revoked', 'expired');

create function private.invite_state(invite public.invites) returns public.invite_state
language sql stable set search_path = '' as $$
  select case when invite.accepted_at is not null then 'accepted' when invite.revoked_at is not null then 'revoked'
    when invite.expires_at <= now() then 'expired' else 'pending' end::public.invite_state
$$;

-- Whether an invitation can be accepted: it is pending, and its coverage is neither archived nor withdrawn.
create function private.is_acceptable_invite(invite public.invites) returns boolean
language sql stable set search_path = '' as $$
  select private.invite_state(invite) = 'pending'
    and not exists (select from public.coverages c where c.id = invite.coverage_id and c.state in ('archived', 'withdrawn'))
$$;

-- When an invitation of now expires.
create function private.invite_expiry() returns timestamptz
language sql stable set search_path = '' as $$ select now() + make_interval(days => private.get_limit('invite_days')) $$;

-- Invitations, for owners.
create view public.desk_invites with (security_barrier) as
  select i.id, i.email, i.name, i.role, i.coverage_id, i.days, i.invited_by, i.created_at, i.expires_at, i.accepted_at, i.accepted_by,
    i.revoked_at, case when i.accepted_at is not null then 'accepted' when i.revoked_at is not null then 'revoked'
      when i.expires_at <= now() then 'expired' else 'pending' end::public.invite_state as state,
    (select p.display_name from public.people p where p.id = i.invited_by) as by_name,
    (select jsonb_build_object('slug', c.slug, 'headline', c.headline) from public.coverages c where c.id = i.coverage_id) as coverage
  from public.invites i
  where (select private.can_administer());
grant select on public.desk_invites to authenticated;
create trigger read_only instead of insert or update or delete on public.desk_invites
  for each row execute function private.reject_write();

-- ---- Steps ----

-- Whether the address has a confirmed account.
-- Errors: bad_state, if that account is deactivated; invalid, if the person has the role already or a higher one.
create function private.check_invited_account(invite public.invites) returns boolean
language plpgsql stable set search_path = '' as $$
declare
  existing public.people;
  confirmed boolean;
begin
  select u.email_confirmed_at is not null into confirmed from auth.users u where u.email = invite.email and u.deleted_at is null;
  if confirmed is null then return false; end if;
  select p.* into existing from public.people p join auth.users u on u.id = p.id where u.email = invite.email and u.deleted_at is null;
  if not existing.active then
    perform private.raise_error('bad_state', 'invited_account_inactive');
  elsif existing.role > invite.role or (existing.role = invite.role and invite.role <> 'contributor') then
    perform private.raise_invalid('email', 'role_already_given');
  end if;
  return confirmed;
end $$;

create function private.invite_result(invite public.invites, has_account boolean) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', invite.id, 'email', invite.email, 'name', invite.name, 'expires_at', invite.expires_at, 'has_account', has_account)
$$;

-- An invitation that was neither accepted nor revoked, locked after the site's row.
create function private.lock_invite(invite_id uuid) returns public.invites
language plpgsql volatile set search_path = '' as $$
declare invite public.invites;
begin
  perform private.lock_administration();
  select * into invite from public.invites i where i.id = lock_invite.invite_id for update;
  if invite.id is null then perform private.raise_not_found(); end if;
  if private.invite_state(invite) not in ('pending', 'expired') then
    perform private.raise_error('bad_state', 'invite_not_pending', jsonb_build_object('state', private.invite_state(invite)));
  end if;
  return invite;
end $$;

-- ---- Commands ----

-- Invites a person: content {email, name, role, coverage_id, days}, the last two for contributors. `token_hash` is
-- the digest of a secret that the caller created. Returns {id, email, name, expires_at,
-- has_account}.
create function public.invite_person(idempotency_key uuid, invite_id uuid, content jsonb, token_hash text)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'invite_person', jsonb_build_array(invite_id, content, token_hash));
  new_invite public.invites;
  has_account boolean;
begin
  if stored_result is not null then return stored_result; end if;
  -- The lock order of accept_invite(): the coverage, then the site's row.
  perform from public.coverages c where c.id = private.to_uuid(content ->> 'coverage_id') for update;
  perform private.lock_administration();
  perform private.require_object(content, '{email,name,role,coverage_id,days}');
  if invite_id is null then perform private.raise_invalid('invite_id', 'invite_id_missing'); end if;
  if not coalesce(token_hash ~ '^[0-9a-f]{64}$', false) then
    perform private.raise_invalid('token_hash', 'invalid_token_hash');
  end if;
  new_invite.id := invite_id;
  new_invite.token_hash := token_hash;
  new_invite.email := lower(private.optional_text(content, 'email'));
  if not coalesce(private.is_email(new_invite.email), false) then
    perform private.raise_invalid('email', 'invalid_email');
  end if;
  new_invite.name := private.read_display_name(content, 'name');
  new_invite.role := private.optional_enum(content, 'role', null::public.person_role, 'reader')::public.person_role;
  if new_invite.role = 'reader' then perform private.raise_invalid('role', 'invite_role_missing'); end if;
  if new_invite.role = 'contributor' then
    select c.id into new_invite.coverage_id from public.coverages c
    where c.id = private.to_uuid(private.optional_text(content, 'coverage_id')) and c.state not in ('archived', 'withdrawn');
    if new_invite.coverage_id is null then perform private.raise_invalid('coverage_id', 'invite_coverage_missing'); end if;
    new_invite.days := coalesce(private.optional_integer(content, 'days', 'contributor_days_min', 'contributor_days_max'),
      private.get_limit('contributor_days'));
  end if;
  has_account := private.check_invited_account(new_invite);
  if exists (select from public.invites i where i.email = new_invite.email and i.coverage_id is not distinct from new_invite.coverage_id
      and private.invite_state(i) = 'pending') then
    perform private.raise_invalid('email', 'already_invited');
  end if;
  insert into public.invites (id, email, name, role, coverage_id, days, token_hash, invited_by, expires_at)
    values (new_invite.id, new_invite.email, new_invite.name, new_invite.role, new_invite.coverage_id,
      new_invite.days, new_invite.token_hash, auth.uid(), private.invite_expiry())
  on conflict do nothing returning * into new_invite;
  if not found then perform private.raise_id_conflict(); end if;
  perform private.log_action('invite', 'invite', new_invite.id, jsonb_build_object('role', new_invite.role, 'coverage', new_invite.coverage_id));
  return private.finish_command(idempotency_key, private.invite_result(new_invite, has_account));
end $$;

-- Gives an invitation a new secret and a new term. The earlier link no longer works.
create function public.renew_invite(idempotency_key uuid, invite_id uuid, token_hash text)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'renew_invite', jsonb_build_array(invite_id, token_hash));
  invite public.invites;
  has_account boolean;
begin
  if stored_result is not null then return stored_result; end if;
  invite := private.lock_invite(invite_id);
  if not coalesce(token_hash ~ '^[0-9a-f]{64}$', false) then
    perform private.raise_invalid('token_hash', 'invalid_token_hash');
  end if;
  has_account := private.check_invited_account(invite);
  update public.invites i set token_hash = renew_invite.token_hash, invited_by = auth.uid(), expires_at = private.invite_expiry()
  where i.id = invite.id returning * into invite;
  perform private.log_action('renew_invite', 'invite', invite.id, jsonb_build_object('role', invite.role, 'coverage', invite.coverage_id));
  return private.finish_command(idempotency_key, private.invite_result(invite, has_account));
end $$;

create function public.revoke_invite(idempotency_key uuid, invite_id uuid)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'revoke_invite', jsonb_build_array(invite_id));
  invite public.invites;
begin
  if stored_result is not null then return stored_result; end if;
  invite := private.lock_invite(invite_id);
  update public.invites i set revoked_at = now() where i.id = invite.id;
  perform private.log_action('revoke_invite', 'invite', invite.id, jsonb_build_object('role', invite.role, 'coverage', invite.coverage_id));
  return private.finish_command(idempotency_key, jsonb_build_object('id', invite.id, 'state', 'revoked'));
end $$;

-- An invitation for the holder of its secret: {state}, and while pending {email, name, role, coverage: {slug,
-- headline} | null, days, by, expires_at, has_account}. The coverage is included only if it is public. Null if there is
-- no such invitation.
create function public.read_invite(token text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select case when private.invite_state(i) <> 'pending' then jsonb_build_object('state', private.invite_state(i))
    when not private.is_acceptable_invite(i) then jsonb_build_object('state', 'revoked')
    else jsonb_build_object('state', 'pending', 'email', i.email, 'name', i.name, 'role', i.role, 'days', i.days,
      'coverage', (select jsonb_build_object('slug', c.slug, 'headline', c.headline) from public.coverages c
        where c.id = i.coverage_id and private.is_public(c.state)),
      'by', (select p.display_name from public.people p where p.id = i.invited_by), 'expires_at', i.expires_at,
      'has_account', exists (select from auth.users u where u.email = i.email and u.email_confirmed_at is not null and u.deleted_at is null))
    end
  from public.invites i where i.token_hash = private.sha256_hex(token)
$$;

-- The account that an invitation is for: {email, name, person, has_account}; person is null if there is no account. For
-- the server, which creates the account.
create function public.invited_account(token text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  invite public.invites;
  person uuid;
  has_account boolean;
begin
  select * into invite from public.invites i where i.token_hash = private.sha256_hex(token);
  if invite.id is null or not private.is_acceptable_invite(invite) then
    perform private.raise_error('gone', 'invite_expired');
  end if;
  select u.id, u.email_confirmed_at is not null into person, has_account from auth.users u
  where u.email = invite.email and u.deleted_at is null;
  return jsonb_build_object('email', invite.email, 'name', invite.name, 'person', person, 'has_account', coalesce(has_account, false));
end $$;

-- Accepts an invitation as the person with its address. Grants the role, unless theirs is higher, and a
-- contributor's membership. Returns {id, role, coverage: slug | null}.
-- Errors: gone, if it is no longer valid; forbidden, if it is for another address.
create function public.accept_invite(idempotency_key uuid, token text)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'accept_invite', jsonb_build_array(private.sha256_hex(token)));
  invite public.invites;
  person public.people;
begin
  if stored_result is not null then return stored_result; end if;
  -- Lock order, as in set_coverage_member() and set_role(): the coverage, the site's row, then the rest.
  perform from public.coverages c
  where c.id = (select i.coverage_id from public.invites i where i.token_hash = private.sha256_hex(token)) for update;
  perform from public.site s for update;
  select * into invite from public.invites i where i.token_hash = private.sha256_hex(token) for update;
  if invite.id is null then perform private.raise_not_found(); end if;
  if not private.is_acceptable_invite(invite) then
    perform private.raise_error('gone', 'invite_expired');
  end if;
  select p.* into person from public.people p join auth.users u on u.id = p.id
  where p.id = auth.uid() and p.active and u.email = invite.email and u.email_confirmed_at is not null for update of p;
  if person.id is null then
    perform private.raise_error('forbidden', 'invite_for_another_address');
  end if;
  update public.invites i set accepted_at = now(), accepted_by = person.id where i.id = invite.id;
  if person.role < invite.role then
    update public.people p set role = invite.role where p.id = person.id;
    person.role := invite.role;
  end if;
  if invite.coverage_id is not null and person.role = 'contributor' then
    insert into public.coverage_members as m (coverage_id, person_id, expires_at, added_by)
      values (invite.coverage_id, person.id, now() + make_interval(days => invite.days), (invite).invited_by)
    on conflict on constraint coverage_members_pkey do update
      set expires_at = greatest(m.expires_at, excluded.expires_at), added_by = excluded.added_by;
  end if;
  perform private.log_action('accept_invite', 'invite', invite.id,
    jsonb_build_object('person', person.id, 'role', invite.role, 'coverage', invite.coverage_id));
  return private.finish_command(idempotency_key, jsonb_build_object('id', person.id, 'role', person.role,
    'coverage', (select c.slug from public.coverages c where c.id = invite.coverage_id)));
end $$;

-- ---- Revocation ----

-- Revokes the pending invitations of a person who is no longer an owner.
create function private.revoke_invites_by_owner() returns trigger
language plpgsql security definer set search_path = '' as $$
declare revoked public.invites;
begin
  for revoked in update public.invites i set revoked_at = now()
      where i.invited_by = new.id and i.accepted_at is null and i.revoked_at is null and i.expires_at > now() returning * loop
    perform private.log_action('revoke_invite', 'invite', revoked.id, jsonb_build_object('role', revoked.role, 'coverage', revoked.coverage_id));
  end loop;
  return null;
end $$;
create trigger revoke_invites_by_owner after update of role, active on public.people
  for each row when (old.role = 'owner' and old.active and not (new.role = 'owner' and new.active))
  execute function private.revoke_invites_by_owner();

-- Revokes pending invitations of an address: for one coverage, or all of them if `coverage` is null.
create function private.revoke_invites_for_address(address text, coverage uuid default null) returns void
language plpgsql volatile set search_path = '' as $$
declare revoked public.invites;
begin
  for revoked in update public.invites i set revoked_at = now()
      where i.email = address and (coverage is null or i.coverage_id = coverage) and i.accepted_at is null and i.revoked_at is null
        and i.expires_at > now() returning * loop
    perform private.log_action('revoke_invite', 'invite', revoked.id, jsonb_build_object('role', revoked.role, 'coverage', revoked.coverage_id));
  end loop;
end $$;

-- A person who lost a role or was deactivated cannot regain it through an earlier invitation.
create function private.revoke_invites_after_demotion() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.revoke_invites_for_address(u.email::text) from auth.users u where u.id = new.id;
  return null;
end $$;
create trigger revoke_invites_after_demotion after update of role, active on public.people
  for each row when (new.role < old.role or (old.active and not new.active))
  execute function private.revoke_invites_after_demotion();

-- Ending a membership revokes the invitations to the same coverage.
create function private.revoke_invites_after_membership() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.revoke_invites_for_address(u.email::text, new.coverage_id) from auth.users u where u.id = new.person_id;
  return null;
end $$;
create trigger revoke_invites_after_membership after insert or update of expires_at on public.coverage_members
  for each row when (new.expires_at <= now())
  execute function private.revoke_invites_after_membership();

-- Removes the name and address of a deleted account from invitations.
create function private.anonymize_invites(person uuid, address text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.revoke_invites_for_address(address);
  update public.invites i set email = '', name = '', revoked_at = case when i.accepted_at is null then coalesce(i.revoked_at, now()) end
  where i.email = address or i.accepted_by = person;
end $$;

-- Deletes invitations `invite_kept_days` after they ended, and accounts that invitation mails created but that were
-- never used.
create function private.delete_old_invites() returns void
language plpgsql volatile set search_path = '' as $$
declare retention constant interval := make_interval(days => private.get_limit('invite_kept_days'));
begin
  delete from public.invites i where coalesce(i.accepted_at, i.revoked_at, i.expires_at) < now() - retention;
  delete from auth.users u
  where u.invited_at < now() - retention and u.email_confirmed_at is null and u.last_sign_in_at is null
    and not exists (select from public.invites i where i.email = u.email);
end $$;

-- ---- One person, for owners ----

-- One person for owners: account, memberships (the longest first) and invitations. For a deleted account it returns
-- the tombstone. Null if there is no such person.
create function public.desk_person(person_id uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare result jsonb;
begin
  perform private.require_permission('administer', null);
  select jsonb_build_object('id', p.id, 'handle', p.handle, 'display_name', p.display_name, 'bio', p.bio, 'role', p.role,
      'active', p.active, 'bylined', p.bylined_at is not null, 'created_at', p.created_at, 'deleted_at', p.deleted_at,
      'email', u.email, 'address_confirmed', u.email_confirmed_at is not null, 'last_sign_in_at', u.last_sign_in_at,
      'memberships', coalesce((select jsonb_agg(jsonb_build_object('slug', c.slug, 'headline', c.headline, 'expires_at', m.expires_at,
          'expired', m.expires_at <= now()) order by m.expires_at desc)
        from public.coverage_members m join public.coverages c on c.id = m.coverage_id where m.person_id = p.id), '[]'),
      'invites', coalesce((select jsonb_agg(jsonb_build_object('id', i.id, 'role', i.role, 'state', private.invite_state(i),
          'created_at', i.created_at) order by i.created_at desc)
        from public.invites i where i.accepted_by = p.id or i.email = u.email), '[]'))
  into result
  from public.people p left join auth.users u on u.id = p.id where p.id = desk_person.person_id;
  return result;
end $$;

-- ---- Execute rights ----

grant execute on function public.invite_person, public.renew_invite, public.revoke_invite, public.accept_invite,
  public.desk_person to authenticated;
grant execute on function public.read_invite to anon, authenticated, service_role;
grant execute on function public.invited_account to service_role;
