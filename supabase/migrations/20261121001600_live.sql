-- What is announced when something changes, and who may listen. A message carries ids and numbers, never words:
-- whoever hears it asks for the rest under their own rights.

/* Sends a message on a private topic with the transaction at hand. One that cannot be sent is lost and no more:
   whoever listens compares numbers now and then, and a reporter's words do not hang on a message. */
create function private.tell(topic text, event text, message jsonb) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform realtime.send(message, event, topic, true);
exception when others then
  raise warning 'Nothing was said on %: %', topic, sqlerrm;
end $$;

/* The seq up to which a coverage's changes were announced: those above it are of the transaction at hand. */
create table private.announced (
  coverage_id uuid primary key references public.coverages (id),
  seq bigint not null,
  -- In the transaction at hand a photo went out of something published.
  photo_left boolean not null default false
);
alter table private.announced enable row level security;
revoke all on private.announced from public, anon, authenticated, service_role;

/* Notes that a photo goes out of something published in this locked coverage: no copy of it may be shown any more. */
create function private.note_photo_left(coverage uuid) returns void
language sql volatile set search_path = '' as $$
  insert into private.announced as a (coverage_id, seq, photo_left) values (coverage, 0, true)
  on conflict (coverage_id) do update set photo_left = true
$$;

/* Tells a desk that its coverage is not what it was: words, state, pin, contributors. */
create function private.tell_desk(coverage uuid) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.tell('desk:' || c.id, 'coverage', jsonb_build_object('version', c.version, 'seq', c.seq))
  from public.coverages c where c.id = coverage;
end $$;

/* Tells a desk that an update is not what it was. To submit or put one away leaves its version alone. */
create function private.tell_desk_of(wanted uuid) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.tell('desk:' || u.coverage_id, 'update', jsonb_build_object('update', u.id, 'version', u.version))
  from public.updates u where u.id = wanted;
end $$;

/* Runs at the end of a transaction for each change in it; the last one of a coverage speaks for all. First the
   site's server is told what to forget, then readers that there is something to ask for, then the desk. */
create function private.announce_changes() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  slug text;
  state public.coverage_state;
  last bigint;
  told bigint;
  photo_left boolean;
  kinds public.change_kind[];
  changed uuid[];
  tags text[] := array['coverage:' || new.coverage_id, 'lists'];
  -- What takes no photo away: where photos are served may keep them.
  keeping constant public.change_kind[] := '{publication,pin,summary,follow,photo}';
begin
  select c.slug, c.state, c.seq into slug, state, last from public.coverages c where c.id = new.coverage_id;
  if new.seq <> last then return null; end if;
  select a.seq, a.photo_left into told, photo_left from private.announced a where a.coverage_id = new.coverage_id;
  insert into private.announced as a (coverage_id, seq) values (new.coverage_id, last)
  on conflict (coverage_id) do update set seq = excluded.seq, photo_left = false;
  select array_agg(distinct c.kind), array_agg(distinct c.update_id) filter (where c.kind <> 'pin' and c.update_id is not null)
  into kinds, changed
  from public.coverage_changes c where c.coverage_id = new.coverage_id and c.seq > coalesce(told, 0);

  if private.is_public(state) or state = 'withdrawn' then
    -- What was not there and is now: a coverage, one of its addresses, the page of somebody's first byline.
    if kinds && '{state,settings}' or exists (select from public.update_bylines b join public.people p on p.id = b.person_id
        where b.update_id = any (changed) and p.bylined_at = now()) then
      tags := tags || text 'missing';
    end if;
    if not kinds <@ keeping then tags := tags || ('photos:' || new.coverage_id); end if;
    perform private.tell('site', 'change', jsonb_build_object('coverage', new.coverage_id, 'seq', last, 'slug', slug,
      'tags', to_jsonb(tags), 'removed', state = 'withdrawn' or kinds && '{withdrawal,redaction}' or coalesce(photo_left, false)));
    perform private.tell('coverage:' || new.coverage_id, 'change',
      jsonb_build_object('seq', last, 'spread', private.limit_of('reader_spread_ms')));
  end if;

  -- A whole import at once is one thing to look at.
  if kinds && '{state,pin}' or cardinality(changed) > private.limit_of('changes_per_answer') then
    perform private.tell_desk(new.coverage_id);
  end if;
  if cardinality(changed) <= private.limit_of('changes_per_answer') then
    perform private.tell_desk_of(id) from unnest(changed) id;
  end if;
  return null;
