-- People, roles, permissions, sessions and accounts.

create type public.person_role as enum ('reader', 'contributor', 'reporter', 'moderator', 'editor', 'owner');

-- One row for each account, with the id of the auth user. The row outlives the account, so that bylines remain.
-- Role and status are not among the columns that can be selected. get_me() returns the caller's own.
create table public.people (
  id uuid primary key,
  handle text not null unique,
  display_name text not null,
  bio text not null default '',
  role public.person_role not null default 'reader',
  active boolean not null default true,
  -- First time a published update carried this byline. From then on the person has a public page.
  bylined_at timestamptz,
  created_at timestamptz not null default now(),
  -- When the account was deleted. The row that remains is a tombstone.
  deleted_at timestamptz,
  constraint handle_form check (private.is_handle(handle)),
  constraint display_name_form check (private.is_display_name(display_name)),
  constraint bio_form check (private.is_text(bio, 'bio', 0))
);
-- The order of the owner's list of people: staff first.
create index people_listed on public.people (role desc, lower(display_name), id) where deleted_at is null;
-- People with a public page, for searches by name.
create index people_bylined on public.people (id) where bylined_at is not null;
-- Possible uploaders of photos, for searches in the photo library.
create index people_uploaders on public.people (id) where role <> 'reader';
alter table public.people enable row level security;
grant select (id, handle, display_name, bio) on public.people to anon, authenticated;
grant select on public.people to service_role;
create policy "everyone: select bylined people" on public.people for select to anon, authenticated
  using (bylined_at is not null);

-- Permissions of each role. Scope 'any' has no further condition, 'own' requires the author, 'member' requires an
-- unexpired membership in the coverage.
create table private.permissions (
  permission text not null,
  role public.person_role not null,
  scope text not null check (scope in ('any', 'own', 'member')),
  primary key (permission, role)
);
alter table private.permissions enable row level security;
insert into private.permissions (permission, role, scope) values
  ('read_desk', 'contributor', 'member'), ('read_desk', 'reporter', 'any'), ('read_desk', 'moderator', 'any'),
  ('read_desk', 'editor', 'any'), ('read_desk', 'owner', 'any'),
  ('write_update', 'contributor', 'member'), ('write_update', 'reporter', 'any'),
  ('write_update', 'editor', 'any'), ('write_update', 'owner', 'any'),
  ('publish_update', 'reporter', 'own'), ('publish_update', 'editor', 'any'), ('publish_update', 'owner', 'any'),
  ('run_coverage', 'editor', 'any'), ('run_coverage', 'owner', 'any'),
  ('handle_tips', 'moderator', 'any'), ('handle_tips', 'editor', 'any'), ('handle_tips', 'owner', 'any'),
  ('administer', 'owner', 'any');

-- The permissions, for the test that compares them with the website's copy.
create function public.permissions() returns table (permission text, role public.person_role, scope text)
language sql stable security definer set search_path = '' as $$
  select permission, role, scope from private.permissions
$$;

-- The caller's own person with role, or null if the account is not active.
create function public.get_me() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('id', p.id, 'handle', p.handle, 'display_name', p.display_name, 'bio', p.bio, 'role', p.role)
  from public.people p where p.id = (select auth.uid()) and p.active
$$;

-- ---- Sessions ----

-- Whether the session of the caller's token is valid: it has not ended, and its person is neither banned nor
-- deleted. API keys have no session and are always valid.
create function private.is_session_valid() returns boolean
language plpgsql stable security definer set search_path = '' as $$
declare session text := auth.jwt() ->> 'session_id';
begin
  return session is null or exists (
    select from auth.sessions s join auth.users u on u.id = s.user_id
    where s.id = private.to_uuid(session) and s.user_id = auth.uid() and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null);
end $$;

-- Runs before every request of PostgREST and of the embedded backend. A token lives for an hour; this function
-- refuses it as soon as its session has ended.
-- Errors: signed_out.
create function private.check_session() returns void
language plpgsql stable security definer set search_path = '' as $$
begin
  if not private.is_session_valid() then
    perform private.raise_error('signed_out', 'session_ended');
  end if;
end $$;
alter role authenticator set pgrst.db_pre_request = 'private.check_session';
notify pgrst, 'reload config';

-- The caller's sessions: the current one first, then by last use, at most 100. Times are in UTC. A session that was
-- not used for `session_days` has ended, even if its row still exists.
create function public.my_sessions()
returns table (id uuid, user_agent text, started_at timestamptz, last_seen_at timestamptz, current boolean)
language sql stable security definer set search_path = '' as $$
  select s.id, s.user_agent, s.created_at, seen.at, s.id = private.to_uuid(auth.jwt() ->> 'session_id') as this_one
  from auth.sessions s,
    lateral (select coalesce(s.refreshed_at at time zone 'UTC', s.created_at) as at) seen
  where s.user_id = (select auth.uid()) and (s.not_after is null or s.not_after > now())
    and seen.at > now() - make_interval(days => private.get_limit('session_days'))
  order by this_one desc, seen.at desc, s.id limit 100
$$;

-- Ends one of the caller's sessions. Returns false if there is none with this id.
create function public.end_session(device uuid) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  delete from auth.sessions s where s.id = device and s.user_id = (select auth.uid());
  return found;
