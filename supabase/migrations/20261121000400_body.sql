-- The body of an update: blocks, stored as JSON that the database itself checks. No HTML is stored anywhere.
--   {"type":"paragraph","runs":[{"text","bold"?,"italic"?,"link"?}]}
--   {"type":"list","ordered":bool,"items":[[run, …], …]}
--   {"type":"quote","text","attribution"?}
--   {"type":"link","url","title","description"?,"site"?}

/* True when the object has no key beside these. */
create function private.only_keys(value jsonb, keys text[]) returns boolean
language sql immutable set search_path = '' as $$ select value - keys = '{}'::jsonb $$;

create function private.is_flag(value jsonb) returns boolean
language sql immutable set search_path = '' as $$ select value is null or jsonb_typeof(value) = 'boolean' $$;

/* The string under a key, or null when there is none; anything that is not a string is ''. */
create function private.string_at(value jsonb, key text) returns text
language sql immutable set search_path = '' as $$
  select case jsonb_typeof(value -> key) when 'string' then value ->> key when 'null' then null else
    case when value ? key then '' end end
$$;

/* Runs of text. Line breaks are new blocks, so a run is one line; together they must say something. */
create function private.are_runs(runs jsonb) returns boolean
language sql immutable set search_path = '' as $$
  select jsonb_typeof(runs) = 'array' and jsonb_array_length(runs) > 0 and
    (select bool_and(
        jsonb_typeof(r) = 'object' and private.only_keys(r, '{text,bold,italic,link}')
        and jsonb_typeof(r -> 'text') = 'string'
        and private.is_line(r ->> 'text', private.limit_of('body_characters'), 0) and r ->> 'text' <> ''
        and private.is_flag(r -> 'bold') and private.is_flag(r -> 'italic')
        and (not r ? 'link' or coalesce(private.is_url(private.string_at(r, 'link')), false)))
      and string_agg(r ->> 'text', '') ~ '\S'
     from jsonb_array_elements(case jsonb_typeof(runs) when 'array' then runs else '[]' end) r)
$$;

create function private.is_block(block jsonb) returns boolean
language sql immutable set search_path = '' as $$
  select jsonb_typeof(block) = 'object' and coalesce(case block ->> 'type'
    when 'paragraph' then private.only_keys(block, '{type,runs}') and private.are_runs(block -> 'runs')
    when 'list' then private.only_keys(block, '{type,ordered,items}') and private.is_flag(block -> 'ordered')
      and jsonb_typeof(block -> 'items') = 'array' and jsonb_array_length(block -> 'items') > 0
      and (select bool_and(private.are_runs(i)) from jsonb_array_elements(
        case jsonb_typeof(block -> 'items') when 'array' then block -> 'items' else '[]' end) i)
    when 'quote' then private.only_keys(block, '{type,text,attribution}')
      and private.is_text(private.string_at(block, 'text'), private.limit_of('body_characters'))
      and (not block ? 'attribution' or private.is_line(private.string_at(block, 'attribution'), private.limit_of('attribution')))
    when 'link' then private.only_keys(block, '{type,url,title,description,site}')
      and private.is_url(private.string_at(block, 'url'))
      and private.is_line(private.string_at(block, 'title'), 300)
      and (not block ? 'description' or private.is_line(private.string_at(block, 'description'), 500))
      and (not block ? 'site' or private.is_line(private.string_at(block, 'site'), 120))
    else false end, false)
$$;

/* All text of a body, as a reader sees it: blocks parted by a blank line. For counting and for searching. */
create function private.body_text(body jsonb) returns text
language sql immutable set search_path = '' as $$
  select coalesce(string_agg(case b ->> 'type'
    when 'paragraph' then (select string_agg(r ->> 'text', '' order by n) from jsonb_array_elements(b -> 'runs') with ordinality x(r, n))
    when 'list' then (select string_agg((select string_agg(r ->> 'text', '' order by m)
      from jsonb_array_elements(i) with ordinality y(r, m)), E'\n' order by n)
      from jsonb_array_elements(b -> 'items') with ordinality x(i, n))
    when 'quote' then concat_ws(E'\n', b ->> 'text', b ->> 'attribution')
    else concat_ws(E'\n', b ->> 'title', b ->> 'description', b ->> 'site') end, E'\n\n' order by k), '')
  from jsonb_array_elements(body) with ordinality z(b, k)
$$;

/* A whole body: blocks within both limits. `fewest` is 1, or 0 where a body may be empty (drafts, summaries). */
create function private.is_body(body jsonb, fewest integer default 1) returns boolean
language sql immutable set search_path = '' as $$
  select case when jsonb_typeof(body) = 'array' then
    jsonb_array_length(body) between fewest and private.limit_of('body_blocks')
    and (select coalesce(bool_and(private.is_block(b)), true) from jsonb_array_elements(body) b)
    and case when (select coalesce(bool_and(private.is_block(b)), true) from jsonb_array_elements(body) b)
      then char_length(private.body_text(body)) <= private.limit_of('body_characters') else false end
  else false end
$$;
