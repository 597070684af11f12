-- Tips from readers: what they tell the newsroom, and who may read it. The server takes them in; nobody but those who
-- handle tips reads them again.

create type public.tip_state as enum ('new', 'in_review', 'used', 'declined', 'spam');

create table public.tips (
  id uuid primary key,
  coverage_id uuid references public.coverages (id),
  body text not null,
  name text,
  contact text,
  state public.tip_state not null default 'new',
  -- More than one sender usually has to tell: kept apart, not refused.
  held boolean not null default false,
  assigned_to uuid references public.people (id),
  used_in uuid references public.updates (id),
  -- Who sent it, if they were signed in.
  sender uuid references public.people (id),
  -- Of the address and the device that it came from, with the salt below; and of the secret that shows what became of it.
  sender_hash text,
  device_hash text,
  receipt_hash text not null unique,
  created_at timestamptz not null default now(),
  handled_at timestamptz,
  constraint body_form check (private.is_text(body, 'tip_body')),
  constraint name_form check (name is null or private.is_line(name, 'tip_name')),
  constraint contact_form check (contact is null or private.is_line(contact, 'tip_contact'))
);
create index tips_newest on public.tips (created_at desc);
create index tips_by_sender on public.tips (sender_hash, created_at);
create index tips_by_device on public.tips (device_hash, created_at);
alter table public.photos add foreign key (tip_id) references public.tips (id);

/* Without it an address would be known by its digest: there are few of them. */
create table private.tip_salt (
  here boolean primary key default true check (here),
  salt text not null default gen_random_uuid()::text || gen_random_uuid()::text
);
insert into private.tip_salt default values;

alter table public.tips enable row level security;
alter table private.tip_salt enable row level security;
revoke all on public.tips from public, anon, authenticated, service_role;
revoke all on private.tip_salt from public, anon, authenticated, service_role;

create function private.sender_digest(kind text, value text) returns text
language sql stable set search_path = '' as $$
  select encode(sha256(convert_to(t.salt || kind || ':' || value, 'UTF8')), 'hex') from private.tip_salt t where value is not null
$$;

/* Whether there were more tips from here than one sender usually has to tell. Held ones count: it ends when they stop. */
create function private.is_flood(address text, device text) returns boolean
language sql stable set search_path = '' as $$
  select exists (
    select from (values (interval '1 hour', private.limit_of('tips_per_hour')), ('1 day', private.limit_of('tips_per_day'))) span(long, most)
    where (select count(*) from public.tips t where t.device_hash = device and t.created_at > now() - span.long) >= span.most)
    or (select count(*) from public.tips t where t.sender_hash = address and t.created_at > now() - interval '1 hour')
      >= private.limit_of('tips_per_address')
$$;

/* What only whoever sent a tip can know: at least 32 characters of a random secret, which is kept as its digest. */
create function private.receipt_digest(receipt text) returns text
language sql immutable set search_path = '' as $$ select encode(sha256(convert_to(receipt, 'UTF8')), 'hex') $$;

/* Takes a tip in: {id, held, photo}. `content`: coverage (a slug), body, name, contact, photo (an id, uploaded
   afterwards). `sender`: address, device, person. The same tip again answers the same, whoever it comes from by now. */
create function public.add_tip(tip_id uuid, content jsonb, receipt text, sender jsonb)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  -- The tip's own id is the press: whoever sends it again has lost the answer.
  done jsonb := private.begin_op(tip_id, 'add_tip', jsonb_build_array(content, receipt));
  photo uuid;
  tip public.tips;
