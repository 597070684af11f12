-- Maps in bodies: {"type":"map","name","latitude","longitude","zoom"?}
-- Coordinates are degrees (WGS 84) with at most five decimals, about a metre. Each number has one spelling, so that an
-- export and its import have the same bytes. The photo directly below a map is its picture.

-- Limits and constants of the product, as before, with those of maps.
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
  "photo_arrival_hours": 24, "photo_unused_days": 7,
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

-- Whether the value is a number of degrees from -`max` to `max`, in its shortest spelling.
create function private.is_coordinate(value jsonb, max integer) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  if jsonb_typeof(value) is distinct from 'number' then return false; end if;
  return value::text ~ '^-?[0-9]{1,3}(\.[0-9]{0,4}[1-9])?$' and abs(value::text::numeric) <= max;
end $$;

-- Whether the value is absent, or a zoom level.
create function private.is_zoom(value jsonb) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  if value is null then return true; end if;
  return value::text ~ '^[0-9]{1,2}$' and value::text::integer between 1 and private.get_limit('map_zoom');
end $$;

-- The text of a map: the name of its place. Null if the map is invalid. The name has the limit of datelines, because sessions
-- that ran private.is_line before a migration do not know new limits until they end.
create function private.map_text(block jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  if private.is_object(block, '{type,name,latitude,longitude,zoom}')
     and private.is_line(private.get_string(block, 'name'), 'dateline')
     and private.is_coordinate(block -> 'latitude', 90) and private.is_coordinate(block -> 'longitude', 180)
     and private.is_zoom(block -> 'zoom') then
    return block ->> 'name';
  end if;
  return null;
end $$;

create function private.has_invalid_map(body jsonb) returns boolean
language sql immutable set search_path = '' as $$
  select exists (
    select from jsonb_array_elements(body) b(block)
    where b.block ->> 'type' = 'map' and private.map_text(b.block) is null)
$$;
