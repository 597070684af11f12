-- Lists that are published: feeds, archive, days of a coverage, sitemaps.

-- ---- Feeds ----
-- The feed of a coverage needs only its numbers and its changes.

-- Updates in the feeds of the site and of topics: with a headline, key events, the first of a coverage, corrected,
-- and withdrawn ones, whose former content is unknown. The two indexes repeat this condition literally, so that
-- lists are read from them in order.
create view private.feed_rows as
  select u.id, u.coverage_id, u.published_at from public.updates u
  where u.number is not null
    and (u.headline is not null or u.key_event or u.number = 1 or u.corrected_at is not null or u.state = 'withdrawn');
create index updates_in_feeds on public.updates (published_at, id)
  where number is not null and (headline is not null or key_event or number = 1 or corrected_at is not null or state = 'withdrawn');
create index updates_in_feeds_of on public.updates (coverage_id, published_at, id)
  where number is not null and (headline is not null or key_event or number = 1 or corrected_at is not null or state = 'withdrawn');

-- Changes of published updates. They are few compared with publications.
create index coverage_changes_later on public.coverage_changes (at)
  where update_id is not null and kind in ('revision', 'clarification', 'correction', 'withdrawal', 'redaction', 'photo');
create index coverage_changes_later_of on public.coverage_changes (coverage_id, at)
  where update_id is not null and kind in ('revision', 'clarification', 'correction', 'withdrawal', 'redaction', 'photo');

-- At most `max_rows` entries of the site or a topic, published from `since` and before `before`: the first, or with
-- `backwards` the last.
create function private.feed_span(topic uuid, since timestamptz, before timestamptz, max_rows integer, backwards boolean default false)
returns table (id uuid, published_at timestamptz)
language plpgsql stable set search_path = ''
  set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off set enable_seqscan = off as $$
#variable_conflict use_column
begin
  if topic is null and backwards then
    return query select r.id, r.published_at from private.feed_rows r
      where r.published_at >= since and r.published_at < before order by r.published_at desc, r.id desc limit max_rows;
  elsif topic is null then
    return query select r.id, r.published_at from private.feed_rows r
      where r.published_at >= since and r.published_at < before order by r.published_at, r.id limit max_rows;
  elsif backwards then
    return query select f.id, f.published_at from public.coverage_topics t cross join lateral (
        select r.id, r.published_at from private.feed_rows r
        where r.coverage_id = t.coverage_id and r.published_at >= since and r.published_at < before
        order by r.published_at desc, r.id desc limit max_rows) f
      where t.topic_id = topic order by f.published_at desc, f.id desc limit max_rows;
  else
    return query select f.id, f.published_at from public.coverage_topics t cross join lateral (
        select r.id, r.published_at from private.feed_rows r
        where r.coverage_id = t.coverage_id and r.published_at >= since and r.published_at < before
        order by r.published_at, r.id limit max_rows) f
      where t.topic_id = topic order by f.published_at, f.id limit max_rows;
  end if;
end $$;

-- Number of entries in a month.
create function private.feed_count(topic uuid, month timestamptz) returns integer
language plpgsql stable set search_path = ''
  set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off set enable_seqscan = off as $$
declare month_end timestamptz := month + interval '1 month';
begin
  if topic is null then
    return (select count(*) from private.feed_rows r where r.published_at >= month and r.published_at < month_end);
  end if;
  return (select coalesce(sum(f.entries), 0) from public.coverage_topics t cross join lateral (
      select count(*) as entries from private.feed_rows r
      where r.coverage_id = t.coverage_id and r.published_at >= month and r.published_at < month_end) f
    where t.topic_id = topic);
end $$;

-- The updates that changed last after publication, from the last few hundred changes. Clarifications count for
-- every update.
create function private.feed_changes(topic uuid, max_rows integer) returns table (id uuid, at timestamptz)
language plpgsql stable set search_path = ''
  set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
    with changes as (
      (select c.coverage_id, c.seq, c.update_id, c.kind, c.at from public.coverage_changes c
        where topic is null and c.update_id is not null
          and c.kind in ('revision', 'clarification', 'correction', 'withdrawal', 'redaction', 'photo')
        order by c.at desc limit 4 * max_rows)
      union all
      (select f.* from public.coverage_topics t cross join lateral (
          select c.coverage_id, c.seq, c.update_id, c.kind, c.at from public.coverage_changes c
          where c.coverage_id = t.coverage_id and c.update_id is not null
            and c.kind in ('revision', 'clarification', 'correction', 'withdrawal', 'redaction', 'photo')
          order by c.at desc limit 4 * max_rows) f
        where t.topic_id = topic order by f.at desc limit 4 * max_rows)
    )
    select u.id, max(c.at) from changes c join public.updates u on u.id = c.update_id
    where u.headline is not null or u.key_event or u.number = 1 or u.corrected_at is not null or u.state = 'withdrawn'
      or c.kind = 'clarification'
    group by u.id order by max(c.at) desc limit max_rows;
