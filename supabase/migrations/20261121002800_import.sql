-- Import of updates from a file, and import of a coverage from files that export_coverage() and its companions
-- wrote. For the server (service_role) only. One call brings in many rows, so these functions may take longer than
-- other requests.

-- ---- Import of updates ----

-- Publication time of an item: in the past, so that newer updates can follow.
create function private.item_time(item jsonb) returns timestamptz
language plpgsql stable set search_path = '' as $$
declare at timestamptz := private.optional_time(item, 'published_at');
begin
  if at is null or at > now() then
    perform private.raise_invalid('published_at', 'publication_time_missing');
  end if;
  return at;
end $$;

create function private.item_id(item jsonb) returns uuid
language plpgsql immutable set search_path = '' as $$
declare id uuid := private.to_uuid(item ->> 'id');
begin
  if id is null then perform private.raise_invalid('id', 'item_id_missing'); end if;
  return id;
end $$;

-- Content of an item. Its photos must exist already; publishing checks that they belong to the coverage.
create function private.item_content(item jsonb) returns private.update_content
language plpgsql stable set search_path = '' as $$
declare result private.update_content := private.read_content(item -> 'content', 1, null);
begin
  if exists (select from unnest(private.photo_ids(result.body)) id where not exists (
      select from public.photos p where p.id = id.id and p.coverage_id is not null and p.alt is not null)) then
    perform private.raise_invalid('photos', 'photo_not_imported');
  end if;
  return result;
end $$;

-- Validates items [{id, published_at, content}] without writing. Returns the invalid ones in order, with the
-- details of the error: [{id, field, reason, …}].
create function public.check_import(items jsonb) returns jsonb
language plpgsql stable security definer set search_path = '' set statement_timeout = '60s' as $$
declare
  item jsonb;
  invalid_items jsonb := '[]';
  details text;
begin
  for item in select value from jsonb_array_elements(items) loop
    begin
      perform private.item_id(item), private.item_time(item), private.item_content(item);
    exception when sqlstate 'PT422' then
      get stacked diagnostics details = pg_exception_detail;
      invalid_items := invalid_items || jsonb_build_array(details::jsonb || jsonb_build_object('id', item -> 'id'));
    end;
  end loop;
  return invalid_items;
end $$;

-- Publishes items in the order of their times: {added, unchanged, refused: [id]}. Existing ids are unchanged. Items
-- older than the newest update are refused, because numbers are final. An invalid item fails the whole batch.
create function public.import_updates(coverage_id uuid, items jsonb) returns jsonb
language plpgsql security definer set search_path = '' set statement_timeout = '60s' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage(coverage_id);
  newest timestamptz := (select u.published_at from public.updates u
    where u.coverage_id = coverage_id and u.number = coverage.update_count);
  item jsonb;
  item_id uuid;
  at timestamptz;
  added integer := 0;
  unchanged integer := 0;
  refused jsonb := '[]';
begin
  for item in select value from jsonb_array_elements(items) loop
    item_id := private.item_id(item);
    at := private.item_time(item);
    if exists (select from public.updates u where u.id = item_id) then
      unchanged := unchanged + 1;
    elsif at < newest then
      refused := refused || jsonb_build_array(item_id);
    else
      perform private.create_update_row(coverage.id, item_id, null, at);
      perform private.publish(coverage, item_id, private.item_content(item), at);
      newest := at;
      added := added + 1;
    end if;
  end loop;
  return jsonb_build_object('added', added, 'unchanged', unchanged, 'refused', refused);
end $$;

-- Changes the state of an imported coverage at a given time.
create function public.import_state(coverage_id uuid, state public.coverage_state, at timestamptz) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare coverage public.coverages := private.lock_coverage(coverage_id);
begin
  if coverage.state <> state then perform private.change_state(coverage, state, at); end if;
  return private.coverage_result(coverage.id);
end $$;

-- ---- Fields of a file ----
-- Each function reads one field and raises `invalid` with its name if the value breaks a rule.

