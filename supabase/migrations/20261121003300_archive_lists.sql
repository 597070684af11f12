-- Lists that go on: of coverages over the years, of a topic, of a person; and a coverage by its days.

/* What has begun and is to be read, in the order of its beginning: the archive, and what is over in every other list. */
create index coverages_begun on public.coverages (published_at, id)
  where state in ('live', 'paused', 'ended', 'archived') and published_at is not null;
/* What heads those lists: few, whatever there is below them. */
create index coverages_not_over on public.coverages (state, published_at)
  where state in ('scheduled', 'live', 'paused');

/* A moment to the microsecond, in UTC: where two are parted is read off their letters (src/lib/lists/cut.ts). */
create function private.place_in_time(at timestamptz) returns text
language sql stable set search_path = ''
return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US');
grant execute on function private.place_in_time(timestamptz) to anon, authenticated, service_role;

/* What is over, of a topic or of all: at most so many, the last begun first, from before a place on. A topic's are found
   among all, in their order: whether a coverage belongs to it is one look, and ten thousand of them are no walk. */
create function public.over_coverages(most integer, topic_id uuid default null, before timestamptz default 'infinity', before_id uuid default '00000000-0000-0000-0000-000000000000')
returns table (coverage_id uuid, place text)
language sql stable security definer set search_path = ''
  set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off set enable_seqscan = off as $$
  select c.id, private.place_in_time(c.published_at) from public.coverages c
  where c.state in ('ended', 'archived') and c.published_at is not null
    and (c.published_at, c.id) < (over_coverages.before, before_id)
    and (over_coverages.topic_id is null or (select true from public.coverage_topics t
      where t.coverage_id = c.id and t.topic_id = over_coverages.topic_id))
  order by c.published_at desc, c.id desc limit least(greatest(most, 0), 1000)
$$;
revoke execute on function public.over_coverages(integer, uuid, timestamptz, uuid) from public;
grant execute on function public.over_coverages(integer, uuid, timestamptz, uuid) to anon, authenticated, service_role;

/* Months in which coverages began that are to be read, in UTC, which is the zone of the site's own pages; the newest first. */
create function public.archive_months()
returns table (month text, coverages integer)
language sql stable security definer set search_path = '' as $$
  select to_char(c.published_at at time zone 'UTC', 'YYYY-MM'), count(*)::integer from public.coverages c
  where c.state in ('live', 'paused', 'ended', 'archived') and c.published_at is not null
  group by 1 order by 1 desc
$$;
revoke execute on function public.archive_months() from public;
grant execute on function public.archive_months() to anon, authenticated, service_role;

/* The newest updates of a person that whoever asks may see, as they were (20261121000500), now from before a place on, and
   each with its time: the place of an update is its time and, among those of the same, its id. It is
   compared as it is given: what is made of it first comes behind the policy, which looks at each update. */
drop function public.newest_by(uuid, integer);
create function public.newest_by(person_id uuid, most integer, before timestamptz default 'infinity', before_id uuid default '00000000-0000-0000-0000-000000000000')
returns table (update_id uuid, place text)
language sql stable set search_path = '' set enable_sort = off as $$
  select b.update_id, private.place_in_time(b.published_at) from public.update_bylines b
  where b.person_id = newest_by.person_id and b.published_at is not null
    and (b.published_at, b.update_id) < (newest_by.before, before_id)
  order by b.published_at desc, b.update_id desc limit least(greatest(most, 0), 1000)
$$;
revoke execute on function public.newest_by(uuid, integer, timestamptz, uuid) from public;
grant execute on function public.newest_by(uuid, integer, timestamptz, uuid) to anon, authenticated, service_role;

/* When an update of a coverage went out. */
create function private.went_out(coverage uuid, nth integer) returns timestamptz
language sql stable set search_path = ''
return (select u.published_at from public.updates u where u.coverage_id = coverage and u.number = nth);

/* The first number, after one that is known to be earlier, of what went out at a moment or later; one more than there are
   where nothing did. Numbers are given in the order of publication: so it is looked for by ever longer steps, then by
   halves, and a coverage of 100,000 updates costs a few dozen looks for each of its days. */
create function private.first_since(coverage uuid, known integer, count integer, since timestamptz) returns integer
language plpgsql stable set search_path = '' as $$
declare
  low integer := known;
  high integer := known + 1;
  middle integer;
begin
  while high <= count and private.went_out(coverage, high) < since loop
    low := high;
    high := high + (high - known);
  end loop;
  high := least(high, count + 1);
  while high - low > 1 loop
    middle := (low + high) / 2;
    if private.went_out(coverage, middle) < since then low := middle; else high := middle; end if;
  end loop;
  return high;
end $$;

/* The days of a public coverage on which something went out, in its own zone, from its first on: how many updates are
   still to be read of each, which numbers it begins and ends with, and when those went out. */
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
    first_at := private.went_out(coverage_id, first);
    day := (first_at at time zone coverage.time_zone)::date;
    following := private.first_since(coverage_id, first, coverage.update_count, (day + 1)::timestamp at time zone coverage.time_zone);
    last := following - 1;
    last_at := private.went_out(coverage_id, last);
    updates := following - first - (select count(*) from public.updates u where u.coverage_id = coverage_days.coverage_id
      and u.state = 'withdrawn' and u.number between first and last);
    if updates > 0 then return next; end if;
    first := following;
  end loop;
end $$;
revoke execute on function public.coverage_days(uuid) from public;
grant execute on function public.coverage_days(uuid) to anon, authenticated, service_role;
