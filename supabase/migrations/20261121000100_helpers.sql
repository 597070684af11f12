-- Extensions, limits, errors, checks of text and other values, readers for JSON arguments, idempotency keys.
-- Expressions are written `return …` where possible: their names are resolved once, and the planner inlines them.
-- Checks that constraints call are plpgsql, because a constraint is planned for every statement and plpgsql keeps
-- its plan for the session.

create extension if not exists pg_cron with schema pg_catalog;

-- Internal functions and tables, not exposed by the API. Policies run as the caller, so the roles of the API may
-- use the schema; they may execute only the functions that are granted below.
create schema private;
revoke all on schema private from public;
grant usage on schema private to anon, authenticated, service_role;

-- A new object can be used by no role of the API until a migration grants it. This also applies to functions that an
-- extension creates later. Projects made before 2026 grant everything in the schema public by default.
alter default privileges revoke execute on functions from public;
alter default privileges in schema public revoke all on functions from anon, authenticated, service_role;
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;

-- ---- Limits ----

-- Limits and constants of the product. The website's copy (src/lib/domain/limits.ts) is generated from this function.
-- Lengths count characters (code points).
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
  "contributor_results": 20, "versions_per_page": 20, "session_days": 30, "people_per_page": 100}'::jsonb;

-- The limit with this name.
create function private.get_limit(name text) returns integer
language sql immutable return (private.limits() ->> name)::integer;

-- ---- Errors ----

-- Raises an error. The website has the sentences for it, in each language. PostgREST turns the SQLSTATE PTnnn into
-- the HTTP status.
-- `code` is a code of the error catalogue (docs/product.md), `reason` the cause (src/lib/i18n/en/database-errors.ts).
-- `details` has the field and the parameters of the sentence, such as limits and names. Write the code, the reason and
-- the keys of the details as literals: a test compares each call with the messages.
create function private.raise_error(code text, reason text, details jsonb default '{}') returns void
language plpgsql set search_path = '' as $$
begin
  raise exception using
    errcode = case code
      when 'invalid' then 'PT422' when 'signed_out' then 'PT401' when 'forbidden' then 'PT403'
      when 'not_found' then 'PT404' when 'gone' then 'PT410' when 'conflict' then 'PT409'
      when 'bad_state' then 'PT409' else 'PT500' end,
    message = code,
    detail = (details || jsonb_build_object('reason', reason))::text;
end $$;

-- Raises the error `invalid` for one field of the arguments.
create function private.raise_invalid(field text, reason text, details jsonb default '{}') returns void
language sql set search_path = '' as $$
  select private.raise_error('invalid', reason, details || jsonb_build_object('field', field))
$$;

-- Raises a caught `invalid` again and adds the position of the invalid item to its details.
create function private.raise_invalid_item(caught_details text, item_position jsonb) returns void
language plpgsql set search_path = '' as $$
begin
  raise exception using errcode = 'PT422', message = 'invalid', detail = (caught_details::jsonb || item_position)::text;
end $$;

-- Raises `not_found`. The message is the same for objects that do not exist and for objects hidden from the caller.
create function private.raise_not_found() returns void
language sql set search_path = '' as $$
  select private.raise_error('not_found', 'not_found_or_hidden')
$$;

-- Raises `forbidden` for an id that another object has. It does not reveal which one.
create function private.raise_id_conflict() returns void
language sql set search_path = '' as $$
  select private.raise_error('forbidden', 'id_taken')
$$;

-- Trigger of the views: they are read-only. Without it, a write to a view of several tables would be reported as an
-- internal error instead of a missing permission.
create function private.reject_write() returns trigger
language plpgsql set search_path = '' as $$ begin raise insufficient_privilege; end $$;

-- ---- Text and formats ----

-- Text without surrounding white space. Removes the same characters as JavaScript's trim().
create function private.trim_text(value text) returns text
language sql immutable return btrim(value,
  E'\t\n\x0b\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff');

-- Whether the text has a visible character: neither white space nor a default ignorable character (Unicode's
-- DerivedCoreProperties.txt) nor the blank braille pattern.
create function private.has_visible_text(value text) returns boolean
language sql immutable return value ~ '[^\u0001-\u0020\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]';

