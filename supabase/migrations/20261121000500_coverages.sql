-- Coverages with their topics, slugs, members and revisions; permission checks; locks.

create type public.coverage_state as enum ('draft', 'scheduled', 'live', 'paused', 'ended', 'archived', 'withdrawn');
-- How readers receive updates: over a socket, by checking, or over a socket until there are too many of them.
create type public.reader_follow_mode as enum ('sockets', 'checks', 'auto');

create table public.topics (
  id uuid primary key default gen_random_uuid(),
  slug text not null unique,
  name text not null,
  description text not null default '',
  constraint slug_form check (private.is_slug(slug)),
  constraint name_form check (private.is_line(name, 'topic_name')),
  constraint description_form check (private.is_text(description, 'topic_description', 0))
);
alter table public.topics enable row level security;
grant select on public.topics to anon, authenticated, service_role;

create table public.coverages (
  id uuid primary key,
  slug text not null unique,
  kicker text not null default '',
  headline text not null,
  standfirst text not null default '',
  summary jsonb not null default '[]',
  summary_at timestamptz,
  state public.coverage_state not null default 'draft',
  time_zone text not null default 'UTC',
  language text not null default 'en',
  starts_at timestamptz,
  ended_at timestamptz,
  withdrawn_at timestamptz,
  published_at timestamptz,
  revised_at timestamptz,
  pinned_update uuid,
  -- How readers follow this coverage, and the seconds between their checks. Null: the setting of the site.
  reader_follow_mode public.reader_follow_mode,
  check_interval_seconds integer,
  -- The readers' cursor: counts the changes that readers may see, without gaps, under a lock on this row.
  seq bigint not null default 0,
  -- Number of the newest update. Numbers are assigned under the same lock.
  update_count integer not null default 0,
  -- When the newest update was published, so that lists of coverages need not read updates.
  last_published_at timestamptz,
  -- When the desk last confirmed that the coverage continues: by taking it live or with continue_coverage().
  continued_at timestamptz,
  -- Since when the coverage is quiet. Set when its desk has been reminded.
  quiet_since timestamptz,
  version integer not null default 1,
  created_by uuid references public.people (id),
  created_at timestamptz not null default now(),
  -- The coverage is being imported from a folder. Until the import ends it cannot be changed.
  is_importing boolean not null default false,
  constraint slug_form check (private.is_slug(slug)),
  constraint kicker_form check (private.is_line(kicker, 'kicker', 0)),
  constraint headline_form check (private.is_line(headline, 'headline')),
  constraint standfirst_form check (private.is_text(standfirst, 'standfirst', 0)),
  constraint summary_form check (private.is_body(summary, 0) and not private.has_photos(summary)),
  constraint time_zone_form check (private.is_time_zone(time_zone)),
  constraint language_form check (private.is_language(language)),
  constraint reader_interval_form check
    (check_interval_seconds between private.get_limit('check_interval_min') and private.get_limit('check_interval_max')),
  constraint scheduled_has_start check (state <> 'scheduled' or starts_at is not null),
  constraint withdrawn_has_time check ((state = 'withdrawn') = (withdrawn_at is not null))
);
create index coverages_recent on public.coverages (published_at desc);
create index coverages_quiet on public.coverages (id) where quiet_since is not null;
create index coverages_withdrawn on public.coverages (withdrawn_at desc) where state = 'withdrawn';
-- Archive and other lists of coverages that have started, by time of publication.
create index coverages_started on public.coverages (published_at, id)
  where state in ('live', 'paused', 'ended', 'archived') and published_at is not null;
-- The coverages that stand first in those lists. They are few.
create index coverages_current on public.coverages (state, published_at)
  where state in ('scheduled', 'live', 'paused');
alter table public.coverages enable row level security;
grant select (id, slug, kicker, headline, standfirst, summary, summary_at, state, time_zone, language, starts_at,
  ended_at, published_at, revised_at, pinned_update, reader_follow_mode, check_interval_seconds, seq, update_count, last_published_at,
  version) on public.coverages to anon, authenticated;
