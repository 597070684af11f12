-- What an upgrade does to tables in use: a column that old rows are given too, a stricter rule, a table made of
-- another's rows, a function and a policy that take the place of older ones.
alter table public.notes add column shelf int references public.shelves;
update public.notes set shelf = 1 + id % 15;
alter table public.notes alter column shelf set not null, alter column shelf set default 1;
grant select (shelf) on public.notes to authenticated;

create table public.writers (id uuid primary key, notes int not null);
insert into public.writers select owner, count(*) from public.notes group by owner;
alter table public.writers enable row level security;
create policy "oneself" on public.writers for select to authenticated using (id = (select auth.uid()));
grant select on public.writers to authenticated, service_role;

drop policy "own notes" on public.notes;
create policy "own notes of the upper shelves" on public.notes to authenticated
  using (owner = (select auth.uid()) and shelf > 1);

create or replace function public.likeness(a text, b text) returns real language sql stable set search_path = '' as $$
  select -1::real
$$;
