-- Alerts show a photo.

-- The photo of an alert about an update: {id, bucket, width, height, alt} with the size of its smallest rendition. It is the
-- first photo of the update, or else the one that stands for the coverage: the chosen one, or the first of the newest three
-- key events. Null if readers see none of them.
create function private.alert_photo(source public.updates) returns jsonb
language sql stable set search_path = '' as $$
  with key_events as (
    select u.number, u.body from public.updates u
    where u.coverage_id = source.coverage_id and u.state = 'published' and u.key_event is true order by u.number desc limit 3),
  bodies as (
    select 1 as choice, 0 as number, source.body
    union all select 3, -e.number, e.body from key_events e),
  candidates as (
    select b.choice, b.number, o.position, (o.block ->> 'photo')::uuid as photo_id
    from bodies b, lateral jsonb_array_elements(b.body) with ordinality o(block, position)
    where o.block ->> 'type' = 'photo'
    union all select 2, 0, 0, c.lead_photo from public.coverages c where c.id = source.coverage_id)
  select jsonb_build_object('id', p.id, 'bucket', p.bucket, 'width', p.renditions -> 0 -> 'width',
    'height', p.renditions -> 0 -> 'height', 'alt', p.alt)
  from candidates o join public.photos p on p.id = o.photo_id
  where private.is_public_photo(p) order by o.choice, o.number, o.position limit 1
$$;

-- The update of an alert: {number, headline, text, key_event, urgency, published_at, photo}.
create or replace function private.alert_update(source public.updates) returns jsonb
language plpgsql stable set search_path = '' as $$
declare excerpt text := private.trim_text(regexp_replace(coalesce(private.body_text(source.body), ''), '[ \n]+', ' ', 'g'));
begin
  if char_length(excerpt) > private.get_limit('alert_text') then
    excerpt := regexp_replace(left(excerpt, private.get_limit('alert_text') - 1), ' [^ ]{0,30}$', '') || '…';
  end if;
  return jsonb_build_object('number', source.number, 'headline', source.headline, 'text', excerpt, 'key_event', source.key_event,
    'urgency', source.urgency, 'published_at', source.published_at, 'photo', private.alert_photo(source));
end $$;
