-- What every other file leans on: a schema the API never shows, the limits, and how a refusal is said.

create schema private;
revoke all on schema private from public;
-- Row-level policies run as the caller, so the caller must reach the few helpers that they name.
grant usage on schema private to anon, authenticated, service_role;
-- A new function is nobody's until it is granted by name: also one that an extension or the bootstrap makes later.
alter default privileges in schema private revoke execute on functions from public, anon, authenticated, service_role;
alter default privileges revoke execute on functions from public;

/* Small expressions are written `return …`: names resolved once, here, and put in place by the planner, where
   `set search_path` would make each a call of its own. Rules that constraints name are plpgsql, planned once a
   session: a constraint is planned anew for every statement. */

/* The numbers of the product's validation rules and constants, in one place. The site's copy
   (src/lib/limits.ts) is generated from here. Lengths are in characters (code points). */
create function private.limits() returns jsonb
language sql immutable return '{
  "headline": 120, "slug_min": 3, "slug_max": 80, "kicker": 40, "standfirst": 300,
  "update_headline": 120, "body_blocks": 40, "body_characters": 10000, "body_bytes": 131072, "url": 2048,
  "attribution": 120, "desk_note": 1000, "dateline": 80, "note": 500, "bylines": 8,
  "link_title": 300, "link_description": 500, "link_site": 120,
  "handle_min": 3, "handle_max": 30, "display_name": 60, "bio": 500, "topics": 10,
  "topic_name": 60, "topic_description": 300, "site_name": 80, "tagline": 160, "publisher": 120,
  "contact": 200, "password_min": 10,
  "alt": 250, "caption": 500, "credit": 120, "photo_bytes": 20971520, "photo_pixels": 50000000,
  "photo_arrival_hours": 24, "photo_unused_days": 7,
  "tip_body": 2000, "tip_name": 60, "tip_contact": 120,
  "tips_per_hour": 5, "tips_per_day": 20, "tips_per_address": 60, "contact_days": 90, "sender_days": 30,
  "tip_haste_ms": 2000, "tip_same_minutes": 10, "tip_unhandled_days": 180, "tip_held_days": 30, "tip_spam_days": 30,
  "tips_fewest": 1, "tips_per_page": 50,
  "schedule_days": 366,
  "follows_most": 100, "push_devices_most": 10, "push_device": 80, "stops_days": 90,
  "alert_hold_seconds": 12, "alert_minutes": 10, "digest_minutes": 60, "alert_fresh_minutes": 10, "alert_stale_hours": 24,
  "alert_updates": 20, "alert_text": 200,
  "delivery_batch": 200, "spread_step": 100, "delivery_lease_seconds": 60, "delivery_attempts": 5, "delivery_retry_hours": 6, "deliveries_days": 7,
  "page_size": 10, "key_events_shown": 10, "changes_per_answer": 50, "changes_behind": 100,
  "reader_interval_seconds": 10, "reader_interval_min": 10, "reader_interval_max": 300, "reader_spread_ms": 1000,
  "surge_interval_seconds": 60, "surge_load_seconds": 120, "follow_spread_ms": 20000,
  "quiet_hours": 12, "quiet_hours_min": 0, "quiet_hours_max": 168, "accent_contrast_tenths": 45, "frames": 20,
  "contributor_days": 30, "contributor_days_min": 1, "contributor_days_max": 366,
  "email": 254, "invite_days": 7, "invite_kept_days": 30, "log_page": 50, "export_rows": 200,
  "archived_updates": 50, "archived_changes": 1000,
  "search_query": 200, "search_words": 12, "search_page": 20, "search_pages": 10, "search_pages_fewest": 1, "search_counted": 400,
  "search_snippet": 200, "search_forgiven": 3,
  "contributors_found": 20, "versions_per_page": 20, "session_days": 30, "people_per_page": 100}'::jsonb;

create function private.limit_of(name text) returns integer
language sql immutable return (private.limits() ->> name)::integer;

/* Refuses the call with a code of the error catalogue. PostgREST turns PTnnn into the HTTP status;
   `details` names the field (or carries what the code needs), `hint` says what to do next. */
