/* The parts of pg_cron that migrations use. The backend runs this file at every start, and runs the jobs. Signatures,
   columns and the format of schedules are those of the documentation of pg_cron 1.6. The API roles get no rights here,
   because only the owner of the database may schedule jobs. */

create schema if not exists cron;
create sequence if not exists cron.jobid_seq;
create sequence if not exists cron.runid_seq;

create table if not exists cron.job (
  jobid bigint primary key default nextval('cron.jobid_seq'),
  schedule text not null,
  command text not null,
  nodename text not null default 'localhost',
  nodeport integer not null default coalesce(inet_server_port(), 5432),
  database text not null default current_database(),
  username text not null default current_user,
  active boolean not null default true,
  jobname text,
  constraint jobname_username_uniq unique (jobname, username)
);

/* Results of the newest runs of each job. A run that was interrupted by a stop of the backend has no row. */
create table if not exists cron.job_run_details (
  jobid bigint,
  runid bigint primary key default nextval('cron.runid_seq'),
  job_pid integer,
  database text default current_database(),
  username text default current_user,
  command text,
  -- `succeeded` or `failed`.
  status text,
  return_message text,
  start_time timestamptz,
  end_time timestamptz
);

/* Returns whether a text is a schedule: five cron fields in UTC, a name such as `@daily`, or `30 seconds`. */
create or replace function cron.is_schedule(value text) returns boolean
language plpgsql immutable set search_path = '' as $$
declare
  expression text := lower(btrim(value, E' \t\n'));
  fields text[];
  least constant integer[] := '{0,0,1,1,0}';
  most constant integer[] := '{59,23,31,12,7}';
  name text;
  number bigint;
  item text;
  parts text[];
begin
  if expression ~ '^([1-9]|[1-5][0-9])\s+seconds?$'
     or expression ~ '^@(yearly|annually|monthly|weekly|daily|midnight|hourly|reboot)$' then
    return true;
  end if;
  fields := regexp_split_to_array(expression, '\s+');
  if fields is null or cardinality(fields) <> 5 then return false; end if;
  if fields[3] = '$' then fields[3] := '31'; end if;
  for name, number in select * from unnest('{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}'::text[]) with ordinality loop
    fields[4] := regexp_replace(fields[4], '\m' || name || '\M', number::text, 'g');
  end loop;
  for name, number in select * from unnest('{sun,mon,tue,wed,thu,fri,sat}'::text[]) with ordinality loop
    fields[5] := regexp_replace(fields[5], '\m' || name || '\M', (number - 1)::text, 'g');
  end loop;
  for n in 1..5 loop
    foreach item in array string_to_array(fields[n], ',') loop
      -- A number, a range or `*`. A range and `*` may have a step: `*/15`.
      parts := regexp_match(item, '^(?:\*|([0-9]{1,2})(?:-([0-9]{1,2}))?)(?:/([0-9]{1,2}))?$');
      if parts is null
         or parts[1]::integer not between least[n] and most[n]
         or parts[2]::integer not between parts[1]::integer and most[n]
         or parts[3]::integer not between 1 and most[n]
         or (parts[3] is not null and parts[1] is not null and parts[2] is null) then
        return false;
      end if;
    end loop;
  end loop;
  return true;
end $$;

create or replace function cron.refuse_unfit(schedule text) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if not coalesce(cron.is_schedule(schedule), false) then
    raise invalid_parameter_value using message = 'invalid schedule: ' || coalesce(schedule, 'null'),
      hint = 'Use cron format (e.g. 5 4 * * *), or interval format ''[1-59] seconds''';
  end if;
end $$;

/* Creates a job without a name. Returns its id. */
create or replace function cron.schedule(schedule text, command text) returns bigint
language plpgsql set search_path = '' as $$
#variable_conflict use_variable
declare made bigint;
begin
  perform cron.refuse_unfit(schedule);
  insert into cron.job (schedule, command) values (schedule, command) returning jobid into made;
  return made;
end $$;

