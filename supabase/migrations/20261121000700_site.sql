-- Settings of the site, and surge mode.

-- ---- Settings of the site ----

-- Whether readers are moved from sockets to slow checks: automatically by the load of the servers, or always, or
-- never.
create type public.surge_mode as enum ('auto', 'on', 'off');

-- Relative luminance of a colour `#rrggbb` as WCAG defines it: 0 to 1.
create function private.luminance(colour text) returns double precision
language sql immutable set search_path = '' as $$
  select sum(c.weight * case when c.part <= 0.04045 then c.part / 12.92 else power((c.part + 0.055) / 1.055, 2.4) end)
  from (select w.weight, get_byte(decode(substr(colour, 2), 'hex'), w.n) / 255.0::double precision as part
    from (values (0, 0.2126), (1, 0.7152), (2, 0.0722)) w(n, weight)) c
$$;

-- Contrast of two colours as WCAG defines it: 1 to 21.
create function private.contrast(one text, other text) returns double precision
language sql immutable set search_path = '' as $$
  select (greatest(l.a, l.b) + 0.05) / (least(l.a, l.b) + 0.05)
  from (select private.luminance(one) as a, private.luminance(other) as b) l
$$;

-- Background colour of the site in light and dark mode: src/layouts/styles/tokens.css.
create function private.background_colour(dark boolean) returns text
language sql immutable return case when dark then '#14120f' else '#fdfbf6' end;

-- Whether a colour is readable as text on the background (WCAG AA). '' is the default colour.
create function private.is_accent(colour text, dark boolean) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return colour = '' or (colour ~ '^#[0-9a-f]{6}$'
    and private.contrast(colour, private.background_colour(dark)) * 10 >= private.get_limit('accent_contrast_tenths'));
end $$;

-- Whether the value is a source of the frame-ancestors directive: `https://host`, or `https://*.host` for all
-- subdomains, with an optional port; `http://localhost` for trials.
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

-- Whether the value is a list of sites that may embed a coverage: anyone (`*`), none, or named sites.
create function private.are_embed_origins(sites text[]) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return sites = '{*}' or sites = '{}' or (array_ndims(sites) = 1 and cardinality(sites) <= private.get_limit('embed_origins')
    and (select bool_and(coalesce(private.is_frame(s.site), false)) from unnest(sites) s(site)));
end $$;

create table public.site (
  -- The table has exactly one row.
  id boolean primary key default true check (id),
  name text not null default 'Stoppress',
  tagline text not null default '',
  language text not null default 'en',
  publisher text not null default '',
  contact text not null default '',
  -- How readers follow, and the seconds between their checks, unless a coverage overrides it.
  reader_follow_mode public.reader_follow_mode not null default 'auto',
  check_interval_seconds integer not null default private.get_limit('check_interval_default'),
  surge public.surge_mode not null default 'auto',
  -- A server under load extends this time again and again. It expires even if that server has died.
  surge_load_until timestamptz,
  -- When the current surge began, or else the last one.
  surge_since timestamptz,
  -- Whether readers' devices store public pages for offline reading.
  offline_pages boolean not null default true,
  -- Accent colours for light and dark mode; '' means the default colour.
  accent text not null default '',
  accent_dark text not null default '',
  -- The "about" page of the publisher, as blocks.
  about jsonb not null default '[]',
  -- Hours without an update after which the desk of a live coverage is reminded; 0 turns reminders off.
  quiet_hours integer not null default private.get_limit('quiet_hours'),
  -- Sites that may embed a coverage in a frame.
  embed_origins text[] not null default '{*}',
  -- Counts the changes of data that many pages show: the site's settings, topics, bylines.
  seq bigint not null default 0,
  -- Id of the site's feed. It never changes, whatever the name or address of the site.
  feed_id uuid not null default gen_random_uuid(),
  constraint name_form check (private.is_line(name, 'site_name')),
  constraint tagline_form check (private.is_line(tagline, 'tagline', 0)),
  constraint language_form check (private.is_language(language)),
  constraint publisher_form check (private.is_line(publisher, 'publisher', 0)),
  constraint contact_form check (private.is_text(contact, 'contact', 0)),
  constraint accent_form check (private.is_accent(accent, false) and private.is_accent(accent_dark, true)),
  constraint about_form check (private.is_body(about, 0) and not private.has_photos(about)),
  constraint embed_origins_form check (private.are_embed_origins(embed_origins)),
  constraint quiet_hours_form check
    (quiet_hours between private.get_limit('quiet_hours_min') and private.get_limit('quiet_hours_max')),
  constraint reader_interval_form check
    (check_interval_seconds between private.get_limit('check_interval_min') and private.get_limit('check_interval_max'))
);
alter table public.site enable row level security;
grant select on public.site to anon, authenticated, service_role;
insert into public.site default values;
create policy "everyone: select the site" on public.site for select to anon, authenticated using (true);

