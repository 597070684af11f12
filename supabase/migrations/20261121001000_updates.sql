-- Updates, their revisions, and the log of changes that readers follow.

create type public.update_state as enum ('draft', 'submitted', 'scheduled', 'published', 'withdrawn', 'spiked');
create type public.update_urgency as enum ('normal', 'important', 'urgent');
create type public.update_verification as enum ('unverified', 'developing', 'confirmed');
create type public.revision_kind as enum ('revision', 'clarification', 'correction', 'withdrawal');
create type public.change_kind as enum
  ('publication', 'revision', 'clarification', 'correction', 'withdrawal', 'redaction', 'state', 'summary', 'pin', 'settings', 'follow', 'photo');

-- A withdrawn update keeps its row as a tombstone (number, times, reason) without content. The content remains in
-- its revisions, which only staff may read, so that no query on this table can return it.
create table public.updates (
  id uuid primary key,
  coverage_id uuid not null references public.coverages (id),
  number integer,
  state public.update_state not null default 'draft',
  headline text,
  body jsonb not null default '[]',
  key_event boolean not null default false,
  urgency public.update_urgency not null default 'normal',
  verification public.update_verification not null default 'confirmed',
  attribution text,
  desk_note text,
  dateline text,
  author uuid references public.people (id),
  created_by uuid references public.people (id),
  published_by uuid references public.people (id),
  occurred_at timestamptz,
  created_at timestamptz not null default now(),
  scheduled_for timestamptz,
  -- The person with whose rights the update is published then, and the code of the error if that failed.
  scheduled_by uuid references public.people (id),
  schedule_error_code text,
  published_at timestamptz,
  revised_at timestamptz,
  corrected_at timestamptz,
  withdrawn_at timestamptz,
  withdrawn_reason text,
  version integer not null default 1,
  seq bigint,
  unique (coverage_id, number),
  constraint headline_form check (headline is null or private.is_line(headline, 'update_headline')),
  constraint body_form check (private.is_body(body, case when state in ('draft', 'spiked', 'withdrawn') then 0 else 1 end)),
  constraint attribution_form check (attribution is null or private.is_line(attribution, 'attribution')),
  constraint desk_note_form check (desk_note is null or private.is_text(desk_note, 'desk_note')),
  constraint dateline_form check (dateline is null or private.is_line(dateline, 'dateline')),
  constraint public_has_number check ((number is not null) = (state in ('published', 'withdrawn'))),
  constraint public_has_time check ((published_at is not null and seq is not null) = (state in ('published', 'withdrawn'))),
  constraint scheduled_has_time check ((state = 'scheduled') = (scheduled_for is not null)
    and (state = 'scheduled' or (scheduled_by is null and schedule_error_code is null))),
  constraint withdrawn_has_reason check ((state = 'withdrawn') = (withdrawn_at is not null)
    and (state <> 'withdrawn' or private.is_text(withdrawn_reason, 'note'))),
  constraint withdrawn_has_no_content check (state <> 'withdrawn' or (headline is null and body = '[]'
    and attribution is null and dateline is null))
);
-- Each list has an index in its own order, and no other index starts with the same columns. So the planner chooses
-- the right one even without statistics. The conditions are spelled as the API spells them.
create index updates_key_events on public.updates (coverage_id, number) where key_event is true and state = 'published';
create index updates_withdrawn on public.updates (coverage_id, number) where state = 'withdrawn';
create index updates_unpublished on public.updates (coverage_id, state, created_at) where number is null;
create index updates_due on public.updates (scheduled_for) where state = 'scheduled';
-- Withdrawn updates, for the page of corrections.
create index updates_withdrawn_at on public.updates (withdrawn_at desc) where state = 'withdrawn';
-- Updates waiting for an editor. They are few.
create index updates_submitted on public.updates (created_at) where state = 'submitted';
alter table public.updates enable row level security;
grant select (id, coverage_id, number, state, headline, body, key_event, urgency, verification, attribution,
  dateline, occurred_at, published_at, revised_at, corrected_at, withdrawn_at, withdrawn_reason, version, seq) on
  public.updates to anon, authenticated;
