/* The roles of a hosted project with their settings. Run as supabase_admin, the superuser, which no client of a project can be. */

create role anon nologin inherit;
create role authenticated nologin inherit;
create role service_role nologin inherit bypassrls;
create role authenticator login noinherit;
grant anon, authenticated, service_role to authenticator;
alter role anon set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';
alter role authenticator set statement_timeout = '8s';
alter role authenticator set lock_timeout = '8s';

-- The role that runs migrations and owns their objects.
create role postgres login nosuperuser createdb createrole replication bypassrls;
grant anon, authenticated, service_role to postgres with admin option;
-- Hosted projects allow postgres these by a list of settings (supautils.privileged_role_allowed_configs).
grant set on parameter session_replication_role, pgrst.db_pre_request to postgres;
alter role postgres set statement_timeout = '2min';
alter role postgres set search_path = '"$user"', public, extensions;

create role supabase_auth_admin login noinherit createrole;
create role supabase_storage_admin login noinherit createrole;
create role supabase_realtime_admin nologin noinherit;
create role supabase_replication_admin login replication;
create role supabase_read_only_user login bypassrls;
create role dashboard_user nologin createdb createrole replication;