end $$;

-- Name of an archive: its month, and its part unless it is the first.
create function private.feed_name(month timestamptz, part integer) returns text
language sql stable set search_path = '' as $$
  select to_char(month at time zone 'UTC', 'YYYY-MM') || case when part > 1 then '.' || part else '' end
$$;

-- Name of the last archive before a month, or null.
create function private.previous_feed_archive(topic uuid, month timestamptz, size integer) returns text
language sql stable set search_path = '' as $$
  select private.feed_name(m.month, (private.feed_count(topic, m.month) + size - 1) / size)
  from private.feed_span(topic, '-infinity', month, 1, true) s, date_trunc('month', s.published_at, 'UTC') m(month)
$$;

-- A document of the feed of the site or a topic: {entries, older, newer}, or null. An entry is {id, coverage, at,
-- coverage_withdrawn, in_archive}: `at` is the last change, `in_archive` means that an archive contains it.
-- Without a month it is the newest document. Archives hold at most `size` entries by publication. Months are in
-- UTC; the current month has only full archives.
create function public.feed_updates(topic_id uuid default null, month date default null, part integer default 1, size integer default 50)
returns jsonb language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  page_size integer := least(greatest(size, 1), 100);
  this_month timestamptz := date_trunc('month', now(), 'UTC');
  month_start timestamptz := month::timestamp at time zone 'UTC';
  entry_count integer;
  parts integer;
  ids uuid[];
  open uuid[] := '{}';
  older text;
  newer text;
  next_month timestamptz;
begin
  if month is null then
    entry_count := private.feed_count(topic_id, this_month);
    parts := entry_count / page_size;
    ids := array(select s.id from private.feed_span(topic_id, '-infinity', 'infinity', page_size, true) s);
    -- The newest updates that are in no archive yet.
    open := ids[1:entry_count % page_size];
    ids := ids || array(select l.id from private.feed_changes(topic_id, page_size) l where l.id <> all (ids));
    older := case when parts > 0 then private.feed_name(this_month, parts) else private.previous_feed_archive(topic_id, this_month, page_size) end;
  else
    month_start := date_trunc('month', month_start, 'UTC');
    entry_count := private.feed_count(topic_id, month_start);
    parts := case when month_start < this_month then (entry_count + page_size - 1) / page_size else entry_count / page_size end;
    if part is null or part not between 1 and parts then return null; end if;
    ids := array(select s.id from private.feed_span(topic_id, month_start, month_start + interval '1 month', part * page_size) s
      order by s.published_at, s.id offset (part - 1) * page_size);
    older := case when part > 1 then private.feed_name(month_start, part - 1)
      else private.previous_feed_archive(topic_id, month_start, page_size) end;
    if part < parts then
      newer := private.feed_name(month_start, part + 1);
    elsif month_start < this_month then
      select date_trunc('month', s.published_at, 'UTC') into next_month
      from private.feed_span(topic_id, month_start + interval '1 month', 'infinity', 1) s;
      if next_month < this_month or private.feed_count(topic_id, next_month) >= page_size then
        newer := private.feed_name(next_month, 1);
      end if;
    end if;
  end if;
  return jsonb_build_object('older', older, 'newer', newer, 'entries', coalesce((
    select jsonb_agg(jsonb_build_object('id', u.id, 'coverage', u.coverage_id, 'coverage_withdrawn', c.state = 'withdrawn',
      'in_archive', u.id <> all (open),
      'at', coalesce(case when c.state = 'withdrawn' then c.withdrawn_at end, (select l.at from public.coverage_changes l
        where l.coverage_id = u.coverage_id and l.seq = u.seq and l.kind <> 'publication'), u.published_at)))
    from public.updates u join public.coverages c on c.id = u.coverage_id
    where u.id = any (ids) and (private.is_public(c.state) or c.state = 'withdrawn')), '[]'));
end $$;

-- ---- Archive ----

-- A time in UTC with microseconds, as text: src/lib/domain/list-paths.ts compares such texts.
create function private.time_position(at timestamptz) returns text
language sql stable set search_path = ''
return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US');

