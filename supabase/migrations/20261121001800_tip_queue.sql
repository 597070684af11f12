-- The queue of tips: people who handle tips review them, hand them over, use them in an update or decline them.
-- Each command passes the version of the tip that the caller saw, so that two people never work on one tip
-- unknowingly.

-- Search words of a tip, including its contact, so that a search can list all tips of one sender.
create function private.tip_words(body text, name text, contact text) returns tsvector
language sql immutable set search_path = '' as $$ select private.word_vector(concat_ws(' ', body, name, contact)) $$;
create index tips_words on public.tips using gin (private.tip_words(body, name, contact)) with (fastupdate = off);

-- ---- Steps ----

-- A tip, locked. Coverages are locked before it, photos after it. Errors: forbidden, not_found.
create function private.lock_tip(tip_id uuid) returns public.tips
language plpgsql volatile set search_path = '' as $$
declare tip public.tips;
begin
  perform private.require_permission('handle_tips', null);
  select * into tip from public.tips t where t.id = lock_tip.tip_id for update;
  if tip.id is null then perform private.raise_not_found(); end if;
  return tip;
end $$;

-- Requires that the caller may act on a tip. With `takes_over` a caller who saw the current version may take it
-- from its reviewer. A reviewer who may no longer handle tips does not count.
-- Errors: bad_state, if another person reviews it or its state is none of these; conflict, if the caller saw
-- another version.
create function private.require_tip(tip public.tips, expected integer, allowed_states public.tip_state[], takes_over boolean default false)
returns void language plpgsql stable set search_path = '' as $$
declare details jsonb := jsonb_build_object('version', tip.version, 'state', tip.state, 'by',
  (select p.display_name from public.people p where p.id = case tip.state when 'in_review' then tip.assigned_to else tip.handled_by end));
begin
  if tip.state = 'in_review' and tip.assigned_to is distinct from auth.uid()
      and not (takes_over and tip.version is not distinct from expected)
      and private.person_has_permission(tip.assigned_to, 'handle_tips', null, null) then
    perform private.raise_error('bad_state', 'tip_in_review', details);
  elsif tip.state <> all (allowed_states) and tip.state in ('new', 'in_review') then
    perform private.raise_error('bad_state', 'tip_already_open', details);
  elsif tip.state <> all (allowed_states) then
    perform private.raise_error('bad_state', 'tip_already_handled', details);
  elsif tip.version is distinct from expected then
    perform private.raise_error('conflict', 'tip_version_outdated', details);
  end if;
end $$;

-- Result of every command on a tip.
create function private.tip_result(tip public.tips) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object('id', tip.id, 'version', tip.version, 'state', tip.state, 'assigned_to', tip.assigned_to, 'held', tip.held)
$$;

-- Changes the state and the reviewer of a tip. A tip that is reviewed is no longer held.
create function private.move_tip(tip public.tips, state public.tip_state, person uuid, update_id uuid default null) returns jsonb
language plpgsql volatile set search_path = '' as $$
#variable_conflict use_variable
declare
  is_final boolean := state in ('used', 'declined', 'spam');
  changed_tip public.tips;
begin
  update public.tips t set state = move_tip.state, assigned_to = person, version = t.version + 1, held = false, update_id = move_tip.update_id,
    review_started_at = case when person is null then null when person = t.assigned_to then t.review_started_at else clock_timestamp() end,
    handled_at = case when is_final then clock_timestamp() end, handled_by = case when is_final then auth.uid() end
  where t.id = tip.id returning * into changed_tip;
  return private.tip_result(changed_tip);
end $$;

-- ---- Commands ----

-- Takes a tip into review: a new one, a held one, or one of another reviewer if the caller saw whose it is.
create function public.review_tip(idempotency_key uuid, tip_id uuid, version integer)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  tip public.tips := private.lock_tip(tip_id);
  stored_result jsonb := private.begin_command(idempotency_key, 'review_tip', jsonb_build_array(tip_id, version));
