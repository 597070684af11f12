-- A small schema that provokes what the contract tests hold.

-- Rights by column and by owner.
create table public.notes (
  id int generated always as identity primary key,
  owner uuid default auth.uid(),
  body text not null unique check (char_length(body) <= 20),
  hidden text not null default 'kept from everybody'
);
alter table public.notes enable row level security;
create policy "own notes" on public.notes to authenticated using (owner = (select auth.uid()));
grant select (id, owner, body), insert (body), update (body) on public.notes to authenticated;
grant all on public.notes to service_role;

-- No right at all, although its policy lets everybody in.
create table public.closed (id int primary key);
alter table public.closed enable row level security;
create policy "nobody is granted this" on public.closed using (true);
insert into public.closed values (1);

-- What lite would shape otherwise than PostgREST.
create table public.kinds (
  id int primary key,
  instant timestamptz,
  local timestamp,
  amount numeric,
  bytes bytea,
  instants timestamptz[],
  flag boolean
);
insert into public.kinds values
  (1, '2026-11-20 16:19:13.405+00', '2026-11-20 16:19:13', 1.10, '\x0102', '{2026-11-20 16:19:13+00}', true);
grant select on public.kinds to anon;

-- Enough rows to meet the bounds.
create table public.shelves (id int primary key, name text not null);
create table public.books (id int primary key, shelf int references public.shelves, title text not null);
insert into public.shelves select s, 'shelf ' || s from generate_series(1, 15) s;
insert into public.books select b, 1 + b % 15, 'book ' || b from generate_series(1, 1200) b;
grant select on public.shelves, public.books to anon, authenticated, service_role;

create function public.who_am_i() returns jsonb language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'runs_as', current_user, 'uid', auth.uid(), 'role', auth.role(), 'email', auth.email(), 'aal', auth.jwt() ->> 'aal'
  )
$$;

create function public.all_books() returns setof public.books language sql stable set search_path = '' as $$
  select * from public.books
$$;

-- Refusals and faults of a function.
create function public.refuse(sqlstate_wanted text) returns void language plpgsql set search_path = '' as $$
begin
  raise exception using errcode = sqlstate_wanted, message = 'bad_state',
    detail = '{"field":"state"}', hint = 'Reopen it first.';
end $$;
