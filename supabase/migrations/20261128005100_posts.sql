-- Posts of social networks in bodies, as text of the newsroom:
-- {"type":"post","url","author","handle"?,"network"?,"text","posted_at"?,"quoted_at","gone_at"?}
-- The handle begins with @. `quoted_at` is when the text was taken over, `gone_at` when a check found that the post is no longer
-- there. All times are spelled as 2026-11-28T14:02:00Z.

-- Whether the value under a key is a time in UTC with whole seconds. Browsers accept no hour 24 and no leap second there.
create function private.is_utc_time(block jsonb, key text) returns boolean
language plpgsql immutable set search_path = '' as $$
declare value text := private.get_string(block, key);
begin
  if value is null or value !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$' then return false; end if;
  perform value::timestamptz;
  return true;
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
     and private.is_utc_time(block, 'quoted_at')
     and (not block ? 'posted_at' or private.is_utc_time(block, 'posted_at'))
     and (not block ? 'gone_at' or private.is_utc_time(block, 'gone_at')) then
    return concat_ws(E'\n', block ->> 'text', concat_ws(' ', block ->> 'author', block ->> 'handle'), block ->> 'network');
  end if;
  return null;
end $$;

-- The text of a block as readers see it. Null if the block is invalid, '' if it has no text.
create or replace function private.block_text(block jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  case block ->> 'type'
    when 'paragraph' then
      if private.is_object(block, '{type,runs}') then return private.runs_text(block -> 'runs'); end if;
    when 'list' then
      if private.is_object(block, '{type,ordered,items}') and private.is_boolean(block -> 'ordered') then
        return private.items_text(block -> 'items');
      end if;
    when 'quote' then
      if private.is_object(block, '{type,text,attribution}')
         and private.is_text(private.get_string(block, 'text'), 'body_bytes')
         and (not block ? 'attribution'
           or private.is_line(private.get_string(block, 'attribution'), 'attribution')) then
        return concat_ws(E'\n', block ->> 'text', block ->> 'attribution');
      end if;
    when 'link' then
      if private.is_object(block, '{type,url,title,description,site}') and private.is_url(private.get_string(block, 'url'))
         and private.is_line(private.get_string(block, 'title'), 'link_title')
         and (not block ? 'description'
           or private.is_line(private.get_string(block, 'description'), 'link_description'))
         and (not block ? 'site' or private.is_line(private.get_string(block, 'site'), 'link_site')) then
        return concat_ws(E'\n', block ->> 'title', block ->> 'description', block ->> 'site');
      end if;
    when 'table' then
      if private.is_object(block, '{type,rows,align,caption,source}') then return private.table_text(block); end if;
    when 'post' then
      if private.is_object(block, '{type,url,author,handle,network,text,posted_at,quoted_at,gone_at}') then
        return private.post_text(block);
      end if;
    when 'photo' then
      -- The id must be spelled as PostgreSQL writes it, because ids of photos are compared as text.
      if private.is_object(block, '{type,photo}') and private.to_uuid(private.get_string(block, 'photo'))::text = block ->> 'photo' then
        return '';
      end if;
    else null;
  end case;
  return null;
end $$;
