-- A table whose CSV address could not be read for 5 minutes says so to readers: its block gets "stale", and "as_of" is the
-- time of the last reading that succeeded. The next reading that succeeds removes "stale".

-- Whether the block has the fields of a table other than its rows, and their values are valid.
create or replace function private.is_described_table(block jsonb) returns boolean
language sql immutable set search_path = '' as $$
  select private.is_object(block, '{type,rows,align,caption,source,as_of,preset,csv,stale}')
    and (not block ? 'caption' or private.is_line(private.get_string(block, 'caption'), 'caption'))
    and (not block ? 'source' or private.is_line(private.get_string(block, 'source'), 'attribution'))
    and (not block ? 'as_of' or private.is_utc_time(private.get_string(block, 'as_of')))
    and (not block ? 'preset' or block -> 'preset' in ('"results"', '"score"', '"closures"', '"shelters"'))
    and (not block ? 'csv' or (private.is_url(private.get_string(block, 'csv')) and block ->> 'csv' like 'https://%'))
    and (not block ? 'stale' or (block -> 'stale' = 'true' and block ? 'csv' and block ? 'as_of'))
$$;

alter table private.table_readings
  -- When the address got into the published update. Its first reading is expected within a minute.
  add recorded_at timestamptz not null default now(),
  -- Whether readers see that the table is not updated.
  add is_stale boolean not null default false;

-- A time as bodies have it: ISO 8601 in UTC with whole seconds.
create function private.body_time(at timestamptz) returns text
language sql immutable set search_path = '' as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
$$;

-- The body of a published update in which the tables whose address could not be read are marked as stale, and no others.
-- A time of the data that a person set after the last reading stays. A person who edits an update does not send "stale".
create function private.with_stale_tables(body jsonb, update_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_agg(case
      when b.block ->> 'type' is distinct from 'table' then b.block
      when r.csv is null then b.block - 'stale'
      else b.block || jsonb_build_object('stale', true, 'as_of',
        coalesce(greatest(b.block ->> 'as_of', private.body_time(r.read_at)), private.body_time(r.recorded_at)))
    end order by b.n)
  from jsonb_array_elements(with_stale_tables.body) with ordinality b(block, n)
  left join private.table_readings r on r.update_id = with_stale_tables.update_id and r.csv = b.block ->> 'csv' and r.is_stale
$$;

-- Saves a new version of a published update.
create or replace function private.save_published_version(coverage public.coverages, update_id uuid, expected integer, content jsonb,
  kind public.revision_kind, note text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  existing public.updates := private.require_published_update(save_published_version.update_id, coverage.id);
  new_content private.update_content := private.read_content(content, 1, existing.author, existing.id);
  marked jsonb := private.with_stale_tables(new_content.body, existing.id);
begin
  perform private.require_version(existing.version, expected);
  perform private.require_urgency_permission(coverage.id, existing.urgency, new_content.urgency);
  -- The text of a person goes first where the mark is too much.
  if octet_length(marked::text) <= private.get_limit('body_bytes') then new_content.body := marked; end if;
  update public.updates u set version = u.version + 1, revised_at = clock_timestamp(),
    corrected_at = case kind when 'correction' then clock_timestamp() else u.corrected_at end,
    seq = private.log_change(coverage.id, save_published_version.update_id, kind::text::public.change_kind)
  where u.id = save_published_version.update_id;
  perform private.write_version(save_published_version.update_id, new_content, kind, note);
end $$;

-- A body whose tables with this address have these rows. A table whose rows change, or that was stale, gets the time of
-- the reading.
create or replace function private.with_table_rows(body jsonb, csv text, rows jsonb) returns jsonb
language sql volatile set search_path = '' as $$
  select jsonb_agg(case
      when b.block ->> 'csv' is distinct from with_table_rows.csv
        or (b.block -> 'rows' = with_table_rows.rows and not b.block ? 'stale') then b.block
      else case when jsonb_array_length(b.block #> '{rows,0}') = jsonb_array_length(with_table_rows.rows -> 0) then b.block
          else b.block - 'align' end - 'stale'
        || jsonb_build_object('rows', with_table_rows.rows, 'as_of', private.body_time(clock_timestamp()))
    end order by b.n)
  from jsonb_array_elements(with_table_rows.body) with ordinality b(block, n)
$$;

-- Saves the body of an update that a reading changed. The new version replaces the current one if a reading saved that
-- too, at most 15 minutes after the first one of them. So an update gets four versions an hour, and readers get all rows.
-- Returns the time of the first of these readings.
create function private.save_table_version(coverage public.coverages, existing public.updates, body jsonb) returns timestamptz
language plpgsql volatile set search_path = '' as $$
#variable_conflict use_variable
declare
  content private.update_content := private.current_content(existing);
  since timestamptz;
begin
  content.body := body;
  select r.version_since into since from private.table_readings r where r.update_id = existing.id
    and r.version = existing.version and r.version_since > clock_timestamp() - interval '15 minutes' limit 1;
  if since is not null then
    delete from public.update_revisions r where r.update_id = existing.id and r.version = existing.version;
  end if;
  -- The revision has no person: the desk says that it comes from the address.
  perform private.save_published_version(coverage, existing.id, existing.version, to_jsonb(content), 'revision', null);
  return coalesce(since, clock_timestamp());
end $$;

-- Saves the result of a claimed reading: the rows of the table, or the error. Only the cells of the tables with the
-- address change, in the body as it is now, so a simultaneous edit is not lost. After a failure the address is read again
-- after 1 minute, then 2, 4, 8, 16 and 30, but at the latest when the table becomes stale: 5 minutes after its last
-- reading, or after it was published.
-- Returns `changed`, `unchanged`, `failed`, or `ended` if the table is not to be read any more.
create or replace function public.save_table_reading(ticket uuid, rows jsonb default null, error jsonb default null) returns text
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  reading private.table_readings;
  coverage public.coverages;
  existing public.updates;
  body jsonb;
  failure jsonb := error;
  stale_at timestamptz;
  since timestamptz;
  details text;
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
      update private.table_readings r set is_stale = false where r.update_id = reading.update_id and r.csv = reading.csv;
      body := private.with_table_rows(existing.body, reading.csv, rows);
      if body <> existing.body then since := private.save_table_version(coverage, existing, body); end if;
    exception when others then
      if sqlstate not like 'PT%' then raise; end if;
      get stacked diagnostics details = pg_exception_detail;
      failure := details::jsonb || jsonb_build_object('code', sqlerrm);
    end;
  end if;
  stale_at := coalesce(reading.read_at, reading.recorded_at) + interval '5 minutes';
  if failure is not null and not reading.is_stale and stale_at <= clock_timestamp() then
    update private.table_readings r set is_stale = true where r.update_id = reading.update_id and r.csv = reading.csv;
    since := private.save_table_version(coverage, existing, existing.body);
  end if;
  update private.table_readings r set ticket = null, error = failure,
    version = case when since is null then r.version else existing.version + 1 end,
    version_since = coalesce(since, r.version_since),
    read_at = case when failure is null then clock_timestamp() else r.read_at end,
    failures = case when failure is null then 0 else r.failures + 1 end,
    next_at = case when failure is null then r.next_at
      else clock_timestamp() + least(interval '1 minute' * 2 ^ least(r.failures, 5), interval '30 minutes',
        case when stale_at > clock_timestamp() then greatest(stale_at - clock_timestamp(), interval '1 minute') end) end
  where r.update_id = reading.update_id and r.csv = reading.csv;
  return case when failure is not null then 'failed' when since is null then 'unchanged' else 'changed' end;
end $$;