-- An optional time in the past.
create function private.optional_past_time(content jsonb, key text) returns timestamptz
language plpgsql stable set search_path = '' as $$
declare at timestamptz := private.optional_time(content, key);
begin
  -- The clocks of two machines differ slightly.
  if at > now() + interval '1 minute' then perform private.raise_invalid(key, 'time_in_future'); end if;
  return at;
end $$;

create function private.required_time(content jsonb, key text) returns timestamptz
language plpgsql stable set search_path = '' as $$
declare at timestamptz := private.optional_past_time(content, key);
begin
  if at is null then perform private.raise_invalid(key, 'invalid_time'); end if;
  return at;
end $$;

create function private.required_uuid(content jsonb, key text) returns uuid
language plpgsql immutable set search_path = '' as $$
declare id uuid := private.to_uuid(private.get_string(content, key));
begin
  if id is null then perform private.raise_invalid(key, 'item_id_missing'); end if;
  return id;
end $$;

-- A required integer of at least `min_value`.
create function private.required_integer(content jsonb, key text, min_value integer) returns integer
language plpgsql immutable set search_path = '' as $$
begin
  if not coalesce((content -> key)::text ~ '^[0-9]{1,9}$' and (content ->> key)::integer >= min_value, false) then
    perform private.raise_invalid(key, 'integer_too_small', jsonb_build_object('min', min_value));
  end if;
  return (content ->> key)::integer;
end $$;

-- The objects of a required list, at most `max_items`, without unknown fields.
create function private.required_list(content jsonb, key text, keys text[], max_items integer) returns setof jsonb
language plpgsql stable set search_path = '' as $$
declare item jsonb;
begin
  if jsonb_typeof(content -> key) is distinct from 'array' or jsonb_array_length(content -> key) > max_items then
    perform private.raise_invalid(key, 'invalid_list', jsonb_build_object('max', max_items));
  end if;
  for item in select value from jsonb_array_elements(content -> key) loop
    if not private.is_object(item, keys) then perform private.raise_invalid(key, 'invalid_list_item'); end if;
    return next item;
  end loop;
end $$;

-- ---- Import of a coverage ----
-- The coverage is a draft that cannot be changed until the import ends.

-- A coverage that is being imported: its first file, created people, changed handles, and slugs of other coverages.
create table private.coverage_imports (
  coverage_id uuid primary key references public.coverages (id),
  content jsonb not null,
  -- People created by this import, changed handles, and people bylined on imported content.
  people uuid[] not null,
  renamed jsonb not null,
  -- Earlier slugs that belong to another coverage here.
  slugs_left text[] not null,
  bylined uuid[] not null default '{}',
  started_at timestamptz not null default now()
);
alter table private.coverage_imports enable row level security;

-- Reads the coverage of the first file. `other_slug` replaces its slug.
create function private.read_archived_coverage(c jsonb, other_slug text) returns public.coverages
language plpgsql stable set search_path = '' as $$
declare
  result public.coverages;
  base public.coverages;
