-- Updates, their revisions, and the log of changes that readers follow.

create type public.update_state as enum ('draft', 'submitted', 'scheduled', 'published', 'withdrawn', 'spiked');
create type public.update_urgency as enum ('normal', 'important', 'urgent');
create type public.update_verification as enum ('unverified', 'developing', 'confirmed');
create type public.revision_kind as enum ('revision', 'clarification', 'correction', 'withdrawal');
create type public.change_kind as enum
  ('publication', 'revision', 'clarification', 'correction', 'withdrawal', 'redaction', 'state', 'summary', 'pin', 'settings', 'follow', 'photo');

/* A withdrawn update keeps its row as a tombstone (number, times, reason) and none of its words: those
   live in its revisions, which only staff may read. So no query on this table can return them. */
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
  filed_by uuid references public.people (id),
  published_by uuid references public.people (id),
  occurred_at timestamptz,
  filed_at timestamptz not null default now(),
  scheduled_for timestamptz,
  -- Under whose rights it goes out then, and the code of why it did not.
  scheduled_by uuid references public.people (id),
  schedule_refusal text,
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
  constraint numbered_when_public check ((number is not null) = (state in ('published', 'withdrawn'))),
  constraint dated_when_public check ((published_at is not null and seq is not null) = (state in ('published', 'withdrawn'))),
  constraint scheduled_says_when check ((state = 'scheduled') = (scheduled_for is not null)
    and (state = 'scheduled' or (scheduled_by is null and schedule_refusal is null))),
  constraint withdrawn_says_why check ((state = 'withdrawn') = (withdrawn_at is not null)
    and (state <> 'withdrawn' or private.is_text(withdrawn_reason, 'note'))),
  constraint withdrawn_has_no_words check (state <> 'withdrawn' or (headline is null and body = '[]'
    and attribution is null and dateline is null))
);
/* Each list has an index in its own order, and no other index begins as it does but is shorter: so the planner has no
   choice to be wrong about, also where it knows nothing of the rows. The conditions are as the API says them. */
create index updates_key_events on public.updates (coverage_id, number) where key_event is true and state = 'published';
create index updates_withdrawn on public.updates (coverage_id, number) where state = 'withdrawn';
create index updates_unpublished on public.updates (coverage_id, state, filed_at) where number is null;
create index updates_due on public.updates (scheduled_for) where state = 'scheduled';
alter table public.coverages add foreign key (pinned_update) references public.updates (id);

create table public.update_bylines (
  update_id uuid not null references public.updates (id),
  person_id uuid not null references public.people (id),
  position smallint not null,
  -- That of the update, while it is published: what a person's page is ordered by.
  published_at timestamptz,
  primary key (update_id, person_id)
);
create index update_bylines_person on public.update_bylines (person_id, published_at, update_id);

/* The photos in an update's body as it is now; a withdrawn one keeps those that it had, which no reader sees. */
create table public.update_photos (
  update_id uuid not null references public.updates (id),
  photo_id uuid not null references public.photos (id),
  position smallint not null,
  primary key (update_id, photo_id)
);
create index update_photos_photo on public.update_photos (photo_id);

/* Every version of an update that was ever saved, whole. Staff only. */
create table public.update_revisions (
  update_id uuid not null references public.updates (id),
  version integer not null,
  -- Null where its words were redacted; a withdrawal has none of its own.
  content jsonb,
  kind public.revision_kind not null default 'revision',
  note text,
  by uuid references public.people (id),
  at timestamptz not null default clock_timestamp(),
  -- Saved while the update was public: what readers may one day be shown, earlier versions never.
  public boolean not null default false,
  -- When the words of this version were taken away for good, by whom, and why.
  redacted_at timestamptz,
  redacted_by uuid references public.people (id),
  redacted_reason text,
  primary key (update_id, version),
  constraint words_until_redacted check ((content is null) = (redacted_at is not null or kind = 'withdrawal')),
  constraint redacted_says_why check ((redacted_at is not null) = coalesce(private.is_text(redacted_reason, 'note'), false)),
  constraint note_form check (note is null or private.is_text(note, 'note')),
  constraint note_unless_revision check (kind = 'revision' or note is not null)
);

-- Few beside the versions, and read by their time or with an update.
create index update_revisions_notes on public.update_revisions (at desc)
  where public and kind in ('clarification', 'correction');
create index update_revisions_noted on public.update_revisions (update_id)
  where public and kind in ('clarification', 'correction');

