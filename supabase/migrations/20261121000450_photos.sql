-- Photos: what is kept of each. Their bytes are in storage, which 1700 is about; which update shows them, in 500.

create type public.photo_state as enum ('arriving', 'ready', 'refused');

create function private.is_count(value jsonb) returns boolean
language sql immutable return coalesce(value::text ~ '^[1-9][0-9]{0,8}$', false);

/* The sizes that a photo is kept in: [{width, height, bytes}], in pixels, the smallest first. */
create function private.are_prints(prints jsonb) returns boolean
language plpgsql immutable set search_path = '' as $$
declare
  print jsonb;
  before integer := 0;
begin
  if jsonb_typeof(prints) is distinct from 'array' or prints = '[]' then return false; end if;
  for print in select value from jsonb_array_elements(prints) loop
    if not (private.is_object(print, '{width,height,bytes}') and private.is_count(print -> 'width')
        and private.is_count(print -> 'height') and private.is_count(print -> 'bytes')) then
      return false;
    end if;
    if (print ->> 'width')::integer <= before then return false; end if;
    before := (print ->> 'width')::integer;
  end loop;
  return true;
end $$;

/* A photo of a coverage, or of a tip. The id is made on the device. */
create table public.photos (
  id uuid primary key,
  coverage_id uuid references public.coverages (id),
  tip_id uuid,
  state public.photo_state not null default 'arriving',
  -- Why it was refused: a code of the error catalogue.
  refusal text,
  -- Of the largest print.
  width integer,
  height integer,
  prints jsonb not null default '[]',
  -- What stands in its place until it is there.
  colour text,
  -- What it shows, for those who do not see it. May be missing for as long as no published update shows the photo.
  alt text,
  caption text,
  credit text,
  uploaded_by uuid references public.people (id),
  created_at timestamptz not null default now(),
  ready_at timestamptz,
  constraint of_coverage_or_tip check ((coverage_id is null) <> (tip_id is null)),
  constraint alt_form check (alt is null or private.is_line(alt, 'alt')),
  constraint caption_form check (caption is null or private.is_text(caption, 'caption')),
  constraint credit_form check (credit is null or private.is_line(credit, 'credit')),
  constraint prints_when_ready check (case state when 'ready' then private.are_prints(prints) else prints = '[]' end),
  constraint sized_when_ready check ((state = 'ready') = (width is not null and height is not null and ready_at is not null
    and coalesce(colour ~ '^#[0-9a-f]{6}$', false))),
  constraint refused_says_why check ((state = 'refused') = (coalesce(refusal ~ '^[a-z_]{1,40}$', false)))
);
create index photos_coverage on public.photos (coverage_id, created_at);
create unique index photos_tip on public.photos (tip_id);
create index photos_unready on public.photos (created_at) where state <> 'ready';

alter table public.photos enable row level security;
revoke all on public.photos from public, anon, authenticated, service_role;
-- Not who sent it, nor where it stands on its way: those are the desk's to know.
grant select (id, coverage_id, width, height, prints, colour, alt, caption, credit, ready_at) on public.photos
  to anon, authenticated;
grant select on public.photos to service_role;
