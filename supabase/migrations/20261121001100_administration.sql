-- The owner's own: roles, standing, the site; and the surge, which is an editor's too.

/* Whether readers are moved from sockets to slow checks: by the load of the site's servers, or as a person says. */
create type public.surge_mode as enum ('auto', 'on', 'off');

/* How light a colour is, by WCAG's relative luminance: 0 to 1. `colour` is `#rrggbb`. */
create function private.luminance(colour text) returns double precision
language sql immutable set search_path = '' as $$
  select sum(c.weight * case when c.part <= 0.04045 then c.part / 12.92 else power((c.part + 0.055) / 1.055, 2.4) end)
  from (select w.weight, get_byte(decode(substr(colour, 2), 'hex'), w.n) / 255.0::double precision as part
    from (values (0, 0.2126), (1, 0.7152), (2, 0.0722)) w(n, weight)) c
$$;

/* How two colours contrast, by WCAG: 1 to 21. */
create function private.contrast(one text, other text) returns double precision
language sql immutable set search_path = '' as $$
  select (greatest(l.a, l.b) + 0.05) / (least(l.a, l.b) + 0.05)
  from (select private.luminance(one) as a, private.luminance(other) as b) l
$$;

/* The paper that readers see by day and in the dark: src/layouts/styles/tokens.css. */
create function private.paper(dark boolean) returns text
language sql immutable return case when dark then '#14120f' else '#fdfbf6' end;

/* A colour that can be read as text on that paper (WCAG AA), or '' for the house's own. */
create function private.is_accent(colour text, dark boolean) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return colour = '' or (colour ~ '^#[0-9a-f]{6}$'
    and private.contrast(colour, private.paper(dark)) * 10 >= private.limit_of('accent_contrast_tenths'));
end $$;

-- Another site that may show ours in a frame, as browsers name one: `https://host`, or `https://*.host` for all below it,
-- with a port where it has one; for who tries things out, this very machine by http. Nothing that could say more.
create function private.is_frame(site text) returns boolean
language plpgsql immutable set search_path = '' as $$
declare
  label constant text := '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
  port constant text := '(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?$';
begin
  return length(site) <= 253 and (site ~ ('^https://' || label || '(\.' || label || ')*' || port)
    or site ~ ('^https://\*(\.' || label || '){2,}' || port)
    or site ~ ('^http://(localhost|127\.0\.0\.1)' || port));
end $$;

/* Who may show a coverage in a frame: anybody (`*`), nobody, or these sites. */
create function private.are_frames(sites text[]) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return sites = '{*}' or sites = '{}' or (array_ndims(sites) = 1 and cardinality(sites) <= private.limit_of('frames')
    and (select bool_and(coalesce(private.is_frame(s.site), false)) from unnest(sites) s(site)));
end $$;

create table public.site (
  -- One row, always there.
  here boolean primary key default true check (here),
  name text not null default 'Stoppress',
  tagline text not null default '',
  language text not null default 'en',
  publisher text not null default '',
  contact text not null default '',
  -- How readers follow, and how many seconds lie between their checks, where a coverage does not say.
  reader_follow public.reader_follow not null default 'auto',
  reader_interval integer not null default private.limit_of('reader_interval_seconds'),
  surge public.surge_mode not null default 'auto',
  -- A server that is loaded says so again and again: what it said last ends by itself, also when that server has died.
  surge_load_until timestamptz,
  -- When the surge of now began, or else the last one.
  surge_since timestamptz,
  -- Whether readers' devices keep copies of public pages for when the line is gone.
  keeps_copies boolean not null default true,
  -- The colour of what is live, by day and in the dark; '' is the house's own.
  accent text not null default '',
  accent_dark text not null default '',
  -- Who publishes this, in the newsroom's own words: blocks.
  about jsonb not null default '[]',
  -- After how many hours of silence the desk of a live coverage is reminded of it; 0 is never.
  quiet_hours integer not null default private.limit_of('quiet_hours'),
  -- Who may show a coverage in a frame.
  frames text[] not null default '{*}',
  -- Counts the changes of what every page may show: the site's own words, a topic's, a byline's.
  seq bigint not null default 0,
  constraint name_form check (private.is_line(name, 'site_name')),
  constraint tagline_form check (private.is_line(tagline, 'tagline', 0)),
  constraint language_form check (private.is_language(language)),
  constraint publisher_form check (private.is_line(publisher, 'publisher', 0)),
  constraint contact_form check (private.is_text(contact, 'contact', 0)),
  constraint accent_form check (private.is_accent(accent, false) and private.is_accent(accent_dark, true)),
  constraint about_form check (private.is_body(about, 0) and not private.has_photos(about)),
  constraint frames_form check (private.are_frames(frames)),
  constraint quiet_hours_form check
    (quiet_hours between private.limit_of('quiet_hours_min') and private.limit_of('quiet_hours_max')),
  constraint reader_interval_form check
    (reader_interval between private.limit_of('reader_interval_min') and private.limit_of('reader_interval_max'))
);
insert into public.site default values;
alter table public.site enable row level security;
revoke all on public.site from public, anon, authenticated, service_role;
grant select on public.site to anon, authenticated, service_role;
create policy "the site is public" on public.site for select to anon, authenticated using (true);

