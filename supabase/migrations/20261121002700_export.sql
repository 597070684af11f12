-- Export: the newsroom's data for its owner, a person's own data, and a public coverage as files.

-- ---- Export of the newsroom ----

-- Parts of the export: rows of a table in the order of its key. `omits` are columns that are never exported:
-- digests of secrets and senders.
create table private.export_parts (
  part text primary key,
  position smallint not null unique,
  key text[] not null,
  omits text[] not null default '{}',
  -- Option of begin_export() that includes the part: confidential tips, or addresses.
  requires_option text check (requires_option in ('tips', 'addresses'))
);
alter table private.export_parts enable row level security;
insert into private.export_parts (part, position, key, omits, requires_option) values
  ('site', 1, '{id}', '{}', null),
  ('people', 2, '{id}', '{}', null),
  ('topics', 3, '{id}', '{}', null),
  ('coverages', 4, '{id}', '{}', null),
  ('coverage_slugs', 5, '{slug}', '{}', null),
  ('coverage_topics', 6, '{coverage_id,topic_id}', '{}', null),
  ('coverage_members', 7, '{coverage_id,person_id}', '{}', null),
  ('coverage_revisions', 8, '{coverage_id,version}', '{}', null),
  ('updates', 9, '{id}', '{}', null),
  ('update_bylines', 10, '{update_id,person_id}', '{}', null),
  ('update_photos', 11, '{update_id,photo_id}', '{}', null),
  ('update_revisions', 12, '{update_id,version}', '{}', null),
  ('coverage_changes', 13, '{coverage_id,seq}', '{}', null),
  ('photos', 14, '{id}', '{}', null),
  ('audit_log', 15, '{id}', '{}', null),
  ('tips', 16, '{id}', '{sender_hash,device_hash,device_known,words_hash,receipt_hash}', 'tips'),
  ('invites', 17, '{id}', '{token_hash}', 'addresses'),
  ('follows', 18, '{id}', '{unsubscribe_secret}', 'addresses');

-- Logs the export and returns its parts in order: {parts}.
create function public.begin_export(idempotency_key uuid, tips boolean, addresses boolean)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'begin_export', jsonb_build_array(tips, addresses));
  parts jsonb;
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('administer', null);
  select jsonb_agg(p.part order by p.position) into parts from private.export_parts p
  where p.requires_option is null or (p.requires_option = 'tips' and tips) or (p.requires_option = 'addresses' and addresses);
  if addresses then parts := parts || '["addresses"]'; end if;
  perform private.log_action('export', 'site', null, jsonb_build_object('tips', coalesce(tips, false), 'addresses', coalesce(addresses, false)));
  return private.finish_command(idempotency_key, jsonb_build_object('parts', parts));
end $$;

-- Parts of an export that the caller began within a day. Errors: bad_state.
create function private.export_parts_of(export uuid) returns jsonb
language plpgsql stable set search_path = '' as $$
declare parts jsonb;
begin
  select o.result -> 'parts' into parts from private.idempotency_keys o
  where o.key = export and o.action = 'begin_export' and o.person_id = auth.uid() and o.created_at > now() - interval '1 day';
  if parts is null then perform private.raise_error('bad_state', 'export_not_begun'); end if;
  return parts;
end $$;

-- Rows of a part after a key (an object; null for the first page), at most `export_rows`. `export` is the
-- idempotency key of begin_export. The permission is checked for each page. Photos of tips are exported with the
-- tips only.
create function public.export_page(export uuid, part text, after jsonb default null)
returns setof jsonb language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  parts jsonb;
  export_part private.export_parts;
  keys text;
  cursor_keys text;
begin
  perform private.require_permission('administer', null);
  parts := private.export_parts_of(export);
  if not coalesce(parts ? part, false) then perform private.raise_not_found(); end if;
  if part = 'addresses' then
    return query select jsonb_build_object('id', u.id, 'email', u.email) from auth.users u
    where after is null or u.id > (after ->> 'id')::uuid order by u.id limit private.get_limit('export_rows');
    return;
  end if;
  select * into export_part from private.export_parts p where p.part = part;
  select string_agg(format('t.%I', k), ', '), string_agg(format('a.%I', k), ', ') into keys, cursor_keys from unnest(export_part.key) k;
  return query execute format('select to_jsonb(t) - $2 from public.%1$I t%2$s where %4$s%5$s order by %3$s limit $3', export_part.part,
    case when after is null then '' else format(', jsonb_populate_record(null::public.%I, $1) a', export_part.part) end, keys,
    case when after is null then 'true' else format('(%s) > (%s)', keys, cursor_keys) end,
    case when part = 'photos' and not parts ? 'tips' then ' and t.coverage_id is not null' else '' end)
  using after, export_part.omits, private.get_limit('export_rows');
