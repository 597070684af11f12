-- Bodies with all blocks: posts, media, maps, and tables with the time of their data.

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
      return private.table_text(block);
    when 'post' then
      if private.is_object(block, '{type,url,author,handle,network,text,posted_at,quoted_at,gone_at}') then
        return private.post_text(block);
      end if;
    when 'media' then
      if private.is_object(block, '{type,url,title,description}') then return private.media_text(block); end if;
    when 'map' then
      return private.map_text(block);
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
  elsif private.has_invalid_map(body) then
    perform private.raise_invalid(field, 'invalid_map', jsonb_build_object('max', private.get_limit('dateline')));
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
