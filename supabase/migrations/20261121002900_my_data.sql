-- What is kept about somebody, for themselves to take away.

-- Which versions somebody saved.
create index update_revisions_by on public.update_revisions (by, at) where by is not null;

/* A coverage as the caller may know it: its address is theirs while readers or their desk know of it. */
create function private.coverage_for_me(coverage uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', c.id, 'slug', case when private.is_public(c.state) or private.may('read_desk', c.id) then c.slug end)
  from public.coverages c where c.id = coverage
$$;

/* Who the caller is here: account, roles and places, devices. */
create function private.my_account() returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'person', (select jsonb_build_object('id', p.id, 'handle', p.handle, 'display_name', p.display_name, 'bio', p.bio, 'role', p.role,
        'bylined_at', p.bylined_at, 'created_at', p.created_at) from public.people p where p.id = auth.uid()),
    'account', (select jsonb_build_object('email', u.email, 'email_confirmed_at', u.email_confirmed_at, 'created_at', u.created_at,
        'last_sign_in_at', u.last_sign_in_at, 'said_at_sign_up', u.raw_user_meta_data) from auth.users u where u.id = auth.uid()),
    'devices', coalesce((select jsonb_agg(jsonb_build_object('id', s.id, 'user_agent', s.user_agent, 'ip', s.ip, 'started_at', s.created_at,
        'last_seen_at', coalesce(s.refreshed_at at time zone 'UTC', s.created_at)) order by s.created_at)
      from auth.sessions s where s.user_id = auth.uid()), '[]'),
    'places', coalesce((select jsonb_agg(jsonb_build_object('coverage', private.coverage_for_me(m.coverage_id), 'expires_at', m.expires_at)
        order by m.expires_at)
      from public.coverage_members m where m.person_id = auth.uid()), '[]'),
    'invites', coalesce((select jsonb_agg(jsonb_build_object('email', i.email, 'name', i.name, 'role', i.role, 'created_at', i.created_at,
        'accepted_at', i.accepted_at) order by i.created_at)
      from public.invites i where i.accepted_by = auth.uid()), '[]'))
$$;

/* What the caller reads and tells: follows, devices that are told, alerts, tips. What a tip was taken for is not said. */
create function private.my_reading() returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'follows', coalesce((select jsonb_agg(private.followed(f.coverage_id, f.topic_id) || jsonb_build_object('id', f.id, 'scope', f.scope,
        'mail', f.mail, 'push', f.push, 'created_at', f.created_at) order by f.created_at)
      from public.follows f where f.person_id = auth.uid()), '[]'),
    'push', coalesce((select jsonb_agg(jsonb_build_object('id', s.id, 'device', s.device,
        'service', substring(s.endpoint from '^https?://([^/]+)/'), 'created_at', s.created_at, 'last_told_at', s.last_told_at) order by s.created_at)
      from public.push_subscriptions s where s.person_id = auth.uid()), '[]'),
    'alerts', coalesce((select jsonb_agg(jsonb_build_object('id', d.id, 'channel', d.channel, 'device', d.subscription_id, 'state', d.state,
        'coverage', private.coverage_for_me(a.coverage_id), 'updates', to_jsonb(d.updates), 'due_at', d.due_at, 'sent_at', d.sent_at) order by d.due_at)
      from public.deliveries d join public.alerts a on a.id = d.alert_id where d.person_id = auth.uid()), '[]'),
    'tips', coalesce((select jsonb_agg(jsonb_build_object('id', t.id, 'body', t.body, 'name', t.name, 'contact', t.contact, 'may_name', t.may_name,
        'state', case t.state when 'spam' then 'declined' else t.state end, 'created_at', t.created_at,
        'coverage', private.coverage_for_me(t.coverage_id)) order by t.created_at)
      from public.tips t where t.sender = auth.uid()), '[]'))
$$;

/* What the caller did for the newsroom: the versions that they saved in their own words, where their name stands, photos, acts. Of
   what was withdrawn the words are their desk's alone. */
create function private.my_work() returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'versions', coalesce((select jsonb_agg(jsonb_build_object('update', u.id, 'coverage', u.coverage_id, 'number', u.number,
        'version', r.version, 'kind', r.kind, 'at', r.at, 'note', r.note) || case
          when (u.state = 'withdrawn' or c.state = 'withdrawn') and c.id not in (select private.desk_coverages()) then '{}'::jsonb
          else jsonb_build_object('content', r.content) end order by r.at)
      from public.update_revisions r join public.updates u on u.id = r.update_id join public.coverages c on c.id = u.coverage_id
      where r.by = auth.uid()), '[]'),
    'bylines', coalesce((select jsonb_agg(jsonb_build_object('update', u.id, 'coverage', private.coverage_for_me(u.coverage_id),
        'number', u.number, 'published_at', b.published_at) order by b.published_at)
      from public.update_bylines b join public.updates u on u.id = b.update_id where b.person_id = auth.uid()), '[]'),
    'coverage_versions', coalesce((select jsonb_agg(jsonb_build_object('coverage', private.coverage_for_me(r.coverage_id), 'version', r.version,
        'at', r.at) order by r.at)
      from public.coverage_revisions r where r.by = auth.uid()), '[]'),
    'photos', coalesce((select jsonb_agg(jsonb_build_object('id', p.id, 'coverage', p.coverage_id, 'tip', p.tip_id, 'state', p.state,
        'alt', p.alt, 'caption', p.caption, 'credit', p.credit, 'created_at', p.created_at) order by p.created_at)
      from public.photos p where p.uploaded_by = auth.uid()), '[]'),
    'acts', coalesce((select jsonb_agg(jsonb_build_object('at', l.at, 'action', l.action, 'subject', l.subject, 'subject_id', l.subject_id,
        'detail', l.detail) order by l.at)
      from public.audit_log l where l.by = auth.uid()), '[]'))
$$;

/* Everything that is kept about the caller, but keys and digests, and what others wrote: {at, person, account, devices, places,
   invites, follows, push, alerts, tips, versions, bylines, coverage_versions, photos, acts}. */
create function public.my_data() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('at', now()) || private.my_account() || private.my_reading() || private.my_work()
$$;
revoke execute on function public.my_data() from public, anon, service_role;
grant execute on function public.my_data() to authenticated;
