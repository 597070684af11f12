-- Rich text of updates, summaries and the about page: an array of blocks, stored as JSON. No HTML is stored.
-- - {"type":"paragraph","runs":[{"text","bold"?,"italic"?,"link"?}]}
-- - {"type":"list","ordered":bool,"items":[[run, …], …]}
-- - {"type":"quote","text","attribution"?}
-- - {"type":"link","url","title","description"?,"site"?}
-- - {"type":"photo","photo"}: the id of a photo, each once and only in updates
-- The functions validate and extract text in one pass: the text of an invalid block is null.

-- Whether the value is a run: text in one line with its formatting. The length is limited by the body.
create function private.is_run(run jsonb) returns boolean
language sql immutable return coalesce(private.is_object(run, '{text,bold,italic,link}')
  and jsonb_typeof(run -> 'text') = 'string' and run ->> 'text' <> ''
  and private.is_line(run ->> 'text', 'body_bytes', 0)
  and private.is_boolean(run -> 'bold') and private.is_boolean(run -> 'italic')
  and (not run ? 'link' or private.is_url(private.get_string(run, 'link'))), false);

-- The text of runs. Null if a run is invalid or there is no visible text.
create function private.runs_text(runs jsonb) returns text
language plpgsql immutable set search_path = '' as $$
declare
  is_valid boolean;
  result text;
begin
  if jsonb_typeof(runs) is distinct from 'array' then return null; end if;
  select bool_and(private.is_run(r)), string_agg(r ->> 'text', '') into is_valid, result from jsonb_array_elements(runs) r;
  return case when is_valid and private.has_visible_text(result) then result end;
end $$;

-- The text of list items, one line each, or null if an item is invalid.
create function private.items_text(items jsonb) returns text
language plpgsql immutable set search_path = '' as $$
declare
  is_valid boolean;
  result text;
begin
  if jsonb_typeof(items) is distinct from 'array' then return null; end if;
  select bool_and(item is not null), string_agg(item, E'\n') into is_valid, result
  from (select private.runs_text(i) as item from jsonb_array_elements(items) i offset 0) each;
  return case when is_valid then result end;
end $$;

-- The text of a block as readers see it. Null if the block is invalid, '' if it has no text.
create function private.block_text(block jsonb) returns text
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
    when 'photo' then
      -- The id must be spelled as PostgreSQL writes it, because ids of photos are compared as text.
      if private.is_object(block, '{type,photo}') and private.to_uuid(private.get_string(block, 'photo'))::text = block ->> 'photo' then
        return '';
      end if;
    else null;
  end case;
  return null;
end $$;

-- The text of a body, with an empty line between blocks. Null if a block is invalid, '' if there is no text.
create function private.body_text(body jsonb) returns text
language plpgsql immutable set search_path = '' as $$
declare
  is_valid boolean;
  result text;
begin
  select bool_and(block is not null), string_agg(nullif(block, ''), E'\n\n') into is_valid, result
  from (select private.block_text(b) as block from jsonb_array_elements(body) b offset 0) each;
  return case when coalesce(is_valid, true) then coalesce(result, '') end;
end $$;

create function private.has_photos(body jsonb) returns boolean
language sql immutable return body @> '[{"type":"photo"}]';

-- The ids in the photo blocks of a body, in order.
create function private.photo_ids(body jsonb) returns uuid[]
language sql immutable set search_path = '' as $$
  select coalesce(array_agg(private.to_uuid(b.block ->> 'photo') order by b.n), '{}')
  from jsonb_array_elements(body) with ordinality b(block, n) where b.block ->> 'type' = 'photo'
$$;

-- Whether each photo occurs only once.
create function private.has_distinct_photos(body jsonb) returns boolean
language sql immutable set search_path = '' as $$
  select count(*) = count(distinct id) from unnest(private.photo_ids(body)) id
$$;

-- Whether the value is a body within the limits. `min_blocks` is 1, or 0 where a body may be empty (drafts, summaries).
-- The size in bytes is limited too, because formatting and links do not count as characters.
create function private.is_body(body jsonb, min_blocks integer default 1) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  if jsonb_typeof(body) is distinct from 'array' then return false; end if;
  return jsonb_array_length(body) between min_blocks and private.get_limit('body_blocks')
    and octet_length(body::text) <= private.get_limit('body_bytes')
    and coalesce(char_length(private.body_text(body)) <= private.get_limit('body_characters'), false)
    and (not private.has_photos(body) or private.has_distinct_photos(body));
end $$;

-- Returns the body, or raises `invalid` for the limit that it breaks, so that the writer knows what to change.
create function private.read_body(body jsonb, min_blocks integer, field text) returns jsonb
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
