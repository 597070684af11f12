-- Commands on coverages: content, states, summary, topics, members; and reminders about quiet coverages.

-- ---- Steps ----

-- Reads the content of a coverage. Fields that are not sent remain.
create function private.read_coverage(content jsonb, before public.coverages) returns public.coverages
language plpgsql stable set search_path = '' as $$
declare result public.coverages := before;
begin
  perform private.require_object(content, '{slug,kicker,headline,standfirst,time_zone,language,starts_at,topics,reader_follow_mode,check_interval_seconds}');
  if content ? 'slug' then result.slug := private.optional_text(content, 'slug'); end if;
  perform private.require_slug(result.slug);
  if content ? 'headline' then result.headline := private.optional_line(content, 'headline', 'headline'); end if;
  if result.headline is null then perform private.raise_invalid('headline', 'headline_missing'); end if;
  if content ? 'kicker' then result.kicker := coalesce(private.optional_line(content, 'kicker', 'kicker'), ''); end if;
  if content ? 'standfirst' then
    result.standfirst := coalesce(private.optional_multiline(content, 'standfirst', 'standfirst'), '');
  end if;
  if content ? 'time_zone' then result.time_zone := private.optional_text(content, 'time_zone'); end if;
  if not private.is_time_zone(result.time_zone) then
    perform private.raise_invalid('time_zone', 'invalid_time_zone');
  end if;
  if content ? 'language' then result.language := private.optional_text(content, 'language'); end if;
  perform private.require_language(result.language);
  if content ? 'starts_at' then result.starts_at := private.optional_time(content, 'starts_at'); end if;
  if content ? 'reader_follow_mode' then
    result.reader_follow_mode := private.optional_enum(content, 'reader_follow_mode', null::public.reader_follow_mode, null)::public.reader_follow_mode;
  end if;
  if content ? 'check_interval_seconds' then
    result.check_interval_seconds := private.optional_integer(content, 'check_interval_seconds', 'check_interval_min', 'check_interval_max');
  end if;
  if result.state = 'scheduled' and result.starts_at is null then
    perform private.raise_invalid('starts_at', 'scheduled_without_start');
  end if;
  return result;
end $$;