grant select on public.coverages to service_role;

-- Every slug that a coverage ever had. A slug is never reused for another coverage.
create table public.coverage_slugs (
  slug text primary key,
  -- Deferred, because a slug is claimed before the row of its coverage exists.
  coverage_id uuid not null references public.coverages (id) deferrable initially deferred,
  since timestamptz not null default now()
);
create index coverage_slugs_coverage on public.coverage_slugs (coverage_id);
alter table public.coverage_slugs enable row level security;
grant select on public.coverage_slugs to anon, authenticated, service_role;

create table public.coverage_topics (
  coverage_id uuid not null references public.coverages (id),
  topic_id uuid not null references public.topics (id),
  primary key (coverage_id, topic_id)
);
create index coverage_topics_topic on public.coverage_topics (topic_id);
alter table public.coverage_topics enable row level security;
grant select on public.coverage_topics to anon, authenticated, service_role;

-- Contributors of a coverage, each until a given time.
create table public.coverage_members (
  coverage_id uuid not null references public.coverages (id),
  person_id uuid not null references public.people (id),
  expires_at timestamptz not null,
  added_by uuid references public.people (id),
  primary key (coverage_id, person_id)
);
create index coverage_members_person on public.coverage_members (person_id);
alter table public.coverage_members enable row level security;
grant select on public.coverage_members to authenticated, service_role;

-- Every version of a coverage's own content. Visible to staff only.
create table public.coverage_revisions (
  coverage_id uuid not null references public.coverages (id),
  version integer not null,
  content jsonb not null,
  created_by uuid references public.people (id),
  created_at timestamptz not null default now(),
  primary key (coverage_id, version)
);
alter table public.coverage_revisions enable row level security;
grant select on public.coverage_revisions to authenticated, service_role;

-- ---- Permission checks ----
-- Permissions are read for each call, so that changes of roles, memberships and accounts apply at once.

