-- A coverage that leaves as files and comes back without loss: what readers may see of it, and nothing else.

/* A time as the files have it: in UTC, with its microseconds. */
create function private.file_time(at timestamptz) returns text
language sql stable return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

/* A coverage that readers may see, by any slug that it had. */
create function private.public_coverage(slug text) returns public.coverages
language plpgsql stable set search_path = '' as $$
declare coverage public.coverages;
begin
  select c.* into coverage from public.coverage_slugs s join public.coverages c on c.id = s.coverage_id
  where s.slug = public_coverage.slug;
  if coverage.state = 'withdrawn' then perform private.refuse('gone', 'This coverage was withdrawn.'); end if;
  if coverage.id is null or not private.is_public(coverage.state) then perform private.refuse_unknown(); end if;
  return coverage;
end $$;

/* The people under the published updates of a coverage, and under their versions that readers have seen. */
create function private.people_under(coverage uuid) returns setof uuid
language sql stable set search_path = '' as $$
  select b.person_id from public.updates u join public.update_bylines b on b.update_id = u.id
  where u.coverage_id = coverage and u.state = 'published'
  union
  select b.id::uuid from public.updates u
  join public.update_revisions r on r.update_id = u.id and r.public,
    lateral jsonb_array_elements_text(r.content -> 'bylines') b(id)
  where u.coverage_id = coverage and u.state = 'published' and u.revised_at is not null
$$;

/* Whether readers see a photo: it is ready, says what it shows, and stands in something published. */
create function private.readers_see(photo public.photos) returns boolean
language sql stable set search_path = '' as $$
  select photo.state = 'ready' and photo.alt is not null and exists (
    select from public.update_photos o join public.updates u on u.id = o.update_id
    where o.photo_id = photo.id and u.state = 'published')
$$;

/* What readers may see of a coverage, but for its updates and changes: {coverage, slugs, topics, people, photos}. */
create function public.archived_coverage(slug text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_variable
declare c public.coverages := private.public_coverage(slug);
begin
  return jsonb_build_object(
    'coverage', jsonb_build_object('id', c.id, 'slug', c.slug, 'kicker', c.kicker, 'headline', c.headline,
      'standfirst', c.standfirst, 'summary', c.summary, 'summary_at', private.file_time(c.summary_at), 'state', c.state,
      'time_zone', c.time_zone, 'language', c.language, 'starts_at', private.file_time(c.starts_at),
      'ended_at', private.file_time(c.ended_at), 'published_at', private.file_time(c.published_at),
      'revised_at', private.file_time(c.revised_at), 'newest_at', private.file_time(c.newest_at),
      'pinned_update', c.pinned_update, 'reader_follow', c.reader_follow, 'reader_interval', c.reader_interval,
      'seq', c.seq, 'update_count', c.update_count, 'version', c.version),
    'slugs', (select jsonb_agg(jsonb_build_object('slug', s.slug, 'since', private.file_time(s.since)) order by s.since, s.slug)
      from public.coverage_slugs s where s.coverage_id = c.id),
    'topics', coalesce((select jsonb_agg(jsonb_build_object('id', t.id, 'slug', t.slug, 'name', t.name, 'description', t.description)
        order by t.slug)
      from public.coverage_topics o join public.topics t on t.id = o.topic_id where o.coverage_id = c.id), '[]'),
    'people', coalesce((select jsonb_agg(jsonb_build_object('id', p.id, 'handle', p.handle, 'display_name', p.display_name, 'bio', p.bio)
        order by p.id)
      from public.people p where p.id in (select private.people_under(c.id))), '[]'),
    'photos', coalesce((select jsonb_agg(jsonb_build_object('id', p.id, 'bucket', p.bucket, 'width', p.width, 'height', p.height,
        'prints', p.prints, 'colour', p.colour, 'alt', p.alt, 'caption', p.caption, 'credit', p.credit, 'ready_at', private.file_time(p.ready_at))
        order by p.ordinal)
      from public.photos p where p.coverage_id = c.id and private.readers_see(p)), '[]'));
end $$;

/* What an update says, as it is kept of a version, without what is the desk's. */
create function private.archived_content(content jsonb) returns jsonb
language sql stable set search_path = '' as $$
  select (content - 'desk_note') || jsonb_build_object('occurred_at', private.file_time((content ->> 'occurred_at')::timestamptz))
  where content is not null
$$;

/* The versions of a published update that readers have seen. Of the last one the update itself says what it says. */
create function private.archived_versions(saved public.updates) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('version', r.version, 'kind', r.kind, 'note', r.note, 'at', private.file_time(r.at),
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

/* The published and withdrawn updates of a coverage after a number, in their order, at most so many. */
create function public.archived_updates(coverage_id uuid, after integer, most integer) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(private.archived_update(u) order by u.number), '[]')
  from (select u.* from public.updates u join public.coverages c on c.id = u.coverage_id
    where c.id = archived_updates.coverage_id and private.is_public(c.state) and u.number > after
    order by u.number limit least(greatest(most, 0), private.limit_of('archived_updates'))) u
$$;

/* The changes of a coverage after a seq, in their order, at most so many. */
create function public.archived_changes(coverage_id uuid, after bigint, most integer) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('seq', h.seq, 'kind', h.kind, 'at', private.file_time(h.at),
    'number', (select u.number from public.updates u where u.id = h.update_id)) order by h.seq), '[]')
  from (select h.* from public.coverage_changes h join public.coverages c on c.id = h.coverage_id
    where c.id = archived_changes.coverage_id and private.is_public(c.state) and h.seq > after
    order by h.seq limit least(greatest(most, 0), private.limit_of('archived_changes'))) h
