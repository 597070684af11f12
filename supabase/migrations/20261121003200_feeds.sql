-- What the feeds of the site and of a topic are made of. A coverage's own feed needs nothing beside its numbers and its
-- log of changes.

/* The site's feed is known by this for good, whatever the site is called and wherever it moves. */
alter table public.site add column feed_id uuid not null default gen_random_uuid();

/* What stands by itself outside its coverage: what has a headline, a key event, the first of a coverage, what was
   corrected, and what was taken back, of which nobody can tell any more what it had. Both indexes have this condition
   word for word, and lists come out of them in their order. */
create view private.feed_rows as
  select u.id, u.coverage_id, u.published_at from public.updates u
  where u.number is not null
    and (u.headline is not null or u.key_event or u.number = 1 or u.corrected_at is not null or u.state = 'withdrawn');
revoke all on private.feed_rows from public, anon, authenticated, service_role;
create index updates_in_feeds on public.updates (published_at, id)
  where number is not null and (headline is not null or key_event or number = 1 or corrected_at is not null or state = 'withdrawn');
create index updates_in_feeds_of on public.updates (coverage_id, published_at, id)
  where number is not null and (headline is not null or key_event or number = 1 or corrected_at is not null or state = 'withdrawn');

-- Changes of what was published, which are few beside the publications.
create index coverage_changes_later on public.coverage_changes (at)
  where update_id is not null and kind in ('revision', 'clarification', 'correction', 'withdrawal', 'redaction', 'photo');
create index coverage_changes_later_of on public.coverage_changes (coverage_id, at)
  where update_id is not null and kind in ('revision', 'clarification', 'correction', 'withdrawal', 'redaction', 'photo');

/* At most so many rows of the site, or of a topic, published from one moment on and before another: the first, or the last
   of them first. */
create function private.feed_span(topic uuid, since timestamptz, before timestamptz, most integer, backwards boolean default false)
returns table (id uuid, published_at timestamptz)
language plpgsql stable set search_path = ''
  set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off set enable_seqscan = off as $$
#variable_conflict use_column
begin
  if topic is null and backwards then
    return query select r.id, r.published_at from private.feed_rows r
      where r.published_at >= since and r.published_at < before order by r.published_at desc, r.id desc limit most;
  elsif topic is null then
    return query select r.id, r.published_at from private.feed_rows r
      where r.published_at >= since and r.published_at < before order by r.published_at, r.id limit most;
  elsif backwards then
    return query select f.id, f.published_at from public.coverage_topics t cross join lateral (
        select r.id, r.published_at from private.feed_rows r
        where r.coverage_id = t.coverage_id and r.published_at >= since and r.published_at < before
        order by r.published_at desc, r.id desc limit most) f
      where t.topic_id = topic order by f.published_at desc, f.id desc limit most;
  else
    return query select f.id, f.published_at from public.coverage_topics t cross join lateral (
        select r.id, r.published_at from private.feed_rows r
        where r.coverage_id = t.coverage_id and r.published_at >= since and r.published_at < before
        order by r.published_at, r.id limit most) f
      where t.topic_id = topic order by f.published_at, f.id limit most;
  end if;
end $$;

/* How many there are in a month, of which no page of an index is read twice. */
create function private.feed_count(topic uuid, month timestamptz) returns integer
language plpgsql stable set search_path = ''
  set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off set enable_seqscan = off as $$
declare upto timestamptz := month + interval '1 month';
begin
  if topic is null then
    return (select count(*) from private.feed_rows r where r.published_at >= month and r.published_at < upto);
  end if;
  return (select coalesce(sum(f.many), 0) from public.coverage_topics t cross join lateral (
      select count(*) as many from private.feed_rows r
      where r.coverage_id = t.coverage_id and r.published_at >= month and r.published_at < upto) f
    where t.topic_id = topic);
end $$;

/* What changed last of what was published, each update once: at most so many of the last few hundred changes. Notes are
   told of every update, whatever else of it stands in feeds. */
create function private.feed_later(topic uuid, most integer) returns table (id uuid, at timestamptz)
language plpgsql stable set search_path = ''
  set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
    with changes as (
      (select c.coverage_id, c.seq, c.update_id, c.kind, c.at from public.coverage_changes c
        where topic is null and c.update_id is not null
          and c.kind in ('revision', 'clarification', 'correction', 'withdrawal', 'redaction', 'photo')
        order by c.at desc limit 4 * most)
      union all
      (select f.* from public.coverage_topics t cross join lateral (
          select c.coverage_id, c.seq, c.update_id, c.kind, c.at from public.coverage_changes c
          where c.coverage_id = t.coverage_id and c.update_id is not null
            and c.kind in ('revision', 'clarification', 'correction', 'withdrawal', 'redaction', 'photo')
          order by c.at desc limit 4 * most) f
        where t.topic_id = topic order by f.at desc limit 4 * most)
    )
    select u.id, max(c.at) from changes c join public.updates u on u.id = c.update_id
    where u.headline is not null or u.key_event or u.number = 1 or u.corrected_at is not null or u.state = 'withdrawn'
      or c.kind = 'clarification'
    group by u.id order by max(c.at) desc limit most;
