-- Tables may name the CSV address ("csv") that their cells are read from once a minute while the coverage is live.

-- Whether the block has the fields of a table other than its rows, and their values are valid.
create or replace function private.is_described_table(block jsonb) returns boolean
language sql immutable set search_path = '' as $$
  select private.is_object(block, '{type,rows,align,caption,source,as_of,preset,csv}')
    and (not block ? 'caption' or private.is_line(private.get_string(block, 'caption'), 'caption'))
    and (not block ? 'source' or private.is_line(private.get_string(block, 'source'), 'attribution'))
    and (not block ? 'as_of' or private.is_utc_time(private.get_string(block, 'as_of')))
    and (not block ? 'preset' or block -> 'preset' in ('"results"', '"score"', '"closures"', '"shelters"'))
    and (not block ? 'csv' or (private.is_url(private.get_string(block, 'csv')) and block ->> 'csv' like 'https://%'))
$$;

-- Addresses of the tables of published updates, and the result of the last reading of each.
create table private.table_readings (
  update_id uuid not null references public.updates (id) on delete cascade,
  csv text not null,
  -- The address is not read before this time.
  next_at timestamptz not null default now(),
  -- Secret of a reading in progress. The function that reads has no other rights to learn the address.
  ticket uuid unique,
  -- The last reading that succeeded.
  read_at timestamptz,
  -- Consecutive readings that failed, and the error of the last one: its code, reason and details.
  failures integer not null default 0,
  error jsonb,
  primary key (update_id, csv),
  constraint failed_has_error check ((failures > 0) = (error is not null))
);
alter table private.table_readings enable row level security;

-- Whether a body has a table with this address.
create function private.reads_table(body jsonb, csv text) returns boolean
language sql immutable set search_path = '' as $$ select body @> jsonb_build_array(jsonb_build_object('csv', csv)) $$;

-- Records the addresses of a published update. A coverage has at most 10, so that its readings take seconds.
-- Errors: invalid.
create function private.record_csv_tables() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into private.table_readings (update_id, csv)
    select distinct new.id, b.block ->> 'csv' from jsonb_array_elements(new.body) b(block) where b.block ? 'csv'
  on conflict do nothing;
  if (select count(*) from private.table_readings r join public.updates u on u.id = r.update_id
      where u.coverage_id = new.coverage_id and u.state = 'published' and private.reads_table(u.body, r.csv)) > 10 then
    perform private.raise_invalid('body', 'too_many_csv_tables', jsonb_build_object('max', 10));
  end if;
  return null;
end $$;
create trigger record_csv_tables after insert or update of state, body on public.updates
  for each row when (new.state = 'published' and new.body @? '$[*].csv') execute function private.record_csv_tables();

-- Claims the readings that are due, and forgets addresses that are no longer in their update. Returns their tickets.
-- A claimed address is due again 55 s later: the server asks every few seconds, so it is read once a minute.
create function public.claim_table_readings() returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare tickets jsonb;
begin
  delete from private.table_readings r where not exists (select from public.updates u
    where u.id = r.update_id and u.state = 'published' and private.reads_table(u.body, r.csv));
  with due as (
    select r.update_id, r.csv from private.table_readings r
    join public.updates u on u.id = r.update_id
    join public.coverages c on c.id = u.coverage_id
    where r.next_at <= clock_timestamp() and c.state = 'live'
    order by r.next_at limit 10 for update of r skip locked
  ), claimed as (
    update private.table_readings r set ticket = gen_random_uuid(), next_at = clock_timestamp() + interval '55 seconds'
    from due where r.update_id = due.update_id and r.csv = due.csv returning r.ticket
  )
  select coalesce(jsonb_agg(c.ticket), '[]') into tickets from claimed c;
  return tickets;
end $$;

-- The address of a claimed reading; null without a valid ticket.
create function public.table_reading_url(ticket uuid) returns text
language sql stable security definer set search_path = '' as $$
  select r.csv from private.table_readings r where r.ticket = table_reading_url.ticket and r.next_at > clock_timestamp()
$$;

-- A body whose tables with this address have these rows. A table whose rows change gets the time of the reading.
create function private.with_table_rows(body jsonb, csv text, rows jsonb) returns jsonb
language sql volatile set search_path = '' as $$
  select jsonb_agg(case
      when b.block ->> 'csv' is distinct from with_table_rows.csv or b.block -> 'rows' = with_table_rows.rows then b.block
      else case when jsonb_array_length(b.block #> '{rows,0}') = jsonb_array_length(with_table_rows.rows -> 0) then b.block
          else b.block - 'align' end
        || jsonb_build_object('rows', with_table_rows.rows,
          'as_of', to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
    end order by b.n)
  from jsonb_array_elements(with_table_rows.body) with ordinality b(block, n)
$$;

-- Saves the result of a claimed reading: the rows of the table, or the error. Only the cells of the tables with the
-- address change, in the body as it is now, so a simultaneous edit is not lost. After a failure the address is read
-- again after 1 minute, then 2, 4, 8, 16 and 30.
-- Returns `changed`, `unchanged`, `failed`, or `ended` if the table is not to be read any more.
create function public.save_table_reading(ticket uuid, rows jsonb default null, error jsonb default null) returns text
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  reading private.table_readings;
  coverage public.coverages;
  existing public.updates;
  content private.update_content;
  failure jsonb := error;
  details text;
  result text := 'unchanged';
begin
  select r.* into reading from private.table_readings r where r.ticket = ticket;
  -- The address was removed while it was read.
  if reading.update_id is null then return 'ended'; end if;
  coverage := private.lock_coverage_of_update(reading.update_id);
  select u.* into existing from public.updates u where u.id = reading.update_id;
  if coverage.state <> 'live' or existing.state <> 'published' or not private.reads_table(existing.body, reading.csv) then
    return 'ended';
  end if;
  if failure is null then
    begin
      content := private.current_content(existing);
      content.body := private.with_table_rows(existing.body, reading.csv, rows);
      if content.body <> existing.body then
        -- The revision has no person: the desk says that it comes from the address.
        perform private.save_published_version(coverage, existing.id, existing.version, to_jsonb(content), 'revision', null);
        result := 'changed';
      end if;
    exception when others then
      if sqlstate not like 'PT%' then raise; end if;
      get stacked diagnostics details = pg_exception_detail;
      failure := details::jsonb || jsonb_build_object('code', sqlerrm);
    end;
  end if;
  update private.table_readings r set ticket = null, error = failure,
    read_at = case when failure is null then clock_timestamp() else r.read_at end,
    failures = case when failure is null then 0 else r.failures + 1 end,
    next_at = case when failure is null then r.next_at
      else clock_timestamp() + least(interval '1 minute' * 2 ^ least(r.failures, 5), interval '30 minutes') end
  where r.update_id = reading.update_id and r.csv = reading.csv;
  return case when failure is null then result else 'failed' end;
end $$;

-- The addresses that the tables of a published update are read from, and the last result of each, for its desk:
-- [{"csv", "read_at", "error"}]. An address that was not read yet has neither.
create function public.list_table_readings(update_id uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('csv', r.csv, 'read_at', r.read_at, 'error', r.error) order by r.csv), '[]')
  from private.table_readings r join public.updates u on u.id = r.update_id
  where r.update_id = list_table_readings.update_id and private.has_permission('read_desk', u.coverage_id)
$$;

grant execute on function public.claim_table_readings, public.save_table_reading to service_role;
grant execute on function public.table_reading_url to anon, authenticated, service_role;
grant execute on function public.list_table_readings to authenticated;