begin
  if stored_result is not null then return stored_result; end if;
  -- The same command may come from a second device.
  if tip.state = 'in_review' and tip.assigned_to = auth.uid() then return private.finish_command(idempotency_key, private.tip_result(tip)); end if;
  perform private.require_tip(tip, version, '{new,in_review}', true);
  return private.finish_command(idempotency_key, private.move_tip(tip, 'in_review', auth.uid()));
end $$;

-- Hands a tip to another person, or back to the queue if `person_id` is null.
create function public.hand_over_tip(idempotency_key uuid, tip_id uuid, version integer, person_id uuid default null)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  tip public.tips := private.lock_tip(tip_id);
  stored_result jsonb := private.begin_command(idempotency_key, 'hand_over_tip', jsonb_build_array(tip_id, version, person_id));
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_tip(tip, version, '{new,in_review}');
  if person_id is not null and not private.person_has_permission(person_id, 'handle_tips', null, null) then
    perform private.raise_invalid('person_id', 'person_handles_no_tips');
  end if;
  if tip.assigned_to is not distinct from person_id then return private.finish_command(idempotency_key, private.tip_result(tip)); end if;
  return private.finish_command(idempotency_key, private.move_tip(tip, case when person_id is null then 'new' else 'in_review' end::public.tip_state, person_id));
end $$;

-- Closes a tip as declined or spam.
create function public.close_tip(idempotency_key uuid, tip_id uuid, version integer, state public.tip_state)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  tip public.tips := private.lock_tip(tip_id);
  stored_result jsonb := private.begin_command(idempotency_key, 'close_tip', jsonb_build_array(tip_id, version, state));
begin
  if stored_result is not null then return stored_result; end if;
  if not coalesce(state in ('declined', 'spam'), false) then perform private.raise_invalid('state', 'invalid_tip_result'); end if;
  perform private.require_tip(tip, version, '{new,in_review}');
  return private.finish_command(idempotency_key, private.move_tip(tip, state, auth.uid()));
end $$;

-- Moves a held tip into the queue.
create function public.release_tip(idempotency_key uuid, tip_id uuid, version integer)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  tip public.tips := private.lock_tip(tip_id);
  stored_result jsonb := private.begin_command(idempotency_key, 'release_tip', jsonb_build_array(tip_id, version));
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_tip(tip, version, '{new}');
  if not tip.held then
    perform private.raise_error('bad_state', 'tip_already_open', jsonb_build_object('version', tip.version, 'state', tip.state));
  end if;
  return private.finish_command(idempotency_key, private.move_tip(tip, 'new', null));
end $$;

-- Content of an update that quotes a tip: {headline, body}. `content`: quote, intro, headline, photo {alt,
-- caption}.
create function private.tip_quotation(tip public.tips, content jsonb, photo uuid) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  quote text := private.optional_multiline(content, 'quote', 'body_characters');
  intro text := private.optional_multiline(content, 'intro', 'body_characters');
begin
  if quote is null then perform private.raise_invalid('quote', 'text_missing'); end if;
  return jsonb_build_object('headline', content -> 'headline', 'body', coalesce((
      select jsonb_agg(jsonb_build_object('type', 'paragraph', 'runs', jsonb_build_array(jsonb_build_object('text',
        private.trim_text(line)))) order by n)
      from regexp_split_to_table(intro, E'\n') with ordinality l(line, n) where private.has_visible_text(line)), '[]')
    || jsonb_strip_nulls(jsonb_build_object('type', 'quote', 'text', quote, 'attribution', case when tip.may_be_named then tip.name end))
    || case when photo is null then '[]' else jsonb_build_array(jsonb_build_object('type', 'photo', 'photo', photo)) end);
end $$;

-- Adds the photo of a tip to a coverage, with its texts and, if allowed, the sender's name as credit. Returns its
-- id.
create function private.add_tip_photo(tip public.tips, coverage uuid, content jsonb) returns uuid
language plpgsql volatile set search_path = '' as $$
declare
  photo public.photos;
  new_values public.photos;