grant select on public.updates to service_role;

alter table public.coverages add foreign key (pinned_update) references public.updates (id);

create table public.update_bylines (
  update_id uuid not null references public.updates (id),
  person_id uuid not null references public.people (id),
  position smallint not null,
  -- Publication time of the update while it is published. The page of a person is ordered by it.
  published_at timestamptz,
  primary key (update_id, person_id)
);
create index update_bylines_person on public.update_bylines (person_id, published_at, update_id);
alter table public.update_bylines enable row level security;
grant select on public.update_bylines to anon, authenticated, service_role;

-- Every version of an update that was saved. Visible to staff only.
create table public.update_revisions (
  update_id uuid not null references public.updates (id),
  version integer not null,
  -- Null if the version was redacted. A withdrawal has no content of its own.
  content jsonb,
  kind public.revision_kind not null default 'revision',
  note text,
  created_by uuid references public.people (id),
  created_at timestamptz not null default clock_timestamp(),
  -- Saved while the update was public. Readers may be shown these versions, and never the earlier ones.
  public boolean not null default false,
  -- When the content of this version was removed for good, by whom, and why.
  redacted_at timestamptz,
  redacted_by uuid references public.people (id),
  redacted_reason text,
  primary key (update_id, version),
  constraint content_until_redacted check ((content is null) = (redacted_at is not null or kind = 'withdrawal')),
  constraint redacted_has_reason check ((redacted_at is not null) = coalesce(private.is_text(redacted_reason, 'note'), false)),
  constraint note_form check (note is null or private.is_text(note, 'note')),
  constraint note_unless_revision check (kind = 'revision' or note is not null)
);
-- Clarifications and corrections, which are few among the versions, by time and by update.
create index update_revisions_notes on public.update_revisions (created_at desc)
  where public and kind in ('clarification', 'correction');
create index update_revisions_notes_of on public.update_revisions (update_id)
  where public and kind in ('clarification', 'correction');
-- Photos that any version used. The condition is spelled out instead of calling a function: a session that first
-- planned with this index as a role without access to the function would not match it later.
create index update_revisions_photos on public.update_revisions using gin ((content -> 'body') jsonb_path_ops)
  where content -> 'body' @> '[{"type":"photo"}]';
-- Versions saved by a person, for their own data.
create index update_revisions_by on public.update_revisions (created_by, created_at) where created_by is not null;
alter table public.update_revisions enable row level security;
grant select on public.update_revisions to service_role;

-- The changes that readers follow: one row for each change that they may see, numbered without gaps.
create table public.coverage_changes (
  coverage_id uuid not null references public.coverages (id),
  seq bigint not null,
  update_id uuid references public.updates (id),
  kind public.change_kind not null,
  at timestamptz not null default clock_timestamp(),
  primary key (coverage_id, seq)
);
alter table public.coverage_changes enable row level security;
grant select on public.coverage_changes to anon, authenticated, service_role;

-- The last change of a coverage that was broadcast. Later changes belong to the current transaction.
create table private.broadcast_positions (
  coverage_id uuid primary key references public.coverages (id),
  seq bigint not null,
  -- Whether a photo was removed from published content in the current transaction.
  photo_removed boolean not null default false
);
alter table private.broadcast_positions enable row level security;

-- ---- Policies ----
create policy "everyone: select public updates of public coverages" on public.updates for select to anon, authenticated
  using (state in ('published', 'withdrawn') and exists (
    select from public.coverages c where c.id = coverage_id and private.is_public(c.state)));
-- One lookup for each row that is shown. With `exists` the planner may read all updates first.
create policy "everyone: select bylines of published updates" on public.update_bylines for select to anon, authenticated
  using ((select u.state = 'published' from public.updates u where u.id = update_id));
create policy "everyone: select changes of public coverages" on public.coverage_changes for select to anon, authenticated
  using (exists (select from public.coverages c where c.id = coverage_id and private.is_public(c.state)));

-- ---- Revisions that readers see ----