-- Which photos were ever used: no version may lose one. The condition is spelled out (private.has_photos): a session that
-- first met this index as somebody who may not call the function would not know it again where it is asked for.
create index update_revisions_photos on public.update_revisions using gin ((content -> 'body') jsonb_path_ops)
  where content -> 'body' @> '[{"type":"photo"}]';

/* What readers follow: one row for each change that they may see, numbered without gaps. */
create table public.coverage_changes (
  coverage_id uuid not null references public.coverages (id),
  seq bigint not null,
  update_id uuid references public.updates (id),
  kind public.change_kind not null,
  at timestamptz not null default clock_timestamp(),
  primary key (coverage_id, seq)
);

alter table public.updates enable row level security;
alter table public.update_bylines enable row level security;
alter table public.update_photos enable row level security;
alter table public.update_revisions enable row level security;
alter table public.coverage_changes enable row level security;
revoke all on public.updates, public.update_bylines, public.update_photos, public.update_revisions, public.coverage_changes
  from public, anon, authenticated, service_role;

-- The columns that readers may see. The desk's own (desk_note, author, filed_by …) are not among them.
grant select (id, coverage_id, number, state, headline, body, key_event, urgency, verification, attribution, dateline,
  occurred_at, published_at, revised_at, corrected_at, withdrawn_at, withdrawn_reason, version, seq)
  on public.updates to anon, authenticated;
grant select on public.update_bylines, public.update_photos, public.coverage_changes to anon, authenticated;
grant select on public.updates, public.update_bylines, public.update_photos, public.update_revisions,
  public.coverage_changes to service_role;

create policy "readers see public updates of public coverages" on public.updates for select to anon, authenticated
  using (state in ('published', 'withdrawn') and exists (
    select from public.coverages c where c.id = coverage_id and private.is_public(c.state)));
-- One look for each row that is shown. `exists` here would let the planner read every update there is first, to have
-- them all at hand for many rows: of which a limit then asks for few.
create policy "bylines of visible updates" on public.update_bylines for select to anon, authenticated
  using ((select u.state = 'published' from public.updates u where u.id = update_id));
create policy "photos of visible updates, by id" on public.update_photos for select to anon, authenticated
  using ((select u.state = 'published' from public.updates u where u.id = update_id));
create policy "readers see the photos of published updates" on public.photos for select to anon, authenticated
  using (state = 'ready' and alt is not null and (
    select true from public.update_photos p where p.photo_id = photos.id limit 1));
create policy "changes of public coverages" on public.coverage_changes for select to anon, authenticated
  using (exists (select from public.coverages c where c.id = coverage_id and private.is_public(c.state)));

/* Notes that readers see: clarifications and corrections of updates that are still published. */
create view public.update_notes with (security_barrier) as
  select r.update_id, u.coverage_id, r.version, r.kind, r.note, r.at
  from public.update_revisions r
  join public.updates u on u.id = r.update_id
  join public.coverages c on c.id = u.coverage_id
  where r.kind in ('clarification', 'correction') and r.public and u.state = 'published' and private.is_public(c.state);

/* The desk's view: updates of every state, with the desk's own columns, for those who may read that desk. Photos and
   people are looked up one by one: a join may read all that there are for each update that shows one. */
create view public.desk_updates with (security_barrier) as
  select u.id, u.coverage_id, u.number, u.state, u.headline, u.body, u.key_event, u.urgency, u.verification,
    u.attribution, u.desk_note, u.dateline, u.author, u.filed_by, u.published_by, u.occurred_at, u.filed_at,
    u.scheduled_for, u.schedule_refusal, u.published_at, u.revised_at, u.corrected_at, u.withdrawn_at, u.withdrawn_reason, u.version, u.seq,
    coalesce((select jsonb_agg((select jsonb_build_object('id', p.id, 'handle', p.handle, 'display_name', p.display_name)
        from public.people p where p.id = b.person_id) order by b.position)
      from public.update_bylines b where b.update_id = u.id), '[]') as bylines,
    coalesce((select jsonb_agg((select jsonb_build_object('id', p.id, 'state', p.state, 'refusal', p.refusal, 'width', p.width,
        'height', p.height, 'prints', p.prints, 'alt', p.alt, 'caption', p.caption, 'credit', p.credit)
        from public.photos p where p.id = o.photo_id) order by o.position)
      from public.update_photos o where o.update_id = u.id), '[]') as photos
  from public.updates u
  where u.coverage_id in (select private.desk_coverages());

/* Which updates of a coverage a desk shows: at most so many in these states, as much of each as tells whether it has
   changed. First what has no number, filed last first, then by number, the newest first. Nothing for those who may not
   read the desk. Its rows come out of the indexes in their order: to sort all of a coverage's is never the shorter way,
   whatever is known of them. */