begin
  if coalesce(content, 'null') = 'null' then return null; end if;
  perform private.require_object(content, '{alt,caption}');
  select * into photo from public.photos p where p.tip_id = tip.id for update;
  if photo.state is distinct from 'ready' or photo.coverage_id <> coverage then
    perform private.raise_invalid('photo', 'tip_photo_unavailable');
  end if;
  new_values := private.read_photo(content, photo);
  if new_values.alt is null then
    perform private.raise_invalid('alt', 'public_photo_without_alt_text');
  end if;
  -- The desk sees the moderator as uploader, because not all of its people may know who sent the tip.
  update public.photos p set coverage_id = coverage, alt = new_values.alt, caption = new_values.caption, uploaded_by = auth.uid(),
    credit = case when tip.may_be_named then tip.name end
  where p.id = photo.id;
  return photo.id;
end $$;

-- Creates a submitted update from a tip: an introduction, the quotation with the sender's name if they allow it,
-- and its photo. Requires the permissions to handle tips and to read the desk.
create function public.use_tip(idempotency_key uuid, tip_id uuid, version integer, coverage_id uuid, update_id uuid, content jsonb)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages;
  tip public.tips;
  stored_result jsonb;
  photo uuid;
begin
  -- Before the lock: a caller without the permission must not block the coverage.
  perform private.require_permission('handle_tips', null);
  coverage := private.lock_coverage(coverage_id);
  tip := private.lock_tip(tip_id);
  stored_result := private.begin_command(idempotency_key, 'use_tip', jsonb_build_array(tip_id, version, coverage_id, update_id, content));
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('read_desk', coverage.id);
  perform private.require_object(content, '{quote,intro,headline,photo}');
  perform private.require_tip(tip, version, '{new,in_review}');
  if coverage.state in ('archived', 'withdrawn') then
    perform private.raise_error('bad_state', 'coverage_closed', jsonb_build_object('state', coverage.state));
  end if;
  perform private.create_update_row(coverage.id, update_id, auth.uid(), now());
  photo := private.add_tip_photo(tip, coverage.id, content -> 'photo');
  perform private.write_version(update_id, private.read_content(private.tip_quotation(tip, content, photo), 1, auth.uid()), 'revision', null);
  update public.updates u set state = 'submitted' where u.id = update_id;
  return private.finish_command(idempotency_key, private.move_tip(tip, 'used', auth.uid(), update_id));
end $$;

-- Removes the photo of a tip from the coverage of a discarded update, unless another update or version uses it.
create function private.remove_tip_photo(tip public.tips) returns void
language plpgsql volatile set search_path = '' as $$
declare photo public.photos;
begin
  select * into photo from public.photos p where p.tip_id = tip.id for update;
  if photo.coverage_id is null or photo.state <> 'ready'
    or exists (select from public.update_photos o where o.photo_id = photo.id and o.update_id <> tip.update_id)
    or exists (select from private.versions_with_photo(photo.id) v where v.update_id <> tip.update_id) then
    return;
  end if;
  delete from public.update_photos o where o.photo_id = photo.id;
  update public.photos p set coverage_id = null, alt = null, caption = null, credit = null, uploaded_by = tip.sender, in_use = false
  where p.id = photo.id;
end $$;

-- Puts a closed tip back into review, by the caller. The update that used it is discarded if it was never
-- published; a scheduled one requires the permission to publish.
create function public.reopen_tip(idempotency_key uuid, tip_id uuid, version integer)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  tip public.tips;
  used public.updates;
  stored_result jsonb;
begin
  perform private.require_permission('handle_tips', null);
  perform private.lock_coverage(u.coverage_id) from public.updates u
  where u.id = (select t.update_id from public.tips t where t.id = tip_id);
  tip := private.lock_tip(tip_id);
  stored_result := private.begin_command(idempotency_key, 'reopen_tip', jsonb_build_array(tip_id, version));
  if stored_result is not null then return stored_result; end if;
  perform private.require_tip(tip, version, '{used,declined,spam}');
  if tip.state = 'used' then
    select * into used from public.updates u where u.id = tip.update_id;
    if used.number is not null then
      perform private.raise_error('bad_state', 'tip_update_published',
        jsonb_build_object('version', tip.version, 'state', tip.state));
    end if;
    if used.state = 'scheduled' then perform private.require_permission('publish_update', used.coverage_id, used.author); end if;
    update public.updates u set state = 'spiked' where u.id = used.id and u.state <> 'spiked';
    perform private.remove_tip_photo(tip);
  end if;
  return private.finish_command(idempotency_key, private.move_tip(tip, 'in_review', auth.uid()));