$$;

-- The way back. A coverage that is brought in is a draft, and nobody changes it, until all of it is here.
alter table public.coverages add column restoring boolean not null default false;

/* A coverage that is being brought in: what its first file says, and what was made for it or is named in what has come. */
create table private.restorations (
  coverage_id uuid primary key references public.coverages (id),
  content jsonb not null,
  -- Those who were not here, the handles that they could not have, and who is under something that readers see.
  people uuid[] not null,
  renamed jsonb not null,
  -- Older slugs that are another coverage's here.
  slugs_left text[] not null,
  named uuid[] not null default '{}',
  begun_at timestamptz not null default now()
);
alter table private.restorations enable row level security;
revoke all on private.restorations from public, anon, authenticated, service_role;

/* A time in a file: with its zone, and not one to come. */
create function private.past_time(content jsonb, key text) returns timestamptz
language plpgsql stable set search_path = '' as $$
declare at timestamptz := private.optional_time(content, key);
begin
  -- The clocks of two machines are never quite the same.
  if at > now() + interval '1 minute' then perform private.refuse_field(key, 'Give a time that has passed.'); end if;
  return at;
end $$;

create function private.needed_time(content jsonb, key text) returns timestamptz
language plpgsql stable set search_path = '' as $$
declare at timestamptz := private.past_time(content, key);
begin
  if at is null then perform private.refuse_field(key, 'Give a date and time with its zone, as 2026-03-01T14:05:00Z.'); end if;
  return at;
end $$;

create function private.needed_id(content jsonb, key text) returns uuid
language plpgsql immutable set search_path = '' as $$
declare id uuid := private.as_uuid(private.string_at(content, key));
begin
  if id is null then perform private.refuse_field(key, 'Give an id made for this item.'); end if;
  return id;
end $$;

/* A number that counts something: whole, from `fewest` on. */
create function private.needed_count(content jsonb, key text, fewest integer) returns integer
language plpgsql immutable set search_path = '' as $$
begin
  if not coalesce((content -> key)::text ~ '^[0-9]{1,9}$' and (content ->> key)::integer >= fewest, false) then
    perform private.refuse_field(key, format('Give a whole number from %s on.', fewest));
  end if;
  return (content ->> key)::integer;
end $$;

/* The objects of a list in a file, at most so many, none with a stray field. */
create function private.needed_list(content jsonb, key text, keys text[], most integer) returns setof jsonb
language plpgsql stable set search_path = '' as $$
declare item jsonb;
begin
  if jsonb_typeof(content -> key) is distinct from 'array' or jsonb_array_length(content -> key) > most then
    perform private.refuse_field(key, format('Give a list of at most %s.', most));
  end if;
  for item in select value from jsonb_array_elements(content -> key) loop
    if not private.is_object(item, keys) then perform private.refuse_field(key, 'Each of a list is an object of the fields that are known.'); end if;
    return next item;
  end loop;
end $$;

/* What a file says of a coverage, held to what it must be to be read by anybody. `instead`: another slug for it here. */
create function private.read_archived(c jsonb, instead text) returns public.coverages
language plpgsql stable set search_path = '' as $$
declare
  result public.coverages;
  said public.coverages;
begin
  perform private.refuse_unless_object(c, '{id,slug,kicker,headline,standfirst,summary,summary_at,state,time_zone,language,starts_at,ended_at,published_at,revised_at,newest_at,pinned_update,reader_follow,reader_interval,seq,update_count,version}');
  said.state := 'draft'; said.kicker := ''; said.standfirst := '';
  if not coalesce(private.string_at(c, 'state') in ('scheduled', 'live', 'paused', 'ended', 'archived'), false) then
    perform private.refuse_field('state', 'Only what readers may see is brought in.');
  end if;
  said.state := (c ->> 'state')::public.coverage_state;
  result := private.read_coverage(jsonb_build_object('slug', coalesce(to_jsonb(instead), c -> 'slug'), 'kicker', c -> 'kicker',
    'headline', c -> 'headline', 'standfirst', c -> 'standfirst', 'time_zone', c -> 'time_zone', 'language', c -> 'language',
    'starts_at', c -> 'starts_at', 'reader_follow', c -> 'reader_follow', 'reader_interval', c -> 'reader_interval'), said);
  result.id := private.needed_id(c, 'id');
  result.summary := private.read_body(c -> 'summary', 0, 'summary');
  result.summary_at := private.past_time(c, 'summary_at');
  result.ended_at := private.past_time(c, 'ended_at');
  result.published_at := private.past_time(c, 'published_at');
  result.revised_at := private.past_time(c, 'revised_at');
  result.newest_at := private.past_time(c, 'newest_at');
  result.seq := private.needed_count(c, 'seq', 1);
  result.update_count := private.needed_count(c, 'update_count', 0);
  result.version := private.needed_count(c, 'version', 1);
  if jsonb_typeof(c -> 'pinned_update') is distinct from 'null' then result.pinned_update := private.needed_id(c, 'pinned_update'); end if;
  if (result.state = 'scheduled') <> (result.published_at is null) then
    perform private.refuse_field('published_at', 'A coverage that has begun says when, and no other does.');
  elsif (result.state in ('ended', 'archived')) <> (result.ended_at is not null) then
    perform private.refuse_field('ended_at', 'A coverage that has ended says when, and no other does.');
  elsif result.state = 'scheduled' and result.update_count > 0 then
    perform private.refuse_field('update_count', 'Nothing is published before a coverage begins.');
  end if;
  return result;
