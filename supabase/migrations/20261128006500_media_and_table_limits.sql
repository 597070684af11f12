-- Bounds what grows without a person: the versions that readings of a table save, and the unused media files of a person.
-- Also closes two races: of an address that is put back while removed ones are forgotten, and of a file that is
-- registered again while unused ones are deleted.

-- Limits and constants of the product, as before, with that of unused media files.
create or replace function private.limits() returns jsonb
language sql immutable return '{
  "headline": 120, "slug_min": 3, "slug_max": 80, "kicker": 40, "standfirst": 300,
  "update_headline": 120, "body_blocks": 40, "body_characters": 10000, "body_bytes": 131072, "url": 2048,
  "table_rows": 200, "table_columns": 12, "map_zoom": 18, "attribution": 120, "desk_note": 1000, "dateline": 80, "note": 500, "bylines": 8,
  "link_title": 300, "link_description": 500, "link_site": 120,
  "handle_min": 3, "handle_max": 30, "display_name": 60, "bio": 500, "topics": 10,
  "topic_name": 60, "topic_description": 300, "site_name": 80, "tagline": 160, "publisher": 120,
  "contact": 200, "password_min": 10,
  "alt": 250, "caption": 500, "credit": 120, "photo_bytes": 20971520, "photo_pixels": 50000000,
  "photo_arrival_hours": 24, "photo_unused_days": 7, "unused_media_files": 20,
  "tip_body": 2000, "tip_name": 60, "tip_contact": 120,
  "tips_per_hour": 5, "tips_per_day": 20, "tips_per_address": 60, "contact_days": 90, "sender_days": 30,
  "tip_min_typing_ms": 2000, "tip_same_minutes": 10, "tip_unhandled_days": 180, "tip_held_days": 30, "tip_spam_days": 30,
  "min_tips_per_page": 1, "tips_per_page": 50,
  "schedule_days": 366,
  "max_follows": 100, "max_push_devices": 10, "push_device": 80, "unsubscribe_link_days": 90,
  "alert_hold_seconds": 12, "alert_minutes": 10, "digest_minutes": 60, "alert_fresh_minutes": 10, "alert_stale_hours": 24,
  "alert_updates": 20, "alert_text": 200,
  "delivery_batch": 200, "delivery_batch_people": 100, "delivery_lease_seconds": 60, "delivery_attempts": 5, "delivery_retry_hours": 6, "deliveries_days": 7,
  "page_size": 10, "key_events_shown": 10, "changes_per_answer": 50, "changes_behind": 100,
  "check_interval_default": 10, "check_interval_min": 10, "check_interval_max": 300, "reader_jitter_ms": 1000,
  "surge_interval_seconds": 60, "surge_load_seconds": 120, "follow_jitter_ms": 20000,
  "quiet_hours": 12, "quiet_hours_min": 0, "quiet_hours_max": 168, "accent_contrast_tenths": 45, "embed_origins": 20,
  "contributor_days": 30, "contributor_days_min": 1, "contributor_days_max": 366,
  "email": 254, "invite_days": 7, "invite_kept_days": 30, "log_page": 50, "export_rows": 200,
  "export_updates": 50, "export_changes": 1000,
  "search_query": 200, "search_words": 12, "search_page": 20, "search_pages": 10, "min_search_page": 1, "search_counted": 400,
  "search_snippet": 200, "search_corrections": 3,
  "contributor_results": 20, "versions_per_page": 20, "session_days": 30, "people_per_page": 100,
  "device_followers_per_network": 300, "follow_mails_per_hour": 1000, "follow_mails_per_network": 60, "follow_mails_per_address": 3,
  "follow_request_hours": 24, "follow_ended_days": 30}'::jsonb;

-- ---- Media files ----

