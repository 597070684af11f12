-- What readers may see of how an update came to say what it says, and what is taken out of that for good.

/* Takes the words of one version away for good: nobody can read them any more, the desk included. Who did it, when and
   why stays. Not those that stand now: they are corrected, or withdrawn, first. Versions that readers never saw and that
   say the same go with it. `with_note`: its note too, for which the reason stands from then on; also where the words went
   before. Backups that were made before keep them. Answers which went too (`also`), and which say the same still (`left`). */
create function public.redact_revision(op uuid, update_id uuid, version integer, reason text, with_note boolean default false)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage_of(update_id);
  done jsonb := private.begin_op(op, 'redact_revision', jsonb_build_array(update_id, version, reason, with_note));
  known public.updates;
  old public.update_revisions;
  why text;
  noted boolean;
  same integer[];
  gone integer[];
begin
  if done is not null then return done; end if;
  perform private.require('run_coverage', coverage.id);
  why := private.read_note(reason, 'reason');
  select * into known from public.updates u where u.id = update_id;
  select * into old from public.update_revisions r where r.update_id = update_id and r.version = version;
  if old.update_id is null then perform private.refuse_unknown(); end if;
  noted := coalesce(with_note, false) and old.kind in ('clarification', 'correction');
  if old.content is null and not (noted and old.redacted_at is not null) then
    perform private.refuse('bad_state', 'There are no words in this version any more.');
  elsif old.version = known.version then
    perform private.refuse('bad_state', 'These are the words as they stand now. Change them or withdraw the update, then redact this version.');
  end if;
  same := array(select r.version from public.update_revisions r where r.update_id = redact_revision.update_id
    and r.version <> old.version and r.content -> 'headline' = old.content -> 'headline'
    and r.content -> 'body' = old.content -> 'body' order by r.version);
  gone := array(select r.version from public.update_revisions r where r.update_id = redact_revision.update_id
    and r.version = any (same) and not r.public and r.version <> known.version order by r.version);
  update public.update_revisions r set content = null, redacted_at = clock_timestamp(), redacted_by = auth.uid(), redacted_reason = why
  where r.update_id = redact_revision.update_id and r.version = any (gone || old.version) and r.content is not null;
  update public.update_revisions r set note = why where noted and r.update_id = redact_revision.update_id and r.version = old.version;
  -- A withdrawn update holds the photos that it had: now those alone that a version still names.
  delete from public.update_photos p where p.update_id = redact_revision.update_id and known.state = 'withdrawn'
    and not exists (select from public.update_revisions r where r.update_id = redact_revision.update_id
      and p.photo_id = any (private.photos_in(r.content -> 'body')));
  perform private.audit('redact_revision', 'update', update_id,
    jsonb_build_object('coverage', coverage.id, 'number', known.number, 'version', version, 'note', noted, 'also', gone));
  if known.state = 'published' and old.public then
    update public.updates u set seq = private.log_change(coverage.id, update_id, 'redaction') where u.id = update_id;
  else
    perform private.tell_desk_of(update_id);
  end if;
  return private.finish_op(op, private.update_result(update_id) || jsonb_build_object('also', gone,
    'left', array(select v from unnest(same) v where v <> all (gone))));
end $$;
revoke execute on function public.redact_revision(uuid, uuid, integer, text, boolean) from public, anon;
grant execute on function public.redact_revision(uuid, uuid, integer, text, boolean) to authenticated, service_role;

/* The versions that readers have seen of what is still published, without the desk's own fields; those under it by
   their names. Of a redacted one, that it was, when and why. */
create view public.update_history with (security_barrier) as
  select r.update_id, u.coverage_id, r.version, r.kind, r.note, r.at, r.redacted_at, r.redacted_reason,
    r.content ->> 'headline' as headline, r.content -> 'body' as body, (r.content ->> 'key_event')::boolean as key_event,
    r.content ->> 'urgency' as urgency, r.content ->> 'verification' as verification,
    r.content ->> 'attribution' as attribution, r.content ->> 'dateline' as dateline,
    (r.content ->> 'occurred_at')::timestamptz as occurred_at,
    (select coalesce(jsonb_agg((select p.display_name from public.people p where p.id = b.id::uuid) order by b.n), '[]')
      from jsonb_array_elements_text(r.content -> 'bylines') with ordinality b(id, n)) as bylines
  from public.update_revisions r
  join public.updates u on u.id = r.update_id
  join public.coverages c on c.id = u.coverage_id
  where r.public and u.state = 'published' and private.is_public(c.state);
create trigger read_only instead of insert or update or delete on public.update_history
  for each row execute function private.refuse_write();
revoke all on public.update_history from public, anon, authenticated, service_role;
grant select on public.update_history to anon, authenticated, service_role;

-- Of a withdrawn coverage readers learn that there was one, and when it went.
alter table public.coverages add column withdrawn_at timestamptz;
alter table public.coverages add constraint withdrawn_when check ((state = 'withdrawn') = (withdrawn_at is not null));
create function private.note_withdrawal() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.withdrawn_at := clock_timestamp();
  return new;
end $$;
create trigger note_withdrawal before update of state on public.coverages
  for each row when (new.state = 'withdrawn' and old.state <> 'withdrawn') execute function private.note_withdrawal();

create index updates_taken_back on public.updates (withdrawn_at desc) where state = 'withdrawn';
create index coverages_taken_back on public.coverages (withdrawn_at desc) where state = 'withdrawn';

/* What was corrected, made clear or taken back, at most so many, the newest first; before a `place`, which counts
   microseconds since 1970. Of a withdrawn update there is no headline, of a withdrawn coverage nothing but when.
   Each kind comes out of an index in its order: to read and sort them all is never the shorter way. */
create function public.corrections(before bigint default null, most integer default 30)
returns table (place bigint, at timestamptz, kind public.revision_kind, note text, number integer, headline text,
  slug text, coverage_headline text, time_zone text, language text)
language sql stable security definer set search_path = ''
  set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
  with asked as (
    select coalesce(timestamptz 'epoch' + before * interval '1 microsecond', 'infinity') as upto,
      least(greatest(most, 0), 100) as few
  ), found as (
    (select r.at, r.kind, r.note, u.number, u.headline, c.slug, c.headline as coverage_headline, c.time_zone, c.language
      from public.update_revisions r join public.updates u on u.id = r.update_id join public.coverages c on c.id = u.coverage_id
      where r.public and r.kind in ('clarification', 'correction') and r.at < (select upto from asked)
        and u.state = 'published' and private.is_public(c.state)
      order by r.at desc limit (select few from asked))
    union all
    (select u.withdrawn_at, 'withdrawal', u.withdrawn_reason, u.number, null, c.slug, c.headline, c.time_zone, c.language
      from public.updates u join public.coverages c on c.id = u.coverage_id
      where u.state = 'withdrawn' and u.withdrawn_at < (select upto from asked) and private.is_public(c.state)
      order by u.withdrawn_at desc limit (select few from asked))
    union all
    (select c.withdrawn_at, 'withdrawal', null, null, null, null, null, null, null
      from public.coverages c where c.state = 'withdrawn' and c.withdrawn_at < (select upto from asked)
      order by c.withdrawn_at desc limit (select few from asked))
  )
  select (extract(epoch from f.at) * 1000000)::bigint, f.* from found f order by f.at desc limit (select few from asked)
$$;
revoke execute on function public.corrections(bigint, integer) from public;
grant execute on function public.corrections(bigint, integer) to anon, authenticated, service_role;