-- Reserves a slug for a coverage for good. Errors: invalid, if another coverage ever had it.
create function private.claim_slug(coverage uuid, slug text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into public.coverage_slugs (slug, coverage_id) values (claim_slug.slug, coverage) on conflict do nothing;
  if not found and not exists (select from public.coverage_slugs s where s.slug = claim_slug.slug and s.coverage_id = coverage) then
    perform private.raise_invalid('slug', 'slug_taken');
  end if;
end $$;

-- Sets the topics of a coverage from an array of slugs; null leaves them.
create function private.set_topics(coverage uuid, slugs jsonb) returns void
language plpgsql volatile set search_path = '' as $$
declare
  topic_ids uuid[];
  all_exist boolean := false;
begin
  if slugs is null then return; end if;
  if jsonb_typeof(slugs) = 'array' and jsonb_array_length(slugs) <= private.get_limit('topics') then
    select array_agg(t.id), count(t.id) = count(*) into topic_ids, all_exist
    from (select distinct slug from jsonb_array_elements_text(slugs) s(slug)) s left join public.topics t on t.slug = s.slug;
  end if;
  if not all_exist then
    perform private.raise_invalid('topics', 'invalid_topics', jsonb_build_object('max', private.get_limit('topics')));
  end if;
  delete from public.coverage_topics t where t.coverage_id = coverage;
  insert into public.coverage_topics (coverage_id, topic_id) select coverage, id from unnest(topic_ids) id;
end $$;

-- Writes the current content of a coverage as a revision.
create function private.write_coverage_revision(coverage_id uuid) returns void
language sql volatile set search_path = '' as $$
  insert into public.coverage_revisions (coverage_id, version, content, created_by)
  select c.id, c.version, jsonb_build_object('slug', c.slug, 'kicker', c.kicker, 'headline', c.headline,
    'standfirst', c.standfirst, 'time_zone', c.time_zone, 'language', c.language, 'starts_at', c.starts_at,
    'summary', c.summary, 'reader_follow_mode', c.reader_follow_mode, 'check_interval_seconds', c.check_interval_seconds), auth.uid()
  from public.coverages c where c.id = write_coverage_revision.coverage_id
$$;

-- Whether a coverage may change from one state to another.
create function private.is_valid_transition(before public.coverage_state, after public.coverage_state) returns boolean
language sql immutable set search_path = '' as $$
  select (before, after) in (
    ('draft', 'scheduled'), ('draft', 'live'), ('scheduled', 'live'), ('live', 'paused'), ('paused', 'live'),
    ('live', 'ended'), ('paused', 'ended'), ('ended', 'live'), ('ended', 'archived'))
    or (after = 'withdrawn' and private.is_public(before))
$$;

-- Changes the state of a coverage at a given time.
create function private.change_state(coverage public.coverages, new_state public.coverage_state, at timestamptz) returns void
language plpgsql volatile set search_path = '' as $$
begin
  if new_state is null or not private.is_valid_transition(coverage.state, new_state) then
    perform private.raise_error('bad_state', 'invalid_state_change',
      jsonb_build_object('state', coverage.state, 'new_state', new_state));
  end if;
  if new_state = 'scheduled' and coverage.starts_at is null then
    perform private.raise_invalid('starts_at', 'start_time_missing');
  end if;
  update public.coverages c set state = new_state,
    published_at = case when new_state = 'live' then coalesce(c.published_at, at) else c.published_at end,
    starts_at = case when new_state = 'live' then coalesce(c.starts_at, at) else c.starts_at end,
    continued_at = case when new_state = 'live' then at else c.continued_at end,
    ended_at = case new_state when 'ended' then at when 'live' then null else c.ended_at end
  where c.id = coverage.id;
  perform private.log_change(coverage.id, null, 'state');
  perform private.log_action('set_coverage_state', 'coverage', coverage.id, jsonb_build_object('from', coverage.state, 'to', new_state));
end $$;

-- ---- Commands ----

-- Creates a coverage as a draft.
create function public.create_coverage(idempotency_key uuid, coverage_id uuid, content jsonb)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'create_coverage', jsonb_build_array(coverage_id, content));
  new_values public.coverages;
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('run_coverage', coverage_id);
  if coverage_id is null then perform private.raise_invalid('coverage_id', 'coverage_id_missing'); end if;
  new_values.state := 'draft'; new_values.time_zone := 'UTC'; new_values.language := 'en'; new_values.kicker := ''; new_values.standfirst := '';
  new_values := private.read_coverage(content, new_values);
  -- The slug before the row, as in save_coverage(), so that two callers with the same slug lock in the same order.
  perform private.claim_slug(coverage_id, new_values.slug);
  insert into public.coverages (id, slug, kicker, headline, standfirst, time_zone, language, starts_at, reader_follow_mode, check_interval_seconds, created_by)
    values (coverage_id, new_values.slug, new_values.kicker, new_values.headline, new_values.standfirst, new_values.time_zone,
      new_values.language, new_values.starts_at, new_values.reader_follow_mode, new_values.check_interval_seconds, auth.uid())
  on conflict (id) do nothing;
  if not found then perform private.raise_id_conflict(); end if;
  perform private.set_topics(coverage_id, content -> 'topics');
  perform private.write_coverage_revision(coverage_id);
  perform private.log_action('create_coverage', 'coverage', coverage_id, jsonb_build_object('slug', new_values.slug));
  return private.finish_command(idempotency_key, private.coverage_result(coverage_id));
end $$;

-- Changes content and settings of a coverage. `version` is the one that the caller saw.
create function public.save_coverage(idempotency_key uuid, coverage_id uuid, version integer, content jsonb)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage(coverage_id);
  stored_result jsonb := private.begin_command(idempotency_key, 'save_coverage', jsonb_build_array(coverage_id, version, content));
  new_values public.coverages;
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('run_coverage', coverage.id);
  perform private.require_version(coverage.version, version);
  new_values := private.read_coverage(content, coverage);
  perform private.claim_slug(coverage.id, new_values.slug);
  update public.coverages c set slug = new_values.slug, kicker = new_values.kicker, headline = new_values.headline,
    standfirst = new_values.standfirst, time_zone = new_values.time_zone, language = new_values.language,
    starts_at = new_values.starts_at, reader_follow_mode = new_values.reader_follow_mode,
      check_interval_seconds = new_values.check_interval_seconds, revised_at = now(), version = c.version + 1
  where c.id = coverage.id;
  perform private.set_topics(coverage.id, content -> 'topics');
  perform private.write_coverage_revision(coverage.id);
  if private.is_public(coverage.state) then
    -- A change of the follow settings alone does not change the page, so readers need not load it again.
    perform private.log_change(coverage.id, null, (case when content - '{reader_follow_mode,check_interval_seconds}'::text[] = '{}'
      then 'follow' else 'settings' end)::public.change_kind);
  end if;
  perform private.log_action('save_coverage', 'coverage', coverage.id, jsonb_build_object(
    'fields', (select jsonb_agg(k order by k) from jsonb_object_keys(content) k),
    'slug_from', case when new_values.slug <> coverage.slug then coverage.slug end,
    'slug_to', case when new_values.slug <> coverage.slug then new_values.slug end));
  return private.finish_command(idempotency_key, private.coverage_result(coverage.id));
