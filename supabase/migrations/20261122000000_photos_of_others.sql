-- Of a photo whose desk they may not read people hear what they hear of one that never was. One of a tip has no desk: it is
-- for who handles tips.

/* A photo, locked, its coverage before it: for who sent it, who may read its desk, and the server. */
create or replace function private.lock_photo(wanted uuid) returns public.photos
language plpgsql volatile set search_path = '' as $$
declare photo public.photos;
begin
  perform private.lock_coverage(p.coverage_id) from public.photos p where p.id = wanted and p.coverage_id is not null;
  select * into photo from public.photos p where p.id = wanted for update;
  if photo.id is null or not (private.is_service() or coalesce(photo.uploaded_by = auth.uid(), false)
      or private.may(case when photo.coverage_id is null then 'handle_tips' else 'read_desk' end, photo.coverage_id)) then
    perform private.refuse_unknown();
  end if;
  return photo;
end $$;