end $$;

-- ---- Own data ----

-- A coverage as the caller may know it: the slug only if readers or their desk can see it.
create function private.coverage_for_me(coverage uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', c.id, 'slug', case when private.is_public(c.state) or private.has_permission('read_desk', c.id) then c.slug end)
  from public.coverages c where c.id = coverage
$$;

-- The caller's account, memberships, devices and invitations.
create function private.my_account() returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'person', (select jsonb_build_object('id', p.id, 'handle', p.handle, 'display_name', p.display_name, 'bio', p.bio, 'role', p.role,
        'bylined_at', p.bylined_at, 'created_at', p.created_at) from public.people p where p.id = auth.uid()),
    'account', (select jsonb_build_object('email', u.email, 'email_confirmed_at', u.email_confirmed_at, 'created_at', u.created_at,
        'last_sign_in_at', u.last_sign_in_at, 'sign_up_metadata', u.raw_user_meta_data) from auth.users u where u.id = auth.uid()),
    'devices', coalesce((select jsonb_agg(jsonb_build_object('id', s.id, 'user_agent', s.user_agent, 'ip', s.ip, 'started_at', s.created_at,
        'last_seen_at', coalesce(s.refreshed_at at time zone 'UTC', s.created_at)) order by s.created_at)
      from auth.sessions s where s.user_id = auth.uid()), '[]'),
    'memberships', coalesce((select jsonb_agg(jsonb_build_object('coverage', private.coverage_for_me(m.coverage_id), 'expires_at', m.expires_at)
        order by m.expires_at)
      from public.coverage_members m where m.person_id = auth.uid()), '[]'),
    'invites', coalesce((select jsonb_agg(jsonb_build_object('email', i.email, 'name', i.name, 'role', i.role, 'created_at', i.created_at,
        'accepted_at', i.accepted_at) order by i.created_at)
      from public.invites i where i.accepted_by = auth.uid()), '[]'))
$$;

-- The caller's follows, push subscriptions, alerts and tips. Spam is reported as declined.
create function private.my_subscriptions() returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'follows', coalesce((select jsonb_agg(private.follow_target(f.coverage_id, f.topic_id) || jsonb_build_object('id', f.id, 'scope', f.scope,
        'mail', f.mail, 'push', f.push, 'created_at', f.created_at) order by f.created_at)
      from public.follows f where f.person_id = auth.uid()), '[]'),
    'push', coalesce((select jsonb_agg(jsonb_build_object('id', s.id, 'device', s.device,
        'service', substring(s.endpoint from '^https?://([^/]+)/'), 'created_at', s.created_at, 'last_notified_at', s.last_notified_at) order by s.created_at)
      from public.push_subscriptions s where s.person_id = auth.uid()), '[]'),
    'alerts', coalesce((select jsonb_agg(jsonb_build_object('id', d.id, 'channel', d.channel, 'device', d.subscription_id, 'state', d.state,
        'coverage', private.coverage_for_me(a.coverage_id), 'updates', to_jsonb(d.updates), 'due_at', d.due_at,
          'sent_at', d.sent_at) order by d.due_at)
      from public.deliveries d join public.alerts a on a.id = d.alert_id where d.person_id = auth.uid()), '[]'),
    'tips', coalesce((select jsonb_agg(jsonb_build_object('id', t.id, 'body', t.body, 'name', t.name, 'contact', t.contact, 'may_be_named', t.may_be_named,
        'state', private.sender_state(t.state), 'created_at', t.created_at,
        'coverage', private.coverage_for_me(t.coverage_id)) order by t.created_at)
      from public.tips t where t.sender = auth.uid()), '[]'))
$$;