/* Creates a job with a name, or replaces schedule and command of the job that has this name. Returns its id. */
create or replace function cron.schedule(job_name text, schedule text, command text) returns bigint
language plpgsql set search_path = '' as $$
#variable_conflict use_variable
declare made bigint;
begin
  perform cron.refuse_unfit(schedule);
  if job_name is null then raise null_value_not_allowed using message = 'job_name can not be NULL'; end if;
  insert into cron.job (jobname, schedule, command) values (job_name, schedule, command)
  on conflict on constraint jobname_username_uniq do update
    set schedule = excluded.schedule, command = excluded.command, active = true
  returning jobid into made;
  return made;
end $$;

create or replace function cron.unschedule(job_id bigint) returns boolean
language plpgsql set search_path = '' as $$
begin
  delete from cron.job j where j.jobid = job_id;
  if not found then raise exception 'could not find valid entry for job %', job_id; end if;
  return true;
end $$;

create or replace function cron.unschedule(job_name text) returns boolean
language plpgsql set search_path = '' as $$
begin
  delete from cron.job j where j.jobname = job_name and j.username = current_user;
  if not found then raise exception 'could not find valid entry for job ''%''', job_name; end if;
  return true;
end $$;

/* Changes a job. An argument that is null leaves its column unchanged. */
create or replace function cron.alter_job(job_id bigint, schedule text default null, command text default null,
  database text default null, username text default null, active boolean default null) returns void
language plpgsql set search_path = '' as $$
#variable_conflict use_variable
begin
  if schedule is not null then perform cron.refuse_unfit(schedule); end if;
  if database <> current_database() or username <> current_user then
    raise feature_not_supported using message = 'a job runs in its own database as its owner';
  end if;
  update cron.job j set schedule = coalesce(schedule, j.schedule), command = coalesce(command, j.command),
    active = coalesce(active, j.active)
  where j.jobid = job_id;
  if not found then raise exception 'Job % does not exist or you don''t own it', job_id; end if;
end $$;

/* Notifies the backend that jobs have changed, so that it reads them again. */
create or replace function cron.announce() returns trigger language plpgsql set search_path = '' as $$
begin
  perform pg_notify('jobs', 'cron');
  return null;
end $$;
create or replace trigger announce after insert or update or delete or truncate on cron.job
  for each statement execute function cron.announce();

revoke execute on all functions in schema cron from public;

/* The parts of pg_net that migrations use. The backend runs this file at every start. It sends a request after the
   transaction that queued it was committed. Signatures and columns are those of pg_net's documentation. The API roles
   get no rights here. */

create schema if not exists net;

do $$ begin
  create domain net.http_method as text check (value in ('GET', 'POST', 'DELETE'));
exception when duplicate_object then null;
end $$;

/* Queued requests. The backend deletes a row when its request begins, so that no request is sent twice. */
create table if not exists net.http_request_queue (
  id bigint generated by default as identity primary key,
  method net.http_method not null,
  url text not null,
  headers jsonb not null,
  body bytea,
  timeout_milliseconds integer not null
);

/* Results: a response, a timeout, or the error. */
create table if not exists net._http_response (
  id bigint,
  status_code integer,
  content_type text,
  headers jsonb,
  content text,
  timed_out boolean,
  error_msg text,
  created timestamptz not null default now()
);
create index if not exists _http_response_id on net._http_response (id);
create index if not exists _http_response_created on net._http_response (created);

/* Encodes a text for the query of a URL. Unreserved characters of RFC 3986 stay, and all other bytes become `%XX`. */
create or replace function net.encoded(value text) returns text
language sql immutable set search_path = '' as $$
  select coalesce(string_agg(case when chr(b) ~ '[A-Za-z0-9_.~-]' then chr(b)
    else '%' || lpad(upper(to_hex(b)), 2, '0') end, '' order by n), '')
  from (select n, get_byte(bytes, n) as b
    from (select convert_to(value, 'UTF8') as bytes) v, generate_series(0, octet_length(bytes) - 1) n) bytes
$$;

/* Queues a request and returns its id. If the queue is full, the function stores an error as the result. It raises no
   error, because that would roll back the transaction of the caller. */
create or replace function net.ask(method text, url text, params jsonb, headers jsonb, body bytea, timeout_milliseconds integer)
returns bigint language plpgsql set search_path = '' as $$
declare
  query text := (select string_agg(net.encoded(p.key) || '=' || net.encoded(p.value), '&')
    from jsonb_each_text(coalesce(params, '{}')) p);
  asked bigint;
