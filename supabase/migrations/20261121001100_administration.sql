-- The owner's own: roles, standing, the site; and the surge, which is an editor's too.

/* Whether readers are moved from sockets to slow checks: by the load of the site's servers, or as a person says. */
create type public.surge_mode as enum ('auto', 'on', 'off');

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
  -- Counts the changes of what every page may show: the site's own words, a topic's, a byline's.
  seq bigint not null default 0,
  constraint name_form check (private.is_line(name, 'site_name')),
  constraint tagline_form check (private.is_line(tagline, 'tagline', 0)),
  constraint language_form check (private.is_language(language)),
  constraint publisher_form check (private.is_line(publisher, 'publisher', 0)),
  constraint contact_form check (private.is_text(contact, 'contact', 0)),
  constraint reader_interval_form check
    (reader_interval between private.limit_of('reader_interval_min') and private.limit_of('reader_interval_max'))
);
insert into public.site default values;
alter table public.site enable row level security;
revoke all on public.site from public, anon, authenticated, service_role;
grant select on public.site to anon, authenticated, service_role;
create policy "the site is public" on public.site for select to anon, authenticated using (true);

create function public.save_site(op uuid, content jsonb)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  done jsonb := private.begin_op(op, 'save_site', jsonb_build_array(content));
  wanted public.site;
begin
  if done is not null then return done; end if;
  perform private.require('administer', null);
  perform private.refuse_unless_object(content, '{name,tagline,language,publisher,contact,reader_follow,reader_interval,keeps_copies}');
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
  update public.site s set name = wanted.name, tagline = wanted.tagline, language = wanted.language,
    publisher = wanted.publisher, contact = wanted.contact, keeps_copies = wanted.keeps_copies,
    reader_follow = wanted.reader_follow, reader_interval = wanted.reader_interval where s.here;
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
begin
  if done is not null then return done; end if;
  perform private.lock_administration();
  had_owner := private.has_owner();
  if role is null then perform private.refuse_field('role', 'Choose a role.'); end if;
  update public.people p set role = set_role.role where p.id = person_id and p.deleted_at is null;
  if not found then perform private.refuse('not_found', 'There is no such person.'); end if;
  if had_owner then perform private.keep_an_owner(); end if;
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
begin
  if done is not null then return done; end if;
  -- The account before the site's row, as when an account is deleted.
  perform from auth.users u where u.id = person_id for no key update;
  perform private.lock_administration();
  had_owner := private.has_owner();
  if active is null then perform private.refuse_field('active', 'Say true or false.'); end if;
  update public.people p set active = set_active.active where p.id = person_id and p.deleted_at is null;
  if not found then perform private.refuse('not_found', 'There is no such person.'); end if;
  if had_owner then perform private.keep_an_owner(); end if;
  update auth.users u set banned_until = case when not active then now() + interval '876000 hours' end where u.id = person_id;
  delete from auth.sessions s where s.user_id = person_id and not active;
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