-- The caller's work: versions that they saved, bylines, photos, actions. Content of withdrawn updates is included
-- only with access to the desk.
create function private.my_work() returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'versions', coalesce((select jsonb_agg(jsonb_build_object('update', u.id, 'coverage', u.coverage_id, 'number', u.number,
        'version', r.version, 'kind', r.kind, 'at', r.created_at, 'note', r.note) || case
          when (u.state = 'withdrawn' or c.state = 'withdrawn') and c.id not in (select private.desk_coverages()) then '{}'::jsonb
          else jsonb_build_object('content', r.content) end order by r.created_at)
      from public.update_revisions r join public.updates u on u.id = r.update_id join public.coverages c on c.id = u.coverage_id
      where r.created_by = auth.uid()), '[]'),
    'bylines', coalesce((select jsonb_agg(jsonb_build_object('update', u.id, 'coverage', private.coverage_for_me(u.coverage_id),
        'number', u.number, 'published_at', b.published_at) order by b.published_at)
      from public.update_bylines b join public.updates u on u.id = b.update_id where b.person_id = auth.uid()), '[]'),
    'coverage_versions', coalesce((select jsonb_agg(jsonb_build_object('coverage', private.coverage_for_me(r.coverage_id), 'version', r.version,
        'at', r.created_at) order by r.created_at)
      from public.coverage_revisions r where r.created_by = auth.uid()), '[]'),
    'photos', coalesce((select jsonb_agg(jsonb_build_object('id', p.id, 'coverage', p.coverage_id, 'tip', p.tip_id, 'state', p.state,
        'alt', p.alt, 'caption', p.caption, 'credit', p.credit, 'created_at', p.created_at) order by p.created_at)
      from public.photos p where p.uploaded_by = auth.uid()), '[]'),
    'actions', coalesce((select jsonb_agg(jsonb_build_object('at', l.created_at, 'action', l.action, 'subject', l.subject, 'subject_id', l.subject_id,
        'detail', l.detail) order by l.created_at)
      from public.audit_log l where l.created_by = auth.uid()), '[]'))
$$;

-- All data about the caller except keys, digests and other people's content: {at, person, account, devices, memberships,
-- invites, follows, push, alerts, tips, versions, bylines, coverage_versions, photos, actions}.
create function public.my_data() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('at', now()) || private.my_account() || private.my_subscriptions() || private.my_work()
$$;

-- ---- A coverage as files ----
-- Only what readers may see. The import of these files is in the migration `import`.

-- A time in a file: UTC with microseconds.
create function private.file_time(at timestamptz) returns text
language sql stable return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

-- A public coverage by any slug that it had. Errors: gone, not_found.
create function private.public_coverage(slug text) returns public.coverages
language plpgsql stable set search_path = '' as $$
declare coverage public.coverages;
begin
  select c.* into coverage from public.coverage_slugs s join public.coverages c on c.id = s.coverage_id
  where s.slug = public_coverage.slug;
  if coverage.state = 'withdrawn' then perform private.raise_error('gone', 'coverage_withdrawn'); end if;
  if coverage.id is null or not private.is_public(coverage.state) then perform private.raise_not_found(); end if;
  return coverage;
end $$;

-- People bylined on the published updates of a coverage and on their public versions.
create function private.bylined_people(coverage uuid) returns setof uuid
language sql stable set search_path = '' as $$
  select b.person_id from public.updates u join public.update_bylines b on b.update_id = u.id
  where u.coverage_id = coverage and u.state = 'published'
  union
  select b.id::uuid from public.updates u
  join public.update_revisions r on r.update_id = u.id and r.public,
    lateral jsonb_array_elements_text(r.content -> 'bylines') b(id)
  where u.coverage_id = coverage and u.state = 'published' and u.revised_at is not null
$$;

-- Whether readers see a photo: it is ready, has a text alternative, and a published update shows it.
create function private.is_public_photo(photo public.photos) returns boolean
language sql stable set search_path = '' as $$
  select photo.state = 'ready' and photo.alt is not null and exists (
    select from public.update_photos o join public.updates u on u.id = o.update_id
    where o.photo_id = photo.id and u.state = 'published')
$$;

