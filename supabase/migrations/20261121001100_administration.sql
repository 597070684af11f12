-- The owner's own: roles, standing, the site.

create table public.site (
  -- One row, always there.
  here boolean primary key default true check (here),
  name text not null default 'Stoppress',
  tagline text not null default '',
  language text not null default 'en',
  publisher text not null default '',
  contact text not null default '',
  constraint name_form check (private.is_line(name, 'site_name')),
  constraint tagline_form check (private.is_line(tagline, 'tagline', 0)),
  constraint language_form check (private.is_language(language)),
  constraint publisher_form check (private.is_line(publisher, 'publisher', 0)),
  constraint contact_form check (private.is_text(contact, 'contact', 0))
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
  perform private.refuse_unless_object(content, '{name,tagline,language,publisher,contact}');
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
  update public.site s set name = wanted.name, tagline = wanted.tagline, language = wanted.language,
    publisher = wanted.publisher, contact = wanted.contact where s.here;
  return private.finish_op(op, jsonb_build_object('name', wanted.name));
end $$;

/* Refuses when no active owner would be left. The site's row is the lock: two owners who demote each
   other at once must not both succeed. */
create function private.keep_an_owner() returns void
language plpgsql volatile set search_path = '' as $$
begin
  if not exists (select from public.people p where p.role = 'owner' and p.active) then
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
  had_owner := exists (select from public.people p where p.role = 'owner' and p.active);
  if role is null then perform private.refuse_field('role', 'Choose a role.'); end if;
  update public.people p set role = set_role.role where p.id = person_id;
  if not found then perform private.refuse('not_found', 'There is no such person.'); end if;
  if had_owner then perform private.keep_an_owner(); end if;
  return private.finish_op(op, jsonb_build_object('id', person_id, 'role', role));
end $$;

create function public.set_active(op uuid, person_id uuid, active boolean)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare done jsonb := private.begin_op(op, 'set_active', jsonb_build_array(person_id, active));
begin
  if done is not null then return done; end if;
  perform private.lock_administration();
  if active is null then perform private.refuse_field('active', 'Say true or false.'); end if;
  update public.people p set active = set_active.active where p.id = person_id;
  if not found then perform private.refuse('not_found', 'There is no such person.'); end if;
  if not active then perform private.keep_an_owner(); end if;
  return private.finish_op(op, jsonb_build_object('id', person_id, 'active', active));
end $$;

revoke execute on function public.save_site(uuid, jsonb), public.set_role(uuid, uuid, public.person_role),
  public.set_active(uuid, uuid, boolean) from public, anon;
grant execute on function public.save_site(uuid, jsonb), public.set_role(uuid, uuid, public.person_role),
  public.set_active(uuid, uuid, boolean) to authenticated, service_role;