begin
  perform private.require_object(c, '{id,slug,kicker,headline,standfirst,summary,summary_at,state,time_zone,language,starts_at,ended_at,published_at,revised_at,last_published_at,pinned_update,reader_follow_mode,check_interval_seconds,seq,update_count,version}');
  base.state := 'draft'; base.kicker := ''; base.standfirst := '';
  if not coalesce(private.get_string(c, 'state') in ('scheduled', 'live', 'paused', 'ended', 'archived'), false) then
    perform private.raise_invalid('state', 'state_not_public');
  end if;
  base.state := (c ->> 'state')::public.coverage_state;
  result := private.read_coverage(jsonb_build_object('slug', coalesce(to_jsonb(other_slug), c -> 'slug'), 'kicker', c -> 'kicker',
    'headline', c -> 'headline', 'standfirst', c -> 'standfirst', 'time_zone', c -> 'time_zone', 'language', c -> 'language',
    'starts_at', c -> 'starts_at', 'reader_follow_mode', c -> 'reader_follow_mode', 'check_interval_seconds', c -> 'check_interval_seconds'), base);
  result.id := private.required_uuid(c, 'id');
  result.summary := private.read_body(c -> 'summary', 0, 'summary');
  result.summary_at := private.optional_past_time(c, 'summary_at');
  result.ended_at := private.optional_past_time(c, 'ended_at');
  result.published_at := private.optional_past_time(c, 'published_at');
  result.revised_at := private.optional_past_time(c, 'revised_at');
  result.last_published_at := private.optional_past_time(c, 'last_published_at');
  result.seq := private.required_integer(c, 'seq', 1);
  result.update_count := private.required_integer(c, 'update_count', 0);
  result.version := private.required_integer(c, 'version', 1);
  if jsonb_typeof(c -> 'pinned_update') is distinct from 'null' then result.pinned_update := private.required_uuid(c, 'pinned_update'); end if;
  if (result.state = 'scheduled') <> (result.published_at is null) then
    perform private.raise_invalid('published_at', 'publication_time_mismatch');
  elsif (result.state in ('ended', 'archived')) <> (result.ended_at is not null) then
    perform private.raise_invalid('ended_at', 'end_time_mismatch');
  elsif result.state = 'scheduled' and result.update_count > 0 then
    perform private.raise_invalid('update_count', 'updates_before_start');
  end if;
  return result;
end $$;

-- Creates the people of a file that do not exist here, without accounts. A handle that another person has gets a number.
-- Returns the created people and {id, handle, was} of changed handles.
create function private.import_people(content jsonb, out created uuid[], out renamed jsonb)
language plpgsql volatile set search_path = '' as $$
declare
  person jsonb;
  new_person public.people;
  given_handle text;
  n integer;
begin
  created := '{}';
  renamed := '[]';
  for person in select private.required_list(content, 'people', '{id,handle,display_name,bio}', 10000) loop
    new_person.id := private.required_uuid(person, 'id');
    given_handle := private.get_string(person, 'handle');
    new_person.display_name := private.get_string(person, 'display_name');
    new_person.bio := private.get_string(person, 'bio');
    if not coalesce(private.is_handle(given_handle) and private.is_display_name(new_person.display_name)
      and private.is_text(new_person.bio, 'bio', 0), false) then
      perform private.raise_invalid('people', 'invalid_person');
    elsif new_person.id = any (created) then
      perform private.raise_invalid('people', 'duplicate_entry');
    end if;
    -- Readers must not become authors through a file.
    if exists (select from public.people p where p.id = new_person.id and p.active and p.role = 'reader' and p.bylined_at is null) then
      perform private.raise_invalid('people', 'person_not_author');
    end if;
    continue when exists (select from public.people p where p.id = new_person.id);
    new_person.handle := given_handle;
    n := 1;
    while exists (select from public.people p where p.handle = new_person.handle) loop
      n := n + 1;
      new_person.handle := rtrim(left(given_handle, private.get_limit('handle_max') - length('-' || n)), '-') || '-' || n;
    end loop;
    insert into public.people (id, handle, display_name, bio, active, deleted_at)
      values (new_person.id, new_person.handle, new_person.display_name, new_person.bio, false, now());
    created := created || new_person.id;
    if new_person.handle <> given_handle then
      renamed := renamed || jsonb_build_object('id', new_person.id, 'handle', new_person.handle, 'was', given_handle);
    end if;
  end loop;
end $$;

-- Restores the slugs of a coverage with their times. With `other_slug`, slugs that other coverages have are skipped.
-- Returns those.
create function private.import_slugs(coverage uuid, content jsonb, current text, other_slug text) returns text[]
language plpgsql volatile set search_path = '' as $$
declare
  item jsonb;
  slugs_left text[] := '{}';
