-- Photos that arrived and wait for processing are not deleted, however long they wait: the server may have been stopped,
-- restored from a backup, or unable to process them.

-- Whether a photo can be deleted: it never arrived, or it was ready for `photo_unused_days` and no version uses it. A
-- photo that arrived is kept until it is processed.
create or replace function private.is_deletable_photo(photo public.photos) returns boolean
language sql stable set search_path = '' as $$
  select case photo.state
      when 'ready' then photo.tip_id is null
        and photo.ready_at < now() - make_interval(days => private.get_limit('photo_unused_days'))
      else photo.created_at < now() - make_interval(hours => private.get_limit('photo_arrival_hours')) end
    and not (photo.state = 'uploading' and exists (select from storage.objects o
      where o.bucket_id = photo.bucket and o.name = 'incoming/' || photo.id))
    and not exists (select from public.update_photos p where p.photo_id = photo.id)
    and not exists (select from private.versions_with_photo(photo.id))
$$;