end $$;

-- ---- Accounts ----

-- Creates the person of a new account in the same transaction. The name comes from the sign-up form. An invalid
-- name is replaced instead of refused, because the error would not reach the sign-up form.
create function private.create_person() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  name text := private.trim_text(left(private.clean_display_name(new.raw_user_meta_data ->> 'display_name'), private.get_limit('display_name')));
  handle_base text := private.to_slug(name, private.get_limit('handle_max') - 9);
  handle text;
begin
  if not private.is_display_name(name) then name := 'Reader'; end if;
  if char_length(handle_base) < private.get_limit('handle_min') then handle_base := 'person'; end if;
  handle := handle_base;
  -- Two people may sign up with the same name at once. If a handle exists already, the loop tries another one.
  while not exists (select from public.people p where p.id = new.id) loop
    insert into public.people (id, handle, display_name) values (new.id, handle, name) on conflict do nothing;
    handle := handle_base || '-' || left(md5(gen_random_uuid()::text), 8);
  end loop;
  return new;
end $$;
create trigger create_person after insert on auth.users
  for each row execute function private.create_person();

-- The caller's own row, locked, so that commands of one person run one after another.
-- Errors: forbidden, if the account is not active.
create function private.lock_account() returns public.people
language plpgsql volatile set search_path = '' as $$
declare person public.people;
begin
  select * into person from public.people p where p.id = auth.uid() and p.active for no key update;
  if person.id is null then perform private.raise_error('forbidden', 'account_inactive'); end if;
  return person;
end $$;

-- Changes the caller's own name and bio. Fields that are not sent remain. The handle cannot be changed, because it
-- is part of addresses.
create function public.save_me(idempotency_key uuid, content jsonb)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'save_me', jsonb_build_array(content));
  person public.people;
begin
  if stored_result is not null then return stored_result; end if;
  -- A byline is shown on many pages, so this may also update the site's row. It is locked first, as in account
  -- deletion.
  perform from public.site s for update;
  person := private.lock_account();
  perform private.require_object(content, '{display_name,bio}');
  if content ? 'display_name' then person.display_name := private.read_display_name(content, 'display_name'); end if;
  if content ? 'bio' then person.bio := coalesce(private.optional_multiline(content, 'bio', 'bio'), ''); end if;
  update public.people p set display_name = person.display_name, bio = person.bio where p.id = person.id;
  -- Only the id: idempotency records must not keep a name that was deleted with its account.
  return private.finish_command(idempotency_key, jsonb_build_object('id', person.id));
end $$;

-- Turns the person of a deleted account into a tombstone without any rights. It runs for every way of deletion,
-- including soft deletion. People with bylines keep handle and name, because published updates remain signed and a
-- handle is never reused. All others lose both. Content and versions remain.
create function private.retire_person() returns trigger
language plpgsql security definer set search_path = '' as $$
declare deleted public.people;
begin
  -- The site's row first, then the person's: the order of set_role() and set_active().
  perform from public.site s for update;
  select * into deleted from public.people p where p.id = old.id and p.deleted_at is null for update;
  if deleted.id is null then return null; end if;
  update public.people p set role = 'reader', active = false, bio = '', deleted_at = now(),
    handle = case when deleted.bylined_at is null then 'gone-' || left(md5(gen_random_uuid()::text), 16) else p.handle end,
    display_name = case when deleted.bylined_at is null then 'Deleted account' else p.display_name end
  where p.id = deleted.id;
  delete from public.coverage_members m where m.person_id = deleted.id;
  delete from public.update_bylines b where b.person_id = deleted.id and deleted.bylined_at is null;
  perform private.anonymize_invites(deleted.id, old.email::text);
  perform private.delete_follower_data(deleted.id);
  if deleted.role = 'owner' and deleted.active then perform private.require_owner(); end if;
  perform private.log_action('delete_account', 'person', deleted.id);
  return null;
end $$;
create trigger retire_person after delete on auth.users
  for each row execute function private.retire_person();
create trigger retire_person_after_soft_deletion after update of deleted_at on auth.users
  for each row when (old.deleted_at is null and new.deleted_at is not null)
  execute function private.retire_person();

-- Deletes a person's account for good, in the name of that person. The website's server calls it after it verified
-- password and session. The audit log names the person.
-- Errors: not_found, also for a deleted account; bad_state for the last owner.
create function public.delete_account(idempotency_key uuid, person_id uuid)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare stored_result jsonb := private.begin_command(idempotency_key, 'delete_account', jsonb_build_array(person_id));
begin
  if stored_result is not null then return stored_result; end if;
  -- The deletion runs as the person: auth.uid() reads this setting for the rest of the transaction.
  perform set_config('request.jwt.claims', jsonb_build_object('sub', person_id, 'role', 'authenticated')::text, true);
  delete from auth.users u where u.id = person_id;
  if not found then perform private.raise_not_found(); end if;
  return private.finish_command(idempotency_key, jsonb_build_object('id', person_id));
end $$;

-- ---- Execute rights ----

grant execute on function public.permissions, public.delete_account to service_role;
grant execute on function public.get_me, public.my_sessions, public.end_session, public.save_me to authenticated;
grant execute on function private.check_session to anon, authenticated, service_role;
