-- Roles of people, and the setup of the first owner.

-- ---- Owners and roles ----

create function private.has_owner() returns boolean
language sql stable set search_path = '' as $$
  select exists (select from public.people p where p.role = 'owner' and p.active)
$$;

-- Raises `bad_state` if no active owner would be left. Callers hold the lock on the site's row, so that two owners
-- cannot demote each other at the same time.
create function private.require_owner() returns void
language plpgsql volatile set search_path = '' as $$
begin
  if not private.has_owner() then
    perform private.raise_error('bad_state', 'last_owner');
  end if;
end $$;

-- Locks the site's row and requires the permission to administer.
create function private.lock_administration() returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform from public.site s for update;
  perform private.require_permission('administer', null);
end $$;

create function public.set_role(idempotency_key uuid, person_id uuid, role public.person_role)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'set_role', jsonb_build_array(person_id, role));
  had_owner boolean;
  before public.person_role;
begin
  if stored_result is not null then return stored_result; end if;
  perform private.lock_administration();
  had_owner := private.has_owner();
  select p.role into before from public.people p where p.id = person_id;
  if role is null then perform private.raise_invalid('role', 'role_missing'); end if;
  update public.people p set role = set_role.role where p.id = person_id and p.deleted_at is null;
  if not found then perform private.raise_error('not_found', 'person_not_found'); end if;
  if had_owner then perform private.require_owner(); end if;
  if before <> role then
    perform private.log_action('set_role', 'person', person_id, jsonb_build_object('from', before, 'to', role));
  end if;
  return private.finish_command(idempotency_key, jsonb_build_object('id', person_id, 'role', role));
end $$;

-- Deactivates or activates a person. A deactivated person is signed out everywhere and cannot sign in. The ban is
-- stored in the account, so that every service applies it; its length is the longest that GoTrue accepts.
create function public.set_active(idempotency_key uuid, person_id uuid, active boolean)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'set_active', jsonb_build_array(person_id, active));
  had_owner boolean;
  was_active boolean;
begin
  if stored_result is not null then return stored_result; end if;
  -- The account before the site's row, the same order as when an account is deleted.
  perform from auth.users u where u.id = person_id for no key update;
  perform private.lock_administration();
  had_owner := private.has_owner();
  select p.active into was_active from public.people p where p.id = person_id;
  if active is null then perform private.raise_invalid('active', 'not_boolean'); end if;
  update public.people p set active = set_active.active where p.id = person_id and p.deleted_at is null;
  if not found then perform private.raise_error('not_found', 'person_not_found'); end if;
  if had_owner then perform private.require_owner(); end if;
  update auth.users u set banned_until = case when not active then now() + interval '876000 hours' end where u.id = person_id;
  delete from auth.sessions s where s.user_id = person_id and not active;
  if was_active <> active then
    perform private.log_action(case when active then 'activate' else 'deactivate' end, 'person', person_id);
  end if;
  return private.finish_command(idempotency_key, jsonb_build_object('id', person_id, 'active', active));
end $$;

-- People of the newsroom for the owner's list, staff first: at most 100 after the person `after` whose name, handle
-- or address contains `search`. Deleted accounts are excluded.
create function public.desk_people(search text default null, after uuid default null, max_rows integer default 50)
returns table (id uuid, handle text, display_name text, role public.person_role, active boolean, email text,
  address_confirmed boolean, created_at timestamptz, last_sign_in_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_column
declare
  search_text text := lower(private.trim_text(left(coalesce(search, ''), 320)));
  cursor_row public.people;
begin
  perform private.require_permission('administer', null);
  if after is not null then
    select * into cursor_row from public.people p where p.id = after;
    if cursor_row.id is null then perform private.raise_error('not_found', 'list_changed'); end if;
  end if;
  return query
    select p.id, p.handle, p.display_name, p.role, p.active, u.email::text, u.email_confirmed_at is not null,
      p.created_at, u.last_sign_in_at
    from public.people p join auth.users u on u.id = p.id
    where p.deleted_at is null
      and (search_text = '' or strpos(lower(p.display_name), search_text) > 0 or strpos(p.handle, search_text) > 0
        or strpos(lower(u.email), search_text) > 0)
      and (cursor_row.id is null or p.role < cursor_row.role
        or (p.role = cursor_row.role and (lower(p.display_name), p.id) > (lower(cursor_row.display_name), cursor_row.id)))
    order by p.role desc, lower(p.display_name), p.id
    limit least(greatest(coalesce(max_rows, 50), 1), private.get_limit('people_per_page'));
end $$;

-- ---- Setup of the first owner ----

-- SHA-256 of the latest setup code, in hexadecimal.
create table private.setup (
  id boolean primary key default true check (id),
  code_hash text not null,
  constraint code_hash_form check (code_hash ~ '^[0-9a-f]{64}$')
);
alter table private.setup enable row level security;

-- Stores a new setup code, which replaces the earlier one. Returns false if there is an owner already.
create function public.offer_setup(code_hash text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_variable
begin
  if not coalesce(code_hash ~ '^[0-9a-f]{64}$', false) then
    perform private.raise_invalid('code_hash', 'invalid_code_hash');
  end if;
  perform from public.site s for update;
  if private.has_owner() then return false; end if;
  insert into private.setup as t (code_hash) values (code_hash)
  on conflict (id) do update set code_hash = excluded.code_hash;
  return true;
end $$;

-- Whether the first owner can still be set up; with a digest, whether the code is valid. Checked before an account
-- is created for the person.
create function public.is_setup_open(code_hash text default null) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from private.setup t where is_setup_open.code_hash is null or t.code_hash = is_setup_open.code_hash)
    and not private.has_owner()
$$;

-- Makes a person the first owner. Codes are compared by digest, so the time of the comparison reveals nothing.
create function public.create_first_owner(code_hash text, person_id uuid)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
begin
  perform from public.site s for update;
  if private.has_owner() then perform private.raise_error('not_found', 'setup_finished'); end if;
  delete from private.setup t where t.code_hash = create_first_owner.code_hash;
  if not found then
    perform private.raise_error('forbidden', 'setup_code_wrong');
  end if;
  update public.people p set role = 'owner' where p.id = person_id and p.active and p.deleted_at is null;
  if not found then perform private.raise_error('not_found', 'person_not_found'); end if;
  perform private.log_action('create_first_owner', 'person', person_id);
  return jsonb_build_object('id', person_id, 'role', 'owner');
end $$;

-- ---- Execute rights ----

grant execute on function public.desk_people to authenticated;
grant execute on function public.set_role, public.set_active to authenticated, service_role;
grant execute on function public.offer_setup, public.is_setup_open, public.create_first_owner to service_role;
