-- Posts of social networks in bodies, as text of the newsroom:
-- {"type":"post","url","author","handle"?,"network"?,"text","posted_at"?,"quoted_at","gone_at"?}
-- The handle begins with @. `quoted_at` is when the text was taken over, `gone_at` when a check found that the post is no longer
-- there. All times are spelled as 2026-11-28T14:02:00Z.

-- Whether the value is a time in UTC with whole seconds, such as 2026-11-28T14:02:00Z.
create function private.is_utc_time(value text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  if value is null or value !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$' then return false; end if;
  -- A time such as 24:00:00 is written differently than it was read.
  return to_char(value::timestamptz at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') = value;
exception when data_exception then
  return false;
end $$;

-- Whether the value under a key is a line beside other words: within the limit, without characters that change the direction
-- of writing.
create function private.is_post_line(block jsonb, key text) returns boolean
language plpgsql immutable set search_path = '' as $$
declare value text := private.get_string(block, key);
begin
  return private.is_line(value, 'attribution') and value !~ '[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]';
end $$;

-- The text of a post: its text, author with handle, and network, a line each. Null if it is invalid.
create function private.post_text(block jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  if private.is_url(private.get_string(block, 'url')) and private.is_text(private.get_string(block, 'text'), 'body_bytes')
     and private.is_post_line(block, 'author')
     and (not block ? 'handle'
       or private.is_post_line(block, 'handle') and block ->> 'handle' ~ '^@[^\u0001-\u0020\u007f-\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]+$')
     and (not block ? 'network' or private.is_post_line(block, 'network') and block ->> 'network' !~ '^@')
     and private.is_utc_time(private.get_string(block, 'quoted_at'))
     and (not block ? 'posted_at' or private.is_utc_time(private.get_string(block, 'posted_at')))
     and (not block ? 'gone_at' or private.is_utc_time(private.get_string(block, 'gone_at'))) then
    return concat_ws(E'\n', block ->> 'text', concat_ws(' ', block ->> 'author', block ->> 'handle'), block ->> 'network');
  end if;
  return null;
end $$;
