-- A small schema for the contract tests.

-- Grants on single columns, and rows of one owner.
create table public.notes (
  id int generated always as identity primary key,
  owner uuid default auth.uid(),
  body text not null unique check (char_length(body) <= 20),
  hidden text not null default 'never granted'
);
alter table public.notes enable row level security;
create policy "own notes" on public.notes to authenticated using (owner = (select auth.uid()));
grant select (id, owner, body), insert (body), update (body) on public.notes to authenticated;
grant all on public.notes to service_role;

-- No grant, although its policy allows all rows.
create table public.closed (id int primary key);
alter table public.closed enable row level security;
create policy "all rows" on public.closed using (true);
insert into public.closed values (1);

-- Types that @supabase/lite and PostgREST format differently.
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

-- JSON columns and a JSON argument.
create table public.documents (id int primary key, body jsonb, plain json);
grant select, insert, update on public.documents to service_role;

create function public.json_type(value jsonb) returns text language sql immutable set search_path = '' as $$
  select jsonb_typeof(value)
$$;

-- More rows than the limits of a query allow.
create table public.categories (id int primary key, name text not null);
create table public.books (id int primary key, category int references public.categories, title text not null);
insert into public.categories select s, 'category ' || s from generate_series(1, 15) s;
insert into public.books select b, 1 + b % 15, 'book ' || b from generate_series(1, 1200) b;
grant select on public.categories, public.books to anon, authenticated, service_role;

create function public.who_am_i() returns jsonb language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'runs_as', current_user, 'uid', auth.uid(), 'role', auth.role(), 'email', auth.email(), 'aal', auth.jwt() ->> 'aal'
  )
$$;

create function public.all_books() returns setof public.books language sql stable set search_path = '' as $$
  select * from public.books
$$;

-- Fails with the given SQLSTATE.
create function public.refuse(error_code text) returns void language plpgsql set search_path = '' as $$
begin
  raise exception using errcode = error_code, message = 'bad_state',
    detail = '{"field":"state"}', hint = 'Reopen it first.';
end $$;
