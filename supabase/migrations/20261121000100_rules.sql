-- What every other file leans on: a schema the API never shows, the limits, and how a refusal is said.

create schema private;
revoke all on schema private from public;
-- Row-level policies run as the caller, so the caller must reach the few helpers that they name.
grant usage on schema private to anon, authenticated, service_role;
-- A new function is nobody's until it is granted by name.
alter default privileges in schema private revoke execute on functions from public, anon, authenticated, service_role;
alter default privileges revoke execute on functions from public;

/* The numbers of the product's validation rules and constants, in one place. The site's copy
   (src/lib/limits.ts) is generated from here. Lengths are in characters (code points). */
create function private.limits() returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object(
    'headline', 120, 'slug_min', 3, 'slug_max', 80, 'kicker', 40, 'standfirst', 300,
    'update_headline', 120, 'body_blocks', 40, 'body_characters', 10000, 'url', 2048,
    'attribution', 120, 'desk_note', 1000, 'dateline', 80, 'note', 500, 'bylines', 8,
    'handle_min', 3, 'handle_max', 30, 'display_name', 60, 'bio', 500, 'topics', 10,
    'topic_name', 60, 'topic_description', 300, 'site_name', 80, 'tagline', 160, 'publisher', 120,
    'contact', 200, 'password_min', 10,
    'page_size', 10, 'key_events_shown', 10, 'changes_per_answer', 50, 'changes_behind', 100,
    'reader_interval_seconds', 10, 'contributor_days', 30)
$$;

create function private.limit_of(name text) returns integer
language sql immutable set search_path = '' as $$ select (private.limits() ->> name)::integer $$;

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

/* One line of plain text within a limit: no control characters, not only white space. */
create function private.is_line(value text, most integer, fewest integer default 1) returns boolean
language sql immutable set search_path = '' as $$
  select value is not null and char_length(value) between fewest and most
     and value !~ '[[:cntrl:]]' and (fewest = 0 or value ~ '\S')
$$;

/* As is_line, but line breaks may stand in it. */
create function private.is_text(value text, most integer, fewest integer default 1) returns boolean
language sql immutable set search_path = '' as $$
  select private.is_line(translate(value, E'\n', ' '), most, fewest)
$$;

create function private.is_slug(value text) returns boolean
language sql immutable set search_path = '' as $$
  select value ~ '^[a-z0-9]+(-[a-z0-9]+)*$'
     and char_length(value) between private.limit_of('slug_min') and private.limit_of('slug_max')
$$;

create function private.is_handle(value text) returns boolean
language sql immutable set search_path = '' as $$
  select value ~ '^[a-z0-9]+(-[a-z0-9]+)*$'
     and char_length(value) between private.limit_of('handle_min') and private.limit_of('handle_max')
$$;

create function private.is_url(value text) returns boolean
language sql immutable set search_path = '' as $$
  select value ~* '^https?://[^/?#\s@]+([/?#][^\s]*)?$' and value !~ '[[:cntrl:]"<>\\^`{|}]'
     and char_length(value) <= private.limit_of('url')
$$;

/* BCP 47: a primary language and subtags. */
create function private.is_language(value text) returns boolean
language sql immutable set search_path = '' as $$
  select value ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$' and char_length(value) <= 35
$$;

/* An IANA name that this engine knows. Abbreviations and POSIX offsets, which it also accepts, are not names. */
create function private.is_time_zone(value text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  if value is null or value !~ '^(UTC|[A-Za-z_]+(/[A-Za-z0-9_+-]+)+)$' then return false; end if;
  perform timestamptz '2000-01-01 00:00+00' at time zone value;
  return true;
exception when invalid_parameter_value then return false;
end $$;

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