begin
  for item in select private.required_list(content, 'slugs', '{slug,since}', 1000) loop
    if not coalesce(private.is_slug(private.get_string(item, 'slug')), false) then
      perform private.raise_invalid('slugs', 'invalid_earlier_slug');
    end if;
    insert into public.coverage_slugs (slug, coverage_id, since)
      values (item ->> 'slug', coverage, private.required_time(item, 'since')) on conflict (slug) do nothing;
    if not found then
      if exists (select from public.coverage_slugs s where s.slug = item ->> 'slug' and s.coverage_id = coverage) then
        perform private.raise_invalid('slugs', 'duplicate_entry');
      elsif other_slug is null then
        perform private.raise_invalid('slug', 'imported_slug_taken', jsonb_build_object('slug', item ->> 'slug'));
      end if;
      slugs_left := slugs_left || (item ->> 'slug');
    end if;
  end loop;
  if other_slug is not null then
    perform private.claim_slug(coverage, other_slug);
  elsif not exists (select from public.coverage_slugs s where s.slug = current and s.coverage_id = coverage) then
    perform private.raise_invalid('slugs', 'current_slug_missing');
  end if;
  return slugs_left;
end $$;

-- Registers the photos of a file in order. They are not shown before their renditions are in storage.
create function private.import_photos(coverage uuid, content jsonb) returns void
language plpgsql volatile set search_path = '' as $$
declare
  item jsonb;
  photo public.photos;
begin
  for item in select private.required_list(content, 'photos', '{id,width,height,renditions,placeholder_colour,alt,caption,credit,ready_at}', 100000) loop
    photo.id := private.required_uuid(item, 'id');
    photo := private.read_photo(jsonb_build_object('alt', item -> 'alt', 'caption', item -> 'caption', 'credit', item -> 'credit'), photo);
    if photo.alt is null then perform private.raise_invalid('photos', 'alt_text_missing'); end if;
    if not private.are_renditions(item -> 'renditions') or (item -> 'renditions' -> -1 -> 'width') is distinct from item -> 'width'
        or (item -> 'renditions' -> -1 -> 'height') is distinct from item -> 'height' then
      perform private.raise_invalid('photos', 'invalid_renditions');
    elsif not coalesce(private.get_string(item, 'placeholder_colour') ~ '^#[0-9a-f]{6}$', false) then
      perform private.raise_invalid('photos', 'invalid_placeholder_colour');
    end if;
    perform private.required_time(item, 'ready_at');
    insert into public.photos (id, coverage_id, alt, caption, credit) values (photo.id, coverage, photo.alt, photo.caption, photo.credit)
    on conflict (id) do nothing;
    if not found then perform private.raise_invalid('photos', 'photo_in_other_coverage', jsonb_build_object('photo', photo.id)); end if;
  end loop;
end $$;

-- Validates the topics of a file. They are created last, because they have pages of their own.
create function private.check_topics(content jsonb) returns void
language plpgsql stable set search_path = '' as $$
declare topic jsonb;
begin
  for topic in select private.required_list(content, 'topics', '{id,slug,name,description}', private.get_limit('topics')) loop
    perform private.required_uuid(topic, 'id');
    if not coalesce(private.is_slug(private.get_string(topic, 'slug')) and private.is_line(private.get_string(topic, 'name'), 'topic_name')
        and private.is_text(private.get_string(topic, 'description'), 'topic_description', 0), false) then
      perform private.raise_invalid('topics', 'invalid_topic');
    end if;
  end loop;
end $$;