end $$;

/* Makes everybody whom a file names and who is not here: somebody without an account, as one who has deleted theirs. A
   handle that somebody else has gets a number. @returns who was made, and {id, handle, was} of those with another handle */
create function private.restore_people(content jsonb, out made uuid[], out renamed jsonb)
language plpgsql volatile set search_path = '' as $$
declare
  person jsonb;
  wanted public.people;
  said text;
  n integer;
begin
  made := '{}';
  renamed := '[]';
  for person in select private.needed_list(content, 'people', '{id,handle,display_name,bio}', 10000) loop
    wanted.id := private.needed_id(person, 'id');
    said := private.string_at(person, 'handle');
    wanted.display_name := private.string_at(person, 'display_name');
    wanted.bio := private.string_at(person, 'bio');
    if not coalesce(private.is_handle(said) and private.is_name(wanted.display_name) and private.is_text(wanted.bio, 'bio', 0), false) then
      perform private.refuse_field('people', 'Each person has a handle, a name and a bio as people here have them.');
    elsif wanted.id = any (made) then
      perform private.refuse_field('people', 'Name each of them once.');
    end if;
    -- Readers are nobody's business, whatever a file calls them.
    if exists (select from public.people p where p.id = wanted.id and p.active and p.role = 'reader' and p.bylined_at is null) then
      perform private.refuse_field('people', 'One of these people is here, and is no author.');
    end if;
    continue when exists (select from public.people p where p.id = wanted.id);
    wanted.handle := said;
    n := 1;
    while exists (select from public.people p where p.handle = wanted.handle) loop
      n := n + 1;
      wanted.handle := rtrim(left(said, private.limit_of('handle_max') - length('-' || n)), '-') || '-' || n;
    end loop;
    insert into public.people (id, handle, display_name, bio, active, deleted_at)
      values (wanted.id, wanted.handle, wanted.display_name, wanted.bio, false, now());
    made := made || wanted.id;
    if wanted.handle <> said then
      renamed := renamed || jsonb_build_object('id', wanted.id, 'handle', wanted.handle, 'was', said);
    end if;
  end loop;
end $$;

/* Gives a coverage the slugs that it had, with their times. With another one `instead` those that belong to another
   coverage here are left to it. @returns these */
create function private.restore_slugs(coverage uuid, content jsonb, current text, instead text) returns text[]
language plpgsql volatile set search_path = '' as $$
declare
  item jsonb;
  left_out text[] := '{}';
begin
  for item in select private.needed_list(content, 'slugs', '{slug,since}', 1000) loop
    if not coalesce(private.is_slug(private.string_at(item, 'slug')), false) then
      perform private.refuse_field('slugs', 'Each slug is one that a coverage can have.');
    end if;
    insert into public.coverage_slugs (slug, coverage_id, since)
      values (item ->> 'slug', coverage, private.needed_time(item, 'since')) on conflict (slug) do nothing;
    if not found then
      if exists (select from public.coverage_slugs s where s.slug = item ->> 'slug' and s.coverage_id = coverage) then
        perform private.refuse_field('slugs', 'Name each of them once.');
      elsif instead is null then
        perform private.refuse_field('slug', format('The slug %s belongs to another coverage here. Give a different one.', item ->> 'slug'));
      end if;
      left_out := left_out || (item ->> 'slug');
    end if;
  end loop;
  if instead is not null then
    perform private.claim_slug(coverage, instead);
  elsif not exists (select from public.coverage_slugs s where s.slug = current and s.coverage_id = coverage) then
    perform private.refuse_field('slugs', 'The slug of the coverage is among its slugs.');
  end if;
  return left_out;
end $$;

/* Announces the photos of a file, in their order. Nothing shows them before their prints are in storage. */
create function private.restore_photos(coverage uuid, content jsonb) returns void
language plpgsql volatile set search_path = '' as $$
declare
  item jsonb;
  photo public.photos;
begin
  for item in select private.needed_list(content, 'photos', '{id,width,height,prints,colour,alt,caption,credit,ready_at}', 100000) loop
    photo.id := private.needed_id(item, 'id');
    photo := private.read_photo(jsonb_build_object('alt', item -> 'alt', 'caption', item -> 'caption', 'credit', item -> 'credit'), photo);
    if photo.alt is null then perform private.refuse_field('photos', 'Say of each photo what it shows, for those who do not see it.'); end if;
    if not private.are_prints(item -> 'prints') or (item -> 'prints' -> -1 -> 'width') is distinct from item -> 'width'
        or (item -> 'prints' -> -1 -> 'height') is distinct from item -> 'height' then
      perform private.refuse_field('photos', 'Send the prints with width, height and bytes, the smallest first.');
    elsif not coalesce(private.string_at(item, 'colour') ~ '^#[0-9a-f]{6}$', false) then
      perform private.refuse_field('photos', 'Send a colour as #0a1b2c.');
    end if;
    perform private.needed_time(item, 'ready_at');
    insert into public.photos (id, coverage_id, alt, caption, credit) values (photo.id, coverage, photo.alt, photo.caption, photo.credit)
    on conflict (id) do nothing;
    if not found then perform private.refuse_field('photos', format('The photo %s is here already, in another coverage.', photo.id)); end if;
  end loop;
