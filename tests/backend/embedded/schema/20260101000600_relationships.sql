-- Tables with several relationships, and with one to itself.
create table public.genres (id int primary key, name text not null, parent int references public.genres);
insert into public.genres values (1, 'fiction', null), (2, 'crime', 1), (3, 'noir', 2), (4, 'poetry', null);

create table public.addresses (id int primary key, city text not null);
create table public.orders (
  id int primary key,
  billing_address int constraint billing references public.addresses,
  shipping_address int constraint shipping references public.addresses
);
insert into public.addresses values (1, 'Bilbao'), (2, 'Sevilla');
insert into public.orders values (1, 1, 2);

grant select on public.genres, public.addresses, public.orders to anon;
grant all on public.genres, public.addresses, public.orders to service_role;

-- Functions between which the names of the arguments do not decide.
create function public.double_it(amount int) returns int language sql immutable set search_path = '' as $$
  select 2 * amount
$$;
create function public.double_it(amount text) returns text language sql immutable set search_path = '' as $$
  select amount || amount
$$;