end $$;

-- ---- Reading ----

-- A tip as people who handle tips see it, without the digests of its sender.
create function private.tip_details(tip public.tips) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', tip.id, 'body', tip.body, 'name', tip.name, 'contact', tip.contact, 'may_be_named', tip.may_be_named,
    'state', tip.state, 'held', tip.held, 'suspicion', tip.suspicion, 'version', tip.version, 'created_at', tip.created_at,
    'review_started_at', tip.review_started_at, 'handled_at', tip.handled_at,
    'assigned', (select jsonb_build_object('id', p.id, 'name', p.display_name) from public.people p where p.id = tip.assigned_to),
    'coverage', (select jsonb_build_object('id', c.id, 'slug', c.slug, 'headline', c.headline) from public.coverages c where c.id = tip.coverage_id),
    'used_in', (select jsonb_build_object('update_id', u.id, 'coverage_slug', c.slug, 'number', u.number, 'state', u.state)
      from public.updates u join public.coverages c on c.id = u.coverage_id where u.id = tip.update_id),
    'photo', (select jsonb_build_object('id', p.id, 'state', p.state, 'refusal_code', p.refusal_code, 'width', p.width, 'height', p.height,
      'renditions', p.renditions) from public.photos p where p.tip_id = tip.id))
$$;

-- Tips of the queue, newest first; empty for callers who do not handle tips. `filters`: view (open, mine, held,
-- used, declined, spam or all), coverage, query (words or prefixes), before {created_at, id}, max_rows, ids.
create function public.tip_queue(filters jsonb) returns jsonb
language plpgsql stable security definer set search_path = '' set enable_seqscan = off set enable_sort = off as $$
declare
  view text;
  search_query text;
  at timestamptz;
  conditions text;
  ids uuid[];
  listed jsonb;
