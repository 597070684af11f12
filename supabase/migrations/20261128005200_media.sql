-- Videos and recordings at other sites in bodies: {"type":"media","url","title","description"?}
-- The description may be a transcript. A photo directly above the block is its poster.

-- Whether the value is the address of one video or recording, in the only form that is stored. src/lib/domain/body/media.ts has
-- the same patterns, and the players.
create function private.is_media_url(value text) returns boolean
language sql immutable return coalesce(
  value ~ '^https://www\.youtube\.com/(watch\?v=[A-Za-z0-9_-]{11}(&t=[1-9][0-9]{0,4})?|shorts/[A-Za-z0-9_-]{11})$'
  or value ~ '^https://vimeo\.com/[1-9][0-9]{0,11}(/[0-9a-f]{6,16})?$'
  or value ~ '^https://www\.tiktok\.com/@[A-Za-z0-9_.]{1,30}/video/[0-9]{5,20}$'
  or value ~ '^https://soundcloud\.com/[a-z0-9_-]{1,60}/(sets/)?[a-z0-9_-]{1,255}(/s-[A-Za-z0-9]{1,40})?$', false);

-- The text of a media block: title and description. Null if it is invalid.
create function private.media_text(block jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  if private.is_media_url(private.get_string(block, 'url')) and private.is_line(private.get_string(block, 'title'), 'link_title')
     and (not block ? 'description' or private.is_text(private.get_string(block, 'description'), 'body_bytes')) then
    return concat_ws(E'\n', block ->> 'title', block ->> 'description');
  end if;
  return null;
end $$;

-- Whether a media block has an address that readers could not play.
create function private.has_other_media(body jsonb) returns boolean
language sql immutable set search_path = '' as $$
  select exists (select from jsonb_array_elements(body) b(block)
    where b.block ->> 'type' = 'media' and not private.is_media_url(private.get_string(b.block, 'url')))
$$;

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
    when 'media' then
      if private.is_object(block, '{type,url,title,description}') then return private.media_text(block); end if;
    when 'table' then
      if private.is_object(block, '{type,rows,align,caption,source}') then return private.table_text(block); end if;
    when 'photo' then
      -- The id must be spelled as PostgreSQL writes it, because ids of photos are compared as text.
      if private.is_object(block, '{type,photo}') and private.to_uuid(private.get_string(block, 'photo'))::text = block ->> 'photo' then
        return '';
      end if;
    else null;
  end case;
  return null;
end $$;

-- Returns the body, or raises `invalid` for the limit that it breaks, so that the writer knows what to change.
create or replace function private.read_body(body jsonb, min_blocks integer, field text) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  if private.is_body(body, min_blocks) and not (field = 'summary' and private.has_photos(body)) then return body; end if;
  if jsonb_typeof(body) is distinct from 'array' then
    perform private.raise_invalid(field, 'body_not_a_list');
  elsif jsonb_array_length(body) < min_blocks then
    perform private.raise_invalid(field, 'text_missing');
  elsif jsonb_array_length(body) > private.get_limit('body_blocks') then
    perform private.raise_invalid(field, 'too_many_blocks',
      jsonb_build_object('max', private.get_limit('body_blocks'), 'count', jsonb_array_length(body)));
  elsif private.has_other_media(body) then
    perform private.raise_invalid(field, 'media_address');
  elsif private.has_large_table(body) then
    perform private.raise_invalid(field, 'table_too_large', jsonb_build_object(
      'rows', private.get_limit('table_rows'), 'columns', private.get_limit('table_columns')));
  elsif char_length(private.body_text(body)) > private.get_limit('body_characters') then
    perform private.raise_invalid(field, 'too_many_characters',
      jsonb_build_object('max', private.get_limit('body_characters'), 'count', char_length(private.body_text(body))));
  elsif octet_length(body::text) > private.get_limit('body_bytes') then
    perform private.raise_invalid(field, 'body_too_large');
  elsif private.body_text(body) is not null and private.has_photos(body) and field = 'summary' then
    perform private.raise_invalid(field, 'photo_in_summary');
  elsif private.body_text(body) is not null and private.has_photos(body) then
    perform private.raise_invalid(field, 'duplicate_photo');
  end if;
  perform private.raise_invalid(field, 'invalid_block');
end $$;
