-- A coverage that comes back: held together and opened, or given up.

/* Refuses what has come of a coverage unless it is all that its first file tells of, and holds together. */
create function private.guard_whole(here public.coverages, wanted public.coverages, content jsonb, named uuid[]) returns void
language plpgsql stable set search_path = '' as $$
declare number integer;
begin
  if here.update_count <> wanted.update_count then
    perform private.refuse_field('update_count', format('There are %s updates, where the coverage counts %s.', here.update_count, wanted.update_count));
  elsif wanted.seq <> (select count(*) from public.coverage_changes h where h.coverage_id = here.id) then
    perform private.refuse_field('seq', format('The coverage counts %s changes, and not all of them are there.', wanted.seq));
  elsif wanted.newest_at is distinct from (select u.published_at from public.updates u
      where u.coverage_id = here.id and u.number = here.update_count) then
    perform private.refuse_field('newest_at', 'The newest update was published at another time.');
  elsif wanted.pinned_update is not null and not exists (select from public.updates u
      where u.id = wanted.pinned_update and u.coverage_id = here.id and u.state = 'published') then
    perform private.refuse_field('pinned_update', 'Only a published update of this coverage can be pinned.');
  elsif exists (select from jsonb_array_elements(content -> 'people') p(person) where (p.person ->> 'id')::uuid <> all (named)) then
    perform private.refuse_field('people', 'Somebody is under nothing that readers see.');
  elsif exists (select from public.photos p where p.coverage_id = here.id and not exists (
      select from public.update_photos o where o.photo_id = p.id)) then
    perform private.refuse_field('photos', 'A photo stands in nothing that readers see.');
  end if;
  -- Each update was published once, and stands at its last change.
  select u.number into number
  from public.updates u left join (
    select h.update_id, count(*) filter (where h.kind = 'publication') as published,
      max(h.seq) filter (where h.kind <> 'pin') as last,
      bool_or(h.kind = 'withdrawal') as withdrawn
    from public.coverage_changes h where h.coverage_id = here.id and h.update_id is not null group by h.update_id) h on h.update_id = u.id
  where u.coverage_id = here.id and (h.published is distinct from 1 or h.last <> u.seq or h.withdrawn <> (u.state = 'withdrawn'))
  order by u.number limit 1;
  if number is not null then
    perform private.refuse('invalid', 'Its changes tell of another update.', jsonb_build_object('field', 'seq', 'number', number));
  end if;
end $$;

/* Makes the photos of a coverage ready, of which every print is in storage. */
create function private.restore_prints(coverage uuid, content jsonb) returns void
language plpgsql volatile set search_path = '' as $$
declare missing text;
begin
  select w.name into missing
  from jsonb_array_elements(content -> 'photos') p(photo), jsonb_array_elements(p.photo -> 'prints') r(print),
    lateral (select 'prints/' || (p.photo ->> 'id') || '/' || (r.print ->> 'width')) w(name)
  where not exists (select from storage.objects o where o.bucket_id = 'photos' and o.name = w.name) limit 1;
  if missing is not null then perform private.refuse_field('photos', format('There is no %s in storage.', missing)); end if;
  update public.photos p set state = 'ready', width = (w.photo ->> 'width')::integer, height = (w.photo ->> 'height')::integer,
    prints = w.photo -> 'prints', colour = w.photo ->> 'colour', ready_at = (w.photo ->> 'ready_at')::timestamptz
  from jsonb_array_elements(content -> 'photos') w(photo)
  where p.id = (w.photo ->> 'id')::uuid and p.coverage_id = coverage;
end $$;

/* Opens a coverage to readers, when all of it is here and holds together: what it says of itself, its topics, its photos, its
   people. Readers and caches are told once; followers are told of nothing. Answers {id, slug, state, version, seq,
   pinned_update, people, topics, slugs}: who has another handle here, which topics are others here, which slugs it has not. */
create function public.finish_restored(coverage_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  here public.coverages := private.lock_restored(coverage_id);
  begun private.restorations;
  wanted public.coverages;
  topics jsonb;
  last public.coverage_changes;
begin
  select * into begun from private.restorations r where r.coverage_id = here.id;
  wanted := private.read_archived(begun.content -> 'coverage', here.slug);
  perform private.guard_whole(here, wanted, begun.content, begun.named);
  perform private.restore_prints(here.id, begun.content);
  topics := private.restore_topics(here.id, begun.content);
  update public.people p set bylined_at = now() where p.id = any (begun.named) and p.bylined_at is null;
  update public.coverages c set state = wanted.state, seq = wanted.seq, published_at = wanted.published_at,
    ended_at = wanted.ended_at, revised_at = wanted.revised_at, newest_at = wanted.newest_at, pinned_update = wanted.pinned_update,
    went_on_at = case wanted.state when 'live' then now() end, restoring = false
  where c.id = here.id;
  perform private.log_coverage(here.id);
  perform private.audit('restore_coverage', 'coverage', here.id, jsonb_build_object('slug', here.slug));
  delete from private.restorations r where r.coverage_id = here.id;
  -- Its last change once more: that one speaks for all, at the end of the transaction in which they can be seen.
  delete from public.coverage_changes h where h.coverage_id = here.id and h.seq = wanted.seq returning * into last;
  insert into public.coverage_changes select last.*;
  return private.coverage_result(here.id) || jsonb_build_object('people', begun.renamed, 'topics', topics, 'slugs', begun.slugs_left);
end $$;

/* Notes by which words readers find the published updates of an open coverage, of the next so many numbers after one: those of
   one that was brought in, which nobody was to find before. Asked until it has been through all of them; done twice it
   changes nothing. Answers the last number that it has been at. */
create function public.restore_words(coverage_id uuid, after integer, most integer) returns integer
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  saved public.updates;
  last integer := after + least(greatest(most, 0), 1000);
begin
  for saved in select u.* from public.updates u
      where u.coverage_id = restore_words.coverage_id and u.number > after and u.number <= last and u.state = 'published'
        and not exists (select from private.found_words f where f.id = u.id)
      order by u.number for share loop
    perform private.note_found(saved, array(select b.person_id from public.update_bylines b where b.update_id = saved.id order by b.position));
  end loop;
  return last;
end $$;

/* Forgets what was brought in of a coverage, when the rest of it cannot be. */
create function public.abandon_restored(coverage_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.forget_restored((private.lock_restored(abandon_restored.coverage_id)).id);
end $$;

revoke execute on function public.finish_restored(uuid),
  public.restore_words(uuid, integer, integer),
  public.abandon_restored(uuid) from public, anon, authenticated;
grant execute on function public.finish_restored(uuid),
  public.restore_words(uuid, integer, integer),
  public.abandon_restored(uuid) to service_role;