-- Requires that a file that was just registered is within the limit of its uploader, and has no object in storage yet.
create function private.require_new_media_file(file public.media_files) returns void
language plpgsql volatile set search_path = '' as $$
begin
  -- It belongs to a deleted file with this id, and the server is about to remove it.
  if exists (select from storage.objects o where o.bucket_id = 'media' and o.name = file.id::text) then
    perform private.raise_id_conflict();
  end if;
  -- One registration of a person is counted at a time, also in several coverages.
  perform from public.people p where p.id = file.uploaded_by for no key update;
  if (select count(*) from public.media_files f where f.uploaded_by = file.uploaded_by and f.created_at > now() - interval '1 day'
      and not exists (select from public.update_media o where o.file_id = f.id)) > private.get_limit('unused_media_files') then
    perform private.raise_invalid('file_id', 'too_many_unused_files',
      jsonb_build_object('max', private.get_limit('unused_media_files')));
  end if;
end $$;

-- Registers a file of a coverage, which may then be uploaded. Returns {id, format, bytes, state, refusal_code, path}.
-- Errors: invalid, beyond `unused_media_files`; forbidden, for the id of another file or of an object in storage.
create or replace function public.save_media_file(idempotency_key uuid, file_id uuid, coverage_id uuid, format text, seconds integer default null)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage(coverage_id);
  stored_result jsonb := private.begin_command(idempotency_key, 'save_media_file', jsonb_build_array(file_id, coverage_id, format, seconds));
  is_new boolean;
  existing public.media_files;
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('write_update', coverage.id);
  if file_id is null then perform private.raise_invalid('file_id', 'file_id_missing'); end if;
  if not coalesce(format in ('mp4', 'webm', 'mp3', 'm4a'), false) then perform private.raise_invalid('format', 'file_format'); end if;
  if seconds is not null and seconds not between 1 and 99999 then perform private.raise_invalid('seconds', 'file_length'); end if;
  insert into public.media_files (id, coverage_id, format, seconds, uploaded_by)
    values (file_id, coverage.id, format, seconds, auth.uid()) on conflict (id) do nothing returning true into is_new;
  select * into existing from public.media_files f where f.id = file_id for update;
  if existing.coverage_id is distinct from coverage.id or existing.uploaded_by is distinct from auth.uid() then
    perform private.raise_id_conflict();
  end if;
  if is_new then perform private.require_new_media_file(existing); end if;
  return private.finish_command(idempotency_key, private.media_file_result(existing));
end $$;

-- ---- Readings of tables ----

alter table private.table_readings
  -- The version that the last reading with changed rows saved, and since when readings replace each other in it.
  add version integer,
  add version_since timestamptz,
  add constraint version_has_time check ((version is null) = (version_since is null));

-- Records the addresses of a published update. A coverage has at most 10, so that its readings take seconds.
-- Errors: invalid.
create or replace function private.record_csv_tables() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into private.table_readings (update_id, csv)
    select distinct new.id, b.block ->> 'csv' from jsonb_array_elements(new.body) b(block) where b.block ? 'csv'
  -- Locks the row of an address that is put back: `claim_table_readings` deletes the rows of removed addresses.
  on conflict (update_id, csv) do update set csv = excluded.csv;
  if (select count(*) from private.table_readings r join public.updates u on u.id = r.update_id
      where u.coverage_id = new.coverage_id and u.state = 'published' and private.reads_table(u.body, r.csv)) > 10 then
    perform private.raise_invalid('body', 'too_many_csv_tables', jsonb_build_object('max', 10));
  end if;
  return null;
end $$;

-- Claims the readings that are due, and forgets addresses that are no longer in their update. Returns their tickets.
-- A claimed address is due again 55 s later: the server asks every few seconds, so it is read once a minute.
create or replace function public.claim_table_readings() returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  removed private.table_readings;
  tickets jsonb;
begin
  for removed in select r.* from private.table_readings r where not exists (select from public.updates u
      where u.id = r.update_id and u.state = 'published' and private.reads_table(u.body, r.csv)) for update skip locked loop
    -- The check follows the lock: an address that was just put back stays.
    delete from private.table_readings r where r.update_id = removed.update_id and r.csv = removed.csv
      and not exists (select from public.updates u
        where u.id = r.update_id and u.state = 'published' and private.reads_table(u.body, r.csv));
  end loop;
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