-- A public coverage without its updates and changes: {coverage, slugs, topics, people, photos}.
create function public.export_coverage(slug text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_variable
declare c public.coverages := private.public_coverage(slug);
begin
  return jsonb_build_object(
    'coverage', jsonb_build_object('id', c.id, 'slug', c.slug, 'kicker', c.kicker, 'headline', c.headline,
      'standfirst', c.standfirst, 'summary', c.summary, 'summary_at', private.file_time(c.summary_at), 'state', c.state,
      'time_zone', c.time_zone, 'language', c.language, 'starts_at', private.file_time(c.starts_at),
      'ended_at', private.file_time(c.ended_at), 'published_at', private.file_time(c.published_at),
      'revised_at', private.file_time(c.revised_at), 'last_published_at', private.file_time(c.last_published_at),
      'pinned_update', c.pinned_update, 'reader_follow_mode', c.reader_follow_mode, 'check_interval_seconds', c.check_interval_seconds,
      'seq', c.seq, 'update_count', c.update_count, 'version', c.version),
    'slugs', (select jsonb_agg(jsonb_build_object('slug', s.slug, 'since', private.file_time(s.since)) order by s.since, s.slug)
      from public.coverage_slugs s where s.coverage_id = c.id),
    'topics', coalesce((select jsonb_agg(jsonb_build_object('id', t.id, 'slug', t.slug, 'name', t.name, 'description', t.description)
        order by t.slug)
      from public.coverage_topics o join public.topics t on t.id = o.topic_id where o.coverage_id = c.id), '[]'),
    'people', coalesce((select jsonb_agg(jsonb_build_object('id', p.id, 'handle', p.handle, 'display_name', p.display_name, 'bio', p.bio)
        order by p.id)
      from public.people p where p.id in (select private.bylined_people(c.id))), '[]'),
    'photos', coalesce((select jsonb_agg(jsonb_build_object('id', p.id, 'bucket', p.bucket, 'width', p.width, 'height', p.height,
        'renditions', p.renditions, 'placeholder_colour', p.placeholder_colour, 'alt', p.alt, 'caption', p.caption, 'credit', p.credit, 'ready_at', private.file_time(p.ready_at))
        order by p.library_position)
      from public.photos p where p.coverage_id = c.id and private.is_public_photo(p)), '[]'));
end $$;

-- Content of a version without the fields of the desk.
create function private.archived_content(content jsonb) returns jsonb
language sql stable set search_path = '' as $$
  select (content - 'desk_note') || jsonb_build_object('occurred_at', private.file_time((content ->> 'occurred_at')::timestamptz))
  where content is not null
$$;

-- Public versions of a published update. The content of the last one is in the update itself.
create function private.archived_versions(saved public.updates) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('version', r.version, 'kind', r.kind, 'note', r.note, 'at', private.file_time(r.created_at),
      'redacted_at', private.file_time(r.redacted_at), 'redacted_reason', r.redacted_reason,
      'content', case when r.version < saved.version then private.archived_content(r.content) end) order by r.version), '[]')
  from public.update_revisions r where r.update_id = saved.id and r.public and saved.state = 'published'
$$;

create function private.archived_update(u public.updates) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', u.id, 'number', u.number, 'state', u.state, 'headline', u.headline, 'body', u.body,
    'key_event', u.key_event, 'urgency', u.urgency, 'verification', u.verification, 'attribution', u.attribution,
    'dateline', u.dateline, 'occurred_at', private.file_time(u.occurred_at), 'published_at', private.file_time(u.published_at),
    'revised_at', private.file_time(u.revised_at), 'corrected_at', private.file_time(u.corrected_at),
    'withdrawn_at', private.file_time(u.withdrawn_at), 'withdrawn_reason', u.withdrawn_reason, 'version', u.version, 'seq', u.seq,
    'bylines', coalesce((select jsonb_agg(b.person_id order by b.position) from public.update_bylines b
      where b.update_id = u.id and u.state = 'published'), '[]'),
    'photos', coalesce((select jsonb_agg(o.photo_id order by o.position) from public.update_photos o
      join public.photos p on p.id = o.photo_id
      where o.update_id = u.id and u.state = 'published' and p.state = 'ready' and p.alt is not null), '[]'),
    'versions', private.archived_versions(u))
$$;

-- Published and withdrawn updates of a coverage after a number, at most `max_rows`.
create function public.export_coverage_updates(coverage_id uuid, after integer, max_rows integer) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(private.archived_update(u) order by u.number), '[]')
  from (select u.* from public.updates u join public.coverages c on c.id = u.coverage_id
    where c.id = export_coverage_updates.coverage_id and private.is_public(c.state) and u.number > after
    order by u.number limit least(greatest(max_rows, 0), private.get_limit('export_updates'))) u
$$;

-- Changes of a coverage after a sequence number, at most `max_rows`.
create function public.export_coverage_changes(coverage_id uuid, after bigint, max_rows integer) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('seq', h.seq, 'kind', h.kind, 'at', private.file_time(h.at),
    'number', (select u.number from public.updates u where u.id = h.update_id)) order by h.seq), '[]')
  from (select h.* from public.coverage_changes h join public.coverages c on c.id = h.coverage_id
    where c.id = export_coverage_changes.coverage_id and private.is_public(c.state) and h.seq > after
    order by h.seq limit least(greatest(max_rows, 0), private.get_limit('export_changes'))) h
$$;

-- ---- Execute rights ----

grant execute on function public.begin_export, public.export_page, public.my_data to authenticated;
grant execute on function public.export_coverage, public.export_coverage_updates, public.export_coverage_changes to
  service_role;
