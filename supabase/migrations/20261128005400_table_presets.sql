-- Tables may say when their data was true ("as_of") and what they show ("preset").

-- Whether the value is a time in UTC with whole seconds, such as 2026-11-28T14:02:00Z.
create function private.is_utc_time(value text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  if value is null or value !~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$' then return false; end if;
  -- A time such as 24:00:00 is written differently than it was read.
  return to_char(value::timestamptz at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') = value;
exception when datetime_field_overflow then
  return false;
end $$;

-- Whether the block has the fields of a table other than its rows, and their values are valid.
create function private.is_described_table(block jsonb) returns boolean
language sql immutable set search_path = '' as $$
  select private.is_object(block, '{type,rows,align,caption,source,as_of,preset}')
    and (not block ? 'caption' or private.is_line(private.get_string(block, 'caption'), 'caption'))
    and (not block ? 'source' or private.is_line(private.get_string(block, 'source'), 'attribution'))
    and (not block ? 'as_of' or private.is_utc_time(private.get_string(block, 'as_of')))
    and (not block ? 'preset' or block -> 'preset' in ('"results"', '"score"', '"closures"', '"shelters"'))
$$;

-- The text of a table: caption, rows and source, a line each. Null if it is invalid or no cell has visible text.
create or replace function private.table_text(block jsonb) returns text
language plpgsql immutable set search_path = '' as $$
declare
  rows jsonb := block -> 'rows';
  columns integer;
  is_valid boolean;
  result text;
begin
  if jsonb_typeof(rows) is distinct from 'array' or jsonb_typeof(rows -> 0) is distinct from 'array' then return null; end if;
  columns := jsonb_array_length(rows -> 0);
  if columns not between 1 and private.get_limit('table_columns')
     or jsonb_array_length(rows) not between 2 and private.get_limit('table_rows') + 1
     or not private.is_alignment(block -> 'align', columns)
     or private.is_described_table(block) is not true then
    return null;
  end if;
  select bool_and(r.text is not null), string_agg(r.text, E'\n' order by r.n) into is_valid, result
  from (select private.row_text(e.cells, columns) as text, e.n
        from jsonb_array_elements(rows) with ordinality e(cells, n) offset 0) r;
  if not is_valid or not private.has_visible_text(result) then return null; end if;
  return concat_ws(E'\n', block ->> 'caption', result, block ->> 'source');
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
      return private.table_text(block);
    when 'photo' then
      -- The id must be spelled as PostgreSQL writes it, because ids of photos are compared as text.
      if private.is_object(block, '{type,photo}') and private.to_uuid(private.get_string(block, 'photo'))::text = block ->> 'photo' then
        return '';
      end if;
    else null;
  end case;
  return null;
end $$;
