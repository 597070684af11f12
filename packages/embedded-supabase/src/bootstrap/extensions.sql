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
