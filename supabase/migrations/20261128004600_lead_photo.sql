-- The photo that stands for a coverage: on the front page, on its live page, in lists and in previews.

-- Chosen by an editor. Null, or a photo that readers cannot see any more: the first photo of the newest key event.
alter table public.coverages
  add column lead_photo uuid references public.photos (id) on delete set null;
create index coverages_lead_photo on public.coverages (lead_photo) where lead_photo is not null;
grant select (lead_photo) on public.coverages to anon, authenticated;

-- Counts and announces a change of data that many pages show. `tags` are the cache tags of those pages. `removed`: copies
-- with the earlier data must be deleted.
create function private.announce_site_change(tags text[], removed boolean default false) returns void
language plpgsql volatile set search_path = '' as $$
declare last bigint;
begin
  -- A hosted project refuses an update without a condition.
  update public.site s set seq = s.seq + 1 where s.id returning s.seq into last;
  perform private.broadcast('site', 'change', jsonb_build_object('site', last, 'tags', to_jsonb(tags), 'removed', removed));
end $$;

-- The arguments of the trigger are cache tags.
create or replace function private.announce_site() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.announce_site_change(tg_argv, tg_table_name = 'people');
  return null;
end $$;

-- Sets the lead photo of a coverage; null lets it be chosen automatically. Returns {id, lead_photo}. It changes no text,
-- so open pages are not told of it.
-- Errors: forbidden; invalid, if no published update of the coverage shows the photo.
create function public.set_lead_photo(idempotency_key uuid, coverage_id uuid, photo_id uuid default null)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages;
  stored_result jsonb;
begin
  -- Locked before the coverage, as in arrange_front_page().
  perform from public.site s where s.id for update;
  coverage := private.lock_coverage(coverage_id);
  stored_result := private.begin_command(idempotency_key, 'set_lead_photo', jsonb_build_array(coverage_id, photo_id));
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('run_coverage', coverage.id);
  if photo_id is not null and not exists (select from public.update_photos o
      join public.updates u on u.id = o.update_id join public.photos p on p.id = o.photo_id
      where o.photo_id = set_lead_photo.photo_id and u.coverage_id = coverage.id and u.state = 'published' and p.state = 'ready') then
    perform private.raise_invalid('photo_id', 'photo_not_published');
  end if;
  update public.coverages c set lead_photo = photo_id where c.id = coverage.id;
  if private.is_public(coverage.state) and photo_id is distinct from coverage.lead_photo then
    perform private.announce_site_change(array['lists', 'coverage:' || coverage.id]);
  end if;
  perform private.log_action('set_lead_photo', 'coverage', coverage.id, jsonb_build_object('photo', photo_id));
  return private.finish_command(idempotency_key, jsonb_build_object('id', coverage.id, 'lead_photo', photo_id));
end $$;

grant execute on function public.set_lead_photo to authenticated, service_role;
