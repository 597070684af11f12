-- Sitemaps: which addresses there are for search engines, and when what stands there changed for the last time. An update
-- has a page of its own that is indexed when it has a headline or is a key event. Months are those of UTC.

create function private.month_of(at timestamptz) returns date
language sql immutable return date_trunc('month', at at time zone 'UTC')::date;

create function private.month_begins(month date) returns timestamptz
language sql immutable return month::timestamp at time zone 'UTC';

/* In the order in which they are listed. */
create index updates_found on public.updates (published_at, id)
  where state = 'published' and (headline is not null or key_event);
/* A month's newest change is one look, however many updates it has. What was withdrawn has left its month, which changed it.
   The expressions are spelled out, as `private.has_photos` is. */
create index updates_found_changed on public.updates
  ((date_trunc('month', published_at at time zone 'UTC')), (greatest(published_at, revised_at, corrected_at, withdrawn_at)))
  where (state = 'published' and (headline is not null or key_event)) or state = 'withdrawn';

/* Addresses in one part of the sitemap: few enough to be written and packed at once, where 50,000 are allowed. */
create function private.sitemap_size() returns integer language sql immutable return 10000;

/* When readers last saw a coverage change; how they follow it is no part of it. */
create function private.coverage_changed_at(coverage uuid) returns timestamptz
language sql stable set search_path = '' as $$
  select h.at from public.coverage_changes h
  where h.coverage_id = coverage and h.kind <> 'follow' order by h.seq desc limit 1
$$;

/* The month of the first update from a moment on that is to be found. */
create function private.found_from(moment timestamptz) returns date
language sql stable set search_path = '' as $$
  select private.month_of(u.published_at) from public.updates u
  where u.state = 'published' and (u.headline is not null or u.key_event) and u.published_at >= moment
  order by u.published_at, u.id limit 1
$$;

/* Is there anything of a month? All of it may be a coverage's that was withdrawn. */
create function private.has_found(month date) returns boolean
language sql stable set search_path = '' as $$
  select exists (select from public.coverages c where private.is_public(c.state) and private.month_of(c.published_at) = month)
    or (select true from public.updates u
      where u.state = 'published' and (u.headline is not null or u.key_event)
        and u.published_at >= private.month_begins(month) and u.published_at < private.month_begins((month + interval '1 month')::date)
        and (select private.is_public(c.state) from public.coverages c where c.id = u.coverage_id)
      order by u.published_at, u.id limit 1)
$$;

/* When a month's part of the sitemap changed: by what stands in it and by what has left it. */
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

/* The parts of the sitemap, [{month, part, changed_at}]: a look for each month. Only where there are more updates than one
   part holds are they counted. */
create function public.sitemap_parts() returns jsonb
language sql stable security definer set search_path = '' as $$
  with recursive walked as (
    select private.found_from('-infinity') as month
    union all
    select private.found_from(private.month_begins((w.month + interval '1 month')::date)) from walked w where w.month is not null
  ), months as (
    select w.month from walked w where w.month is not null
    union
    select private.month_of(c.published_at) from public.coverages c where private.is_public(c.state) and c.published_at is not null
  ), counted as (
    select private.month_of(u.published_at) as month, count(*) as updates from public.updates u
    where u.state = 'published' and (u.headline is not null or u.key_event)
      and (select sum(c.update_count) from public.coverages c) > private.sitemap_size()
    group by 1
  )
  select coalesce(jsonb_agg(jsonb_build_object('month', to_char(m.month, 'YYYY-MM'), 'part', p.part,
    'changed_at', private.month_changed_at(m.month)) order by m.month, p.part), '[]')
  from months m left join counted n on n.month = m.month
  cross join lateral generate_series(1, greatest(1, ceil(n.updates::numeric / private.sitemap_size())::integer)) p(part)
  where private.has_found(m.month)
$$;

/* What stands in one part, over: nothing more is expected of it: {coverages: [{slug, changed_at, over}], updates: [{slug, number, changed_at}]}. */
create function public.sitemap_part(month date, part integer) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'coverages', coalesce((select jsonb_agg(jsonb_build_object('slug', c.slug, 'changed_at', private.coverage_changed_at(c.id),
        'over', c.state in ('ended', 'archived')) order by c.published_at, c.id)
      from public.coverages c
      where sitemap_part.part = 1 and private.is_public(c.state) and private.month_of(c.published_at) = sitemap_part.month), '[]'),
    'updates', coalesce((select jsonb_agg(jsonb_build_object('slug', f.slug, 'number', f.number, 'changed_at', f.changed_at)
        order by f.published_at, f.id)
      from (
        select c.slug, c.state, u.number, u.published_at, u.id, greatest(u.published_at, u.revised_at, u.corrected_at) as changed_at
        from (
          select x.* from public.updates x
          where x.state = 'published' and (x.headline is not null or x.key_event)
            and x.published_at >= private.month_begins(sitemap_part.month)
            and x.published_at < private.month_begins((sitemap_part.month + interval '1 month')::date)
          order by x.published_at, x.id
          offset greatest(sitemap_part.part - 1, 0)::bigint * private.sitemap_size() limit private.sitemap_size()) u
        join public.coverages c on c.id = u.coverage_id) f
      where private.is_public(f.state)), '[]'))
$$;

/* The lists that lead there: {changed_at, scheduled: [slug], topics: [{slug, changed_at}], people: [{handle, changed_at}], months: [YYYY-MM]
   of the archive}. A list changes with what it shows. */
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

/* What came in the last two days, newest first: [{slug, number, title, body, coverage, language, published_at}], number
   null for a coverage; body of an update without a headline alone, and coverage is its headline. */
create function public.sitemap_news(most integer) returns jsonb
language sql stable security definer set search_path = '' as $$
  with coverages as (
    select c.slug, null::integer as number, c.headline as title, null::jsonb as body, c.headline as coverage, c.language, c.published_at
    from public.coverages c
    where private.is_public(c.state) and c.published_at > now() - interval '48 hours' and c.published_at <= now()
    order by c.published_at desc limit least(greatest(most, 0), 1000)
  ), updates as (
    select c.slug, u.number, u.headline as title, case when u.headline is null then u.body end as body, c.headline as coverage,
      c.language, u.published_at
    from public.updates u join public.coverages c on c.id = u.coverage_id
    where u.state = 'published' and (u.headline is not null or u.key_event) and private.is_public(c.state)
      and u.published_at > now() - interval '48 hours' and u.published_at <= now()
    order by u.published_at desc, u.id desc limit least(greatest(most, 0), 1000)
  )
  select coalesce(jsonb_agg(to_jsonb(n) order by n.published_at desc, n.slug, n.number nulls first), '[]')
  from (select * from (select * from coverages union all select * from updates) a
    order by a.published_at desc, a.slug, a.number nulls first limit least(greatest(most, 0), 1000)) n
$$;

revoke execute on function public.sitemap_parts() from public;
revoke execute on function public.sitemap_part(date, integer) from public;
revoke execute on function public.sitemap_pages() from public;
revoke execute on function public.sitemap_news(integer) from public;
grant execute on function public.sitemap_parts(), public.sitemap_part(date, integer), public.sitemap_pages(), public.sitemap_news(integer)
  to anon, authenticated, service_role;