-- Ended coverages of a topic or all, newest first, before a position. For a topic the index on
-- all coverages is read in order, with one lookup for each coverage.
create function public.list_ended_coverages(max_rows integer, topic_id uuid default null, before_position timestamptz default 'infinity',
  before_id uuid default '00000000-0000-0000-0000-000000000000')
returns table (coverage_id uuid, list_position text)
language sql stable security definer set search_path = ''
  set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off set enable_seqscan = off as $$
  select c.id, private.time_position(c.published_at) from public.coverages c
  where c.state in ('ended', 'archived') and c.published_at is not null
    and (c.published_at, c.id) < (list_ended_coverages.before_position, before_id)
    and (list_ended_coverages.topic_id is null or (select true from public.coverage_topics t
      where t.coverage_id = c.id and t.topic_id = list_ended_coverages.topic_id))
  order by c.published_at desc, c.id desc limit least(greatest(max_rows, 0), 1000)
$$;

-- Newest published updates of a person, at most `max_rows`, before a position: a time and, among updates of the same time,
-- an id. The parameters are compared as they are given, because an expression would be evaluated after the policy,
-- for each row. Sorting is off: without statistics the planner would sort all bylines of the person.
create function public.list_updates_by_person(person_id uuid, max_rows integer, before_position timestamptz default 'infinity',
  before_id uuid default '00000000-0000-0000-0000-000000000000')
returns table (update_id uuid, list_position text)
language sql stable set search_path = '' set enable_sort = off as $$
  select b.update_id, private.time_position(b.published_at) from public.update_bylines b
  where b.person_id = list_updates_by_person.person_id and b.published_at is not null
    and (b.published_at, b.update_id) < (list_updates_by_person.before_position, before_id)
  order by b.published_at desc, b.update_id desc limit least(greatest(max_rows, 0), 1000)
$$;

-- Months (UTC) in which public coverages began, newest first.
create function public.archive_months()
returns table (month text, coverages integer)
language sql stable security definer set search_path = '' as $$
  select to_char(c.published_at at time zone 'UTC', 'YYYY-MM'), count(*)::integer from public.coverages c
  where c.state in ('live', 'paused', 'ended', 'archived') and c.published_at is not null
  group by 1 order by 1 desc
$$;

-- ---- Days of a coverage ----

-- When an update of a coverage was published.
create function private.publication_time(coverage uuid, nth integer) returns timestamptz
language sql stable set search_path = ''
return (select u.published_at from public.updates u where u.coverage_id = coverage and u.number = nth);

-- The first number after `after_number` that was published at `since` or later; the count plus one if there is none.
-- Numbers follow publication, so an exponential and then binary search needs a few dozen lookups in 100,000
-- updates.
create function private.first_number_since(coverage uuid, after_number integer, count integer, since timestamptz) returns integer
language plpgsql stable set search_path = '' as $$
declare
  low integer := after_number;
  high integer := after_number + 1;
  middle integer;
begin
  while high <= count and private.publication_time(coverage, high) < since loop
    low := high;
    high := high + (high - after_number);
  end loop;
  high := least(high, count + 1);
  while high - low > 1 loop
    middle := (low + high) / 2;
    if private.publication_time(coverage, middle) < since then low := middle; else high := middle; end if;
  end loop;
  return high;
end $$;

