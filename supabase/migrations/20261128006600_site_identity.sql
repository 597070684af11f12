-- Identity of the site, with which its pages look like those of the newspaper: logo and icon, menu, link to the newspaper,
-- support link, sponsor, fonts.

-- ---- Images ----

-- A logo or an icon as the website cleaned it, in base64. The name is `<hash>-<width>x<height>.<format>`. An image and the
-- square PNG files of 512, 192 and 48 pixels that are made from it have the same hash, that of the image. So a name tells
-- pages all that they need, and a file never changes.
create function private.is_site_image_file(name text, content jsonb) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return name ~ '^[0-9a-f]{32}-[1-9][0-9]{0,3}x[1-9][0-9]{0,3}\.(png|svg)$' and jsonb_typeof(content) = 'string'
    and octet_length(content #>> '{}') between 4 and 87384 and content #>> '{}' ~ '^[A-Za-z0-9+/]+={0,2}$';
end $$;

create table public.site_images (
  name text primary key,
  content text not null,
  created_at timestamptz not null default now(),
  constraint file_form check (private.is_site_image_file(name, to_jsonb(content)))
);
alter table public.site_images enable row level security;
grant select on public.site_images to anon, authenticated, service_role;

-- ---- Settings ----

-- Stacks of fonts that devices have already: src/lib/domain/site-look.ts.
create type public.site_font as enum ('serif', 'old_style', 'sans', 'humanist');

-- Whether the value is the address of a link of the site: an http or https URL, or a path of this site.
create function private.is_site_address(value text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return char_length(value) <= 300 and (private.is_url(value) or (value ~ '^/([^/\\]|$)' and private.is_url('https://x' || value)));
end $$;

-- Whether the value is a link {label, url}, or a label alone where the address is optional.
create function private.is_site_link(link jsonb, needs_url boolean default true) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return private.is_object(link, '{label,url}') and jsonb_typeof(link -> 'label') = 'string' and private.is_line(link ->> 'label', 'kicker')
    and case when link ? 'url' or needs_url
      then coalesce(jsonb_typeof(link -> 'url') = 'string' and private.is_site_address(link ->> 'url'), false) else true end;
end $$;

-- Whether the value is a menu: at most seven links.
create function private.is_site_menu(menu jsonb) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return jsonb_typeof(menu) = 'array' and jsonb_array_length(menu) <= 7
    and not exists (select from jsonb_array_elements(menu) m(link) where not coalesce(private.is_site_link(m.link), false));
end $$;

alter table public.site
  -- Counts the changes of the columns below and of name and colours.
  add column identity_version integer not null default 1,
  -- Names of images. The dark scheme shows `logo_dark`. Without an icon of its own, the site's icon is made from the logo.
  add column logo text references public.site_images (name),
  add column logo_dark text references public.site_images (name),
  add column icon text references public.site_images (name),
  -- Links of the newspaper: [{label, url}].
  add column menu jsonb not null default '[]',
  -- Links {label, url}: to the newspaper's own site, and to the page on which readers support it.
  add column newspaper_link jsonb,
  add column support_link jsonb,
  -- {label, url?}: readers see it labelled as the sponsor.
  add column sponsor jsonb,
  add column text_font public.site_font not null default 'serif',
  add column headline_font public.site_font not null default 'serif',
  add constraint menu_form check (private.is_site_menu(menu)),
  add constraint newspaper_link_form check (newspaper_link is null or private.is_site_link(newspaper_link)),
  add constraint support_link_form check (support_link is null or private.is_site_link(support_link)),
  add constraint sponsor_form check (sponsor is null or private.is_site_link(sponsor, false));

-- Whether the site shows this image, or an icon made from it.
create function private.is_site_image_shown(image_name text) returns boolean
language sql stable set search_path = '' as $$
  select exists (select from public.site s, unnest(array[s.logo, s.logo_dark, s.icon]) shown(name)
    where left(shown.name, 32) = left(image_name, 32))
$$;

create policy "everyone: select images that the site shows" on public.site_images for select to anon, authenticated
  using (private.is_site_image_shown(name));
create policy "owners: select all images of the site" on public.site_images for select to authenticated
  using ((select private.can_administer()));

-- Counts a change, also one by save_site().
create function private.count_identity_version() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.identity_version := old.identity_version + 1;
  return new;
end $$;
create trigger count_identity_version before update of name, accent, accent_dark, logo, logo_dark, icon, menu, newspaper_link,
  support_link, sponsor, text_font, headline_font on public.site
  for each row when ((old.name, old.accent, old.accent_dark, old.logo, old.logo_dark, old.icon, old.menu, old.newspaper_link,
      old.support_link, old.sponsor, old.text_font, old.headline_font)
    is distinct from (new.name, new.accent, new.accent_dark, new.logo, new.logo_dark, new.icon, new.menu, new.newspaper_link,
      new.support_link, new.sponsor, new.text_font, new.headline_font))
  execute function private.count_identity_version();

-- Changes of the quiet hours, the checklist and the surge do not affect pages.
create or replace trigger announce_site after update of name, tagline, language, publisher, contact, reader_follow_mode,
  check_interval_seconds, offline_pages, accent, accent_dark, about, embed_origins, time_zone, logo, logo_dark, icon, menu,
  newspaper_link, support_link, sponsor, text_font, headline_font on public.site
  for each row when (to_jsonb(old) - '{quiet_hours,setup_checklist}'::text[] is distinct from
    to_jsonb(new) - '{quiet_hours,setup_checklist}'::text[])
  execute function private.announce_site('site');

-- ---- Commands ----

-- Whether the value is an image with its icons: {name: content in base64}. All names have the same hash, which is that of one
-- of the contents.
create function private.is_site_image(files jsonb) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  if jsonb_typeof(files) is distinct from 'object' or (select count(*) from jsonb_object_keys(files)) not between 1 and 4 then return false; end if;
  return (select bool_and(private.is_site_image_file(f.key, f.value)) from jsonb_each(files) f)
    and (select min(left(f.key, 32)) = max(left(f.key, 32))
      and bool_or(left(f.key, 32) = left(encode(sha256(decode(f.value, 'base64')), 'hex'), 32)) from jsonb_each_text(files) f);
exception when data_exception then
  return false;
end $$;

-- Stores an image that the website cleaned, with its icons: {name: content in base64}. The website serves an SVG only if its
-- own cleaning leaves it as it is.
-- Errors: forbidden; invalid.
create function public.save_site_image(idempotency_key uuid, files jsonb)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare stored_result jsonb := private.begin_command(idempotency_key, 'save_site_image', jsonb_build_array(files));
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('administer', null);
  if not private.is_site_image(files) then perform private.raise_invalid('files', 'site_image_wrong'); end if;
  insert into public.site_images (name, content) select f.key, f.value from jsonb_each_text(files) f
  on conflict (name) do update set created_at = now();
  return private.finish_command(idempotency_key, jsonb_build_object('names', (select jsonb_agg(k order by k) from jsonb_object_keys(files) k)));
end $$;

-- Deletes images that the site does not show and that were stored a day ago or earlier.
create function private.delete_unused_site_images() returns void
language plpgsql set search_path = '' as $$
begin
  -- Locked as in save_site_identity(), which may be about to show an image.
  perform from public.site s where s.id for update;
  delete from public.site_images i where i.created_at < now() - interval '1 day' and not private.is_site_image_shown(i.name);
end $$;
select cron.schedule('delete-unused-site-images', '23 * * * *', 'select private.delete_unused_site_images()');

-- An image of the arguments; null for none. Errors: invalid, if it was not stored before.
create function private.read_site_image(content jsonb, key text) returns text
language plpgsql stable set search_path = '' as $$
declare image_name text := private.optional_text(content, key);
begin
  if image_name is not null and not exists (select from public.site_images i where i.name = image_name) then
    perform private.raise_invalid(key, 'site_image_missing');
  end if;
  return image_name;
end $$;

-- A link of the arguments; null for none. Errors: invalid.
create function private.read_site_link(content jsonb, key text, needs_url boolean default true) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare link jsonb := nullif(content -> key, 'null');
begin
  if link is not null and not coalesce(private.is_site_link(link, needs_url), false) then
    perform private.raise_invalid(key, 'site_link_wrong', jsonb_build_object('max', private.get_limit('kicker')));
  end if;
  return link;
end $$;

-- The menu of the arguments. Errors: invalid, with the position of the first wrong link.
create function private.read_site_menu(content jsonb) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare
  menu jsonb := content -> 'menu';
  max_links constant integer := 7;
  wrong bigint;
begin
  if jsonb_typeof(menu) is distinct from 'array' then perform private.raise_invalid('menu', 'menu_not_a_list'); end if;
  if jsonb_array_length(menu) > max_links then
    perform private.raise_invalid('menu', 'menu_too_long', jsonb_build_object('max', max_links));
  end if;
  select min(m.position) into wrong from jsonb_array_elements(menu) with ordinality m(link, position)
  where not coalesce(private.is_site_link(m.link), false);
  if wrong is not null then
    perform private.raise_invalid('menu', 'menu_link_wrong', jsonb_build_object('position', wrong, 'max', private.get_limit('kicker')));
  end if;
  return menu;
end $$;

-- Changes the identity of the site. Fields that are not sent remain: {name, accent, accent_dark, logo, logo_dark, icon, menu,
-- newspaper_link, support_link, sponsor, text_font, headline_font}. `version` is the identity_version that the caller saw.
-- Returns {version}.
-- Errors: forbidden; conflict; invalid.
create function public.save_site_identity(idempotency_key uuid, content jsonb, version integer)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'save_site_identity', jsonb_build_array(content, version));
  settings public.site;
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('administer', null);
  perform private.require_object(content,
    '{name,accent,accent_dark,logo,logo_dark,icon,menu,newspaper_link,support_link,sponsor,text_font,headline_font}');
  select * into settings from public.site s where s.id for update;
  perform private.require_version(settings.identity_version, version);
  if content ? 'name' then settings.name := private.optional_line(content, 'name', 'site_name'); end if;
  if settings.name is null then perform private.raise_invalid('name', 'site_name_missing'); end if;
  if content ? 'accent' then settings.accent := private.read_accent(content, 'accent', false); end if;
  if content ? 'accent_dark' then settings.accent_dark := private.read_accent(content, 'accent_dark', true); end if;
  if content ? 'logo' then settings.logo := private.read_site_image(content, 'logo'); end if;
  if content ? 'logo_dark' then settings.logo_dark := private.read_site_image(content, 'logo_dark'); end if;
  if content ? 'icon' then settings.icon := private.read_site_image(content, 'icon'); end if;
  if content ? 'menu' then settings.menu := private.read_site_menu(content); end if;
  if content ? 'newspaper_link' then settings.newspaper_link := private.read_site_link(content, 'newspaper_link'); end if;
  if content ? 'support_link' then settings.support_link := private.read_site_link(content, 'support_link'); end if;
  if content ? 'sponsor' then settings.sponsor := private.read_site_link(content, 'sponsor', false); end if;
  if content ? 'text_font' then
    settings.text_font := private.optional_enum(content, 'text_font', null::public.site_font, 'serif')::public.site_font;
  end if;
  if content ? 'headline_font' then
    settings.headline_font := private.optional_enum(content, 'headline_font', null::public.site_font, 'serif')::public.site_font;
  end if;
  update public.site s set name = settings.name, accent = settings.accent, accent_dark = settings.accent_dark, logo = settings.logo,
    logo_dark = settings.logo_dark, icon = settings.icon, menu = settings.menu, newspaper_link = settings.newspaper_link,
    support_link = settings.support_link, sponsor = settings.sponsor, text_font = settings.text_font,
    headline_font = settings.headline_font
  where s.id returning s.* into settings;
  perform private.log_action('save_site_identity', 'site', null, jsonb_build_object(
    'fields', (select jsonb_agg(k order by k) from jsonb_object_keys(content) k)));
  return private.finish_command(idempotency_key, jsonb_build_object('version', settings.identity_version));
end $$;

-- ---- Export ----

insert into private.export_parts (part, position, key, omits, requires_option) values ('site_images', 22, '{name}', '{}', null);

-- ---- Execute rights ----

grant execute on function private.is_site_image_shown to anon, authenticated, service_role;
grant execute on function public.save_site_image, public.save_site_identity to authenticated, service_role;
