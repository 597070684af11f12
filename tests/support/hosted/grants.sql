/* Owners and grants of a hosted project, after the schemas of the services exist. Run as supabase_admin. */

-- Each service owns the objects of its schema.
do $$
declare
  made record;
begin
  for made in
    select n.nspname as schema, p.oid::regprocedure::text as what, 'routine' as kind from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('storage', 'realtime', 'auth')
    union all
    select n.nspname, c.oid::regclass::text, case c.relkind when 'v' then 'view' else 'table' end
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname in ('storage', 'realtime', 'auth') and c.relkind in ('r', 'v')
  loop
    execute format('alter %s %s owner to %I', made.kind, made.what, format('supabase_%s_admin', made.schema));
  end loop;
end $$;
alter schema storage owner to supabase_storage_admin;
alter type storage.buckettype owner to supabase_storage_admin;

-- Rights of the owners, and the rights that postgres retains although it owns nothing here.
grant usage on schema auth, storage, realtime to postgres;
grant all on all tables in schema auth, storage, realtime to postgres with grant option;
grant all on all sequences in schema auth, storage, realtime to postgres;
grant execute on all routines in schema auth, storage, realtime to postgres;
revoke all on auth.schema_migrations from postgres, dashboard_user;
grant usage on schema auth to anon, authenticated, service_role, supabase_auth_admin, dashboard_user;
grant usage on schema storage to anon, authenticated, service_role, dashboard_user;
grant usage on schema realtime to anon, authenticated, service_role, supabase_realtime_admin;
-- Not the rights of an owner: no ALTER, no COMMENT, and no GRANT on realtime.messages.
revoke grant option for all on realtime.messages from postgres;

grant all on schema extensions to postgres;
grant usage on schema extensions to anon, authenticated, service_role, dashboard_user;

-- Rights of postgres on pg_cron, pg_net and the vault after they are enabled.
grant usage on schema cron to postgres with grant option;
grant all on all tables in schema cron to postgres with grant option;
grant execute on all functions in schema cron to postgres with grant option;
revoke all on cron.job from postgres;
grant select on cron.job to postgres with grant option;
revoke trigger on cron.job_run_details from postgres;
grant usage on schema net to postgres, anon, authenticated, service_role;
grant execute on all functions in schema net to postgres, anon, authenticated, service_role;
grant usage on schema vault to postgres;
grant select, delete on vault.secrets, vault.decrypted_secrets to postgres with grant option;
grant execute on all functions in schema vault to postgres with grant option;

-- pg_cron and pg_net do this in C with their own rights, and store the owner of a job.
alter table cron.job alter column username set default session_user;
do $$
declare made regprocedure;
begin
  for made in select p.oid from pg_proc p where p.pronamespace in ('cron'::regnamespace, 'net'::regnamespace) and p.prorettype <> 'trigger'::regtype loop
    execute format('alter function %s security definer', made);
  end loop;
end $$;

-- postgres owns the schema public. The data API may use it, but new objects in it have no grants.
alter schema public owner to pg_database_owner;
grant all on schema public to postgres;
grant usage on schema public to anon, authenticated, service_role;
revoke create on schema public from public;

/* Replaces supautils, which lets postgres create and drop policies, and drop triggers, on the tables of the services that it
   does not own, and nothing else. This function runs CREATE POLICY on those tables as the superuser. */
create schema supautils;
create function supautils.policy(statement text) returns void language plpgsql security definer set search_path = '' as $$
begin
  if session_user <> 'postgres' or statement !~* '^\s*(create|alter|drop)\s+policy\s+(if\s+exists\s+)?("[^"]+"|\w+)\s+on\s+(auth\.(users|identities|sessions)|realtime\.messages|storage\.(objects|buckets))\s' then
    raise insufficient_privilege using message = 'must be owner of the table of: ' || left(statement, 120);
  end if;
  execute statement;
end $$;
grant usage on schema supautils to postgres;