-- An accent colour of the arguments. Errors: invalid, with the contrast that the colour has.
create function private.read_accent(content jsonb, key text, dark boolean) returns text
language plpgsql immutable set search_path = '' as $$
declare colour text := lower(coalesce(private.optional_text(content, key), ''));
begin
  if colour !~ '^(#[0-9a-f]{6})?$' then
    perform private.raise_invalid(key, 'invalid_accent_colour');
  elsif not private.is_accent(colour, dark) then
    perform private.raise_invalid(key, 'contrast_too_low', jsonb_build_object(
      'contrast', trunc(private.contrast(colour, private.background_colour(dark))::numeric, 2),
      'min', (private.get_limit('accent_contrast_tenths') / 10.0)::numeric(3, 1)));
  end if;
  return colour;
end $$;

-- The embedding sites of the arguments, without duplicates.
create function private.read_embed_origins(content jsonb) returns text[]
language plpgsql immutable set search_path = '' as $$
declare sites text[];
begin
  if jsonb_typeof(content -> 'embed_origins') is distinct from 'array'
      or exists (select from jsonb_array_elements(content -> 'embed_origins') f(site) where jsonb_typeof(f.site) <> 'string') then
    perform private.raise_invalid('embed_origins', 'embed_origins_not_a_list');
  end if;
  sites := array(select lower(f.site) from jsonb_array_elements_text(content -> 'embed_origins') with ordinality f(site, n)
    group by 1 order by min(f.n));
  if '*' = any (sites) and cardinality(sites) > 1 then
    perform private.raise_invalid('embed_origins', 'embed_wildcard_not_alone');
  elsif cardinality(sites) > private.get_limit('embed_origins') then
    perform private.raise_invalid('embed_origins', 'too_many_embed_origins', jsonb_build_object('max', private.get_limit('embed_origins')));
  elsif not private.are_embed_origins(sites) then
    perform private.raise_invalid('embed_origins', 'invalid_embed_origin');
  end if;
  return sites;
end $$;