-- Assigns the topics of a file: by id, else by slug, else new ones. Returns the slugs of topics that differ here.
create function private.import_topics(coverage uuid, content jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  topic jsonb;
  existing public.topics;
  different_topics jsonb := '[]';
begin
  for topic in select value from jsonb_array_elements(content -> 'topics') loop
    select * into existing from public.topics t where t.id = (topic ->> 'id')::uuid or t.slug = topic ->> 'slug'
    order by t.id = (topic ->> 'id')::uuid desc limit 1;
    if existing.id is null then
      insert into public.topics (id, slug, name, description)
        values ((topic ->> 'id')::uuid, topic ->> 'slug', topic ->> 'name', topic ->> 'description') returning * into existing;
    elsif to_jsonb(existing) <> topic then
      different_topics := different_topics || to_jsonb(existing.slug);
    end if;
    insert into public.coverage_topics (coverage_id, topic_id) values (coverage, existing.id) on conflict do nothing;
  end loop;
  return different_topics;
end $$;

-- Deletes an unfinished import. Its renditions are deleted with unused photos.
create function private.delete_import(coverage uuid) returns void
language plpgsql volatile set search_path = '' as $$
declare created uuid[];
begin
  delete from private.coverage_imports r where r.coverage_id = coverage returning r.people into created;
  delete from private.update_words w where w.update_id in (select u.id from public.updates u where u.coverage_id = coverage);
  delete from public.update_photos o where o.update_id in (select u.id from public.updates u where u.coverage_id = coverage);
  delete from public.update_bylines b where b.update_id in (select u.id from public.updates u where u.coverage_id = coverage);
  delete from public.update_revisions r where r.update_id in (select u.id from public.updates u where u.coverage_id = coverage);
  delete from public.coverage_changes h where h.coverage_id = coverage;
  delete from public.updates u where u.coverage_id = coverage;
  delete from public.photos p where p.coverage_id = coverage;
  delete from public.coverage_slugs s where s.coverage_id = coverage;
  delete from public.coverages c where c.id = coverage;
  -- Keeps people that other content refers to by now.
  delete from public.people p where p.id = any (created) and p.bylined_at is null
    and not exists (select from public.update_bylines b where b.person_id = p.id)
    and not exists (select from private.coverage_imports r where r.content -> 'people' @> jsonb_build_array(jsonb_build_object('id', p.id)));
end $$;

-- Begins to import a coverage; an earlier unfinished import of it is deleted. `content` is the first file,
-- `other_slug` another slug. Returns {id, slug}.
-- Errors: invalid; bad_state, if the coverage exists.
create function public.begin_coverage_import(content jsonb, other_slug text default null) returns jsonb
language plpgsql security definer set search_path = '' set statement_timeout = '60s' as $$
#variable_conflict use_variable
declare
  imported public.coverages;
  existing public.coverages;
  people record;
  slugs_left text[];
begin
  perform private.require_object(content, '{format,version,coverage,slugs,topics,people,photos}');
  if content -> 'format' is distinct from '"stoppress-coverage"' or content -> 'version' is distinct from '1' then
    perform private.raise_invalid('format', 'unknown_format');
  end if;
  imported := private.read_archived_coverage(content -> 'coverage', other_slug);
  perform private.delete_import(r.coverage_id) from private.coverage_imports r
  where r.coverage_id = imported.id or r.started_at < now() - interval '1 day';
  select * into existing from public.coverages c where c.id = imported.id for update;
  if existing.seq > imported.seq then
    perform private.raise_error('bad_state',
      'coverage_newer_than_import', jsonb_build_object('seq', existing.seq, 'imported_seq', imported.seq));
  elsif existing.id is not null then
    perform private.raise_error('bad_state', 'coverage_differs_from_import');
  end if;
  perform private.check_topics(content);
  insert into public.coverages (id, slug, kicker, headline, standfirst, summary, summary_at, time_zone, language, starts_at,
      reader_follow_mode, check_interval_seconds, version, is_importing)
    values (imported.id, imported.slug, imported.kicker, imported.headline, imported.standfirst, imported.summary, imported.summary_at,
      imported.time_zone, imported.language, imported.starts_at, imported.reader_follow_mode, imported.check_interval_seconds, imported.version, true)
  on conflict do nothing;
  if not found then
    perform private.raise_invalid('slug', 'imported_slug_taken', jsonb_build_object('slug', imported.slug));
  end if;
  slugs_left := private.import_slugs(imported.id, content, imported.slug, other_slug);
  select * into people from private.import_people(content);
  perform private.import_photos(imported.id, content);
  insert into private.coverage_imports (coverage_id, content, people, renamed, slugs_left)
    values (imported.id, content, people.created, people.renamed, slugs_left);
  return jsonb_build_object('id', imported.id, 'slug', imported.slug);
end $$;

-- ---- Execute rights ----

grant execute on function public.check_import, public.import_updates, public.import_state,
  public.begin_coverage_import to service_role;
