-- Broadcasts of changes, and the topics that each role may join. Messages carry ids and numbers, never content:
-- receivers fetch the content with their own permissions.

-- ---- Changes of coverages and updates ----

-- Runs at the end of a transaction for each change; the last change of a coverage announces all of them. First the
-- website's server learns what to invalidate, then readers that there is something to fetch, then the desk.
create function private.announce_changes() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  slug text;
  state public.coverage_state;
  current_seq bigint;
  announced_seq bigint;
  photo_removed boolean;
  kinds public.change_kind[];
  update_ids uuid[];
  tags text[] := array['coverage:' || new.coverage_id, 'lists'];
  -- Kinds of changes that remove no photo. Photo caches are kept for them.
  kinds_keeping_photos constant public.change_kind[] := '{publication,pin,summary,follow,photo}';
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
    -- Addresses that were missing before and exist now: a coverage, a slug, the page of a first byline.
    if kinds && '{state,settings}' or exists (select from public.update_bylines b join public.people p on p.id = b.person_id
        where b.update_id = any (update_ids) and p.bylined_at = now()) then
      tags := tags || text 'missing';
    end if;
    if not kinds <@ kinds_keeping_photos then tags := tags || ('photos:' || new.coverage_id); end if;
    perform private.broadcast('site', 'change', jsonb_build_object('coverage', new.coverage_id, 'seq', current_seq, 'slug', slug,
      'tags', to_jsonb(tags), 'removed', state = 'withdrawn' or kinds && '{withdrawal,redaction}' or coalesce(photo_removed, false)));
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
create constraint trigger announce_changes after insert on public.coverage_changes
  deferrable initially deferred for each row execute function private.announce_changes();

-- Notifies the desk of new revisions and members at the end of the transaction, when the sequence number is final.
create function private.announce_coverage() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.notify_desk(case tg_op when 'DELETE' then old.coverage_id else new.coverage_id end);
  return null;
end $$;
create constraint trigger announce_revisions after insert on public.coverage_revisions
  deferrable initially deferred for each row execute function private.announce_coverage();
create constraint trigger announce_members after insert or update or delete on public.coverage_members
  deferrable initially deferred for each row execute function private.announce_coverage();

-- Unpublished updates have no changes in the log, so each new version and state is announced separately.
create function private.announce_version() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.notify_desk_of_update(new.update_id);
  return null;
end $$;
create trigger announce_version after insert on public.update_revisions
  for each row when (not new.public and new.kind <> 'withdrawal') execute function private.announce_version();

create function private.announce_state() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.notify_desk_of_update(new.id);
  return null;
end $$;
create trigger announce_state after update of state on public.updates
  for each row when (new.number is null and new.state <> old.state) execute function private.announce_state();

create function private.announce_photo() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.broadcast('desk:' || new.coverage_id, 'photo', jsonb_build_object('photo', new.id));
  return null;
end $$;
create trigger announce_photo after update of state on public.photos
  for each row when (old.state <> new.state and new.coverage_id is not null) execute function private.announce_photo();

-- ---- Changes of the site ----

-- Counts and announces a change of data that many pages show. The arguments are the cache tags of those pages.
-- After a change of a person, copies with the earlier name must be deleted.
create function private.announce_site() returns trigger
language plpgsql security definer set search_path = '' as $$
declare last bigint;
begin
  -- A hosted project refuses an update without a condition.
  update public.site s set seq = s.seq + 1 where s.id returning s.seq into last;
  perform private.broadcast('site', 'change', jsonb_build_object('site', last, 'tags', to_jsonb(tg_argv),
    'removed', tg_table_name = 'people'));
  return null;
end $$;
-- Changes of the quiet hours and of the surge do not affect pages.
create trigger announce_site after update of name, tagline, language, publisher, contact, reader_follow_mode, check_interval_seconds,
  offline_pages, accent, accent_dark, about, embed_origins on public.site
  for each row when (to_jsonb(old) - 'quiet_hours' is distinct from to_jsonb(new) - 'quiet_hours') execute function private.announce_site('site');
create trigger announce_topic after update on public.topics
  for each row when (old.* is distinct from new.*) execute function private.announce_site('site');
create trigger announce_new_topic after insert on public.topics
  for each row execute function private.announce_site('lists', 'missing');
-- Only for people with bylines: sign-up is open, and that must not invalidate pages. The bio is on the person's own
-- page only.
create trigger announce_person after update of handle, display_name on public.people
  for each row when (old.bylined_at is not null
    and (old.handle, old.display_name) is distinct from (new.handle, new.display_name))
  execute function private.announce_site('site');
create trigger announce_bio after update of handle, display_name, bio on public.people
  for each row when (old.bylined_at is not null and old.bio is distinct from new.bio
    and (old.handle, old.display_name) is not distinct from (new.handle, new.display_name))
  execute function private.announce_site('lists');

-- Tells open pages that the way to follow has changed. Each page asks for it within `follow_jitter_ms`. The end of
-- a surge is not announced: pages that check learn of it with their next check.
create function private.announce_follow() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if (private.is_surging(new) and not private.is_surging(old))
      or (old.reader_follow_mode, old.check_interval_seconds) is distinct from (new.reader_follow_mode, new.check_interval_seconds) then
    perform private.broadcast('coverage:' || c.id, 'follow', jsonb_build_object('spread', private.get_limit('follow_jitter_ms')))
    from public.coverages c where c.state in ('scheduled', 'live', 'paused');
  end if;
  return null;
