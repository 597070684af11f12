-- A coverage that leaves as files and comes back without loss: what readers may see of it, and nothing else.

/* A time as the files have it: in UTC, with its microseconds. */
create function private.file_time(at timestamptz) returns text
language sql stable return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

/* A coverage that readers may see, by any slug that it had. */
create function private.public_coverage(slug text) returns public.coverages
language plpgsql stable set search_path = '' as $$
declare coverage public.coverages;
begin
  select c.* into coverage from public.coverage_slugs s join public.coverages c on c.id = s.coverage_id
  where s.slug = public_coverage.slug;
  if coverage.state = 'withdrawn' then perform private.refuse('gone', 'This coverage was withdrawn.'); end if;
  if coverage.id is null or not private.is_public(coverage.state) then perform private.refuse_unknown(); end if;
  return coverage;
end $$;

/* The people under the published updates of a coverage, and under their versions that readers have seen. */
create function private.people_under(coverage uuid) returns setof uuid
language sql stable set search_path = '' as $$
  select b.person_id from public.updates u join public.update_bylines b on b.update_id = u.id
  where u.coverage_id = coverage and u.state = 'published'
  union
  select b.id::uuid from public.updates u
  join public.update_revisions r on r.update_id = u.id and r.public,
    lateral jsonb_array_elements_text(r.content -> 'bylines') b(id)
  where u.coverage_id = coverage and u.state = 'published' and u.revised_at is not null
$$;

/* Whether readers see a photo: it is ready, says what it shows, and stands in something published. */
create function private.readers_see(photo public.photos) returns boolean
language sql stable set search_path = '' as $$
  select photo.state = 'ready' and photo.alt is not null and exists (
    select from public.update_photos o join public.updates u on u.id = o.update_id
    where o.photo_id = photo.id and u.state = 'published')
$$;

/* What readers may see of a coverage, but for its updates and changes: {coverage, slugs, topics, people, photos}. */
create function public.archived_coverage(slug text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_variable
declare c public.coverages := private.public_coverage(slug);
begin
  return jsonb_build_object(
    'coverage', jsonb_build_object('id', c.id, 'slug', c.slug, 'kicker', c.kicker, 'headline', c.headline,
      'standfirst', c.standfirst, 'summary', c.summary, 'summary_at', private.file_time(c.summary_at), 'state', c.state,
      'time_zone', c.time_zone, 'language', c.language, 'starts_at', private.file_time(c.starts_at),
      'ended_at', private.file_time(c.ended_at), 'published_at', private.file_time(c.published_at),
      'revised_at', private.file_time(c.revised_at), 'newest_at', private.file_time(c.newest_at),
      'pinned_update', c.pinned_update, 'reader_follow', c.reader_follow, 'reader_interval', c.reader_interval,
      'seq', c.seq, 'update_count', c.update_count, 'version', c.version),
    'slugs', (select jsonb_agg(jsonb_build_object('slug', s.slug, 'since', private.file_time(s.since)) order by s.since, s.slug)
      from public.coverage_slugs s where s.coverage_id = c.id),
    'topics', coalesce((select jsonb_agg(jsonb_build_object('id', t.id, 'slug', t.slug, 'name', t.name, 'description', t.description)
        order by t.slug)
      from public.coverage_topics o join public.topics t on t.id = o.topic_id where o.coverage_id = c.id), '[]'),
    'people', coalesce((select jsonb_agg(jsonb_build_object('id', p.id, 'handle', p.handle, 'display_name', p.display_name, 'bio', p.bio)
        order by p.id)
      from public.people p where p.id in (select private.people_under(c.id))), '[]'),
    'photos', coalesce((select jsonb_agg(jsonb_build_object('id', p.id, 'bucket', p.bucket, 'width', p.width, 'height', p.height,
        'prints', p.prints, 'colour', p.colour, 'alt', p.alt, 'caption', p.caption, 'credit', p.credit, 'ready_at', private.file_time(p.ready_at))
        order by p.ordinal)
      from public.photos p where p.coverage_id = c.id and private.readers_see(p)), '[]'));
end $$;

/* What an update says, as it is kept of a version, without what is the desk's. */
create function private.archived_content(content jsonb) returns jsonb
language sql stable set search_path = '' as $$
  select (content - 'desk_note') || jsonb_build_object('occurred_at', private.file_time((content ->> 'occurred_at')::timestamptz))
  where content is not null
$$;

/* The versions of a published update that readers have seen. Of the last one the update itself says what it says. */
create function private.archived_versions(saved public.updates) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('version', r.version, 'kind', r.kind, 'note', r.note, 'at', private.file_time(r.at),
      'redacted_at', private.file_time(r.redacted_at), 'redacted_reason', r.redacted_reason,
      'content', case when r.version < saved.version then private.archived_content(r.content) end) order by r.version), '[]')
  from public.update_revisions r where r.update_id = saved.id and r.public and saved.state = 'published'
$$;

create function private.archived_update(u public.updates) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', u.id, 'number', u.number, 'state', u.state, 'headline', u.headline, 'body', u.body,
    'key_event', u.key_event, 'urgency', u.urgency, 'verification', u.verification, 'attribution', u.attribution,
    'dateline', u.dateline, 'occurred_at', private.file_time(u.occurred_at), 'published_at', private.file_time(u.published_at),
    'revised_at', private.file_time(u.revised_at), 'corrected_at', private.file_time(u.corrected_at),
    'withdrawn_at', private.file_time(u.withdrawn_at), 'withdrawn_reason', u.withdrawn_reason, 'version', u.version, 'seq', u.seq,
    'bylines', coalesce((select jsonb_agg(b.person_id order by b.position) from public.update_bylines b
      where b.update_id = u.id and u.state = 'published'), '[]'),
    'photos', coalesce((select jsonb_agg(o.photo_id order by o.position) from public.update_photos o
      join public.photos p on p.id = o.photo_id
      where o.update_id = u.id and u.state = 'published' and p.state = 'ready' and p.alt is not null), '[]'),
    'versions', private.archived_versions(u))
$$;

/* The published and withdrawn updates of a coverage after a number, in their order, at most so many. */
create function public.archived_updates(coverage_id uuid, after integer, most integer) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(private.archived_update(u) order by u.number), '[]')
  from (select u.* from public.updates u join public.coverages c on c.id = u.coverage_id
    where c.id = archived_updates.coverage_id and private.is_public(c.state) and u.number > after
    order by u.number limit least(greatest(most, 0), private.limit_of('archived_updates'))) u
$$;

/* The changes of a coverage after a seq, in their order, at most so many. */
create function public.archived_changes(coverage_id uuid, after bigint, most integer) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('seq', h.seq, 'kind', h.kind, 'at', private.file_time(h.at),
    'number', (select u.number from public.updates u where u.id = h.update_id)) order by h.seq), '[]')
  from (select h.* from public.coverage_changes h join public.coverages c on c.id = h.coverage_id
    where c.id = archived_changes.coverage_id and private.is_public(c.state) and h.seq > after
    order by h.seq limit least(greatest(most, 0), private.limit_of('archived_changes'))) h
$$;

revoke execute on function public.archived_coverage(text),
  public.archived_updates(uuid, integer, integer),
  public.archived_changes(uuid, bigint, integer) from public, anon, authenticated;
grant execute on function public.archived_coverage(text),
  public.archived_updates(uuid, integer, integer),
  public.archived_changes(uuid, bigint, integer) to service_role;