begin
  if url is null then raise null_value_not_allowed using message = 'url must not be null'; end if;
  if exists (select from net.http_request_queue offset 9999) then
    asked := nextval(pg_get_serial_sequence('net.http_request_queue', 'id'));
    insert into net._http_response (id, timed_out, error_msg) values (asked, false, 'The queue of requests is full');
    return asked;
  end if;
  insert into net.http_request_queue as q (method, url, headers, body, timeout_milliseconds)
    values (ask.method, ask.url || case when query is null then '' else
      case when position('?' in ask.url) > 0 then '&' else '?' end || query end,
      coalesce(ask.headers, '{}'), ask.body, coalesce(ask.timeout_milliseconds, 5000))
  returning q.id into asked;
  return asked;
end $$;

create or replace function net.http_get(url text, params jsonb default '{}', headers jsonb default '{}',
  timeout_milliseconds integer default 5000)
returns bigint language sql volatile set search_path = '' as $$
  select net.ask('GET', url, params, headers, null, timeout_milliseconds)
$$;

create or replace function net.http_delete(url text, params jsonb default '{}', headers jsonb default '{}',
  timeout_milliseconds integer default 5000, body jsonb default null)
returns bigint language sql volatile set search_path = '' as $$
  select net.ask('DELETE', url, params, headers, convert_to(body::text, 'UTF8'), timeout_milliseconds)
$$;

create or replace function net.http_post(url text, body jsonb default '{}', params jsonb default '{}',
  headers jsonb default '{"Content-Type": "application/json"}', timeout_milliseconds integer default 5000)
returns bigint language plpgsql volatile set search_path = '' as $$
declare kind text := (select h.value from jsonb_each_text(headers) h where lower(h.key) = 'content-type' limit 1);
begin
  if kind is null then
    headers := coalesce(headers, '{}') || '{"Content-Type": "application/json"}';
  elsif kind <> 'application/json' then
    raise exception 'Content-Type header must be "application/json"';
  end if;
  return net.ask('POST', url, params, headers, convert_to(body::text, 'UTF8'), timeout_milliseconds);
end $$;

/* Notifies the backend that requests were queued. */
create or replace function net.announce() returns trigger language plpgsql set search_path = '' as $$
begin
  perform pg_notify('jobs', 'net');
  return null;
end $$;
create or replace trigger announce after insert on net.http_request_queue
  for each statement execute function net.announce();

revoke execute on all functions in schema net from public;

/* The parts of Supabase's Vault that migrations use. The backend runs this file at every start. Signatures, columns and
   grants are those of Vault's documentation and of version 0.3 on a hosted project. Secrets are stored here without
   encryption, and no backup contains them: see docs/decisions/2026-11-22-edge-functions.md. */

create schema if not exists vault;

create table if not exists vault.secrets (
  id uuid primary key default gen_random_uuid(),
  name text,
  description text not null default '',
  secret text not null,
  -- Columns for encryption. Vault itself has not used them since version 0.3.
  key_id uuid,
  nonce bytea,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index if not exists secrets_name on vault.secrets (name) where name is not null;

create or replace view vault.decrypted_secrets as
  select id, name, description, secret, secret as decrypted_secret, key_id, nonce, created_at, updated_at
  from vault.secrets;

create or replace function vault.create_secret(new_secret text, new_name text default null,
  new_description text default '', new_key_id uuid default null) returns uuid
language sql volatile security definer set search_path = '' as $$
  insert into vault.secrets (secret, name, description) values (new_secret, new_name, new_description) returning id
$$;

/* Changes a secret. An argument that is null leaves its column unchanged. */
create or replace function vault.update_secret(secret_id uuid, new_secret text default null, new_name text default null,
  new_description text default null, new_key_id uuid default null) returns void
language sql volatile security definer set search_path = '' as $$
  update vault.secrets s set secret = coalesce(new_secret, s.secret), name = coalesce(new_name, s.name),
    description = coalesce(new_description, s.description), updated_at = now()
  where s.id = secret_id
$$;

revoke execute on all functions in schema vault from public;

-- The grants of a hosted project. The API does not expose this schema; functions that the server calls use it.
grant usage on schema vault to service_role;
grant select, delete on vault.secrets, vault.decrypted_secrets to service_role;
grant execute on all functions in schema vault to service_role;
