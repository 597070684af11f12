-- The body of an update: blocks, stored as JSON that the database itself checks. No HTML is stored anywhere.
--   {"type":"paragraph","runs":[{"text","bold"?,"italic"?,"link"?}]}
--   {"type":"list","ordered":bool,"items":[[run, …], …]}
--   {"type":"quote","text","attribution"?}
--   {"type":"link","url","title","description"?,"site"?}
--   {"type":"photo","photo"}  the id of a photo, each once; it stands in updates only, and says nothing itself
-- Checked and read in one pass: what is no block has no text.

/* True when the value is an object with no key beside these. */
create function private.is_object(value jsonb, keys text[]) returns boolean
language sql immutable return case jsonb_typeof(value) when 'object' then value - keys = '{}'::jsonb else false end;

create function private.is_flag(value jsonb) returns boolean
language sql immutable return value is null or jsonb_typeof(value) = 'boolean';

/* The string under a key, or null when there is none; anything that is not a string is ''. */
create function private.string_at(value jsonb, key text) returns text
language sql immutable return case coalesce(jsonb_typeof(value -> key), 'null')
  when 'null' then null when 'string' then value ->> key else '' end;

/* A stretch of text: one line (line breaks are new blocks), plain or marked. How long is for the body to say. */
create function private.is_run(run jsonb) returns boolean
language sql immutable return coalesce(private.is_object(run, '{text,bold,italic,link}')
  and jsonb_typeof(run -> 'text') = 'string' and run ->> 'text' <> ''
  and private.is_line(run ->> 'text', 'body_bytes', 0)
  and private.is_flag(run -> 'bold') and private.is_flag(run -> 'italic')
  and (not run ? 'link' or private.is_url(private.string_at(run, 'link'))), false);

/* What runs of text say together, or null when they are not runs or say nothing. */
create function private.runs_text(runs jsonb) returns text
language plpgsql immutable set search_path = '' as $$
declare
  sound boolean;
  said text;
begin
  if jsonb_typeof(runs) is distinct from 'array' then return null; end if;
  select bool_and(private.is_run(r)), string_agg(r ->> 'text', '') into sound, said from jsonb_array_elements(runs) r;
  return case when sound and private.has_words(said) then said end;
end $$;

/* What the items of a list say, a line each, or null. */
create function private.items_text(items jsonb) returns text
language plpgsql immutable set search_path = '' as $$
declare
  sound boolean;
  said text;
begin
  if jsonb_typeof(items) is distinct from 'array' then return null; end if;
  select bool_and(item is not null), string_agg(item, E'\n') into sound, said
  from (select private.runs_text(i) as item from jsonb_array_elements(items) i offset 0) each;
  return case when sound then said end;
end $$;

/* The text of a block as a reader sees it, or null when it is no block; '' when it says nothing. */
create function private.block_text(block jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  case block ->> 'type'
    when 'paragraph' then
      if private.is_object(block, '{type,runs}') then return private.runs_text(block -> 'runs'); end if;
    when 'list' then
      if private.is_object(block, '{type,ordered,items}') and private.is_flag(block -> 'ordered') then
        return private.items_text(block -> 'items');
      end if;
    when 'quote' then
      if private.is_object(block, '{type,text,attribution}')
         and private.is_text(private.string_at(block, 'text'), 'body_bytes')
         and (not block ? 'attribution'
           or private.is_line(private.string_at(block, 'attribution'), 'attribution')) then
        return concat_ws(E'\n', block ->> 'text', block ->> 'attribution');
      end if;
    when 'link' then
      if private.is_object(block, '{type,url,title,description,site}') and private.is_url(private.string_at(block, 'url'))
         and private.is_line(private.string_at(block, 'title'), 'link_title')
         and (not block ? 'description'
           or private.is_line(private.string_at(block, 'description'), 'link_description'))
         and (not block ? 'site' or private.is_line(private.string_at(block, 'site'), 'link_site')) then
        return concat_ws(E'\n', block ->> 'title', block ->> 'description', block ->> 'site');
      end if;
    when 'photo' then
      -- As PostgreSQL writes an id, because they are compared as text.
      if private.is_object(block, '{type,photo}') and private.as_uuid(private.string_at(block, 'photo'))::text = block ->> 'photo' then
        return '';
      end if;
    else null;
  end case;
  return null;
end $$;

/* All text of a body, blocks parted by a blank line: for counting and for searching. Null when a part of it is
   no block; '' when there is none. */
create function private.body_text(body jsonb) returns text
language plpgsql immutable set search_path = '' as $$
declare
  sound boolean;
  said text;
begin
  select bool_and(block is not null), string_agg(nullif(block, ''), E'\n\n') into sound, said
  from (select private.block_text(b) as block from jsonb_array_elements(body) b offset 0) each;
  return case when coalesce(sound, true) then coalesce(said, '') end;
end $$;

create function private.has_photos(body jsonb) returns boolean
language sql immutable return body @> '[{"type":"photo"}]';

/* The ids in the photo blocks of a body, in its order. */
create function private.photos_in(body jsonb) returns uuid[]
language sql immutable set search_path = '' as $$
  select coalesce(array_agg(private.as_uuid(b.block ->> 'photo') order by b.n), '{}')
  from jsonb_array_elements(body) with ordinality b(block, n) where b.block ->> 'type' = 'photo'
$$;

/* Whether no photo stands in a body twice. */
create function private.photos_differ(body jsonb) returns boolean
language sql immutable set search_path = '' as $$
  select count(*) = count(distinct id) from unnest(private.photos_in(body)) id
$$;

/* A whole body: blocks within the limits. `fewest` is 1, or 0 where a body may be empty (drafts, summaries).
   The bytes are bounded too, because marks and links are no characters. */
create function private.is_body(body jsonb, fewest integer default 1) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  if jsonb_typeof(body) is distinct from 'array' then return false; end if;
  return jsonb_array_length(body) between fewest and private.limit_of('body_blocks')
    and octet_length(body::text) <= private.limit_of('body_bytes')
    and coalesce(char_length(private.body_text(body)) <= private.limit_of('body_characters'), false)
    and (not private.has_photos(body) or private.photos_differ(body));
end $$;

-- Coverages came before bodies.
alter table public.coverages add constraint summary_form check (private.is_body(summary, 0) and not private.has_photos(summary));
