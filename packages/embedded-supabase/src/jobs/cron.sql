/* The parts of pg_cron that migrations use. Run at every start. Signatures, columns and what a schedule may say are those of pg_cron's documentation (1.6); the
   backend runs the jobs. Nothing is granted: jobs belong to the owner. */

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

/* How runs ended, the newest of each job. One that a stop of the backend cut off leaves no row. */
create table if not exists cron.job_run_details (
  jobid bigint,
  runid bigint primary key default nextval('cron.runid_seq'),
  job_pid integer,
  database text default current_database(),
  username text default current_user,
  command text,
  -- 'succeeded' or 'failed'.
  status text,
  return_message text,
  start_time timestamptz,
  end_time timestamptz
);

/* Five fields in UTC, a word for them, or so many seconds. */
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
      -- A number, a range or all of them; of the latter two every so manieth.
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

/* Makes a job without a name. */
create or replace function cron.schedule(schedule text, command text) returns bigint
language plpgsql set search_path = '' as $$
#variable_conflict use_variable
declare made bigint;
begin
  perform cron.refuse_unfit(schedule);
  insert into cron.job (schedule, command) values (schedule, command) returning jobid into made;
  return made;
end $$;

/* Makes the job of this name, or changes the one that there is. */
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

/* Changes what is given of a job, and leaves the rest. */
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

/* Tells the backend that the jobs are not what they were. */
create or replace function cron.announce() returns trigger language plpgsql set search_path = '' as $$
begin
  perform pg_notify('jobs', 'cron');
  return null;
end $$;
create or replace trigger announce after insert or update or delete or truncate on cron.job
  for each statement execute function cron.announce();

revoke execute on all functions in schema cron from public;