begin
  if done is not null then return done; end if;
  perform private.refuse_unless_object(content, '{coverage,body,name,contact,photo}');
  perform private.refuse_unless_object(sender, '{address,device,person}');
  if not coalesce(receipt ~ '^[A-Za-z0-9_-]{32,128}$', false) then
    perform private.refuse_field('receipt', 'Send a secret of at least 32 characters of A-Z, a-z, 0-9, _ and -.');
  end if;
  tip.body := private.optional_lines(content, 'body', 'tip_body');
  if tip.body is null then perform private.refuse_field('body', 'Write something first.'); end if;
  tip.name := private.optional_line(content, 'name', 'tip_name');
  tip.contact := private.optional_line(content, 'contact', 'tip_contact');
  photo := private.as_uuid(private.optional_text(content, 'photo'));
  if photo is null and private.optional_text(content, 'photo') is not null then
    perform private.refuse_field('photo', 'Send an id made for this photo.');
  end if;
  -- One that is not for readers is none, so that nothing is learned of drafts.
  tip.coverage_id := (select c.id from public.coverage_slugs s join public.coverages c on c.id = s.coverage_id
    where s.slug = private.optional_text(content, 'coverage') and private.is_public(c.state));
  tip.sender := (select p.id from public.people p where p.id = private.as_uuid(private.optional_text(sender, 'person')));
  -- One at a time, or several at once would each be counted as the first.
  perform from private.tip_salt t for update;
  tip.sender_hash := private.sender_digest('address', private.optional_text(sender, 'address'));
  tip.device_hash := private.sender_digest('device', private.optional_text(sender, 'device'));
  tip.held := private.is_flood(tip.sender_hash, tip.device_hash);
  insert into public.tips (id, coverage_id, body, name, contact, held, sender, sender_hash, device_hash, receipt_hash, created_at)
    values (tip_id, tip.coverage_id, tip.body, tip.name, tip.contact, tip.held, tip.sender, tip.sender_hash, tip.device_hash,
      private.receipt_digest(receipt), clock_timestamp())
  on conflict do nothing;
  if not found then perform private.refuse_taken(); end if;
  if photo is not null then
    insert into public.photos (id, tip_id, uploaded_by) values (photo, tip_id, tip.sender) on conflict do nothing;
    if not found then perform private.refuse_taken(); end if;
  end if;
  return private.finish_op(tip_id, jsonb_build_object('id', tip_id, 'held', tip.held, 'photo', photo));
end $$;
revoke execute on function public.add_tip(uuid, jsonb, text, jsonb) from public, anon, authenticated;
grant execute on function public.add_tip(uuid, jsonb, text, jsonb) to service_role;

/* What became of a tip, for whoever has its receipt: {state, created_at, coverage: {slug, headline} | null}, or null.
   Who sends spam need not learn that it was known for it, nor somebody else that theirs was taken for it. */
create function public.tip_receipt(receipt text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('state', case t.state when 'spam' then 'declined' else t.state end, 'created_at', t.created_at, 'coverage', (
    select jsonb_build_object('slug', c.slug, 'headline', c.headline) from public.coverages c
    where c.id = t.coverage_id and private.is_public(c.state)))
  from public.tips t where t.receipt_hash = private.receipt_digest(receipt)
$$;
revoke execute on function public.tip_receipt(text) from public;
grant execute on function public.tip_receipt(text) to anon, authenticated, service_role;

create function private.handles_tips() returns boolean
language sql stable security definer set search_path = '' as $$ select private.may('handle_tips') $$;
grant execute on function private.handles_tips() to authenticated;

/* Tips, for those who handle them. */
create view public.desk_tips with (security_barrier) as
  select t.id, t.coverage_id, t.body, t.name, t.contact, t.state, t.held, t.created_at,
    (select jsonb_build_object('id', p.id, 'state', p.state, 'refusal', p.refusal, 'width', p.width, 'height', p.height,
      'prints', p.prints) from public.photos p where p.tip_id = t.id) as photo
  from public.tips t
  where (select private.handles_tips());
create trigger read_only instead of insert or update or delete on public.desk_tips
  for each row execute function private.refuse_write();
revoke all on public.desk_tips from public, anon, authenticated, service_role;
grant select on public.desk_tips to authenticated;

/* Forgets what is kept for a time only: whom to ask about a tip that was handled, and where each came from. */
create function private.forget_old() returns void
language plpgsql volatile set search_path = '' as $$
begin
  update public.tips t set name = null, contact = null
  where t.handled_at < now() - make_interval(days => private.limit_of('contact_days')) and (t.name is not null or t.contact is not null);
  update public.tips t set sender_hash = null, device_hash = null
  where t.created_at < now() - make_interval(days => private.limit_of('sender_days'))
    and (t.sender_hash is not null or t.device_hash is not null);
  perform private.forget_invites();
end $$;
