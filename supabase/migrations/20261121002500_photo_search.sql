-- The photo library: the photos that somebody may see at a desk, and finding one of them.

/* Photos in bands of 250, in the order in which they were announced: as with updates (2400), what no index has in the
   library's order is looked for in one band after another, the newest first. */
create function private.photo_band(ordinal bigint) returns text
language sql immutable return '#' || ordinal / 250;

/* What a photo is found by: its words, and beside them what nobody can type: `#<band>`, `@<coverage>`, `=<sender>`,
   `!<state>`, and `!unused`. */
create function private.photo_words(ordinal bigint, coverage uuid, sender uuid, state public.photo_state, in_use boolean,
  alt text, caption text, credit text) returns tsvector
language sql immutable set search_path = '' as $$
  select array_to_tsvector(private.words_of(concat_ws(' ', alt, caption, credit)) || array_remove(array[
    private.photo_band(ordinal), '@' || coverage, '=' || sender, '!' || state,
    case when not in_use and state <> 'removed' then '!unused' end], null))
$$;
create index photos_found on public.photos
  using gin (private.photo_words(ordinal, coverage_id, uploaded_by, state, in_use, alt, caption, credit)) with (fastupdate = off)
  where coverage_id is not null;
create index people_senders on public.people (id) where role <> 'reader';

/* The query for words that somebody looks for: each begins a word of a photo, of its sender's name, or of its coverage's
   headline. Null when there are none. */
create function private.photo_query(words text) returns text
language sql stable set search_path = '' set enable_seqscan = off as $$
  select string_agg(format('(''%s''%s%s%s)', w, case when char_length(w) > 2 then ':*' end,
    (select string_agg(format(' | ''=%s''', p.id), '') from public.people p
      where p.role <> 'reader' and exists (select from unnest(private.words_of(p.display_name)) n where starts_with(n, w))),
    (select string_agg(format(' | ''@%s''', c.id), '') from public.coverages c
      where exists (select from unnest(private.words_of(c.headline)) n where starts_with(n, w)))), ' & ')
  from unnest(private.words_of(left(words, 200))) w
$$;

/* Whether somebody may see a photo of a desk that they may read, or with `usable` put it into an update of theirs:
   it is theirs, or an update shows it (a published one); any, for those who run coverages. */
create function private.is_listed(photo public.photos, caller uuid, runs boolean, usable boolean) returns boolean
language sql stable set search_path = '' as $$
  select (not usable or photo.state = 'ready') and (runs or photo.uploaded_by = caller or coalesce((
    select true from public.update_photos o
    where o.photo_id = photo.id
      and (not usable or (select u.state = 'published' from public.updates u where u.id = o.update_id)) limit 1), false))
$$;

/* The photos that the caller may see at their desks, the newest first, at most so many after the one that is named `before`:
   of one coverage or of all; `which` is all, mine, unused, usable (may stand in an update of theirs), or a state of photos.
   `words` begin words of its description, caption and credit, of its coverage's headline, or of its sender's name.
   What an index has in this order comes out of it; the rest is looked for by bands. */
create function public.photo_library(words text default null, coverage uuid default null, which text default 'all',
  before uuid default null, most integer default 24)
returns table (id uuid, coverage_id uuid, slug text, coverage_headline text, state public.photo_state, refusal text,
  width integer, height integer, colour text, alt text, caption text, credit text, uploaded_by uuid, uploader text,
  created_at timestamptz, uses integer, published integer, withdrawn integer)
language plpgsql stable security definer set search_path = ''
  set enable_seqscan = off set enable_sort = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  caller uuid := auth.uid();
  runs boolean := private.may('run_coverage');
  usable boolean := coalesce(which = 'usable', false);
  fewest integer := least(greatest(coalesce($5, 24), 0), 200);
  below bigint := coalesce((select p.ordinal from public.photos p where p.id = $4),
    (select p.ordinal + 1 from public.photos p where p.coverage_id is not null order by p.ordinal desc limit 1), 0);
  -- The coverages whose photos are asked for; null: all that there are.
  here uuid[] := case when $2 is not null then array(select d.id from private.desk_coverages() d(id) where d.id = $2)
    when not private.may('read_desk') then array(select private.desk_coverages()) end;
  sought text := private.photo_query($1);
  shown uuid[] := '{}';
  band bigint;
begin
  if here = '{}' then return; end if;
  if sought is null and here is not null and coalesce(which, 'all') in ('all', 'usable') then
    shown := array(select f.id from unnest(here) one(id) cross join lateral (
        select p.id, p.ordinal from public.photos p
        where p.coverage_id = one.id and p.ordinal < below and private.is_listed(p, caller, runs, usable)
        order by p.ordinal desc limit fewest) f
      order by f.ordinal desc limit fewest);
  elsif sought is null and here is null and which = 'mine' then
    shown := array(select p.id from public.photos p
      where p.uploaded_by = caller and p.coverage_id is not null and p.ordinal < below order by p.ordinal desc limit fewest);
  elsif sought is null and here is null and coalesce(which, 'all') = 'all' then
    shown := array(select p.id from public.photos p
      where p.coverage_id is not null and p.ordinal < below and private.is_listed(p, caller, runs, usable)
      order by p.ordinal desc limit fewest);
  else
    sought := concat_ws(' & ', sought, (select '(' || string_agg(format('''@%s''', h), ' | ') || ')' from unnest(here) h),
      case when which = 'mine' then format('''=%s''', caller) when usable then '''!ready'''
        when which in ('unused', 'arriving', 'ready', 'refused', 'removed') then format('''!%s''', which) end);
    for band in select generate_series((below - 1) / 250, 0, -1) loop
      exit when cardinality(shown) >= fewest;
      -- In an order that no index has: to walk along one would look the shorter way.
      shown := shown || array(select p.id from public.photos p
        where p.coverage_id is not null
          and private.photo_words(p.ordinal, p.coverage_id, p.uploaded_by, p.state, p.in_use, p.alt, p.caption, p.credit)
            @@ concat_ws(' & ', sought, format('''%s''', private.photo_band(band * 250)))::tsquery
          and -p.ordinal > -below and private.is_listed(p, caller, runs, usable)
        order by -p.ordinal limit fewest - cardinality(shown));
    end loop;
  end if;
  return query
    select p.id, p.coverage_id, c.slug, c.headline, p.state, p.refusal, p.width, p.height, p.colour, p.alt, p.caption, p.credit,
      p.uploaded_by, (select s.display_name from public.people s where s.id = p.uploaded_by), p.created_at,
      used.uses, used.published, used.withdrawn
    from unnest(shown) with ordinality s(id, n) join public.photos p on p.id = s.id join public.coverages c on c.id = p.coverage_id
    cross join lateral (
      select count(*) filter (where u.state not in ('withdrawn', 'spiked'))::integer as uses,
        count(*) filter (where u.state = 'published')::integer as published,
        count(*) filter (where u.state = 'withdrawn')::integer as withdrawn
      from public.update_photos o join public.updates u on u.id = o.update_id where o.photo_id = p.id) used
    order by s.n;
end $$;
revoke execute on function public.photo_library(text, uuid, text, uuid, integer) from public, anon, service_role;
grant execute on function public.photo_library(text, uuid, text, uuid, integer) to authenticated;