end $$;

-- Sets the summary at the top of a coverage: blocks. An empty array removes it.
create function public.set_summary(idempotency_key uuid, coverage_id uuid, version integer, summary jsonb)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage(coverage_id);
  stored_result jsonb := private.begin_command(idempotency_key, 'set_summary', jsonb_build_array(coverage_id, version, summary));
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('run_coverage', coverage.id);
  perform private.require_version(coverage.version, version);
  update public.coverages c set summary = private.read_body(set_summary.summary, 0, 'summary'), summary_at = now(), version = c.version + 1
  where c.id = coverage.id;
  perform private.write_coverage_revision(coverage.id);
  if private.is_public(coverage.state) then perform private.log_change(coverage.id, null, 'summary'); end if;
  return private.finish_command(idempotency_key, private.coverage_result(coverage.id));
end $$;

create function public.set_coverage_state(idempotency_key uuid, coverage_id uuid, state public.coverage_state)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage(coverage_id);
  stored_result jsonb := private.begin_command(idempotency_key, 'set_coverage_state', jsonb_build_array(coverage_id, state));
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('run_coverage', coverage.id);
  -- The clock instead of the transaction time, which may be earlier: a coverage ends after its last update.
  perform private.change_state(coverage, state, clock_timestamp());
  return private.finish_command(idempotency_key, private.coverage_result(coverage.id));
end $$;

-- Adds a contributor to a coverage until a time (30 days by default). A time in the past ends the membership.
create function public.set_coverage_member(idempotency_key uuid, coverage_id uuid, person_id uuid, expires_at timestamptz default null)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage(coverage_id);
  stored_result jsonb := private.begin_command(idempotency_key, 'set_coverage_member', jsonb_build_array(coverage_id, person_id, expires_at));
  until timestamptz := greatest(now(), coalesce(expires_at, now() + make_interval(days => private.get_limit('contributor_days'))));
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('run_coverage', coverage.id);
  if not isfinite(until) or until >= '10000-01-01 00:00+00' then perform private.raise_invalid('expires_at', 'invalid_expiry'); end if;
  -- The membership of a person who has another role by now can still be ended.
  if until > now() and not exists (select from public.people p where p.id = person_id and p.role = 'contributor') then
    perform private.raise_invalid('person_id', 'person_not_contributor');
  end if;
  insert into public.coverage_members as m (coverage_id, person_id, expires_at, added_by)
    values (coverage.id, person_id, until, auth.uid())
  on conflict on constraint coverage_members_pkey do update set expires_at = excluded.expires_at, added_by = excluded.added_by;
  perform private.log_action('set_coverage_member', 'coverage', coverage.id,
    jsonb_build_object('person', person_id, 'until', until, 'ends', until <= now()));
  return private.finish_command(idempotency_key, jsonb_build_object('coverage_id', coverage.id, 'person_id', person_id, 'expires_at', until));
end $$;

-- Creates a topic, or changes the name and description of the one with this slug.
create function public.save_topic(idempotency_key uuid, slug text, name text, description text default '')
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare stored_result jsonb := private.begin_command(idempotency_key, 'save_topic', jsonb_build_array(slug, name, description));
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('run_coverage', null);
  perform private.require_slug(slug);
  if not coalesce(private.is_line(name, 'topic_name'), false) then
    perform private.raise_invalid('name', 'invalid_topic_name', jsonb_build_object('max', private.get_limit('topic_name')));
  elsif not coalesce(private.is_text(description, 'topic_description', 0), false) then
    perform private.raise_invalid('description', 'invalid_topic_description',
      jsonb_build_object('max', private.get_limit('topic_description')));
  end if;
  insert into public.topics as t (slug, name, description) values (slug, name, description)
  on conflict on constraint topics_slug_key do update set name = excluded.name, description = excluded.description;
  perform private.log_action('save_topic', 'topic', (select t.id from public.topics t where t.slug = save_topic.slug),
    jsonb_build_object('slug', slug));
  return private.finish_command(idempotency_key, jsonb_build_object('slug', slug));
end $$;

-- ---- Reading ----

