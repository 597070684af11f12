/* Lists the rules of a database, one per line: grants, policies, row-level security, triggers, jobs and buckets. */
with grantees as (
  select 'schema ' || n.nspname as what, n.nspowner as owner, coalesce(n.nspacl, acldefault('n', n.nspowner)) as acl
  from pg_namespace n where n.nspname in ('public', 'private')
  union all
  select 'relation ' || c.oid::regclass, c.relowner, coalesce(c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner))
  from pg_class c where c.relnamespace in (select oid from pg_namespace where nspname in ('public', 'private')) and c.relkind in ('r', 'v', 'S', 'm')
  union all
  select 'column ' || a.attrelid::regclass || '.' || a.attname, c.relowner, a.attacl
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.relnamespace in (select oid from pg_namespace where nspname in ('public', 'private')) and a.attacl is not null
  union all
  select 'function ' || p.oid::regprocedure || case when p.prosecdef then ' as its owner' else '' end, p.proowner,
    coalesce(p.proacl, acldefault('f', p.proowner))
  from pg_proc p where p.pronamespace in (select oid from pg_namespace where nspname in ('public', 'private'))
)
select g.what || ' of ' || coalesce(
  (select string_agg(coalesce(r.rolname, 'everybody') || ' ' || lower(x.privilege_type), ', ' order by r.rolname collate "C", x.privilege_type)
   from aclexplode(g.acl) x left join pg_roles r on r.oid = x.grantee
   -- The platform's other roles are not roles of our clients.
   where coalesce(r.rolname in ('anon', 'authenticated', 'service_role'), true)), 'nobody') as line
from grantees g
union all
select format('policy %s on %s.%s: %s to %s using %s check %s', policyname, schemaname, tablename, cmd, roles, qual, with_check) from pg_policies
union all
select format('guarded %s: %s', c.oid::regclass, c.relrowsecurity) from pg_class c
where c.relnamespace in (select oid from pg_namespace where nspname in ('public', 'private')) and c.relkind = 'r'
union all
select format('trigger %s', pg_get_triggerdef(t.oid)) from pg_trigger t join pg_class c on c.oid = t.tgrelid
where not t.tgisinternal and c.relnamespace in (select oid from pg_namespace where nspname in ('public', 'private', 'auth'))
union all
select format('job %s at %s: %s', jobname, schedule, command) from cron.job
union all
select format('bucket %s: %s %s %s', id, public, file_size_limit, allowed_mime_types) from storage.buckets