end $$;
create constraint trigger announce_changes after insert on public.coverage_changes
  deferrable initially deferred for each row execute function private.announce_changes();

/* Of its own words and contributors a desk hears at the end too, when the coverage's seq is what it stays. */
create function private.announce_coverage() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.tell_desk(case tg_op when 'DELETE' then old.coverage_id else new.coverage_id end);
  return null;
end $$;
create constraint trigger announce_words after insert on public.coverage_revisions
  deferrable initially deferred for each row execute function private.announce_coverage();
create constraint trigger announce_members after insert or update or delete on public.coverage_members
  deferrable initially deferred for each row execute function private.announce_coverage();

/* What is not public has no change in the log: each version that is kept at the desk, each step that it takes there. */
create function private.announce_version() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.tell_desk_of(new.update_id);
  return null;
end $$;
create trigger announce_version after insert on public.update_revisions
  for each row when (not new.public and new.kind <> 'withdrawal') execute function private.announce_version();
create function private.announce_step() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.tell_desk_of(new.id);
  return null;
end $$;
create trigger announce_step after update of state on public.updates
  for each row when (new.number is null and new.state <> old.state) execute function private.announce_step();

/* Counts and announces what many pages show; its arguments are the tags of those pages. What people say no more of
   themselves is taken away. */
create function private.announce_site() returns trigger
language plpgsql security definer set search_path = '' as $$
declare last bigint;
begin
  -- A hosted project refuses an update without a condition.
  update public.site s set seq = s.seq + 1 where s.here returning s.seq into last;
  perform private.tell('site', 'change', jsonb_build_object('site', last, 'tags', to_jsonb(tg_argv),
    'removed', tg_table_name = 'people'));
  return null;
end $$;
-- Not of the desk's reminder, which no page shows. Not of the surge: to make every page anew would be the last straw. The copies that there are live for seconds.
create trigger announce_site after update of name, tagline, language, publisher, contact, reader_follow, reader_interval,
  keeps_copies, accent, accent_dark, about, frames on public.site
  for each row when (to_jsonb(old) - 'quiet_hours' is distinct from to_jsonb(new) - 'quiet_hours') execute function private.announce_site('site');

/* Tells the open pages of what is running that they are to follow otherwise from now on: each asks within the spread how.
   Of the end of a surge nobody is told: pages that ask learn of it when they do, once a minute. */
create function private.announce_follow() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if (private.is_surging(new) and not private.is_surging(old))
      or (old.reader_follow, old.reader_interval) is distinct from (new.reader_follow, new.reader_interval) then
    perform private.tell('coverage:' || c.id, 'follow', jsonb_build_object('spread', private.limit_of('follow_spread_ms')))
    from public.coverages c where c.state in ('scheduled', 'live', 'paused');
  end if;
  return null;
end $$;
create trigger announce_follow after update of reader_follow, reader_interval, surge, surge_load_until on public.site
  for each row execute function private.announce_follow();
create trigger announce_topic after update on public.topics
  for each row when (old.* is distinct from new.*) execute function private.announce_site('site');
create trigger announce_new_topic after insert on public.topics
  for each row execute function private.announce_site('lists', 'missing');
-- Of those alone whom pages name: anybody may sign up, and must not make the site forget what it has rendered. A few
-- words for one's own page are on no other.
create trigger announce_person after update of handle, display_name on public.people
  for each row when (old.bylined_at is not null
    and (old.handle, old.display_name) is distinct from (new.handle, new.display_name))
  execute function private.announce_site('site');