create function private.refuse(code text, hint text, details jsonb default null) returns void
language plpgsql set search_path = '' as $$
begin
  raise exception using
    errcode = case code
      when 'invalid' then 'PT422' when 'signed_out' then 'PT401' when 'forbidden' then 'PT403'
      when 'not_found' then 'PT404' when 'gone' then 'PT410' when 'conflict' then 'PT409'
      when 'bad_state' then 'PT409' else 'PT500' end,
    message = code,
    detail = coalesce(details, '{}'::jsonb)::text,
    hint = hint;
end $$;

create function private.refuse_field(field text, hint text) returns void
language sql set search_path = '' as $$
  select private.refuse('invalid', hint, jsonb_build_object('field', field))
$$;

/* A text without the white space around it: what JavaScript's trim() takes. */
create function private.trimmed(value text) returns text
language sql immutable return btrim(value, E'\t\n\x0b\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff');

/* Has something that can be seen: neither white space nor one of Unicode's default ignorable characters
   (DerivedCoreProperties.txt), nor the blank braille pattern. */
create function private.has_words(value text) returns boolean
language sql immutable return value ~ '[^\u0001-\u0020\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]';

/* One line of plain text within a limit, by its name: no control character, no line break of any kind,
   something to be seen. Spelled out, because the classes of a regular expression hang on the engine's locale. */
create function private.is_line(value text, most text, fewest integer default 1) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return value is not null and char_length(value) between fewest and private.limit_of(most)
    and value !~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029]' and (fewest = 0 or private.has_words(value));
end $$;

/* As is_line, but line feeds may stand in it. */
create function private.is_text(value text, most text, fewest integer default 1) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return private.is_line(translate(value, E'\n', ' '), most, fewest);
end $$;

create function private.is_slug(value text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return char_length(value) between private.limit_of('slug_min') and private.limit_of('slug_max')
    and value ~ '^[a-z0-9]+(-[a-z0-9]+)*$';
end $$;

create function private.is_handle(value text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return char_length(value) between private.limit_of('handle_min') and private.limit_of('handle_max')
    and value ~ '^[a-z0-9]+(-[a-z0-9]+)*$';
end $$;

/* An address on the web with a host and without a name or password, none of its characters invisible. */
create function private.is_url(value text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return char_length(value) <= private.limit_of('url')
    and value ~* '^https?://[^/?#@:%\[\]]+(:[0-9]{1,5})?([/?#].*)?$'
    and value !~ '[\u0001-\u0020"<>\\^`{|}\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]';
end $$;

/* BCP 47 as far as a newsroom and every browser's Intl understand it: language, script, region, one variant. */
create function private.is_language(value text) returns boolean
language sql immutable return char_length(value) <= 35
  and value ~ '^[a-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))?$';

/* An IANA name that this engine knows. What it takes beside (abbreviations, POSIX offsets, which need a
   digit, and the folders of its own copy) is no name, and Intl would refuse it where a page shows a time. */
create function private.is_time_zone(value text) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  if value is null or value !~ '^(UTC|Etc/GMT[+-][0-9]{1,2}|[A-Z][A-Za-z_]*(/[A-Za-z_-]+){1,2})$'
     or value ~* '^(posix|right|SystemV)/' then
    return false;
  end if;
  perform timestamptz '2000-01-01 00:00+00' at time zone value;
  return true;
exception when invalid_parameter_value then return false;
end $$;

/* A UUID as PostgreSQL writes it, or null. */
create function private.as_uuid(value text) returns uuid
language sql immutable return case when value ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then value::uuid end;

/* A name made fit to stand in a URL: lower case, hyphens, at most `most` characters. May be empty. */
create function private.slug_from(value text, most integer) returns text
language sql immutable set search_path = '' as $$
  select trim(both '-' from left(trim(both '-' from
    regexp_replace(lower(coalesce(value, '')), '[^a-z0-9]+', '-', 'g')), most))
$$;

/* The limits, for the tool that writes the site's copy of them. */
create function public.limits() returns jsonb
language sql immutable security definer set search_path = '' as $$ select private.limits() $$;
revoke execute on function public.limits() from public, anon, authenticated;
grant execute on function public.limits() to service_role;