end $$;

/* The topics of a file: only held to what topics are. They are on pages of their own, so they come last. */
create function private.check_topics(content jsonb) returns void
language plpgsql stable set search_path = '' as $$
declare topic jsonb;
begin
  for topic in select private.needed_list(content, 'topics', '{id,slug,name,description}', private.limit_of('topics')) loop
    perform private.needed_id(topic, 'id');
    if not coalesce(private.is_slug(private.string_at(topic, 'slug')) and private.is_line(private.string_at(topic, 'name'), 'topic_name')
        and private.is_text(private.string_at(topic, 'description'), 'topic_description', 0), false) then
      perform private.refuse_field('topics', 'Each topic has a slug, a name and a description as topics here have them.');
    end if;
  end loop;
end $$;

/* Puts a coverage under its topics: by id, else by slug, else a new one. @returns the slugs of those that are others here */
create function private.restore_topics(coverage uuid, content jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  topic jsonb;
  here public.topics;
  others jsonb := '[]';
begin
  for topic in select value from jsonb_array_elements(content -> 'topics') loop
    select * into here from public.topics t where t.id = (topic ->> 'id')::uuid or t.slug = topic ->> 'slug'
    order by t.id = (topic ->> 'id')::uuid desc limit 1;
    if here.id is null then
      insert into public.topics (id, slug, name, description)
        values ((topic ->> 'id')::uuid, topic ->> 'slug', topic ->> 'name', topic ->> 'description') returning * into here;
    elsif to_jsonb(here) <> topic then
      others := others || to_jsonb(here.slug);
    end if;
    insert into public.coverage_topics (coverage_id, topic_id) values (coverage, here.id) on conflict do nothing;
  end loop;
  return others;
end $$;

/* Forgets what was brought in of a coverage and never came to its end. Its prints go with the photos that are swept. */
create function private.forget_restored(coverage uuid) returns void
language plpgsql volatile set search_path = '' as $$
declare made uuid[];
begin
  delete from private.restorations r where r.coverage_id = coverage returning r.people into made;
  delete from private.update_words w where w.update_id in (select u.id from public.updates u where u.coverage_id = coverage);
  delete from public.update_photos o where o.update_id in (select u.id from public.updates u where u.coverage_id = coverage);
  delete from public.update_bylines b where b.update_id in (select u.id from public.updates u where u.coverage_id = coverage);
  delete from public.update_revisions r where r.update_id in (select u.id from public.updates u where u.coverage_id = coverage);
  delete from public.coverage_changes h where h.coverage_id = coverage;
  delete from public.updates u where u.coverage_id = coverage;
  delete from public.photos p where p.coverage_id = coverage;
  delete from public.coverage_slugs s where s.coverage_id = coverage;
  delete from public.coverages c where c.id = coverage;
  -- Not those whom something else names by now.
  delete from public.people p where p.id = any (made) and p.bylined_at is null
    and not exists (select from public.update_bylines b where b.person_id = p.id)
    and not exists (select from private.restorations r where r.content -> 'people' @> jsonb_build_array(jsonb_build_object('id', p.id)));
end $$;

/* Begins to bring a coverage in, from nothing: what broke off before is forgotten. `content` is its first file, `instead`
   another slug for it. Answers {id, slug}. */
create function public.restore_coverage(content jsonb, instead text default null) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  wanted public.coverages;
  known public.coverages;
  people record;
  slugs_left text[];
begin
  perform private.refuse_unless_object(content, '{format,version,coverage,slugs,topics,people,photos}');
  if content -> 'format' is distinct from '"stoppress-coverage"' or content -> 'version' is distinct from '1' then
    perform private.refuse_field('format', 'This is no coverage as this newsroom writes them. It may be of a newer version.');
  end if;
  wanted := private.read_archived(content -> 'coverage', instead);
  perform private.forget_restored(r.coverage_id) from private.restorations r
  where r.coverage_id = wanted.id or r.begun_at < now() - interval '1 day';
  select * into known from public.coverages c where c.id = wanted.id for update;
  if known.seq > wanted.seq then
    perform private.refuse('bad_state', format('This coverage is here already, and further on: change %s, where the folder has %s.', known.seq, wanted.seq));
  elsif known.id is not null then
    perform private.refuse('bad_state', 'This coverage is here already, and is not the same. What has come since is not brought together.');
  end if;
  perform private.check_topics(content);
  insert into public.coverages (id, slug, kicker, headline, standfirst, summary, summary_at, time_zone, language, starts_at,
      reader_follow, reader_interval, version, restoring)
    values (wanted.id, wanted.slug, wanted.kicker, wanted.headline, wanted.standfirst, wanted.summary, wanted.summary_at,
      wanted.time_zone, wanted.language, wanted.starts_at, wanted.reader_follow, wanted.reader_interval, wanted.version, true)
  on conflict do nothing;
  if not found then
    perform private.refuse_field('slug', format('The slug %s belongs to another coverage here. Give a different one.', wanted.slug));
  end if;
  slugs_left := private.restore_slugs(wanted.id, content, wanted.slug, instead);
  select * into people from private.restore_people(content);
  perform private.restore_photos(wanted.id, content);
  insert into private.restorations (coverage_id, content, people, renamed, slugs_left)
    values (wanted.id, content, people.made, people.renamed, slugs_left);
  return jsonb_build_object('id', wanted.id, 'slug', wanted.slug);
end $$;

/* A coverage that is being brought in, locked; any other is not found. */
create function private.lock_restored(wanted uuid) returns public.coverages
language plpgsql volatile set search_path = '' as $$
declare coverage public.coverages;
begin
  select * into coverage from public.coverages c where c.id = wanted and c.restoring for update;
  if coverage.id is null then
    perform private.refuse('bad_state', 'This coverage is not being brought in any more. Start again from the beginning.');
  end if;
  return coverage;
end $$;

/* Reads what an update or a version of one says. Those under it are among the people of the file. */
create function private.read_archived_content(content jsonb, fewest integer, people uuid[]) returns private.update_content
language plpgsql stable set search_path = '' as $$
declare result private.update_content;
begin
  if content ? 'desk_note' then perform private.refuse_field('desk_note', 'There is no such field.'); end if;
  result := private.read_content(content - 'bylines', fewest, null);
  if jsonb_typeof(content -> 'bylines') is distinct from 'array' or jsonb_array_length(content -> 'bylines') > private.limit_of('bylines')
      or exists (select from jsonb_array_elements(content -> 'bylines') b(id) where jsonb_typeof(b.id) <> 'string') then
    perform private.refuse_field('bylines', format('Name at most %s people of the file.', private.limit_of('bylines')));
  end if;
  result.bylines := array(select private.as_uuid(b.id) from jsonb_array_elements_text(content -> 'bylines') with ordinality b(id, n) order by b.n);
  if exists (select from unnest(result.bylines) b(id) where not coalesce(b.id = any (people), false))
      or cardinality(result.bylines) <> (select count(distinct b.id) from unnest(result.bylines) b(id)) then
    perform private.refuse_field('bylines', format('Name at most %s people of the file.', private.limit_of('bylines')));
  end if;
  return result;
end $$;

/* The versions of a published update: from the first that readers saw to the one that stands, of which the update says
   itself what it says. Each as a row to be written. */
create function private.read_versions(item jsonb, stands private.update_content, people uuid[]) returns setof public.update_revisions
language plpgsql stable set search_path = '' as $$
declare
  of_all constant integer := private.needed_count(item, 'version', 1);
  said jsonb;
  row public.update_revisions;
  before integer;
begin
  for said in select private.needed_list(item, 'versions', '{version,kind,note,at,redacted_at,redacted_reason,content}', 100000) loop
    row := null;
    row.update_id := (item ->> 'id')::uuid;
    row.public := true;
    row.version := private.needed_count(said, 'version', 1);
    row.kind := private.optional_word(said, 'kind', null::public.revision_kind, null);
    row.at := private.needed_time(said, 'at');
    row.redacted_at := private.past_time(said, 'redacted_at');
    if row.version <> before + 1 or row.version > of_all then
      perform private.refuse_field('versions', 'Versions go up by one to the one that stands.');
    elsif row.kind is null or row.kind = 'withdrawal' or (before is null and row.kind <> 'revision') then
      perform private.refuse_field('kind', 'The first version is the publication; others are revisions, clarifications or corrections.');
    end if;
    if row.kind <> 'revision' then row.note := private.read_note(private.string_at(said, 'note'), 'note');
    elsif jsonb_typeof(said -> 'note') is distinct from 'null' then perform private.refuse_field('note', 'There is no such field.');
    end if;
    if row.redacted_at is not null then
      row.redacted_reason := private.read_note(private.string_at(said, 'redacted_reason'), 'redacted_reason');
    elsif jsonb_typeof(said -> 'redacted_reason') is distinct from 'null' then
      perform private.refuse_field('redacted_reason', 'There is no such field.');
    end if;
    if (jsonb_typeof(said -> 'content') is not distinct from 'null') <> (row.version = of_all or row.redacted_at is not null)
        or (row.version = of_all and row.redacted_at is not null) then
      perform private.refuse_field('content', 'Each version says what it said, but one that was redacted and the one that stands.');
    elsif row.version = of_all then
      row.content := to_jsonb(stands);
    elsif row.redacted_at is null then
      row.content := to_jsonb(private.read_archived_content(said -> 'content', 1, people));
    end if;
    before := row.version;
    return next row;
  end loop;
  if before is distinct from of_all then
    perform private.refuse_field('versions', 'Versions go up by one to the one that stands.');
  end if;
end $$;

/* Refuses photos that are here and belong to another coverage. */
create function private.guard_named_photos(coverage uuid, bodies jsonb[]) returns void
language plpgsql stable set search_path = '' as $$
begin
  if exists (select from unnest(bodies) b(body), unnest(private.photos_in(b.body)) n(id)
      join public.photos p on p.id = n.id where p.coverage_id is distinct from coverage) then
    perform private.refuse_field('body', 'This shows a photo of another coverage.');
  end if;
end $$;

/* Writes one update of a file, the next in its order. @returns those whom it makes known to readers */
create function private.restore_update(coverage uuid, next_number integer, item jsonb, people uuid[], photos uuid[], last_seq bigint) returns uuid[]
language plpgsql volatile set search_path = '' as $$
declare
  said constant text[] := '{headline,body,key_event,urgency,verification,attribution,dateline,occurred_at,bylines}';
  saved public.updates;
  read private.update_content;
  versions public.update_revisions[];
  shown uuid[];
begin
  perform private.refuse_unless_object(item, said
    || '{id,number,state,published_at,revised_at,corrected_at,withdrawn_at,withdrawn_reason,version,seq,photos,versions}'::text[]);
  saved.id := private.needed_id(item, 'id');
  saved.number := private.needed_count(item, 'number', 1);
  if saved.number <> next_number then
    perform private.refuse_field('number', format('Numbers go up by one: the next is %s.', next_number));
  elsif not coalesce(private.string_at(item, 'state') in ('published', 'withdrawn'), false) then
    perform private.refuse_field('state', 'Only what readers may see is brought in.');
  elsif exists (select from public.updates u where u.id = saved.id) then
    perform private.refuse_field('id', 'An update of this id is here already.');
  end if;
  saved.state := (item ->> 'state')::public.update_state;
  saved.published_at := private.needed_time(item, 'published_at');
  saved.revised_at := private.past_time(item, 'revised_at');
  saved.corrected_at := private.past_time(item, 'corrected_at');
  saved.withdrawn_at := private.past_time(item, 'withdrawn_at');
  saved.version := private.needed_count(item, 'version', 1);
  saved.seq := private.needed_count(item, 'seq', 1);
  if saved.seq > last_seq then perform private.refuse_field('seq', 'There is no such thing, or it is not open to you.'); end if;
  read := private.read_archived_content((select jsonb_object_agg(key, value) from jsonb_each(item) where key = any (said)),
    case saved.state when 'published' then 1 else 0 end, people);
  shown := array(select n.id from unnest(private.photos_in(read.body)) with ordinality n(id, n) where n.id = any (photos) order by n.n);
  if item -> 'photos' is distinct from to_jsonb(shown) then
    perform private.refuse_field('photos', 'Name the photos of the file that the body shows, in its order.');
  end if;

  if saved.state = 'published' then
    if saved.withdrawn_at is not null or jsonb_typeof(item -> 'withdrawn_reason') is distinct from 'null' then
      perform private.refuse_field('withdrawn_at', 'There is no such field.');
    end if;
    versions := array(select v from private.read_versions(item, read, people) v);
    if (cardinality(versions) > 1) <> (saved.revised_at is not null) then
      perform private.refuse_field('revised_at', 'What has several versions says when it was revised, and nothing else does.');
    elsif exists (select from unnest(versions) v where v.kind = 'correction') <> (saved.corrected_at is not null) then
      perform private.refuse_field('corrected_at', 'What was corrected says when, and nothing else does.');
    end if;
  else
    saved.withdrawn_at := private.needed_time(item, 'withdrawn_at');
    saved.withdrawn_reason := private.read_note(private.string_at(item, 'withdrawn_reason'), 'withdrawn_reason');
    if coalesce(read.headline, read.attribution, read.dateline) is not null or read.body <> '[]' or read.bylines <> '{}'
        or item -> 'versions' is distinct from '[]' then
      perform private.refuse_field('body', 'Of what was withdrawn there are no words.');
    elsif saved.version < 2 then
      perform private.refuse_field('version', 'What was withdrawn has a version before.');
    end if;
    saved.body := '[]';
    versions := array[row(saved.id, saved.version, null, 'withdrawal', saved.withdrawn_reason, null, saved.withdrawn_at, false,
      null, null, null)::public.update_revisions];
  end if;
  perform private.guard_named_photos(coverage, array(select v.content -> 'body' from unnest(versions) v where private.has_photos(v.content -> 'body')));

  insert into public.updates (id, coverage_id, number, state, headline, body, key_event, urgency, verification, attribution, dateline,
      occurred_at, filed_at, published_at, revised_at, corrected_at, withdrawn_at, withdrawn_reason, version, seq)
    values (saved.id, coverage, saved.number, saved.state, read.headline, read.body, read.key_event, read.urgency, read.verification,
      read.attribution, read.dateline, read.occurred_at, saved.published_at, saved.published_at, saved.revised_at, saved.corrected_at,
      saved.withdrawn_at, saved.withdrawn_reason, saved.version, saved.seq)
  returning * into saved;
  insert into public.update_revisions select v.* from unnest(versions) v;
  insert into public.update_bylines (update_id, person_id, position, published_at)
    select saved.id, b.id, b.n, saved.published_at from unnest(read.bylines) with ordinality b(id, n);
  if shown <> '{}' then
    insert into public.update_photos (update_id, photo_id, position)
      select saved.id, o.id, o.n from unnest(shown) with ordinality o(id, n);
    perform private.note_use(shown);
  end if;
  perform private.note_words(saved, read.bylines);
  return array(select distinct b.id::uuid from unnest(versions) v, jsonb_array_elements_text(v.content -> 'bylines') b(id));
end $$;

/* Brings the next updates of a coverage in, in the order of their numbers. A batch with an unfit one is refused whole, with
   its number and field. Answers how many there are now. */
create function public.restore_updates(coverage_id uuid, items jsonb) returns integer
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_restored(coverage_id);
  begun private.restorations;
  people uuid[];
  photos uuid[];
  named uuid[];
  item jsonb;
  at_number integer := coverage.update_count;
  details text;
  hint text;
begin
  select * into begun from private.restorations r where r.coverage_id = coverage.id;
  people := array(select (p ->> 'id')::uuid from jsonb_array_elements(begun.content -> 'people') p);
  photos := array(select (p ->> 'id')::uuid from jsonb_array_elements(begun.content -> 'photos') p);
  named := begun.named;
  for item in select value from jsonb_array_elements(items) loop
    at_number := at_number + 1;
    named := named || private.restore_update(coverage.id, at_number, item, people, photos, (begun.content -> 'coverage' ->> 'seq')::bigint);
  end loop;
  update public.coverages c set update_count = at_number where c.id = coverage.id;
  update private.restorations r set named = array(select distinct n from unnest(named) n) where r.coverage_id = coverage.id;
  return at_number;
exception
  when sqlstate 'PT422' then
    get stacked diagnostics details = pg_exception_detail, hint = pg_exception_hint;
    perform private.refuse('invalid', hint, details::jsonb || jsonb_build_object('number', at_number));
  when integrity_constraint_violation then
    get stacked diagnostics details = constraint_name;
    perform private.refuse('invalid', 'This is not as updates are here.', jsonb_build_object('field', details, 'number', at_number));
end $$;

/* Brings the next changes of a coverage in, in their order, when its updates are here. Answers how many there are now. */
create function public.restore_changes(coverage_id uuid, items jsonb) returns bigint
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_restored(coverage_id);
  last bigint := coalesce((select max(h.seq) from public.coverage_changes h where h.coverage_id = coverage.id), 0);
  item jsonb;
  changed uuid;
  details text;
  hint text;
begin
  for item in select value from jsonb_array_elements(items) loop
    last := last + 1;
    perform private.refuse_unless_object(item, '{seq,kind,at,number}');
    if private.needed_count(item, 'seq', 1) <> last then
      perform private.refuse_field('seq', format('Changes go up by one: the next is %s.', last));
    elsif private.optional_word(item, 'kind', null::public.change_kind, null) is null then
      perform private.refuse_field('kind', 'Say what kind of change it was.');
    end if;
    changed := null;
    if jsonb_typeof(item -> 'number') is distinct from 'null' then
      select u.id into changed from public.updates u
      where u.coverage_id = coverage.id and u.number = private.needed_count(item, 'number', 1);
      if changed is null then perform private.refuse_field('number', 'There is no such thing, or it is not open to you.'); end if;
    end if;
    insert into public.coverage_changes (coverage_id, seq, update_id, kind, at)
      values (coverage.id, last, changed, (item ->> 'kind')::public.change_kind, private.needed_time(item, 'at'));
  end loop;
  return last;
exception when sqlstate 'PT422' then
  get stacked diagnostics details = pg_exception_detail, hint = pg_exception_hint;
  perform private.refuse('invalid', hint, details::jsonb || jsonb_build_object('change', last));
end $$;

/* Refuses what has come of a coverage unless it is all that its first file tells of, and holds together. */
create function private.guard_whole(here public.coverages, wanted public.coverages, content jsonb, named uuid[]) returns void
language plpgsql stable set search_path = '' as $$
declare number integer;
begin
  if here.update_count <> wanted.update_count then
    perform private.refuse_field('update_count', format('There are %s updates, where the coverage counts %s.', here.update_count, wanted.update_count));
  elsif wanted.seq <> (select count(*) from public.coverage_changes h where h.coverage_id = here.id) then
    perform private.refuse_field('seq', format('The coverage counts %s changes, and not all of them are there.', wanted.seq));
  elsif wanted.newest_at is distinct from (select u.published_at from public.updates u
      where u.coverage_id = here.id and u.number = here.update_count) then
    perform private.refuse_field('newest_at', 'The newest update was published at another time.');
  elsif wanted.pinned_update is not null and not exists (select from public.updates u
      where u.id = wanted.pinned_update and u.coverage_id = here.id and u.state = 'published') then
    perform private.refuse_field('pinned_update', 'Only a published update of this coverage can be pinned.');
  elsif exists (select from jsonb_array_elements(content -> 'people') p(person) where (p.person ->> 'id')::uuid <> all (named)) then
    perform private.refuse_field('people', 'Somebody is under nothing that readers see.');
  elsif exists (select from public.photos p where p.coverage_id = here.id and not exists (
      select from public.update_photos o where o.photo_id = p.id)) then
    perform private.refuse_field('photos', 'A photo stands in nothing that readers see.');
  end if;
  -- Each update was published once, and stands at its last change.
  select u.number into number
  from public.updates u left join (
    select h.update_id, count(*) filter (where h.kind = 'publication') as published,
      max(h.seq) filter (where h.kind <> 'pin') as last,
      bool_or(h.kind = 'withdrawal') as withdrawn
    from public.coverage_changes h where h.coverage_id = here.id and h.update_id is not null group by h.update_id) h on h.update_id = u.id
  where u.coverage_id = here.id and (h.published is distinct from 1 or h.last <> u.seq or h.withdrawn <> (u.state = 'withdrawn'))
  order by u.number limit 1;
  if number is not null then
    perform private.refuse('invalid', 'Its changes tell of another update.', jsonb_build_object('field', 'seq', 'number', number));
  end if;
end $$;

/* Makes the photos of a coverage ready, of which every print is in storage. */
create function private.restore_prints(coverage uuid, content jsonb) returns void
language plpgsql volatile set search_path = '' as $$
declare missing text;
begin
  select w.name into missing
  from jsonb_array_elements(content -> 'photos') p(photo), jsonb_array_elements(p.photo -> 'prints') r(print),
    lateral (select 'prints/' || (p.photo ->> 'id') || '/' || (r.print ->> 'width')) w(name)
  where not exists (select from storage.objects o where o.bucket_id = 'photos' and o.name = w.name) limit 1;
  if missing is not null then perform private.refuse_field('photos', format('There is no %s in storage.', missing)); end if;
  update public.photos p set state = 'ready', width = (w.photo ->> 'width')::integer, height = (w.photo ->> 'height')::integer,
    prints = w.photo -> 'prints', colour = w.photo ->> 'colour', ready_at = (w.photo ->> 'ready_at')::timestamptz
  from jsonb_array_elements(content -> 'photos') w(photo)
  where p.id = (w.photo ->> 'id')::uuid and p.coverage_id = coverage;
end $$;

/* Opens a coverage to readers, when all of it is here and holds together: what it says of itself, its topics, its photos, its
   people. Readers and caches are told once; followers are told of nothing. Answers {id, slug, state, version, seq,
   pinned_update, people, topics, slugs}: who has another handle here, which topics are others here, which slugs it has not. */
create function public.finish_restored(coverage_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  here public.coverages := private.lock_restored(coverage_id);
  begun private.restorations;
  wanted public.coverages;
  topics jsonb;
  last public.coverage_changes;
begin
  select * into begun from private.restorations r where r.coverage_id = here.id;
  wanted := private.read_archived(begun.content -> 'coverage', here.slug);
  perform private.guard_whole(here, wanted, begun.content, begun.named);
  perform private.restore_prints(here.id, begun.content);
  topics := private.restore_topics(here.id, begun.content);
  update public.people p set bylined_at = now() where p.id = any (begun.named) and p.bylined_at is null;
  update public.coverages c set state = wanted.state, seq = wanted.seq, published_at = wanted.published_at,
    ended_at = wanted.ended_at, revised_at = wanted.revised_at, newest_at = wanted.newest_at, pinned_update = wanted.pinned_update,
    went_on_at = case wanted.state when 'live' then now() end, restoring = false
  where c.id = here.id;
  perform private.log_coverage(here.id);
  perform private.audit('restore_coverage', 'coverage', here.id, jsonb_build_object('slug', here.slug));
  delete from private.restorations r where r.coverage_id = here.id;
  -- Its last change once more: that one speaks for all, at the end of the transaction in which they can be seen.
  delete from public.coverage_changes h where h.coverage_id = here.id and h.seq = wanted.seq returning * into last;
  insert into public.coverage_changes select last.*;
  return private.coverage_result(here.id) || jsonb_build_object('people', begun.renamed, 'topics', topics, 'slugs', begun.slugs_left);
end $$;

/* Notes by which words readers find the published updates of an open coverage, of the next so many numbers after one: those of
   one that was brought in, which nobody was to find before. Asked until it has been through all of them; done twice it
   changes nothing. Answers the last number that it has been at. */
create function public.restore_words(coverage_id uuid, after integer, most integer) returns integer
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  saved public.updates;
  last integer := after + least(greatest(most, 0), 1000);
begin
  for saved in select u.* from public.updates u
      where u.coverage_id = restore_words.coverage_id and u.number > after and u.number <= last and u.state = 'published'
        and not exists (select from private.found_words f where f.id = u.id)
      order by u.number for share loop
    perform private.note_found(saved, array(select b.person_id from public.update_bylines b where b.update_id = saved.id order by b.position));
  end loop;
  return last;
end $$;

/* Forgets what was brought in of a coverage, when the rest of it cannot be. */
create function public.abandon_restored(coverage_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.forget_restored((private.lock_restored(abandon_restored.coverage_id)).id);
end $$;

revoke execute on function public.archived_coverage(text), public.archived_updates(uuid, integer, integer),
  public.archived_changes(uuid, bigint, integer), public.restore_coverage(jsonb, text), public.restore_updates(uuid, jsonb),
  public.restore_changes(uuid, jsonb), public.finish_restored(uuid), public.restore_words(uuid, integer, integer), public.abandon_restored(uuid) from public, anon, authenticated;
grant execute on function public.archived_coverage(text), public.archived_updates(uuid, integer, integer),
  public.archived_changes(uuid, bigint, integer), public.restore_coverage(jsonb, text), public.restore_updates(uuid, jsonb),
  public.restore_changes(uuid, jsonb), public.finish_restored(uuid), public.restore_words(uuid, integer, integer), public.abandon_restored(uuid) to service_role;