begin
  if not private.has_permission('handle_tips') then return '[]'; end if;
  perform private.require_object(filters, '{view,coverage,query,before,max_rows,ids}');
  if jsonb_typeof(filters -> 'ids') = 'array' then
    ids := array(select private.to_uuid(id) from jsonb_array_elements_text(filters -> 'ids') id limit private.get_limit('tips_per_page'));
  end if;
  view := coalesce(private.optional_text(filters, 'view'), case when ids is null then 'open' else 'all' end);
  conditions := case view
    when 'open' then $c$ and t.state in ('new', 'in_review') and not t.held$c$
    when 'mine' then $c$ and t.state = 'in_review' and t.assigned_to = $1$c$
    when 'held' then ' and t.held'
    when 'used' then $c$ and t.state = 'used'$c$
    when 'declined' then $c$ and t.state = 'declined'$c$
    when 'spam' then $c$ and t.state = 'spam'$c$
    when 'all' then '' end;
  if conditions is null then perform private.raise_invalid('view', 'unknown_choice',
    jsonb_build_object('choices', '["open", "mine", "held", "used", "declined", "spam", "all"]'::jsonb)); end if;
  if private.optional_text(filters, 'coverage') is not null then conditions := conditions || ' and t.coverage_id = $2'; end if;
  if ids is not null then conditions := conditions || ' and t.id = any ($5)'; end if;
  if coalesce(filters -> 'before', 'null') <> 'null' then
    at := private.optional_time(filters -> 'before', 'created_at');
    conditions := conditions || ' and (t.created_at, t.id) < ($3, $4)';
  end if;
  if private.optional_text(filters, 'query') is not null then
    select string_agg(format('''%s''%s', w, case when char_length(w) > 2 then ':*' end), ' & ') into search_query
    from unnest(private.split_words(left(filters ->> 'query', 200))) w;
    if search_query is null then return '[]'; end if;
  end if;
  -- Searches match the words first and sort afterwards, because no index has both. With `offset 0` each tip is read by
  -- its id: a join could read all tips in the order of created_at.
  execute 'with page as materialized (select t.id from '
    || case when search_query is null then 'public.tips t'
      else '(select * from public.tips f where private.tip_words(f.body, f.name, f.contact) @@ $6::tsquery offset 0) t' end
    || ' where true' || conditions || ' order by t.created_at desc, t.id desc limit $7)
    select jsonb_agg(private.tip_details(r.tip) order by (r.tip).created_at desc, (r.tip).id desc)
    from page p, lateral (select t as tip from public.tips t where t.id = p.id offset 0) r'
  into listed using auth.uid(), private.to_uuid(filters ->> 'coverage'), at, private.to_uuid(filters -> 'before' ->> 'id'), ids, search_query,
    coalesce(private.optional_integer(filters, 'max_rows', 'min_tips_per_page', 'tips_per_page'), private.get_limit('tips_per_page'));
  return coalesce(listed, '[]');
end $$;

-- Number of tips that are new, the caller's, in review and held, of one coverage or all; each counted up to a
-- thousand.
create function public.tip_counts(coverage uuid default null) returns jsonb
language plpgsql stable security definer set search_path = '' set enable_seqscan = off as $$
declare
  within text := case when coverage is null then '' else ' and t.coverage_id = $2' end;
  count_query text := '(select count(*) from (select from public.tips t where %s' || within || ' limit 1000) limited)';
  counts jsonb;
begin
  if not private.has_permission('handle_tips') then return '{"new": 0, "mine": 0, "in_review": 0, "held": 0}'; end if;
  execute format($q$select jsonb_build_object('new', %s, 'mine', %s, 'in_review', %s, 'held', %s)$q$,
    format(count_query, $c$t.state = 'new' and not t.held$c$), format(count_query, $c$t.state = 'in_review' and t.assigned_to = $1$c$),
    format(count_query, $c$t.state = 'in_review'$c$), format(count_query, 't.held'))
  into counts using auth.uid(), coverage;
  return counts;
end $$;

-- Number of submitted updates (for editors) and new tips (for those who handle tips) by coverage. At most a
-- thousand.
create function public.desk_waiting()
returns table (coverage_id uuid, slug text, headline text, submitted integer, tips integer)
language sql stable security definer set search_path = '' as $$
  select c.id, c.slug, c.headline, count(*) filter (where w.kind = 'update')::integer, count(*) filter (where w.kind = 'tip')::integer
  from (
    (select u.coverage_id, 'update' as kind from public.updates u
      where u.state = 'submitted' and (select private.has_permission('run_coverage')) order by u.created_at limit 1000)
    union all
    (select t.coverage_id, 'tip' from public.tips t
      where t.state = 'new' and not t.held and (select private.has_permission('handle_tips')) order by t.created_at limit 1000)) w
  left join public.coverages c on c.id = w.coverage_id
  group by c.id
$$;

-- People who handle tips, for each other.
create function public.tip_handlers() returns table (id uuid, display_name text, role public.person_role)
language sql stable security definer set search_path = '' as $$
  select p.id, p.display_name, p.role
  from public.people p join private.permissions t on t.role = p.role and t.permission = 'handle_tips'
  where p.active and p.deleted_at is null and private.has_permission('handle_tips')
  order by p.role desc, lower(p.display_name), p.id
$$;

-- Renditions of the photo of a tip for people who handle tips, or null. Called by the website's server.
create function public.tip_photo(photo_id uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select p.renditions from public.photos p where p.id = photo_id and p.tip_id is not null and p.state = 'ready' and private.has_permission('handle_tips')
$$;

-- ---- Execute rights ----

grant execute on function public.review_tip, public.hand_over_tip, public.close_tip, public.release_tip,
  public.use_tip, public.reopen_tip, public.tip_queue, public.tip_counts, public.desk_waiting, public.tip_handlers,
  public.tip_photo to authenticated;