end $$;
revoke execute on function private.feed_span(uuid, timestamptz, timestamptz, integer, boolean), private.feed_count(uuid, timestamptz),
  private.feed_later(uuid, integer) from public, anon, authenticated, service_role;

/* Names an archive: its month, and which part where that is not the first. */
create function private.feed_name(month timestamptz, part integer) returns text
language sql stable set search_path = '' as $$
  select to_char(month at time zone 'UTC', 'YYYY-MM') || case when part > 1 then '.' || part else '' end
$$;

/* The name of the last archive of what was published before a month; null where there was nothing. */
create function private.feed_before(topic uuid, month timestamptz, size integer) returns text
language sql stable set search_path = '' as $$
  select private.feed_name(m.month, (private.feed_count(topic, m.month) + size - 1) / size)
  from private.feed_span(topic, '-infinity', month, 1, true) s, date_trunc('month', s.published_at, 'UTC') m(month)
$$;

/* What a document of the feed of the site, or of a topic, holds: {entries, older, newer}; null where there is no such
   document. An entry is {id, coverage, at, gone, archived}: `at` when something of it last changed, `gone` when its whole
   coverage was taken back (of which no more is told than that, and where it stood), `archived` when an archive holds it too.
   Without a month it is the newest document; archives hold at most `size` in the order of their publication, months are
   UTC's, and the month that is not over has full ones alone. */
create function public.feed_updates(topic_id uuid default null, month date default null, part integer default 1, size integer default 50)
returns jsonb language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  few integer := least(greatest(size, 1), 100);
  this_month timestamptz := date_trunc('month', now(), 'UTC');
  wanted timestamptz := month::timestamp at time zone 'UTC';
  many integer;
  parts integer;
  ids uuid[];
  open uuid[] := '{}';
  older text;
  newer text;
  next_month timestamptz;
begin
  if month is null then
    many := private.feed_count(topic_id, this_month);
    parts := many / few;
    ids := array(select s.id from private.feed_span(topic_id, '-infinity', 'infinity', few, true) s);
    -- Of those, the newest that are in no archive yet: at most all of them.
    open := ids[1:many % few];
    ids := ids || array(select l.id from private.feed_later(topic_id, few) l where l.id <> all (ids));
    older := case when parts > 0 then private.feed_name(this_month, parts) else private.feed_before(topic_id, this_month, few) end;
  else
    wanted := date_trunc('month', wanted, 'UTC');
    many := private.feed_count(topic_id, wanted);
    parts := case when wanted < this_month then (many + few - 1) / few else many / few end;
    if part is null or part not between 1 and parts then return null; end if;
    ids := array(select s.id from private.feed_span(topic_id, wanted, wanted + interval '1 month', part * few) s
      order by s.published_at, s.id offset (part - 1) * few);
    older := case when part > 1 then private.feed_name(wanted, part - 1) else private.feed_before(topic_id, wanted, few) end;
    if part < parts then
      newer := private.feed_name(wanted, part + 1);
    elsif wanted < this_month then
      select date_trunc('month', s.published_at, 'UTC') into next_month
      from private.feed_span(topic_id, wanted + interval '1 month', 'infinity', 1) s;
      if next_month < this_month or private.feed_count(topic_id, next_month) >= few then
        newer := private.feed_name(next_month, 1);
      end if;
    end if;
  end if;
  return jsonb_build_object('older', older, 'newer', newer, 'entries', coalesce((
    select jsonb_agg(jsonb_build_object('id', u.id, 'coverage', u.coverage_id, 'gone', c.state = 'withdrawn',
      'archived', u.id <> all (open),
      'at', coalesce(case when c.state = 'withdrawn' then c.withdrawn_at end, (select l.at from public.coverage_changes l
        where l.coverage_id = u.coverage_id and l.seq = u.seq and l.kind <> 'publication'), u.published_at)))
    from public.updates u join public.coverages c on c.id = u.coverage_id
    where u.id = any (ids) and (private.is_public(c.state) or c.state = 'withdrawn')), '[]'));
end $$;
revoke execute on function public.feed_updates(uuid, date, integer, integer) from public;
grant execute on function public.feed_updates(uuid, date, integer, integer) to anon, authenticated, service_role;