-- Saves the result of a claimed reading: the rows of the table, or the error. Only the cells of the tables with the
-- address change, in the body as it is now, so a simultaneous edit is not lost. The new version replaces the current one
-- if a reading saved that too, at most 15 minutes after the first one of them. So an update gets four versions an hour,
-- and readers get all rows. After a failure the address is read again after 1 minute, then 2, 4, 8, 16 and 30.
-- Returns `changed`, `unchanged`, `failed`, or `ended` if the table is not to be read any more.
create or replace function public.save_table_reading(ticket uuid, rows jsonb default null, error jsonb default null) returns text
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  reading private.table_readings;
  coverage public.coverages;
  existing public.updates;
  content private.update_content;
  failure jsonb := error;
  since timestamptz;
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
        select r.version_since into since from private.table_readings r where r.update_id = existing.id
          and r.version = existing.version and r.version_since > clock_timestamp() - interval '15 minutes' limit 1;
        if since is not null then
          delete from public.update_revisions r where r.update_id = existing.id and r.version = existing.version;
        end if;
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
    version = case when result = 'changed' then existing.version + 1 else r.version end,
    version_since = case when result = 'changed' then coalesce(since, clock_timestamp()) else r.version_since end,
    read_at = case when failure is null then clock_timestamp() else r.read_at end,
    failures = case when failure is null then 0 else r.failures + 1 end,
    next_at = case when failure is null then r.next_at
      else clock_timestamp() + least(interval '1 minute' * 2 ^ least(r.failures, 5), interval '30 minutes') end
  where r.update_id = reading.update_id and r.csv = reading.csv;
  return case when failure is null then result else 'failed' end;
end $$;

-- ---- Import ----

-- Versions of a published update, from the first public one to the current one, whose content is in the update.
-- Numbers are missing where one reading of a table replaced another. Returns rows of update_revisions.
create or replace function private.read_versions(item jsonb, current_content private.update_content, people uuid[]) returns setof public.update_revisions
language plpgsql stable set search_path = '' as $$
declare
  last_version constant integer := private.required_integer(item, 'version', 1);
  item_version jsonb;
  row public.update_revisions;
  before integer;
begin
  for item_version in select private.required_list(item, 'versions', '{version,kind,note,at,redacted_at,redacted_reason,content}', 100000) loop
    row := null;
    row.update_id := (item ->> 'id')::uuid;
    row.public := true;
    row.version := private.required_integer(item_version, 'version', 1);
    row.kind := private.optional_enum(item_version, 'kind', null::public.revision_kind, null);
    row.created_at := private.required_time(item_version, 'at');
    row.redacted_at := private.optional_past_time(item_version, 'redacted_at');
    if row.version <= before or row.version > last_version then
      perform private.raise_invalid('versions', 'version_order');
    elsif row.kind is null or row.kind = 'withdrawal' or (before is null and row.kind <> 'revision') then
      perform private.raise_invalid('kind', 'invalid_version_kind');
    end if;
    if row.kind <> 'revision' then row.note := private.read_note(private.get_string(item_version, 'note'), 'note');
    elsif jsonb_typeof(item_version -> 'note') is distinct from 'null' then perform private.raise_invalid('note', 'unknown_field');
    end if;
    if row.redacted_at is not null then
      row.redacted_reason := private.read_note(private.get_string(item_version, 'redacted_reason'), 'redacted_reason');
    elsif jsonb_typeof(item_version -> 'redacted_reason') is distinct from 'null' then
      perform private.raise_invalid('redacted_reason', 'unknown_field');
    end if;
    if (jsonb_typeof(item_version -> 'content') is not distinct from 'null') <> (row.version = last_version or row.redacted_at is not null)
        or (row.version = last_version and row.redacted_at is not null) then
      perform private.raise_invalid('content', 'version_content_mismatch');
    elsif row.version = last_version then
      row.content := to_jsonb(current_content);
    elsif row.redacted_at is null then
      row.content := to_jsonb(private.read_archived_content(item_version -> 'content', 1, people));
    end if;
    before := row.version;
    return next row;
  end loop;
  if before is distinct from last_version then
    perform private.raise_invalid('versions', 'version_order');
  end if;
end $$;