/* A colour that was sent, or why it is refused. */
create function private.read_accent(content jsonb, key text, dark boolean) returns text
language plpgsql immutable set search_path = '' as $$
declare colour text := lower(coalesce(private.optional_text(content, key), ''));
begin
  if colour !~ '^(#[0-9a-f]{6})?$' then
    perform private.refuse_field(key, 'Give a colour as #rrggbb, or nothing for the house''s own.');
  elsif not private.is_accent(colour, dark) then
    perform private.refuse_field(key, format('This colour has a contrast of %s to the paper; text needs %s.',
      trunc(private.contrast(colour, private.paper(dark))::numeric, 2),
      (private.limit_of('accent_contrast_tenths') / 10.0)::numeric(3, 1)));
  end if;
  return colour;
end $$;

/* The sites that were sent, each once and in their order, or why they are refused. */
create function private.read_frames(content jsonb) returns text[]
language plpgsql immutable set search_path = '' as $$
declare sites text[];
begin
  if jsonb_typeof(content -> 'frames') is distinct from 'array'
      or exists (select from jsonb_array_elements(content -> 'frames') f(site) where jsonb_typeof(f.site) <> 'string') then
    perform private.refuse_field('frames', 'Send the sites as a list of texts.');
  end if;
  sites := array(select lower(f.site) from jsonb_array_elements_text(content -> 'frames') with ordinality f(site, n)
    group by 1 order by min(f.n));
  if '*' = any (sites) and cardinality(sites) > 1 then
    perform private.refuse_field('frames', 'Anybody, which is *, stands alone.');
  elsif cardinality(sites) > private.limit_of('frames') then
    perform private.refuse_field('frames', format('Name at most %s sites.', private.limit_of('frames')));
  elsif not private.are_frames(sites) then
    perform private.refuse_field('frames', 'Give each site as https://example.com, or with *. before its name for all below it.');
  end if;
  return sites;
end $$;

create function public.save_site(op uuid, content jsonb)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  done jsonb := private.begin_op(op, 'save_site', jsonb_build_array(content));
  wanted public.site;