-- Changes settings of the site. Fields that are not sent remain.
create function public.save_site(idempotency_key uuid, content jsonb)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'save_site', jsonb_build_array(content));
  settings public.site;
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('administer', null);
  perform private.require_object(content,
    '{name,tagline,language,publisher,contact,reader_follow_mode,check_interval_seconds,offline_pages,accent,accent_dark,about,quiet_hours,embed_origins}');
  select * into settings from public.site s for update;
  if content ? 'name' then settings.name := private.optional_line(content, 'name', 'site_name'); end if;
  if settings.name is null then perform private.raise_invalid('name', 'site_name_missing'); end if;
  if content ? 'tagline' then settings.tagline := coalesce(private.optional_line(content, 'tagline', 'tagline'), ''); end if;
  if content ? 'language' then settings.language := private.optional_text(content, 'language'); end if;
  perform private.require_language(settings.language);
  if content ? 'publisher' then settings.publisher := coalesce(private.optional_line(content, 'publisher', 'publisher'), ''); end if;
  if content ? 'contact' then settings.contact := coalesce(private.optional_multiline(content, 'contact', 'contact'), ''); end if;
  if content ? 'reader_follow_mode' then
    settings.reader_follow_mode := private.optional_enum(content, 'reader_follow_mode', null::public.reader_follow_mode, 'auto')::public.reader_follow_mode;
  end if;
  if content ? 'check_interval_seconds' then
    settings.check_interval_seconds := coalesce(private.optional_integer(content, 'check_interval_seconds', 'check_interval_min',
      'check_interval_max'), private.get_limit('check_interval_default'));
  end if;
  if content ? 'offline_pages' then
    if not private.is_boolean(content -> 'offline_pages') then
      perform private.raise_invalid('offline_pages', 'not_boolean');
    end if;
    settings.offline_pages := (content ->> 'offline_pages')::boolean;
  end if;
  if content ? 'accent' then settings.accent := private.read_accent(content, 'accent', false); end if;
  if content ? 'accent_dark' then settings.accent_dark := private.read_accent(content, 'accent_dark', true); end if;
  if content ? 'about' then
    if private.has_photos(content -> 'about') then perform private.raise_invalid('about', 'photo_in_about'); end if;
    settings.about := private.read_body(content -> 'about', 0, 'about');
  end if;
  if content ? 'quiet_hours' then
    settings.quiet_hours := coalesce(private.optional_integer(content, 'quiet_hours', 'quiet_hours_min', 'quiet_hours_max'),
      private.get_limit('quiet_hours'));
  end if;
  if content ? 'embed_origins' then settings.embed_origins := private.read_embed_origins(content); end if;
  update public.site s set name = settings.name, tagline = settings.tagline, language = settings.language,
    publisher = settings.publisher, contact = settings.contact, offline_pages = settings.offline_pages,
    accent = settings.accent, accent_dark = settings.accent_dark, about = settings.about,
      quiet_hours = settings.quiet_hours, embed_origins = settings.embed_origins,
    reader_follow_mode = settings.reader_follow_mode, check_interval_seconds = settings.check_interval_seconds where s.id;
  perform private.log_action('save_site', 'site', null, jsonb_build_object(
    'fields', (select jsonb_agg(k order by k) from jsonb_object_keys(content) k)));
  return private.finish_command(idempotency_key, jsonb_build_object('name', settings.name));
end $$;

-- ---- Surge ----

-- Whether readers are moved to slow checks now.
create function private.is_surging(site public.site) returns boolean
language sql stable set search_path = '' as $$
  select site.surge = 'on' or (site.surge = 'auto' and coalesce(site.surge_load_until > now(), false))
$$;

create function public.set_surge(idempotency_key uuid, mode public.surge_mode)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'set_surge', jsonb_build_array(mode));
  before public.site;
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('run_coverage', null);
  if mode is null then perform private.raise_invalid('mode', 'surge_mode_missing'); end if;
  select * into before from public.site s for update;
  update public.site s set surge = mode,
    -- A load that was reported before does not start a surge when the mode goes back to auto.
    surge_load_until = case when mode <> 'off' then s.surge_load_until end,
    surge_since = case when mode = 'on' and not private.is_surging(before) then now() else s.surge_since end
  where s.id;
  perform private.log_action('set_surge', 'site', null, jsonb_build_object('from', before.surge, 'to', mode));
  return private.finish_command(idempotency_key, jsonb_build_object('surge', mode));
end $$;

-- Reports that a server is under load: readers are moved to slow checks for `surge_load_seconds`, unless the mode
-- is set by hand. A server calls it again as long as the load lasts.
create function public.report_load() returns void
language sql volatile security definer set search_path = '' as $$
  update public.site s set surge_load_until = now() + make_interval(secs => private.get_limit('surge_load_seconds')),
    surge_since = case when private.is_surging(s) then s.surge_since else now() end
  where s.id and s.surge = 'auto'
$$;

-- ---- Execute rights ----

grant execute on function public.save_site, public.set_surge to authenticated, service_role;
grant execute on function public.report_load to service_role;
