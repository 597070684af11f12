-- People, their roles, and the one table of permissions.

create type public.person_role as enum ('reader', 'contributor', 'reporter', 'moderator', 'editor', 'owner');

/* What a person may be called: a line without marks that turn the direction of writing, because anyone can sign
   up, and a name stands between other people's words. */
create function private.is_name(value text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return private.is_line(value, 'display_name') and value !~ '[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]';
end $$;

/* A name as it is typed or pasted, without what nobody sees in it. May still be too long, or empty. */
create function private.name_from(value text) returns text
language sql immutable set search_path = '' as $$
  select private.trimmed(regexp_replace(regexp_replace(coalesce(value, ''),
    '[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+', ' ', 'g'), ' {2,}', ' ', 'g'))
$$;

/* A person: id is the auth user's. The row outlives the account, so that a byline stays. */
create table public.people (
  id uuid primary key,
  handle text not null unique,
  display_name text not null,
  bio text not null default '',
  role public.person_role not null default 'reader',
  active boolean not null default true,
  -- The first time a published update carried this byline: from then on the person has a public page.
  bylined_at timestamptz,
  created_at timestamptz not null default now(),
  -- When the account was deleted: what is left is a tombstone.
  deleted_at timestamptz,
  constraint handle_form check (private.is_handle(handle)),
  constraint display_name_form check (private.is_name(display_name)),
  constraint bio_form check (private.is_text(bio, 'bio', 0))
);
alter table public.people enable row level security;
revoke all on public.people from public, anon, authenticated, service_role;
-- Role and standing are not among the columns that anyone may select: me() tells people their own.
grant select (id, handle, display_name, bio) on public.people to anon, authenticated;
grant select on public.people to service_role;

/* Who may do what, one row for each right of a role. Scope 'any' needs nothing
   more, 'own' needs to be the author, 'member' needs a place in the coverage that has not expired. */
create table private.permissions (
  permission text not null,
  role public.person_role not null,
  scope text not null check (scope in ('any', 'own', 'member')),
  primary key (permission, role)
);
alter table private.permissions enable row level security;
revoke all on private.permissions from public, anon, authenticated, service_role;
insert into private.permissions (permission, role, scope) values
  ('read_desk', 'contributor', 'member'), ('read_desk', 'reporter', 'any'), ('read_desk', 'moderator', 'any'),
  ('read_desk', 'editor', 'any'), ('read_desk', 'owner', 'any'),
  ('write_update', 'contributor', 'member'), ('write_update', 'reporter', 'any'),
  ('write_update', 'editor', 'any'), ('write_update', 'owner', 'any'),
  ('publish_update', 'reporter', 'own'), ('publish_update', 'editor', 'any'), ('publish_update', 'owner', 'any'),
  ('run_coverage', 'editor', 'any'), ('run_coverage', 'owner', 'any'),
  ('handle_tips', 'moderator', 'any'), ('handle_tips', 'editor', 'any'), ('handle_tips', 'owner', 'any'),
  ('administer', 'owner', 'any');

/* The permission table, for the test that compares it with the site's copy. */
create function public.permissions() returns table (permission text, role public.person_role, scope text)
language sql stable security definer set search_path = '' as $$
  select permission, role, scope from private.permissions
$$;
revoke execute on function public.permissions() from public, anon, authenticated;
grant execute on function public.permissions() to service_role;

create function private.is_service() returns boolean
language sql stable set search_path = '' as $$ select coalesce((select auth.role()) = 'service_role', false) $$;

/* Every account is a person, from the same transaction on. The name comes from the sign-up form; anything
   unfit is replaced rather than refused, because a refusal here is an error nobody can read. */
create function private.person_from_user() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  name text := private.trimmed(left(private.name_from(new.raw_user_meta_data ->> 'display_name'), private.limit_of('display_name')));
  base text := private.slug_from(name, private.limit_of('handle_max') - 9);
  candidate text;
begin
  if not private.is_name(name) then name := 'Reader'; end if;
  if char_length(base) < private.limit_of('handle_min') then base := 'person'; end if;
  candidate := base;
  -- Two may sign up under one name at once: whoever finds the handle taken tries another.
  while not exists (select from public.people p where p.id = new.id) loop
    insert into public.people (id, handle, display_name) values (new.id, candidate, name) on conflict do nothing;
    candidate := base || '-' || left(md5(gen_random_uuid()::text), 8);
  end loop;
  return new;
end $$;
create trigger person_from_user after insert on auth.users
  for each row execute function private.person_from_user();

/* Who the caller is, with role: their own row only, or null. */
create function public.me() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('id', p.id, 'handle', p.handle, 'display_name', p.display_name, 'bio', p.bio, 'role', p.role)
  from public.people p where p.id = (select auth.uid()) and p.active
$$;
revoke execute on function public.me() from public, anon, service_role;
grant execute on function public.me() to authenticated;

-- Bylined people are public; nobody else is.
create policy "bylined people are public" on public.people for select to anon, authenticated
  using (bylined_at is not null);