create function public.desk_heads(coverage_id uuid, states text[], most integer)
returns table (id uuid, version integer, state public.update_state, seq bigint, schedule_refusal text)
language plpgsql stable security definer set search_path = '' set enable_sort = off set enable_bitmapscan = off as $$
#variable_conflict use_column
declare
  wanted alias for $1;
  -- As text outside, because a driver learns the arrays of our own types when it opens a database, not when they are made.
  within public.update_state[] := states::public.update_state[];
  count integer := (select c.update_count from public.coverages c where c.id = wanted and c.id in (select private.desk_coverages()));
  left_over integer := least(greatest(most, 0), 1000);
  found_here integer;
begin
  if count is null then return; end if;
  return query select u.id, u.version, u.state, u.seq, u.schedule_refusal from public.updates u
    where u.coverage_id = wanted and u.number is null and u.state = any (within) order by u.filed_at desc limit left_over;
  get diagnostics found_here = row_count;
  left_over := left_over - found_here;
  if within @> '{published,withdrawn}' then
    -- Numbers have no gaps.
    return query select u.id, u.version, u.state, u.seq, u.schedule_refusal from public.updates u
      where u.coverage_id = wanted and u.number between count - left_over + 1 and count order by u.number desc;
  elsif 'withdrawn' = any (within) then
    return query select u.id, u.version, u.state, u.seq, u.schedule_refusal from public.updates u
      where u.coverage_id = wanted and u.state = 'withdrawn' order by u.number desc limit left_over;
  elsif 'published' = any (within) then
    return query select u.id, u.version, u.state, u.seq, u.schedule_refusal from public.updates u
      where u.coverage_id = wanted and u.number <= count and u.state = 'published' order by u.number desc limit left_over;
  end if;
end $$;
revoke execute on function public.desk_heads(uuid, text[], integer) from public, anon, service_role;
grant execute on function public.desk_heads(uuid, text[], integer) to authenticated;

/* The newest updates of a person that whoever asks may see, at most so many, the newest first. They come out of the index
   in their order: where a database was vacuumed and never analyzed, as a restored one may be, a person is taken for
   somebody with few bylines, and to look at them all for the shorter way. */
create function public.newest_by(person_id uuid, most integer)
returns table (update_id uuid)
language sql stable set search_path = '' set enable_sort = off as $$
  select b.update_id from public.update_bylines b
  where b.person_id = newest_by.person_id and b.published_at is not null
  order by b.published_at desc, b.update_id desc limit least(greatest(most, 0), 1000)
$$;
revoke execute on function public.newest_by(uuid, integer) from public;
grant execute on function public.newest_by(uuid, integer) to anon, authenticated, service_role;

/* Every version, for those who may read the desk, with the names of those under it and of who saved or redacted it. */
create view public.desk_revisions with (security_barrier) as
  select r.update_id, u.coverage_id, r.version, r.content, r.kind, r.note, r.by, r.at, r.public,
    r.redacted_at, r.redacted_by, r.redacted_reason,
    (select p.display_name from public.people p where p.id = r.by) as by_name,
    (select p.display_name from public.people p where p.id = r.redacted_by) as redacted_by_name,
    coalesce((select jsonb_agg((select jsonb_build_object('id', p.id, 'handle', p.handle, 'display_name', p.display_name)
        from public.people p where p.id = b.id::uuid) order by b.n)
      from jsonb_array_elements_text(r.content -> 'bylines') with ordinality b(id, n)), '[]') as people
  from public.update_revisions r join public.updates u on u.id = r.update_id
  where u.coverage_id in (select private.desk_coverages());

/* Views are for reading. A view of one table would otherwise pass a write on with its owner's rights if it were
   ever granted one; a view of several answers a write as a fault of ours, where this lets the right be asked first. */
create function private.refuse_write() returns trigger
language plpgsql set search_path = '' as $$ begin raise insufficient_privilege; end $$;
create trigger read_only instead of insert or update or delete on public.update_notes
  for each row execute function private.refuse_write();
create trigger read_only instead of insert or update or delete on public.desk_updates
  for each row execute function private.refuse_write();
create trigger read_only instead of insert or update or delete on public.desk_revisions
  for each row execute function private.refuse_write();

revoke all on public.update_notes, public.desk_updates, public.desk_revisions from public, anon, authenticated, service_role;
grant select on public.update_notes to anon, authenticated, service_role;
grant select on public.desk_updates, public.desk_revisions to authenticated, service_role;