-- Whether a person has a permission for a coverage and for content of an author.
create function private.person_has_permission(person uuid, permission_name text, coverage uuid, author uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (
    select from public.people p
    join private.permissions t on t.role = p.role and t.permission = permission_name
    where p.id = person and p.active and (
      t.scope = 'any'
      or (t.scope = 'own' and author = p.id)
      or (t.scope = 'member' and exists (
        select from public.coverage_members m
        where m.coverage_id = coverage and m.person_id = p.id and m.expires_at > now()))))
$$;

-- Whether the caller has a permission. The server (service_role) has all of them.
create function private.has_permission(permission_name text, coverage uuid default null, author uuid default null) returns boolean
language sql stable security definer set search_path = '' as $$
  select private.is_service() or private.person_has_permission((select auth.uid()), permission_name, coverage, author)
$$;

-- Errors: forbidden, if the caller does not have the permission.
create function private.require_permission(permission_name text, coverage uuid, author uuid default null) returns void
language plpgsql stable set search_path = '' as $$
begin
  if not private.has_permission(permission_name, coverage, author) then
    perform private.raise_error('forbidden', 'permission_missing');
  end if;
end $$;

-- Coverages whose desk the caller may read. Evaluated once per query instead of once per row: most people may read
-- all or none, so only contributors' memberships are read one by one.
create function private.desk_coverages() returns setof uuid
language sql stable security definer set search_path = '' as $$
  select c.id from public.coverages c where (select private.has_permission('read_desk'))
  union
  select m.coverage_id from public.coverage_members m
  where m.person_id = (select auth.uid()) and private.has_permission('read_desk', m.coverage_id)
$$;

-- Whether readers may see coverages in this state.
create function private.is_public(state public.coverage_state) returns boolean
language sql immutable return state in ('scheduled', 'live', 'paused', 'ended', 'archived');

-- ---- Policies ----
create policy "everyone: select topics" on public.topics for select to anon, authenticated using (true);
create policy "everyone: select public coverages" on public.coverages for select to anon, authenticated
  using (private.is_public(state));
create policy "staff: select coverages of own desks" on public.coverages for select to authenticated
  using (id in (select private.desk_coverages()));
create policy "everyone: select slugs of visible coverages" on public.coverage_slugs for select to anon, authenticated
  using (exists (select from public.coverages c where c.id = coverage_id));
create policy "everyone: select topics of visible coverages" on public.coverage_topics for select to anon, authenticated
  using (exists (select from public.coverages c where c.id = coverage_id));
create policy "staff: select members of own desks" on public.coverage_members for select to authenticated
  using (coverage_id in (select private.desk_coverages()));
create policy "staff: select coverage revisions of own desks" on public.coverage_revisions for select to authenticated
  using (coverage_id in (select private.desk_coverages()));

-- ---- Locks and steps ----

-- Locks a coverage for the rest of the transaction. Every function that changes a coverage calls this first, so
-- that changes of one coverage are serialised.
-- Errors: signed_out; not_found, also if the caller may not know that it exists; bad_state during an import.
create function private.lock_coverage(coverage_id uuid) returns public.coverages
language plpgsql volatile set search_path = '' as $$
declare coverage public.coverages;
begin
  if (select auth.uid()) is null and not private.is_service() then
    perform private.raise_error('signed_out', 'sign_in_required');
  end if;
  select * into coverage from public.coverages c where c.id = lock_coverage.coverage_id for update;
  if coverage.id is null or not (private.is_public(coverage.state) or private.has_permission('read_desk', coverage.id)) then
    perform private.raise_not_found();
  end if;
  if coverage.is_importing then
    perform private.raise_error('bad_state', 'import_in_progress');
  end if;
  return coverage;
end $$;

-- Result of every command on a coverage.
create function private.coverage_result(coverage_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', c.id, 'slug', c.slug, 'state', c.state, 'version', c.version, 'seq', c.seq,
    'pinned_update', c.pinned_update)
  from public.coverages c where c.id = coverage_result.coverage_id
$$;

-- Notifies the desk that the coverage changed: content, state, pin, members.
create function private.notify_desk(coverage uuid) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.broadcast('desk:' || c.id, 'coverage', jsonb_build_object('version', c.version, 'seq', c.seq))
  from public.coverages c where c.id = coverage;
end $$;

-- Sets the time of the withdrawal, which readers may see.
create function private.set_withdrawn_at() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.withdrawn_at := clock_timestamp();
  return new;
end $$;
create trigger set_withdrawn_at before update of state on public.coverages
  for each row when (new.state = 'withdrawn' and old.state <> 'withdrawn') execute function private.set_withdrawn_at();

-- A publication or a change of state ends the quiet period of a coverage.
create function private.clear_quiet_since() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.quiet_since := null;
  return new;
end $$;
create trigger clear_quiet_since before update of state, last_published_at, continued_at on public.coverages
  for each row when (old.quiet_since is not null) execute function private.clear_quiet_since();

-- Where a slug leads: {slug, status} with the current slug and 'public' or 'withdrawn'. Null if readers never saw
-- such a coverage. The website answers 301 for an earlier slug and 410 for a withdrawn coverage.
create function public.resolve_slug(slug text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('slug', c.slug, 'status', case c.state when 'withdrawn' then 'withdrawn' else 'public' end)
  from public.coverage_slugs s join public.coverages c on c.id = s.coverage_id
  where s.slug = resolve_slug.slug and (private.is_public(c.state) or c.state = 'withdrawn')
$$;

-- ---- Execute rights ----

grant execute on function private.desk_coverages to authenticated, service_role;
grant execute on function private.is_public to anon, authenticated, service_role;
grant execute on function public.resolve_slug to anon, authenticated, service_role;
