-- A WordPress draft has all photos of its update, not only the first one.

-- Claims a published update for two minutes, so that two calls do not make two drafts. Returns {link} if there is a draft,
-- or else {slug, number, headline, coverage, body, photos, is_repeated}: the headline is the coverage's if the update has none;
-- photos [{id, bucket, width, alt, caption, credit}] are those that readers see, in the order of the body; `is_repeated`: an
-- earlier call may have made a draft before it failed.
-- Errors: forbidden; gone, if update or coverage was withdrawn; bad_state, if the update is not published, or another call makes
-- its draft.
create or replace function public.claim_wordpress_draft(update_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage_of_update(update_id);
  existing public.updates;
  draft private.wordpress_drafts;
  photos jsonb;
begin
  perform private.require_permission('run_coverage', coverage.id);
  select * into draft from private.wordpress_drafts d where d.update_id = update_id;
  if draft.link is not null then return jsonb_build_object('link', draft.link); end if;
  existing := private.require_published_update(update_id, coverage.id);
  if not private.is_public(coverage.state) then perform private.raise_error('gone', 'coverage_withdrawn'); end if;
  if draft.claimed_until > clock_timestamp() then perform private.raise_error('bad_state', 'wordpress_draft_in_progress'); end if;
  insert into private.wordpress_drafts (update_id, created_by, claimed_until)
    values (update_id, auth.uid(), clock_timestamp() + interval '2 minutes')
  on conflict on constraint wordpress_drafts_pkey do update set created_by = excluded.created_by, claimed_until = excluded.claimed_until;
  select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'bucket', p.bucket, 'width', p.renditions -> -1 -> 'width',
      'alt', p.alt, 'caption', p.caption, 'credit', p.credit) order by o.position), '[]') into photos
  from public.update_photos o join public.photos p on p.id = o.photo_id
  where o.update_id = update_id and private.is_public_photo(p);
  return jsonb_build_object('slug', coverage.slug, 'number', existing.number,
    'headline', coalesce(existing.headline, coverage.headline), 'coverage', coverage.headline, 'body', existing.body, 'photos', photos,
    'is_repeated', draft.update_id is not null);
end $$;
