-- Coverages: one event followed live, their topics, slugs and members.

create type public.coverage_state as enum ('draft', 'scheduled', 'live', 'paused', 'ended', 'archived', 'withdrawn');
/* How readers learn of changes: by socket, by checks, or by socket while there are not too many of them. */
create type public.reader_follow as enum ('sockets', 'checks', 'auto');

create table public.topics (
  id uuid primary key default gen_random_uuid(),
  slug text not null unique,
  name text not null,
  description text not null default '',
  constraint slug_form check (private.is_slug(slug)),
  constraint name_form check (private.is_line(name, 'topic_name')),
  constraint description_form check (private.is_text(description, 'topic_description', 0))
);

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
  published_at timestamptz,
  revised_at timestamptz,
  pinned_update uuid,
  -- How readers follow this coverage, and how many seconds lie between their checks; null is the site's own.
  reader_follow public.reader_follow,
  reader_interval integer,
  -- The readers' cursor: counts the changes a reader may see, without gaps, under a lock on this row.
  seq bigint not null default 0,
  -- The number of the newest update: numbers are given under the same lock.
  update_count integer not null default 0,
  -- When that one was published: lists of coverages say so, and look at no update for it.
  newest_at timestamptz,
  -- When somebody last said that it goes on: by taking it live, or by saying so when it had been silent.
  went_on_at timestamptz,
  -- Since when it is silent, from the moment that its desk has been reminded of that.
  quiet_since timestamptz,
  version integer not null default 1,
  created_by uuid references public.people (id),
  created_at timestamptz not null default now(),
  constraint slug_form check (private.is_slug(slug)),
  constraint kicker_form check (private.is_line(kicker, 'kicker', 0)),
  constraint headline_form check (private.is_line(headline, 'headline')),
  constraint standfirst_form check (private.is_text(standfirst, 'standfirst', 0)),
  constraint time_zone_form check (private.is_time_zone(time_zone)),
  constraint language_form check (private.is_language(language)),
  constraint reader_interval_form check
    (reader_interval between private.limit_of('reader_interval_min') and private.limit_of('reader_interval_max')),
  constraint scheduled_when check (state <> 'scheduled' or starts_at is not null)
);
create index coverages_recent on public.coverages (published_at desc);
create index coverages_silent on public.coverages (id) where quiet_since is not null;

/* Every slug a coverage ever had. One is never given to another coverage. */
create table public.coverage_slugs (
  slug text primary key,
  -- Deferred, because a slug is claimed before the row that it names.
  coverage_id uuid not null references public.coverages (id) deferrable initially deferred,
  since timestamptz not null default now()
);
create index coverage_slugs_coverage on public.coverage_slugs (coverage_id);

create table public.coverage_topics (
  coverage_id uuid not null references public.coverages (id),
  topic_id uuid not null references public.topics (id),
  primary key (coverage_id, topic_id)
);
create index coverage_topics_topic on public.coverage_topics (topic_id);

/* Contributors of a coverage, each until a day. */
create table public.coverage_members (
  coverage_id uuid not null references public.coverages (id),
  person_id uuid not null references public.people (id),
  expires_at timestamptz not null,
  added_by uuid references public.people (id),
  primary key (coverage_id, person_id)
);
create index coverage_members_person on public.coverage_members (person_id);

/* May this person do this, to this coverage, to something by this author? Read at every call, so that demotion, expiry
   and deactivation bite at once. */
create function private.person_may(person uuid, wanted text, coverage uuid, author uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (
    select from public.people p
    join private.permissions t on t.role = p.role and t.permission = wanted
    where p.id = person and p.active and (
      t.scope = 'any'
      or (t.scope = 'own' and author = p.id)
      or (t.scope = 'member' and exists (
        select from public.coverage_members m
        where m.coverage_id = coverage and m.person_id = p.id and m.expires_at > now()))))
$$;

/* May the caller do this? The server itself (service_role) may do everything. */
create function private.may(wanted text, coverage uuid default null, author uuid default null) returns boolean
language sql stable security definer set search_path = '' as $$
  select private.is_service() or private.person_may((select auth.uid()), wanted, coverage, author)
$$;

/* The coverages whose desk the caller may read: asked once a query, not once a row. For most people that is
   all or none, so only a contributor's places are looked at one by one. */
create function private.desk_coverages() returns setof uuid
language sql stable security definer set search_path = '' as $$
  select c.id from public.coverages c where (select private.may('read_desk'))
  union
  select m.coverage_id from public.coverage_members m
  where m.person_id = (select auth.uid()) and private.may('read_desk', m.coverage_id)
$$;
grant execute on function private.desk_coverages() to authenticated, service_role;

create function private.is_public(state public.coverage_state) returns boolean
language sql immutable return state in ('scheduled', 'live', 'paused', 'ended', 'archived');
grant execute on function private.is_public(public.coverage_state) to anon, authenticated, service_role;

alter table public.topics enable row level security;
alter table public.coverages enable row level security;
alter table public.coverage_slugs enable row level security;
alter table public.coverage_topics enable row level security;
alter table public.coverage_members enable row level security;
revoke all on public.topics, public.coverages, public.coverage_slugs, public.coverage_topics, public.coverage_members
  from public, anon, authenticated, service_role;
grant select on public.topics, public.coverage_slugs, public.coverage_topics to anon, authenticated, service_role;
grant select (id, slug, kicker, headline, standfirst, summary, summary_at, state, time_zone, language, starts_at,
  ended_at, published_at, revised_at, pinned_update, reader_follow, reader_interval, seq, update_count, newest_at, version)
  on public.coverages to anon, authenticated;
grant select on public.coverages to service_role;
grant select on public.coverage_members to authenticated, service_role;

create policy "topics are public" on public.topics for select to anon, authenticated using (true);
create policy "readers see what was made public" on public.coverages for select to anon, authenticated
  using (private.is_public(state));
create policy "staff see their desks" on public.coverages for select to authenticated
  using (id in (select private.desk_coverages()));
create policy "slugs of visible coverages" on public.coverage_slugs for select to anon, authenticated
  using (exists (select from public.coverages c where c.id = coverage_id));
create policy "topics of visible coverages" on public.coverage_topics for select to anon, authenticated
  using (exists (select from public.coverages c where c.id = coverage_id));
create policy "staff see who contributes" on public.coverage_members for select to authenticated
  using (coverage_id in (select private.desk_coverages()));

/* Where a slug leads: {slug, standing} with the current slug and 'public' or 'withdrawn', or null for
   what never was or is not for readers. Tells a renamed coverage (301) from a withdrawn one (410). */
create function public.resolve_slug(slug text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('slug', c.slug, 'standing', case c.state when 'withdrawn' then 'withdrawn' else 'public' end)
  from public.coverage_slugs s join public.coverages c on c.id = s.coverage_id
  where s.slug = resolve_slug.slug and (private.is_public(c.state) or c.state = 'withdrawn')
$$;
revoke execute on function public.resolve_slug(text) from public;
grant execute on function public.resolve_slug(text) to anon, authenticated, service_role;
