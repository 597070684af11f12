-- Filing: chats receive notices about the updates that were filed there, and the desk reads the messages as they were sent.

-- The message at the channel, to which notices reply, and the account that has received it: each account numbers its messages.
-- The texts as they were sent, with edits: [{text, written_at}]. After a redaction they are removed, and no further text of the
-- message is stored.
alter table private.filed_messages add column reference text, add column account text, add column texts jsonb not null default '[]',
  add column texts_removed boolean not null default false;

-- Notices for chats about their updates: one for each version and kind. A notice is deleted with the record of its message.
create table private.filing_notices (
  id bigint generated always as identity primary key,
  update_id uuid not null references private.filed_messages (id) on delete cascade,
  version integer not null,
  kind text not null,
  state text not null default 'queued',
  due_at timestamptz not null default now(),
  attempts smallint not null default 0,
  -- When the edge function began to send it.
  claimed_at timestamptz,
  constraint notice_once unique (update_id, version, kind),
  constraint kind_known check (kind in ('published', 'clarified', 'corrected', 'withdrawn', 'spiked')),
  -- `failed` also if it is not known whether the chat received it. It is not sent again then.
  constraint state_known check (state in ('queued', 'sending', 'sent', 'failed'))
);
create index filing_notices_queued on private.filing_notices (due_at) where state in ('queued', 'sending');
alter table private.filing_notices enable row level security;

-- ---- Adding notices ----