-- Present and former members of a coverage for those who run it. With `search`: active contributors whose name or
-- handle contains it, with their membership if they have one.
create function public.coverage_people(coverage_id uuid, search text default null)
returns table (id uuid, display_name text, handle text, role public.person_role, expires_at timestamptz, added_by text)
language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_column
declare search_text text := lower(private.trim_text(left(coalesce(search, ''), 120)));
begin
  perform private.require_permission('run_coverage', coverage_people.coverage_id);
  -- Two queries, each with an index of its own: most people of a newsroom are readers.
  if search_text = '' then
    return query
      select p.id, p.display_name, p.handle, p.role, m.expires_at, a.display_name
      from public.coverage_members m
      join public.people p on p.id = m.person_id and p.deleted_at is null
      left join public.people a on a.id = m.added_by
      where m.coverage_id = coverage_people.coverage_id
      order by m.expires_at desc, lower(p.display_name), p.id limit private.get_limit('people_per_page');
  else
    return query
      select p.id, p.display_name, p.handle, p.role, m.expires_at, a.display_name
      from public.people p
      left join public.coverage_members m on m.person_id = p.id and m.coverage_id = coverage_people.coverage_id
      left join public.people a on a.id = m.added_by
      where p.deleted_at is null and p.active and p.role = 'contributor'
        and (strpos(lower(p.display_name), search_text) > 0 or strpos(p.handle, search_text) > 0)
      order by lower(p.display_name), p.id limit private.get_limit('contributor_results');
  end if;
end $$;

-- Earlier versions of a coverage's summary, newest first, for those who may read its desk.
create function public.summary_versions(coverage_id uuid, before integer default null)
returns table (version integer, at timestamptz, by text, summary jsonb)
language sql stable security definer set search_path = '' as $$
  select v.version, v.created_at, p.display_name, v.summary
  from (
    select r.version, r.created_at, r.created_by, r.content -> 'summary' as summary,
      lag(r.content -> 'summary', 1, '[]') over (order by r.version) as earlier
    from public.coverage_revisions r
    where r.coverage_id = summary_versions.coverage_id and r.coverage_id in (select private.desk_coverages())) v
  left join public.people p on p.id = v.created_by
  where v.summary <> v.earlier and (summary_versions.before is null or v.version < summary_versions.before)
  order by v.version desc limit private.get_limit('versions_per_page')
$$;

-- ---- Quiet coverages ----

-- Confirms that a quiet live coverage continues. Its desk is reminded again after the same time.
create function public.continue_coverage(idempotency_key uuid, coverage_id uuid)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage(coverage_id);
  stored_result jsonb := private.begin_command(idempotency_key, 'continue_coverage', jsonb_build_array(coverage_id));
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('run_coverage', coverage.id);
  if coverage.state <> 'live' then
    perform private.raise_error('bad_state', 'coverage_not_live',
      jsonb_build_object('state', coverage.state));
  end if;
  update public.coverages c set continued_at = clock_timestamp() where c.id = coverage.id;
  perform private.notify_desk(coverage.id);
  return private.finish_command(idempotency_key, private.coverage_result(coverage.id));
end $$;

-- Quiet coverages of which the desk was reminded, for those who may read that desk.
create function public.list_quiet_coverages() returns table (coverage_id uuid, quiet_since timestamptz)
language sql stable security definer set search_path = '' as $$
  select c.id, c.quiet_since from public.coverages c
  where c.quiet_since is not null and private.has_permission('read_desk', c.id)
$$;

-- Reminds the desks of live coverages in which nothing happened for `quiet_hours`: once, until something happens.
create function private.remind_quiet() returns void
language plpgsql volatile set search_path = '' as $$
declare
  hours integer := (select s.quiet_hours from public.site s);
  quiet_coverage uuid;
begin
  for quiet_coverage in
    update public.coverages c set quiet_since = case when hours > 0 and q.since <= now() - make_interval(hours => hours) then q.since end
    from (select l.id, greatest(l.last_published_at, l.continued_at) as since from public.coverages l where l.state = 'live'
      -- A coverage that is locked is being published to, which ends the quiet period anyway.
      for update skip locked) q
    where c.id = q.id
      and (c.quiet_since is not null) <> (hours > 0 and q.since <= now() - make_interval(hours => hours))
    returning c.id loop
    perform private.notify_desk(quiet_coverage);
  end loop;
end $$;

select cron.schedule('remind-quiet', '*/5 * * * *', 'select private.remind_quiet()');

-- ---- Execute rights ----

grant execute on function public.create_coverage, public.save_coverage, public.set_summary, public.set_coverage_state,
  public.continue_coverage, public.set_coverage_member, public.save_topic to authenticated, service_role;
grant execute on function public.coverage_people, public.summary_versions, public.list_quiet_coverages to
  authenticated;