-- Days of a public coverage in its time zone with at least one update that is not withdrawn: number of updates,
-- first and last number and their times.
create function public.coverage_days(coverage_id uuid)
returns table (day date, updates integer, first integer, last integer, first_at timestamptz, last_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := (select c from public.coverages c where c.id = coverage_id and private.is_public(c.state));
  following integer;
begin
  first := 1;
  while first <= coverage.update_count loop
    first_at := private.publication_time(coverage_id, first);
    day := (first_at at time zone coverage.time_zone)::date;
    following := private.first_number_since(coverage_id, first, coverage.update_count, (day + 1)::timestamp at time zone coverage.time_zone);
    last := following - 1;
    last_at := private.publication_time(coverage_id, last);
    updates := following - first - (select count(*) from public.updates u where u.coverage_id = coverage_days.coverage_id
      and u.state = 'withdrawn' and u.number between first and last);
    if updates > 0 then return next; end if;
    first := following;
  end loop;
end $$;

-- ---- Sitemaps ----
-- An update has an indexed page of its own if it has a headline or is a key event. Months are in UTC.

create function private.month_of(at timestamptz) returns date
language sql immutable return date_trunc('month', at at time zone 'UTC')::date;
create function private.month_begins(month date) returns timestamptz
language sql immutable return month::timestamp at time zone 'UTC';
create function private.month_ends(month date) returns timestamptz
language sql immutable return (month + interval '1 month') at time zone 'UTC';

create view private.sitemap_updates as
  select u.id, u.coverage_id, u.number, u.headline, u.body, u.published_at, u.revised_at, u.corrected_at from public.updates u
  where u.state = 'published' and (u.headline is not null or u.key_event);
-- They are read in this order. The index repeats the condition literally.
create index updates_in_sitemap on public.updates (published_at, id)
  where state = 'published' and (headline is not null or key_event);
-- The latest change of a month is one lookup. A withdrawn update has left its month, which is a change, too. The
-- expressions are spelled out, so that every role can use the index.
create index updates_in_sitemap_changed on public.updates
  ((date_trunc('month', published_at at time zone 'UTC')), (greatest(published_at, revised_at, corrected_at, withdrawn_at)))
  where (state = 'published' and (headline is not null or key_event)) or state = 'withdrawn';

-- Addresses in one part of the sitemap. 50,000 are allowed; fewer can be written and compressed at once.
create function private.sitemap_size() returns integer language sql immutable return 10000;

-- When readers last saw a coverage change, except how they follow it.
create function private.coverage_changed_at(coverage uuid) returns timestamptz
language sql stable set search_path = '' as $$
  select h.at from public.coverage_changes h
  where h.coverage_id = coverage and h.kind <> 'follow' order by h.seq desc limit 1
$$;

-- Month of the first update in the sitemap from a time on.
create function private.next_sitemap_month(moment timestamptz) returns date
language sql stable set search_path = '' as $$
  select private.month_of(u.published_at) from private.sitemap_updates u where u.published_at >= moment
  order by u.published_at, u.id limit 1
$$;

-- Whether a month has an entry. All of them may belong to withdrawn coverages.
create function private.has_sitemap_entries(month date) returns boolean
language sql stable set search_path = '' as $$
  select exists (select from public.coverages c where private.is_public(c.state) and private.month_of(c.published_at) = month)
    or (select true from private.sitemap_updates u
      where u.published_at >= private.month_begins(month) and u.published_at < private.month_ends(month)
        and (select private.is_public(c.state) from public.coverages c where c.id = u.coverage_id)
      order by u.published_at, u.id limit 1)
$$;

-- When the part of a month changed: through entries, or through withdrawn ones.
create function private.month_changed_at(month date) returns timestamptz
language sql stable set search_path = '' as $$
  select greatest(
    (select greatest(u.published_at, u.revised_at, u.corrected_at, u.withdrawn_at) from public.updates u
      where ((u.state = 'published' and (u.headline is not null or u.key_event)) or u.state = 'withdrawn')
        and date_trunc('month', u.published_at at time zone 'UTC') = month::timestamp
      order by greatest(u.published_at, u.revised_at, u.corrected_at, u.withdrawn_at) desc limit 1),
    (select max(private.coverage_changed_at(c.id)) from public.coverages c
      where (private.is_public(c.state) or c.state = 'withdrawn') and private.month_of(c.published_at) = month))
$$;

-- Parts of the sitemap: [{month, part, changed_at}]. Updates are counted only if there are more than one part
-- holds.
create function public.sitemap_parts() returns jsonb
language sql stable security definer set search_path = '' as $$
  with recursive updated_months as (
    select private.next_sitemap_month('-infinity') as month
    union all
    select private.next_sitemap_month(private.month_ends(w.month)) from updated_months w where w.month is not null
  ), months as (
    select w.month from updated_months w where w.month is not null
    union
    select private.month_of(c.published_at) from public.coverages c where private.is_public(c.state) and c.published_at is not null
  ), counted as (
    select private.month_of(u.published_at) as month, count(*) as updates from private.sitemap_updates u
    where (select sum(c.update_count) from public.coverages c) > private.sitemap_size()
    group by 1
  )
  select coalesce(jsonb_agg(jsonb_build_object('month', to_char(m.month, 'YYYY-MM'), 'part', p.part,
    'changed_at', private.month_changed_at(m.month)) order by m.month, p.part), '[]')
  from months m left join counted n on n.month = m.month
  cross join lateral generate_series(1, greatest(1, ceil(n.updates::numeric / private.sitemap_size())::integer)) p(part)
  where private.has_sitemap_entries(m.month)
$$;

-- Entries of one part: {coverages: [{slug, changed_at, ended}], updates: [{slug, number, changed_at}]}.
create function public.sitemap_part(month date, part integer) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'coverages', coalesce((select jsonb_agg(jsonb_build_object('slug', c.slug, 'changed_at', private.coverage_changed_at(c.id),
        'ended', c.state in ('ended', 'archived')) order by c.published_at, c.id)
      from public.coverages c
      where sitemap_part.part = 1 and private.is_public(c.state) and private.month_of(c.published_at) = sitemap_part.month), '[]'),
    'updates', coalesce((select jsonb_agg(jsonb_build_object('slug', f.slug, 'number', f.number, 'changed_at', f.changed_at)
        order by f.published_at, f.id)
      from (
        select c.slug, c.state, u.number, u.published_at, u.id, greatest(u.published_at, u.revised_at, u.corrected_at) as changed_at
        from (
          select x.* from private.sitemap_updates x
          where x.published_at >= private.month_begins(sitemap_part.month)
            and x.published_at < private.month_ends(sitemap_part.month)
          order by x.published_at, x.id
          offset greatest(sitemap_part.part - 1, 0)::bigint * private.sitemap_size() limit private.sitemap_size()) u
        join public.coverages c on c.id = u.coverage_id) f
      where private.is_public(f.state)), '[]'))