-- Clarifications and corrections of published updates.
create view public.update_notes with (security_barrier) as
  select r.update_id, u.coverage_id, r.version, r.kind, r.note, r.created_at
  from public.update_revisions r
  join public.updates u on u.id = r.update_id
  join public.coverages c on c.id = u.coverage_id
  where r.kind in ('clarification', 'correction') and r.public and u.state = 'published' and private.is_public(c.state);
grant select on public.update_notes to anon, authenticated, service_role;
create trigger read_only instead of insert or update or delete on public.update_notes
  for each row execute function private.reject_write();

-- Versions of published updates that readers have seen, without the fields of the desk and with the names of the
-- bylines. A redacted version has only its time and reason.
create view public.update_history with (security_barrier) as
  select r.update_id, u.coverage_id, r.version, r.kind, r.note, r.created_at, r.redacted_at, r.redacted_reason,
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
grant select on public.update_history to anon, authenticated, service_role;
create trigger read_only instead of insert or update or delete on public.update_history
  for each row execute function private.reject_write();

-- Corrections, clarifications and withdrawals, newest first, before a `list_position` in microseconds since 1970. A
-- withdrawn update has no headline, a withdrawn coverage only its time. Each kind is read from an index in its
-- order; the settings keep the planner from sorting.
create function public.list_corrections(before_position bigint default null, max_rows integer default 30)
returns table (list_position bigint, at timestamptz, kind public.revision_kind, note text, number integer, headline text,
  slug text, coverage_headline text, time_zone text, language text)
language sql stable security definer set search_path = ''
  set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off as $$
  with arguments as (
    select coalesce(timestamptz 'epoch' + before_position * interval '1 microsecond', 'infinity') as before_time,
      least(greatest(max_rows, 0), 100) as page_size
  ), entries as (
    (select r.created_at as at, r.kind, r.note, u.number, u.headline, c.slug, c.headline as coverage_headline, c.time_zone, c.language
      from public.update_revisions r join public.updates u on u.id = r.update_id join public.coverages c on c.id = u.coverage_id
      where r.public and r.kind in ('clarification', 'correction') and r.created_at < (select before_time from arguments)
        and u.state = 'published' and private.is_public(c.state)
      order by r.created_at desc limit (select page_size from arguments))
    union all
    (select u.withdrawn_at, 'withdrawal', u.withdrawn_reason, u.number, null, c.slug, c.headline, c.time_zone, c.language
      from public.updates u join public.coverages c on c.id = u.coverage_id
      where u.state = 'withdrawn' and u.withdrawn_at < (select before_time from arguments) and private.is_public(c.state)
      order by u.withdrawn_at desc limit (select page_size from arguments))
    union all
    (select c.withdrawn_at, 'withdrawal', null, null, null, null, null, null, null
      from public.coverages c where c.state = 'withdrawn' and c.withdrawn_at < (select before_time from arguments)
      order by c.withdrawn_at desc limit (select page_size from arguments))
  )
  select (extract(epoch from e.at) * 1000000)::bigint, e.* from entries e order by e.at desc limit (select page_size from arguments)
$$;

-- ---- Content ----

-- Content of an update as it is sent.
create type private.update_content as (
  headline text, body jsonb, key_event boolean, urgency public.update_urgency,
  verification public.update_verification, attribution text, desk_note text, dateline text,
  occurred_at timestamptz, bylines uuid[]
);

-- The people of a byline: active staff, or people bylined on this update before. Without bylines, the author.
create function private.read_bylines(bylines jsonb, author uuid, update_id uuid) returns uuid[]
language plpgsql stable set search_path = '' as $$
declare people uuid[];
begin
  if bylines in ('null', '[]') then
    -- An author whose account was deleted and who was never bylined has no name any more.
    return array(select p.id from public.people p where p.id = author and (p.deleted_at is null or p.bylined_at is not null));
  end if;
  if jsonb_typeof(bylines) = 'array' and jsonb_array_length(bylines) <= private.get_limit('bylines') then
    select array_agg(p.id order by b.n) into people
    from jsonb_array_elements_text(bylines) with ordinality b(id, n)
    join public.people p on p.id = private.to_uuid(b.id)
    where (p.active and p.role <> 'reader')
       or exists (select from public.update_bylines u where u.update_id = read_bylines.update_id and u.person_id = p.id);
    if cardinality(people) = jsonb_array_length(bylines)
       and cardinality(people) = (select count(distinct x) from unnest(people) x) then
      return people;
    end if;
  end if;
  perform private.raise_invalid('bylines', 'invalid_bylines', jsonb_build_object('max', private.get_limit('bylines')));