-- Whether the value is one line of visible plain text within the named limit. It has no control characters and no
-- line breaks of any kind. Characters are spelled out, because the classes of a regular expression depend on the
-- locale of the database.
create function private.is_line(value text, max_limit text, min_length integer default 1) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return value is not null and char_length(value) between min_length and private.get_limit(max_limit)
    and value !~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029]' and (min_length = 0 or private.has_visible_text(value));
end $$;

-- Like is_line, but line feeds are allowed.
create function private.is_text(value text, max_limit text, min_length integer default 1) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return private.is_line(translate(value, E'\n', ' '), max_limit, min_length);
end $$;

create function private.is_slug(value text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return char_length(value) between private.get_limit('slug_min') and private.get_limit('slug_max')
    and value ~ '^[a-z0-9]+(-[a-z0-9]+)*$';
end $$;

create function private.is_handle(value text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return char_length(value) between private.get_limit('handle_min') and private.get_limit('handle_max')
    and value ~ '^[a-z0-9]+(-[a-z0-9]+)*$';
end $$;

-- Whether the value is an http or https URL with a host, without user name and password, and without invisible
-- characters.
create function private.is_url(value text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return char_length(value) <= private.get_limit('url')
    and value ~* '^https?://[^/?#@:%\[\]]+(:[0-9]{1,5})?([/?#].*)?$'
    and value !~ '[\u0001-\u0020"<>\\^`{|}\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]';
end $$;

-- Whether the value is a BCP 47 tag that browsers' Intl accepts: language, script, region, one variant.
create function private.is_language(value text) returns boolean
language sql immutable return char_length(value) <= 35
  and value ~ '^[a-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))?$';

-- Whether the value has the form of an e-mail address in lower case, as accounts store it.
create function private.is_email(value text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return private.is_line(value, 'email') and value = lower(value)
    and value ~ '^[^@\u0001-\u0020\u007f-\u00a0]+@[^@\u0001-\u0020\u007f-\u00a0]+$';
end $$;

-- Whether the value can be a display name: one line without characters that change the direction of writing,
-- because sign-up is open and names are shown next to other people's text.
create function private.is_display_name(value text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return private.is_line(value, 'display_name') and value !~ '[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]';
end $$;

-- A display name as typed, without invisible characters. The result may still be too long or empty.
create function private.clean_display_name(value text) returns text
language sql immutable set search_path = '' as $$
  select private.trim_text(regexp_replace(regexp_replace(coalesce(value, ''),
    '[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+', ' ', 'g'), ' {2,}', ' ', 'g'))
$$;

-- Turns a text into a slug of at most `max_length` characters. The result may be empty.
create function private.to_slug(value text, max_length integer) returns text
language sql immutable set search_path = '' as $$
  select trim(both '-' from left(trim(both '-' from
    regexp_replace(lower(coalesce(value, '')), '[^a-z0-9]+', '-', 'g')), max_length))
$$;

-- The UUID in PostgreSQL's own spelling, or null.
create function private.to_uuid(value text) returns uuid
language sql immutable return case when value ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then value::uuid end;

-- ---- JSON values ----

-- Whether the value is an object with no other keys than these.
create function private.is_object(value jsonb, keys text[]) returns boolean
language sql immutable return case jsonb_typeof(value) when 'object' then value - keys = '{}'::jsonb else false end;

create function private.is_boolean(value jsonb) returns boolean
language sql immutable return value is null or jsonb_typeof(value) = 'boolean';

create function private.is_number(value jsonb) returns boolean
language sql immutable return coalesce(jsonb_typeof(value) = 'number', false);

-- Whether the value is a positive integer of at most nine digits.
create function private.is_positive_integer(value jsonb) returns boolean
language sql immutable return coalesce(value::text ~ '^[1-9][0-9]{0,8}$', false);

-- The string under a key. Null if there is none, '' if the value is not a string.
create function private.get_string(value jsonb, key text) returns text
language sql immutable return case coalesce(jsonb_typeof(value -> key), 'null')
  when 'null' then null when 'string' then value ->> key else '' end;

-- ---- Fields of JSON arguments ----
-- Each function reads one field and raises `invalid` with its name if the value breaks a rule.

-- Requires an object without unknown fields.
create function private.require_object(content jsonb, keys text[]) returns void
language plpgsql immutable set search_path = '' as $$
declare unknown_key text;
begin
  if jsonb_typeof(content) is distinct from 'object' then
    perform private.raise_invalid('content', 'not_an_object');
  end if;
  select left(k, 40) into unknown_key from jsonb_object_keys(content - keys) k limit 1;
  if unknown_key is not null then perform private.raise_invalid(unknown_key, 'unknown_field'); end if;
end $$;

-- An optional text, trimmed. Empty text is null.
create function private.optional_text(content jsonb, key text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  if jsonb_typeof(content -> key) not in ('string', 'null') then
    perform private.raise_invalid(key, 'not_text');
  end if;
  return nullif(private.trim_text(content ->> key), '');
end $$;

-- An optional line of text within the named limit.
create function private.optional_line(content jsonb, key text, max_limit text) returns text
language plpgsql immutable set search_path = '' as $$
declare value text := private.optional_text(content, key);
begin
  if value is not null and not private.is_line(value, max_limit) then
    perform private.raise_invalid(key, 'invalid_line', jsonb_build_object('max', private.get_limit(max_limit)));
  end if;
  return value;
end $$;

-- An optional text of one or more lines within the named limit.
create function private.optional_multiline(content jsonb, key text, max_limit text) returns text
language plpgsql immutable set search_path = '' as $$
declare value text := private.optional_text(content, key);
begin
  if value is not null and not private.is_text(value, max_limit) then
    perform private.raise_invalid(key, 'invalid_text', jsonb_build_object('max', private.get_limit(max_limit)));
  end if;
  return value;
end $$;

-- An optional time. It must have a time zone.
create function private.optional_time(content jsonb, key text) returns timestamptz
language plpgsql immutable set search_path = '' as $$
declare value text := private.optional_text(content, key);
begin
  if value !~ '^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$' then raise datetime_field_overflow; end if;
  return value::timestamptz;
exception when data_exception then
  perform private.raise_invalid(key, 'invalid_time');
end $$;

-- A value of an enumeration, or the default.
create function private.optional_enum(content jsonb, key text, enumeration anyenum, default_value text) returns text
language plpgsql immutable set search_path = '' as $$
declare value text := coalesce(private.optional_text(content, key), default_value);
begin
  if value <> all (enum_range(enumeration)::text[]) then
    perform private.raise_invalid(key, 'unknown_choice', jsonb_build_object('choices', enum_range(enumeration)));
  end if;
  return value;
end $$;

-- An optional integer between two named limits.
create function private.optional_integer(content jsonb, key text, min_limit text, max_limit text) returns integer
language plpgsql immutable set search_path = '' as $$
declare value text := nullif(content -> key, 'null')::text;
begin
  if value !~ '^[0-9]{1,9}$' or value::integer not between private.get_limit(min_limit) and private.get_limit(max_limit) then
    perform private.raise_invalid(key, 'integer_out_of_range', 
      jsonb_build_object('min', private.get_limit(min_limit), 'max', private.get_limit(max_limit)));
  end if;
  return value::integer;
end $$;

-- A note or reason for readers. It is required.
create function private.read_note(note text, field text) returns text
language plpgsql immutable set search_path = '' as $$
declare value text := private.trim_text(note);
begin
  if not coalesce(private.is_text(value, 'note'), false) then
    perform private.raise_invalid(field, 'invalid_note', jsonb_build_object('max', private.get_limit('note')));
  end if;
  return value;
end $$;

-- An optional note for readers.
create function private.optional_note(note text) returns text
language sql immutable set search_path = '' as $$
  select case when nullif(private.trim_text(note), '') is not null then private.read_note(note, 'note') end
$$;

-- The display name of the arguments, without invisible characters.
create function private.read_display_name(content jsonb, key text) returns text
language plpgsql immutable set search_path = '' as $$
declare value text := private.clean_display_name(private.optional_text(content, key));
begin
  if not private.is_display_name(value) then
    perform private.raise_invalid(key, 'invalid_name', jsonb_build_object('max', private.get_limit('display_name')));
  end if;
  return value;
end $$;

-- Errors: invalid, unless the value is a slug.
create function private.require_slug(value text) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if not coalesce(private.is_slug(value), false) then
    perform private.raise_invalid('slug', 'invalid_slug',
      jsonb_build_object('min', private.get_limit('slug_min'), 'max', private.get_limit('slug_max')));
  end if;
end $$;

-- Errors: invalid, unless the value is a language.
create function private.require_language(value text) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if not coalesce(private.is_language(value), false) then perform private.raise_invalid('language', 'invalid_language'); end if;
end $$;

-- Raises `conflict` with the current version, unless the caller saw the current version.
create function private.require_version(current integer, expected integer) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if current is distinct from expected then
    perform private.raise_error('conflict', 'version_outdated',
      jsonb_build_object('version', current));
  end if;
end $$;

-- ---- Digests and secrets ----

-- SHA-256 of a text, in hexadecimal.
create function private.sha256_hex(value text) returns text
language sql immutable set search_path = '' as $$ select encode(sha256(convert_to(value, 'UTF8')), 'hex') $$;

-- A random secret of 256 bits: 43 characters that can be used in a URL.
create function private.new_secret() returns text
language sql volatile set search_path = '' as $$
  select translate(encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
    'base64'), '+/=', '-_')
$$;

-- ---- Caller ----

-- Whether the caller is the server (service_role).
create function private.is_service() returns boolean
language sql stable set search_path = '' as $$ select coalesce((select auth.role()) = 'service_role', false) $$;

-- ---- Idempotency keys ----
-- A command that is sent again with the same id, by the same person and with the same arguments, returns its first
-- result.

create table private.idempotency_keys (
  key uuid primary key,
  person_id uuid,
  action text not null,
  -- A digest of the arguments. The text itself is stored in one place only.
  arguments_digest text not null,
  result jsonb,
  created_at timestamptz not null default now()
);
alter table private.idempotency_keys enable row level security;

-- Begins a command. Returns null if the key is new: the caller does the work and calls finish_command. Otherwise returns
-- the first result. If the same key is used in two transactions, the second one waits for the first.
-- Errors: signed_out; forbidden, if the key was used by another person or for something else.
create function private.begin_command(key uuid, action text, arguments jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  caller uuid := auth.uid();
  digest text := private.sha256_hex(arguments::text);
  existing private.idempotency_keys;
begin
  if caller is null and not private.is_service() then
    perform private.raise_error('signed_out', 'sign_in_required');
  end if;
  if begin_command.key is null then perform private.raise_invalid('idempotency_key', 'idempotency_key_missing'); end if;
  insert into private.idempotency_keys (key, person_id, action, arguments_digest)
    values (begin_command.key, caller, begin_command.action, digest)
  on conflict do nothing;
  if found then return null; end if;
  select * into existing from private.idempotency_keys o where o.key = begin_command.key;
  if existing.person_id is not distinct from caller and existing.action = begin_command.action
     and existing.arguments_digest = digest then
    return existing.result;
  end if;
  perform private.raise_error('forbidden', 'idempotency_key_reused');
end $$;

-- Stores the result of a command and returns it.
create function private.finish_command(key uuid, command_result jsonb) returns jsonb
language sql volatile set search_path = '' as $$
  update private.idempotency_keys o set result = command_result where o.key = finish_command.key returning o.result
$$;

-- ---- Broadcasts ----

-- Sends a message on a private topic when the transaction commits. A message that cannot be sent is only logged:
-- clients compare sequence numbers from time to time, so a lost message is harmless.
create function private.broadcast(topic text, event text, message jsonb) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform realtime.send(message, event, topic, true);
exception when others then
  raise warning 'The message on % could not be sent: %', topic, sqlerrm;
end $$;