end $$;
create trigger announce_follow after update of reader_follow_mode, check_interval_seconds, surge, surge_load_until on public.site
  for each row execute function private.announce_follow();

-- Sequence numbers of the site and of every coverage that is or was public, for a server that may have missed
-- messages: {site, coverages: {id: [seq, slug, older slugs …]}}.
create function public.site_seqs() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('site', (select s.seq from public.site s), 'coverages', coalesce((
    select jsonb_object_agg(c.id, jsonb_build_array(c.seq, c.slug) || coalesce((
      select jsonb_agg(o.slug order by o.since desc, o.slug) from public.coverage_slugs o
      where o.coverage_id = c.id and o.slug <> c.slug), '[]'))
    from public.coverages c where private.is_public(c.state) or c.state = 'withdrawn'), '{}'))
$$;

-- ---- Changes of tips ----

-- Notifies people who handle tips. The version of a tip does not change with its photo or the update that uses it.
create function private.notify_tip_handlers(tip public.tips) returns void
language sql volatile set search_path = '' as $$
  select private.broadcast('tips', 'tip', jsonb_build_object('tip', tip.id, 'version', tip.version))
$$;

-- Notifies the sender of a tip if they were signed in.
create function private.notify_tip_sender(tip public.tips) returns void
language sql volatile set search_path = '' as $$
  select private.broadcast('person:' || tip.sender, 'tip', jsonb_build_object('tip', tip.id)) where tip.sender is not null
$$;

create function private.announce_tip() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.notify_tip_handlers(new);
  if tg_op = 'INSERT' or private.sender_state(old.state) <> private.sender_state(new.state) then perform private.notify_tip_sender(new); end if;
  return null;
end $$;
create trigger announce_new_tip after insert on public.tips for each row execute function private.announce_tip();
create trigger announce_tip after update of version on public.tips
  for each row when (old.version <> new.version) execute function private.announce_tip();

create function private.announce_used_tip() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.notify_tip_handlers(t) from public.tips t where t.update_id = new.id;
  if new.number is not null then perform private.notify_tip_sender(t) from public.tips t where t.update_id = new.id; end if;
  return null;
end $$;
create trigger announce_used_tip after update of state on public.updates
  for each row when (old.state <> new.state) execute function private.announce_used_tip();

create function private.announce_tip_photo() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.notify_tip_handlers(t) from public.tips t where t.id = new.tip_id;
  return null;
end $$;
create trigger announce_tip_photo after update of state on public.photos
  for each row when (old.state <> new.state and new.tip_id is not null) execute function private.announce_tip_photo();

-- ---- Access to topics ----
-- Realtime does not call check_session(), so functions for signed-in people check the session. Topics without a
-- policy cannot be joined; `site` is used by the server only. No policy allows clients to send broadcasts.

-- The id in the topic that is being joined, `<kind>:<id>`; null for other topics.
create function private.topic_id(kind text) returns uuid
language plpgsql stable set search_path = '' as $$
declare
  topic text := realtime.topic();
  id uuid := private.to_uuid(substr(topic, length(kind) + 2));
begin
  -- Only the lower-case spelling that the database writes itself: another spelling would be another channel.
  return case when topic = kind || ':' || id then id end;
end $$;

create function private.can_join_coverage() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.coverages c where c.id = private.topic_id('coverage') and private.is_public(c.state))
$$;

create function private.can_join_desk() returns boolean
language sql stable security definer set search_path = '' as $$
  select private.is_session_valid() and private.topic_id('desk') in (select private.desk_coverages())
$$;

create function private.can_join_own_topic() returns boolean
language sql stable security definer set search_path = '' as $$
  select private.is_session_valid() and private.topic_id('person') = auth.uid()
$$;

create function private.can_join_tips() returns boolean
language sql stable security definer set search_path = '' as $$
  select private.is_session_valid() and realtime.topic() = 'tips' and private.has_permission('handle_tips')
$$;

create policy "everyone: receive broadcasts of public coverages" on realtime.messages for select to anon, authenticated
  using (extension = 'broadcast' and (select private.can_join_coverage()));
create policy "staff: receive broadcasts and presence of own desks" on realtime.messages for select to authenticated
  using (extension in ('broadcast', 'presence') and (select private.can_join_desk()));
create policy "staff: send presence to own desks" on realtime.messages for insert to authenticated
  with check (extension = 'presence' and (select private.can_join_desk()));
create policy "authenticated: receive own broadcasts" on realtime.messages for select to authenticated
  using (extension = 'broadcast' and (select private.can_join_own_topic()));
create policy "tip handlers: receive broadcasts and presence of tips" on realtime.messages for select to authenticated
  using (extension in ('broadcast', 'presence') and (select private.can_join_tips()));
create policy "tip handlers: send presence to tips" on realtime.messages for insert to authenticated
  with check (extension = 'presence' and (select private.can_join_tips()));

-- ---- Execute rights ----

grant execute on function public.site_seqs to service_role;
grant execute on function private.can_join_coverage to anon, authenticated, service_role;
grant execute on function private.can_join_desk, private.can_join_own_topic, private.can_join_tips to authenticated;
