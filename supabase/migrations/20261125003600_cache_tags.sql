-- Cache tags that name what a change affects, so that a publication leaves most cached pages as they are.

-- Returns the tags of the pages that show some updates of a coverage: `list-page:ID:N` for the Nth page of its list.
-- With `neighbours`, the tags of the two pages below too: a new update changes their links to newer pages.
create function private.list_page_tags(coverage_id uuid, update_ids uuid[], neighbours boolean) returns text[]
language sql stable set search_path = '' as $$
  select coalesce(array_agg(distinct format('list-page:%s:%s', u.coverage_id, page.n)), '{}')
  from public.updates u
  cross join lateral (select ceil(u.number::numeric / private.get_limit('page_size'))::integer as n) last
  cross join lateral generate_series(greatest(1, last.n - case when neighbours then 2 else 0 end), last.n) page(n)
  where u.coverage_id = list_page_tags.coverage_id and u.id = any (update_ids) and u.number is not null
$$;

-- Whether one of these updates is or, in its previous version, was a key event or urgent: lists of coverages show it.
create function private.is_in_coverage_lists(update_ids uuid[]) returns boolean
language sql stable set search_path = '' as $$
  select exists (select from public.updates u join public.update_revisions r on r.update_id = u.id and r.version >= u.version - 1
    where u.id = any (update_ids) and ((r.content ->> 'key_event')::boolean or r.content ->> 'urgency' = 'urgent'))
$$;

-- Returns the cache tags of what these changes of a coverage affect. src/lib/http/cache-policy.ts says which responses
-- carry which tag.
create function private.cache_tags(coverage_id uuid, kinds public.change_kind[], update_ids uuid[]) returns text[]
language plpgsql stable set search_path = '' as $$
declare
  tags text[] := array['coverage:' || coverage_id];
  concerns_coverage boolean := kinds && '{state,settings}';
  -- Kinds of changes that remove no photo. Photo caches are kept for them.
  kinds_keeping_photos constant public.change_kind[] := '{publication,pin,summary,follow,photo}';
begin
  if concerns_coverage or cardinality(update_ids) > private.get_limit('changes_per_answer') then
    tags := tags || ('coverage-fields:' || coverage_id);
  else
    tags := tags || private.list_page_tags(coverage_id, update_ids, kinds && '{publication}');
  end if;
  if concerns_coverage or kinds && '{publication,withdrawal}' or private.is_in_coverage_lists(update_ids) then
    tags := tags || text 'lists';
  end if;
  if concerns_coverage or kinds && '{clarification,correction,withdrawal,redaction}' then tags := tags || text 'corrections'; end if;
  if not kinds <@ '{summary,pin,follow}' then tags := tags || text 'feeds'; end if;
  if not kinds <@ '{pin,follow}' then tags := tags || text 'updates'; end if;
  if not kinds <@ '{follow}' then tags := tags || text 'sitemaps'; end if;
  -- Addresses that were missing before and exist now: a coverage, a slug, the page of a first byline.
  if concerns_coverage or exists (select from public.update_bylines b join public.people p on p.id = b.person_id
      where b.update_id = any (update_ids) and p.bylined_at = now()) then
    tags := tags || text 'missing';
  end if;
  if not kinds <@ kinds_keeping_photos then tags := tags || ('photos:' || coverage_id); end if;
  return tags;
end $$;

create or replace function private.announce_changes() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  slug text;
  state public.coverage_state;
  current_seq bigint;
  announced_seq bigint;
  photo_removed boolean;
  kinds public.change_kind[];
  update_ids uuid[];
begin
  select c.slug, c.state, c.seq into slug, state, current_seq from public.coverages c where c.id = new.coverage_id;
  if new.seq <> current_seq then return null; end if;
  select a.seq, a.photo_removed into announced_seq, photo_removed from private.broadcast_positions a where a.coverage_id = new.coverage_id;
  insert into private.broadcast_positions as a (coverage_id, seq) values (new.coverage_id, current_seq)
  on conflict (coverage_id) do update set seq = excluded.seq, photo_removed = false;
  select array_agg(distinct c.kind), array_agg(distinct c.update_id) filter (where c.kind <> 'pin' and c.update_id is not null)
  into kinds, update_ids
  from public.coverage_changes c where c.coverage_id = new.coverage_id and c.seq > coalesce(announced_seq, 0);

  if private.is_public(state) or state = 'withdrawn' then
    perform private.broadcast('site', 'change', jsonb_build_object('coverage', new.coverage_id, 'seq', current_seq, 'slug', slug,
      'tags', to_jsonb(private.cache_tags(new.coverage_id, kinds, update_ids)),
      'removed', state = 'withdrawn' or kinds && '{withdrawal,redaction}' or coalesce(photo_removed, false)));
    perform private.broadcast('coverage:' || new.coverage_id, 'change',
      jsonb_build_object('seq', current_seq, 'spread', private.get_limit('reader_jitter_ms')));
  end if;

  -- A whole import is announced once.
  if kinds && '{state,pin}' or cardinality(update_ids) > private.get_limit('changes_per_answer') then
    perform private.notify_desk(new.coverage_id);
  end if;
  if cardinality(update_ids) <= private.get_limit('changes_per_answer') then
    perform private.notify_desk_of_update(id) from unnest(update_ids) id;
  end if;
  return null;
end $$;

-- The same tags for changes of topics, biographies and the order of the front page.
drop trigger announce_new_topic on public.topics;
create trigger announce_new_topic after insert on public.topics
  for each row execute function private.announce_site('lists', 'feeds', 'sitemaps', 'updates', 'missing');
drop trigger announce_bio on public.people;
create trigger announce_bio after update of handle, display_name, bio on public.people
  for each row when (old.bylined_at is not null and old.bio is distinct from new.bio
    and (old.handle, old.display_name) is not distinct from (new.handle, new.display_name))
  execute function private.announce_site('updates');