end $$;

-- Reads the content of an update and raises `invalid` for the first field that breaks a rule. `min_blocks` is the
-- smallest number of blocks.
create function private.read_content(content jsonb, min_blocks integer, author uuid, update_id uuid default null) returns private.update_content
language plpgsql stable set search_path = '' as $$
declare result private.update_content;
begin
  perform private.require_object(content, '{headline,body,key_event,urgency,verification,attribution,desk_note,dateline,occurred_at,bylines}');
  result.headline := private.optional_line(content, 'headline', 'update_headline');
  result.body := private.read_body(coalesce(content -> 'body', '[]'), min_blocks, 'body');
  if not private.is_boolean(content -> 'key_event') then
    perform private.raise_invalid('key_event', 'not_boolean');
  end if;
  result.key_event := coalesce((content ->> 'key_event')::boolean, false);
  result.urgency := private.optional_enum(content, 'urgency', null::public.update_urgency, 'normal');
  result.verification := private.optional_enum(content, 'verification', null::public.update_verification, 'confirmed');
  result.attribution := private.optional_line(content, 'attribution', 'attribution');
  result.desk_note := private.optional_multiline(content, 'desk_note', 'desk_note');
  result.dateline := private.optional_line(content, 'dateline', 'dateline');
  result.occurred_at := private.optional_time(content, 'occurred_at');
  -- The clock of a phone may be slightly ahead of the server's.
  if result.occurred_at > now() + interval '1 minute' then
    perform private.raise_invalid('occurred_at', 'time_in_future');
  end if;
  result.bylines := private.read_bylines(coalesce(content -> 'bylines', 'null'), author, read_content.update_id);
  return result;
end $$;

-- The current content of an update, to be saved again with other photos.
create function private.current_content(saved public.updates) returns private.update_content
language sql stable set search_path = '' as $$
  select row(saved.headline, saved.body, saved.key_event, saved.urgency, saved.verification, saved.attribution, saved.desk_note,
    saved.dateline, saved.occurred_at, array(select b.person_id from public.update_bylines b where b.update_id = saved.id
      order by b.position))::private.update_content
$$;

-- ---- Changes ----

-- Assigns the next sequence number of a coverage, which this transaction has locked, and logs the change.
create function private.log_change(coverage uuid, changed_update uuid, kind public.change_kind) returns bigint
language plpgsql volatile set search_path = '' as $$
declare next_seq bigint;
begin
  update public.coverages c set seq = c.seq + 1 where c.id = coverage returning c.seq into next_seq;
  insert into public.coverage_changes (coverage_id, seq, update_id, kind) values (coverage, next_seq, changed_update, kind);
  return next_seq;
end $$;

-- Records that a photo is removed from published content of a locked coverage: cached copies must be deleted.
create function private.mark_photo_removed(coverage uuid) returns void
language sql volatile set search_path = '' as $$
  insert into private.broadcast_positions as a (coverage_id, seq, photo_removed) values (coverage, 0, true)
  on conflict (coverage_id) do update set photo_removed = true
$$;

-- Notifies the desk that an update changed. Submitting or spiking an update does not change its version.
create function private.notify_desk_of_update(update_id uuid) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.broadcast('desk:' || u.coverage_id, 'update', jsonb_build_object('update', u.id, 'version', u.version))
  from public.updates u where u.id = notify_desk_of_update.update_id;
end $$;

-- Result of every command on an update.
create function private.update_result(update_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', u.id, 'coverage_id', u.coverage_id, 'number', u.number, 'state', u.state,
    'version', u.version, 'seq', u.seq, 'published_at', u.published_at)
  from public.updates u where u.id = update_result.update_id
$$;

-- ---- Execute rights ----

grant execute on function public.list_corrections to anon, authenticated, service_role;