create trigger announce_bio after update of handle, display_name, bio on public.people
  for each row when (old.bylined_at is not null and old.bio is distinct from new.bio
    and (old.handle, old.display_name) is not distinct from (new.handle, new.display_name))
  execute function private.announce_site('lists');

/* Where everything stands, for a server that may have missed messages: {site, coverages: {id: [seq, slug, older
   slugs …]}} of every coverage that is or was public; never of a draft. */
create function public.site_seqs() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('site', (select s.seq from public.site s), 'coverages', coalesce((
    select jsonb_object_agg(c.id, jsonb_build_array(c.seq, c.slug) || coalesce((
      select jsonb_agg(o.slug order by o.since desc, o.slug) from public.coverage_slugs o
      where o.coverage_id = c.id and o.slug <> c.slug), '[]'))
    from public.coverages c where private.is_public(c.state) or c.state = 'withdrawn'), '{}'))
$$;
revoke execute on function public.site_seqs() from public, anon, authenticated;
grant execute on function public.site_seqs() to service_role;

/* Everyone who may read the desk of a coverage, for those who may read it; nobody, for anybody else. */
create function public.desk_roster(coverage_id uuid)
returns table (id uuid, display_name text, handle text, role public.person_role)
language sql stable security definer set search_path = '' as $$
  select p.id, p.display_name, p.handle, p.role
  from public.people p join private.permissions t on t.role = p.role and t.permission = 'read_desk'
  where p.active and p.deleted_at is null
    and desk_roster.coverage_id in (select private.desk_coverages())
    and (t.scope = 'any' or exists (select from public.coverage_members m
      where m.coverage_id = desk_roster.coverage_id and m.person_id = p.id and m.expires_at > now()))
  order by p.role desc, lower(p.display_name), p.id
$$;
revoke execute on function public.desk_roster(uuid) from public, anon, service_role;
grant execute on function public.desk_roster(uuid) to authenticated;

/* The id in the topic that is being joined, `<kind>:<id>`, or null for any other topic. */
create function private.topic_id(kind text) returns uuid
language plpgsql stable set search_path = '' as $$
declare
  topic text := realtime.topic();
  id uuid := private.as_uuid(substr(topic, length(kind) + 2));
begin
  -- As we write it ourselves, in lower case: another spelling would be another channel.
  return case when topic = kind || ':' || id then id end;
end $$;

create function private.hears_coverage() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.coverages c where c.id = private.topic_id('coverage') and private.is_public(c.state))
$$;
-- A server of messages asks no check_session(), so what is for people alone asks for their session itself.
create function private.is_at_desk() returns boolean
language sql stable security definer set search_path = '' as $$
  select private.session_stands() and private.topic_id('desk') in (select private.desk_coverages())
$$;
create function private.is_own_topic() returns boolean
language sql stable security definer set search_path = '' as $$
  select private.session_stands() and private.topic_id('person') = auth.uid()
$$;
grant execute on function private.hears_coverage() to anon, authenticated, service_role;
grant execute on function private.is_at_desk(), private.is_own_topic() to authenticated;

/* Who may join which private topic. What is not named here is nobody's: `site` is the server's own. No policy lets
   anybody send words: the database alone does. */
create policy "everyone hears of public coverages" on realtime.messages for select to anon, authenticated
  using (extension = 'broadcast' and (select private.hears_coverage()));
create policy "staff hear of their desks and see who is there" on realtime.messages for select to authenticated
  using (extension in ('broadcast', 'presence') and (select private.is_at_desk()));
create policy "staff show that they are at their desks" on realtime.messages for insert to authenticated
  with check (extension = 'presence' and (select private.is_at_desk()));
create policy "people hear what is for them" on realtime.messages for select to authenticated
  using (extension = 'broadcast' and (select private.is_own_topic()));
