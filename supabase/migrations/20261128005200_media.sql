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