$$;

-- Lists for the sitemap: {changed_at, scheduled: [slug], topics: [{slug, changed_at}], people: [{handle,
-- changed_at}], months: [YYYY-MM]}.
create function public.sitemap_pages() returns jsonb
language sql stable security definer set search_path = '' as $$
  with shown as (
    select c.id, c.slug, c.state, c.published_at, private.coverage_changed_at(c.id) as changed_at
    from public.coverages c where private.is_public(c.state))
  select jsonb_build_object(
    'changed_at', (select max(private.coverage_changed_at(c.id)) from public.coverages c
      where private.is_public(c.state) or c.state = 'withdrawn'),
    'scheduled', coalesce((select jsonb_agg(jsonb_build_object('slug', s.slug, 'changed_at', s.changed_at) order by s.slug)
      from shown s where s.published_at is null), '[]'),
    'topics', coalesce((select jsonb_agg(jsonb_build_object('slug', t.slug, 'changed_at', t.changed_at) order by t.slug)
      from (select o.slug, max(s.changed_at) as changed_at from public.topics o
        join public.coverage_topics ct on ct.topic_id = o.id join shown s on s.id = ct.coverage_id group by o.slug) t), '[]'),
    'people', coalesce((select jsonb_agg(jsonb_build_object('handle', p.handle, 'changed_at', (
          select max(b.published_at) from public.update_bylines b where b.person_id = p.id)) order by p.handle)
      from public.people p where p.bylined_at is not null), '[]'),
    'months', coalesce((select jsonb_agg(m.month order by m.month)
      from (select distinct to_char(private.month_of(s.published_at), 'YYYY-MM') as month from shown s
        where s.published_at is not null) m), '[]'))
$$;

-- Coverages and updates of the last two days, newest first: [{slug, number, title, body, coverage, language,
-- published_at}]. `number` is null for a coverage; `body` is set for updates without a headline; `coverage` is its
-- headline.
create function public.sitemap_news(max_rows integer) returns jsonb
language sql stable security definer set search_path = '' as $$
  with coverages as (
    select c.slug, null::integer as number, c.headline as title, null::jsonb as body, c.headline as coverage, c.language, c.published_at
    from public.coverages c
    where private.is_public(c.state) and c.published_at > now() - interval '48 hours' and c.published_at <= now()
    order by c.published_at desc limit least(greatest(max_rows, 0), 1000)
  ), updates as (
    select c.slug, u.number, u.headline as title, case when u.headline is null then u.body end as body, c.headline as coverage,
      c.language, u.published_at
    from private.sitemap_updates u join public.coverages c on c.id = u.coverage_id
    where private.is_public(c.state)
      and u.published_at > now() - interval '48 hours' and u.published_at <= now()
    order by u.published_at desc, u.id desc limit least(greatest(max_rows, 0), 1000)
  )
  select coalesce(jsonb_agg(to_jsonb(n) order by n.published_at desc, n.slug, n.number nulls first), '[]')
  from (select * from (select * from coverages union all select * from updates) a
    order by a.published_at desc, a.slug, a.number nulls first limit least(greatest(max_rows, 0), 1000)) n
$$;

-- ---- Execute rights ----

grant execute on function public.feed_updates, public.list_ended_coverages, public.list_updates_by_person,
  public.archive_months, public.coverage_days, public.sitemap_parts, public.sitemap_part, public.sitemap_pages,
  public.sitemap_news to anon, authenticated, service_role;
grant execute on function private.time_position to anon, authenticated, service_role;