begin
  if done is not null then return done; end if;
  perform private.require('administer', null);
  perform private.refuse_unless_object(content, '{name,tagline,language,publisher,contact,reader_follow,reader_interval,keeps_copies,accent,accent_dark,about,quiet_hours,frames}');
  select * into wanted from public.site s for update;
  if content ? 'name' then wanted.name := private.optional_line(content, 'name', 'site_name'); end if;
  if wanted.name is null then perform private.refuse_field('name', 'Give the site a name.'); end if;
  if content ? 'tagline' then wanted.tagline := coalesce(private.optional_line(content, 'tagline', 'tagline'), ''); end if;
  if content ? 'language' then wanted.language := private.optional_text(content, 'language'); end if;
  if not coalesce(private.is_language(wanted.language), false) then
    perform private.refuse_field('language', 'Give a language by its tag, as en or pt-BR.');
  end if;
  if content ? 'publisher' then wanted.publisher := coalesce(private.optional_line(content, 'publisher', 'publisher'), ''); end if;
  if content ? 'contact' then wanted.contact := coalesce(private.optional_lines(content, 'contact', 'contact'), ''); end if;
  if content ? 'reader_follow' then
    wanted.reader_follow := private.optional_word(content, 'reader_follow', null::public.reader_follow, 'auto')::public.reader_follow;
  end if;
  if content ? 'reader_interval' then
    wanted.reader_interval := coalesce(private.optional_integer(content, 'reader_interval', 'reader_interval_min',
      'reader_interval_max'), private.limit_of('reader_interval_seconds'));
  end if;
  if content ? 'keeps_copies' then
    if not private.is_flag(content -> 'keeps_copies') then
      perform private.refuse_field('keeps_copies', 'Say true or false.');
    end if;
    wanted.keeps_copies := (content ->> 'keeps_copies')::boolean;
  end if;
  if content ? 'accent' then wanted.accent := private.read_accent(content, 'accent', false); end if;
  if content ? 'accent_dark' then wanted.accent_dark := private.read_accent(content, 'accent_dark', true); end if;
  if content ? 'about' then
    if private.has_photos(content -> 'about') then perform private.refuse_field('about', 'Photos stand in updates, not here.'); end if;
    wanted.about := private.read_body(content -> 'about', 0, 'about');
  end if;
  if content ? 'quiet_hours' then
    wanted.quiet_hours := coalesce(private.optional_integer(content, 'quiet_hours', 'quiet_hours_min', 'quiet_hours_max'),
      private.limit_of('quiet_hours'));
  end if;
  if content ? 'frames' then wanted.frames := private.read_frames(content); end if;
  update public.site s set name = wanted.name, tagline = wanted.tagline, language = wanted.language,
    publisher = wanted.publisher, contact = wanted.contact, keeps_copies = wanted.keeps_copies,
    accent = wanted.accent, accent_dark = wanted.accent_dark, about = wanted.about, quiet_hours = wanted.quiet_hours, frames = wanted.frames,
    reader_follow = wanted.reader_follow, reader_interval = wanted.reader_interval where s.here;
  perform private.audit('save_site', 'site', null, jsonb_build_object(
    'fields', (select jsonb_agg(k order by k) from jsonb_object_keys(content) k)));
  return private.finish_op(op, jsonb_build_object('name', wanted.name));
end $$;

/* Are readers moved to slow checks now? */
create function private.is_surging(site public.site) returns boolean
language sql stable set search_path = '' as $$
  select site.surge = 'on' or (site.surge = 'auto' and coalesce(site.surge_load_until > now(), false))
$$;

create function public.set_surge(op uuid, mode public.surge_mode)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  done jsonb := private.begin_op(op, 'set_surge', jsonb_build_array(mode));
  before public.site;
begin
  if done is not null then return done; end if;
  perform private.require('run_coverage', null);
  if mode is null then perform private.refuse_field('mode', 'Choose how readers follow.'); end if;
  select * into before from public.site s for update;
  update public.site s set surge = mode,
    -- What a server said before is no reason to begin with again.
    surge_load_until = case when mode <> 'off' then s.surge_load_until end,
    surge_since = case when mode = 'on' and not private.is_surging(before) then now() else s.surge_since end
  where s.here;
  perform private.audit('set_surge', 'site', null, jsonb_build_object('from', before.surge, 'to', mode));
  return private.finish_op(op, jsonb_build_object('surge', mode));
end $$;

/* A server of the site is loaded: readers are moved to slow checks for a while, where nobody has decided otherwise. To
   be said again before that is over, as long as it is true. */
create function public.surge_by_load() returns void
language sql volatile security definer set search_path = '' as $$
  update public.site s set surge_load_until = now() + make_interval(secs => private.limit_of('surge_load_seconds')),
    surge_since = case when private.is_surging(s) then s.surge_since else now() end
  where s.here and s.surge = 'auto'
$$;
revoke execute on function public.surge_by_load() from public, anon, authenticated;
grant execute on function public.surge_by_load() to service_role;

create function private.has_owner() returns boolean
language sql stable set search_path = '' as $$
  select exists (select from public.people p where p.role = 'owner' and p.active)
$$;

/* Refuses when no active owner would be left. The site's row is the lock: two owners who demote each
   other at once must not both succeed. */
create function private.keep_an_owner() returns void
language plpgsql volatile set search_path = '' as $$
begin
  if not private.has_owner() then
    perform private.refuse('bad_state', 'The last owner cannot be removed. Make somebody else an owner first.');
  end if;
end $$;

create function private.lock_administration() returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform from public.site s for update;
  perform private.require('administer', null);
end $$;

create function public.set_role(op uuid, person_id uuid, role public.person_role)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  done jsonb := private.begin_op(op, 'set_role', jsonb_build_array(person_id, role));
  had_owner boolean;
  before public.person_role;
