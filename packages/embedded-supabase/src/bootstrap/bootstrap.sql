/* Roles, schemas and functions that a hosted project has before its first migration. The backend runs this file at
   every start. */

-- All databases of a server share its roles. A newsroom in another database may have created them already, or may
-- create them at the same moment, so errors about existing roles are ignored.
do $$
declare made text;
begin
  foreach made in array array['anon', 'authenticated', 'service_role bypassrls', 'authenticator'] loop
    begin
      execute 'create role ' || made || ' nologin noinherit';
    exception when duplicate_object or unique_violation then null;
    end;
  end loop;
  if not pg_has_role('authenticator', 'service_role', 'member') then
    grant anon, authenticated, service_role to authenticator;
  end if;
end $$;

-- Limits the duration of a request's statements, as on a hosted project. A limit that was set before stays unchanged.
do $$
declare
  limited record;
begin
  for limited in select * from (values ('anon', '3s'), ('authenticated', '8s')) limits (role, longest) loop
    if not exists (
      select from pg_db_role_setting s, unnest(s.setconfig) setting
      where s.setrole = to_regrole(limited.role) and starts_with(setting, 'statement_timeout=')
    ) then
      execute format('alter role %I set statement_timeout = %L', limited.role, limited.longest);
    end if;
  end loop;
-- A newsroom in another database of this server may set the limits at the same moment.
exception when internal_error or unique_violation then null;
end $$;

-- Nothing is granted on tables and functions, as in new hosted projects. Migrations grant what they need by name.
grant usage on schema public to anon, authenticated, service_role;

create schema if not exists extensions;
grant usage on schema extensions to anon, authenticated, service_role;
create extension if not exists pgcrypto with schema extensions;

-- Functions for policies. They return the caller's claims, which the gateway has verified.
grant usage on schema auth to anon, authenticated, service_role;

create or replace function auth.jwt() returns jsonb language sql stable as $$
  select nullif(current_setting('request.jwt.claims', true), '')::jsonb
$$;
create or replace function auth.uid() returns uuid language sql stable as $$
  select nullif(auth.jwt() ->> 'sub', '')::uuid
$$;
create or replace function auth.role() returns text language sql stable as $$
  select nullif(auth.jwt() ->> 'role', '')
$$;
create or replace function auth.email() returns text language sql stable as $$
  select nullif(auth.jwt() ->> 'email', '')
$$;

-- The method by which a session was started, for the `amr` claim of its tokens. The table has the name of a hosted
-- project.
create table if not exists auth.mfa_amr_claims (
  session_id uuid not null references auth.sessions (id) on delete cascade,
  authentication_method text not null,
  created_at timestamptz not null default now(),
  primary key (session_id, authentication_method)
);

/* Tokens that were mailed to prove an address. Each can be used once. The table contains only their digests. It has the
   name of a hosted project. */
create table if not exists auth.one_time_tokens (
  user_id uuid not null references auth.users (id) on delete cascade,
  token_type text not null check (token_type in
    ('signup', 'invite', 'magiclink', 'recovery', 'email_change_current', 'email_change_new')),
  token_hash text not null unique,
  code_hash text not null,
  -- The address that the token was sent to.
  relates_to text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (user_id, token_type)
);
create index if not exists one_time_tokens_code on auth.one_time_tokens (code_hash);

-- Sign-ups that the backend has answered but not completed yet, and sign-ins by mail that may create an account. A
-- hosted project has no such table. No role of a request may read it.
create table if not exists auth.pending_sign_ups (
  id uuid primary key,
  email text not null,
  password_hash text not null,
  data jsonb not null,
  redirect_to text,
  created_at timestamptz not null default now()
);
alter table auth.pending_sign_ups alter column password_hash drop not null;

create schema if not exists supabase_migrations;
create table if not exists supabase_migrations.schema_migrations (
  version text primary key,
  statements text[],
  name text
);

/* PostgreSQL's lists of extensions, with those that the backend provides itself. The migration runner changes queries
   of the extension catalog so that they read these views (provided-extensions.ts). */

create or replace view extensions.pg_extension as
  select oid, extname, extowner, extnamespace, extrelocatable, extversion, extconfig, extcondition
  from pg_catalog.pg_extension
  union all
  select n.oid, brought.name::name, n.nspowner, n.oid, false, brought.version, null, null
  from (values ('pg_cron', 'cron', '1.6'), ('pg_net', 'net', '0.20.0'), ('supabase_vault', 'vault', '0.3.1'))
    brought (name, place, version)
  join pg_catalog.pg_namespace n on n.nspname = brought.place;

create or replace view extensions.pg_available_extensions as
  select name, default_version, installed_version, comment from pg_catalog.pg_available_extensions
  where name not in (select extname from extensions.pg_extension)
  union all
  select extname, extversion, extversion, null from extensions.pg_extension;
