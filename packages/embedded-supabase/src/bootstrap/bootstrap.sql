/* Roles, schemas and functions that a hosted project has before its first migration. Run at every start. */

-- Roles are the server's, not the database's: another newsroom on it may have made them, or be making them now.
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

-- How long a statement of a request may take: a hosted project's limits. A limit that its owner has set is kept.
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
-- Another newsroom on this server sets them at the same moment.
exception when internal_error or unique_violation then null;
end $$;

-- New projects grant nothing on new tables and functions: migrations do, by name.
grant usage on schema public to anon, authenticated, service_role;

create schema if not exists extensions;
grant usage on schema extensions to anon, authenticated, service_role;
create extension if not exists pgcrypto with schema extensions;

-- Claims of the caller, which the gateway has verified.
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

-- How a session was begun, for the `amr` claim of its tokens; hosted keeps it in a table of this name.
create table if not exists auth.mfa_amr_claims (
  session_id uuid not null references auth.sessions (id) on delete cascade,
  authentication_method text not null,
  created_at timestamptz not null default now(),
  primary key (session_id, authentication_method)
);

/* What mails carry that proves an address, once; hosted keeps such tokens in a table of this name. Digests only. */
create table if not exists auth.one_time_tokens (
  user_id uuid not null references auth.users (id) on delete cascade,
  token_type text not null check (token_type in
    ('signup', 'invite', 'magiclink', 'recovery', 'email_change_current', 'email_change_new')),
  token_hash text not null unique,
  code_hash text not null,
  -- The address that it was sent to.
  relates_to text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (user_id, token_type)
);
create index if not exists one_time_tokens_code on auth.one_time_tokens (code_hash);

-- Sign-ups, and sign-ins by mail that may create an account, that were answered and are not carried out yet. Nothing of
-- the kind exists on hosted. No role of a request may read it.
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

/* PostgreSQL's lists of extensions with those that the backend brings itself, for migrations that look whether they are
   there: the runner of migrations leads them here. Run at every start, as bootstrap.sql is. */

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