-- Queues a notice about an update that was filed by chat. Changes of the sender's own person get none. A proposal of a correction
-- that is spiked gets none, because its text may be in the published update.
create function private.add_filing_notice(update_id uuid, version integer, kind text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into private.filing_notices (update_id, version, kind)
    select m.id, add_filing_notice.version, add_filing_notice.kind
    from private.filed_messages m join private.filing_senders s on s.id = m.sender_id
    where m.id = add_filing_notice.update_id and m.version is not null and s.person_id is distinct from auth.uid()
      and not (add_filing_notice.kind = 'spiked' and m.result ->> 'outcome' is not distinct from 'proposed')
  on conflict on constraint notice_once do nothing;
  if found then perform private.broadcast('site', 'filing_notices', '{}'); end if;
end $$;

create function private.notice_update_state() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.add_filing_notice(new.id, new.version, new.state::text);
  return null;
end $$;
create trigger notice_filing after update of state on public.updates
  for each row when (old.state is distinct from new.state and new.state in ('published', 'withdrawn', 'spiked'))
  execute function private.notice_update_state();

create function private.notice_correction() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.add_filing_notice(new.update_id, new.version, case new.kind when 'correction' then 'corrected' else 'clarified' end);
  return null;
end $$;
create trigger notice_filing after insert on public.update_revisions
  for each row when (new.kind in ('clarification', 'correction')) execute function private.notice_correction();

-- ---- Sending notices ----

-- Seconds until the next notice is due; null without one, or without a connected channel.
create function public.filing_notices_due() returns integer
language sql stable security definer set search_path = '' as $$
  select private.seconds_until(min(n.due_at)) from private.filing_notices n
  where n.state = 'queued' and exists (select from private.filing_channels)
$$;

-- Claims up to 20 due notices of a channel, one of each sender, in order. The edge function has two minutes to record
-- the results. Later it is not known whether the chat received them, and they are not sent again.
-- Returns {notices: [{id, sender, reference, language, kind, number, coverage, slug, note}], more}. `slug` is that of a coverage that
-- readers see. `reference` is null for a message to another account than the connected one. `note` is the public note of a correction
-- or clarification, or the reason of a withdrawal.
create function public.claim_filing_notices(channel text) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  batch constant integer := 20;
  ids bigint[];
begin
  update private.filing_notices n set state = 'failed'
  where n.state = 'sending' and n.claimed_at < clock_timestamp() - interval '2 minutes';
  -- People who may not write in the coverage any more receive nothing about it.
  update private.filing_notices n set state = 'failed'
  from private.filed_messages m join private.filing_senders s on s.id = m.sender_id join public.updates u on u.id = m.id
  where n.state = 'queued' and n.due_at <= now() and m.id = n.update_id
    and not private.person_has_permission(s.person_id, 'write_update', u.coverage_id, s.person_id);
  with due as (
    select n.id from private.filing_notices n
      join private.filed_messages m on m.id = n.update_id join private.filing_senders s on s.id = m.sender_id
    where n.state = 'queued' and n.due_at <= now() and s.channel = channel and not exists (
      select from private.filing_notices e join private.filed_messages o on o.id = e.update_id
      where o.sender_id = m.sender_id and e.id < n.id and e.state in ('queued', 'sending'))
    order by n.id limit batch for update of n skip locked),
  claimed as (
    update private.filing_notices n set state = 'sending', claimed_at = clock_timestamp(), attempts = n.attempts + 1
    from due where n.id = due.id returning n.id)
  select coalesce(array_agg(c.id), '{}') into ids from claimed c;
  return jsonb_build_object('more', ids <> '{}', 'notices', coalesce((
    select jsonb_agg(jsonb_build_object('id', n.id, 'sender', s.sender,
      'reference', case when m.account = a.account then m.reference end, 'language', s.language, 'kind', n.kind,
      'number', u.number, 'coverage', c.headline, 'slug', case when private.is_public(c.state) then c.slug end,
      'note', case n.kind when 'withdrawn' then u.withdrawn_reason else (
        select r.note from public.update_revisions r where r.update_id = u.id and r.version = n.version
          and r.kind in ('clarification', 'correction')) end) order by n.id)
    from private.filing_notices n
      join private.filed_messages m on m.id = n.update_id join private.filing_senders s on s.id = m.sender_id
      join public.updates u on u.id = n.update_id join public.coverages c on c.id = u.coverage_id
      left join private.filing_channels a on a.channel = s.channel
    where n.id = any (ids)), '[]'));
end $$;

-- Records what became of claimed notices: [{id, outcome, retry_after?}]. Outcomes: `sent`; `again`, after a wait that grows with
-- the attempts; `later`, for a notice that was not tried; `closed`, if the chat does not accept messages, which also ends the other
-- notices of the chat; `failed`. With `retry_after`, all notices that are queued wait at least that many seconds.
create function public.record_filing_notices(results jsonb) returns void
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  result jsonb;
  outcome text;
  wait numeric;
  existing private.filing_notices;
begin
  for result in select e from jsonb_array_elements(results) e loop
    outcome := result ->> 'outcome';
    wait := case jsonb_typeof(result -> 'retry_after') when 'number' then (result ->> 'retry_after')::numeric end;
    select * into existing from private.filing_notices n where n.id = (result ->> 'id')::bigint and n.state = 'sending' for update;
    continue when existing.id is null;
    if outcome = 'again' and existing.attempts >= private.get_limit('delivery_attempts') then outcome := 'failed'; end if;
    if outcome = 'later' then
      update private.filing_notices n set state = 'queued', attempts = n.attempts - 1,
        due_at = now()
      where n.id = existing.id;
    elsif outcome = 'again' then
      update private.filing_notices n set state = 'queued', due_at = now() + private.retry_after(n.attempts, wait) where n.id = existing.id;
    else
      update private.filing_notices n set state = case outcome when 'sent' then 'sent' else 'failed' end where n.id = existing.id;
    end if;
    if outcome = 'closed' then
      update private.filing_notices n set state = 'failed'
      from private.filed_messages m, private.filed_messages o
      where n.state = 'queued' and m.id = n.update_id and o.id = existing.update_id and m.sender_id = o.sender_id;
    elsif wait > 0 then
      update private.filing_notices n set due_at = greatest(n.due_at, now() + make_interval(secs => least(wait, 3600))) where n.state = 'queued';
    end if;
  end loop;
end $$;

-- ---- The messages as they were sent ----

-- The texts of the message of an update, oldest first: [{text, written_at}]. Empty for people who may not read the desk, for other
-- updates, and when the message is forgotten.
create function public.read_filed_texts(update_id uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce((select jsonb_agg(t.text order by (t.text ->> 'written_at')::timestamptz)
    from private.filed_messages m join public.updates u on u.id = m.id, jsonb_array_elements(m.texts) t(text)
    where m.id = read_filed_texts.update_id and u.coverage_id in (select private.desk_coverages())), '[]')
$$;

-- A redaction also removes the texts of the message, which may have the redacted content. See remove_filed_texts.
create function private.redact_filed_texts() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update private.filed_messages m set texts_removed = true where m.id = new.update_id;
  return null;
end $$;
create trigger redact_filed_texts after update of redacted_at on public.update_revisions
  for each row when (old.redacted_at is null and new.redacted_at is not null) execute function private.redact_filed_texts();

-- Updates of every state with the fields of the desk. `filed_by` is the channel by which an update was filed, while its message is
-- remembered.
create or replace view public.desk_updates with (security_barrier) as
  select u.id, u.coverage_id, u.number, u.state, u.headline, u.body, u.key_event, u.urgency, u.verification,
    u.attribution, u.desk_note, u.dateline, u.author, u.created_by, u.published_by, u.occurred_at, u.created_at,
    u.scheduled_for, u.schedule_error_code, u.published_at, u.revised_at, u.corrected_at, u.withdrawn_at, u.withdrawn_reason, u.version, u.seq,
    coalesce((select jsonb_agg((select jsonb_build_object('id', p.id, 'handle', p.handle, 'display_name', p.display_name)
        from public.people p where p.id = b.person_id) order by b.position)
      from public.update_bylines b where b.update_id = u.id), '[]') as bylines,
    coalesce((select jsonb_agg((select jsonb_build_object('id', p.id, 'state', p.state, 'refusal_code', p.refusal_code, 'width', p.width,
        'height', p.height, 'renditions', p.renditions, 'alt', p.alt, 'caption', p.caption, 'credit', p.credit)
        from public.photos p where p.id = o.photo_id) order by o.position)
      from public.update_photos o where o.update_id = u.id), '[]') as photos,
    (select s.channel from private.filed_messages m join private.filing_senders s on s.id = m.sender_id where m.id = u.id) as filed_by
  from public.updates u
  where u.coverage_id in (select private.desk_coverages());

-- The caller's links to senders, and the texts of their messages.
create or replace function private.my_filing_senders() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('filing_senders', coalesce((select jsonb_agg(jsonb_build_object('channel', s.channel, 'sender', s.sender, 'name', s.name,
      'language', s.language, 'publishes', s.publishes, 'linked_at', s.linked_at, 'last_filed_at', s.last_filed_at) order by s.linked_at)
    from private.filing_senders s where s.person_id = auth.uid()), '[]'),
    'filed_messages', coalesce((select jsonb_agg(jsonb_build_object('channel', s.channel, 'reference', m.reference, 'update', m.id,
      'written_at', m.written_at, 'texts', m.texts) order by m.written_at)
    from private.filed_messages m join private.filing_senders s on s.id = m.sender_id where s.person_id = auth.uid()), '[]'))
$$;

-- ---- Execute rights ----

grant execute on function public.read_filed_texts to authenticated;
grant execute on function public.filing_notices_due, public.claim_filing_notices, public.record_filing_notices to service_role;