begin
  if done is not null then return done; end if;
  perform private.lock_administration();
  had_owner := private.has_owner();
  select p.role into before from public.people p where p.id = person_id;
  if role is null then perform private.refuse_field('role', 'Choose a role.'); end if;
  update public.people p set role = set_role.role where p.id = person_id and p.deleted_at is null;
  if not found then perform private.refuse('not_found', 'There is no such person.'); end if;
  if had_owner then perform private.keep_an_owner(); end if;
  if before <> role then
    perform private.audit('set_role', 'person', person_id, jsonb_build_object('from', before, 'to', role));
  end if;
  return private.finish_op(op, jsonb_build_object('id', person_id, 'role', role));
end $$;

/* A deactivated person is signed out everywhere and can sign in no more; an active one can again. The ban is
   the account's own, so that every service keeps it; as long as GoTrue's longest, because it knows no infinity. */
create function public.set_active(op uuid, person_id uuid, active boolean)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  done jsonb := private.begin_op(op, 'set_active', jsonb_build_array(person_id, active));
  had_owner boolean;
  was_active boolean;
begin
  if done is not null then return done; end if;
  -- The account before the site's row, as when an account is deleted.
  perform from auth.users u where u.id = person_id for no key update;
  perform private.lock_administration();
  had_owner := private.has_owner();
  select p.active into was_active from public.people p where p.id = person_id;
  if active is null then perform private.refuse_field('active', 'Say true or false.'); end if;
  update public.people p set active = set_active.active where p.id = person_id and p.deleted_at is null;
  if not found then perform private.refuse('not_found', 'There is no such person.'); end if;
  if had_owner then perform private.keep_an_owner(); end if;
  update auth.users u set banned_until = case when not active then now() + interval '876000 hours' end where u.id = person_id;
  delete from auth.sessions s where s.user_id = person_id and not active;
  if was_active <> active then
    perform private.audit(case when active then 'activate' else 'deactivate' end, 'person', person_id);
  end if;
  return private.finish_op(op, jsonb_build_object('id', person_id, 'active', active));
end $$;

-- The order of the owner's list: the staff is at its head, whatever number of readers there may be.
create index people_listed on public.people (role desc, lower(display_name), id) where deleted_at is null;

/* The people of the newsroom for the owner's list, staff first: a page of at most 100 after the person `after`,
   those whose name, handle or address holds `search`. Deleted accounts are not among them. */
create function public.desk_people(search text default null, after uuid default null, most integer default 50)
returns table (id uuid, handle text, display_name text, role public.person_role, active boolean, email text,
  address_confirmed boolean, created_at timestamptz, last_sign_in_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_column
declare
  wanted text := lower(private.trimmed(left(coalesce(search, ''), 320)));
  past public.people;
begin
  perform private.require('administer', null);
  if after is not null then
    select * into past from public.people p where p.id = after;
    if past.id is null then perform private.refuse('not_found', 'The list has changed. Start again from its beginning.'); end if;
  end if;
  return query
    select p.id, p.handle, p.display_name, p.role, p.active, u.email::text, u.email_confirmed_at is not null,
      p.created_at, u.last_sign_in_at
    from public.people p join auth.users u on u.id = p.id
    where p.deleted_at is null
      and (wanted = '' or strpos(lower(p.display_name), wanted) > 0 or strpos(p.handle, wanted) > 0
        or strpos(lower(u.email), wanted) > 0)
      and (past.id is null or p.role < past.role
        or (p.role = past.role and (lower(p.display_name), p.id) > (lower(past.display_name), past.id)))
    order by p.role desc, lower(p.display_name), p.id
    limit least(greatest(coalesce(most, 50), 1), private.limit_of('people_per_page'));
end $$;
revoke execute on function public.desk_people(text, uuid, integer) from public, anon, service_role;
grant execute on function public.desk_people(text, uuid, integer) to authenticated;

revoke execute on function public.save_site(uuid, jsonb), public.set_surge(uuid, public.surge_mode), public.set_role(uuid, uuid, public.person_role),
  public.set_active(uuid, uuid, boolean) from public, anon;
grant execute on function public.save_site(uuid, jsonb), public.set_surge(uuid, public.surge_mode), public.set_role(uuid, uuid, public.person_role),
  public.set_active(uuid, uuid, boolean) to authenticated, service_role;
