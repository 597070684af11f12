-- Tables may say when their data was true ("as_of") and what they show ("preset").

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
