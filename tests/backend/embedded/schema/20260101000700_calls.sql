-- Computed fields, and functions that take the whole body of a call.
create table public.painters (id int primary key, name text not null);
create table public.paintings (id int primary key, title text not null, painter int references public.painters);
insert into public.painters values (1, 'frida');
insert into public.paintings values (1, 'roots', 1), (2, 'diego and i', 1);
grant all on public.painters, public.paintings to service_role;

create function public.loud_name(public.painters) returns text language sql stable set search_path = '' as $$
  select upper($1.name)
$$;
create function public.loud_title(public.paintings) returns text language sql stable set search_path = '' as $$
  select upper($1.title)
$$;
create function public.paintings_of(painter_id int) returns setof public.paintings language sql stable set search_path = '' as $$
  select * from public.paintings where painter = painter_id
$$;
create function public.painting(painting_id int) returns public.paintings language sql stable set search_path = '' as $$
  select * from public.paintings where id = painting_id
$$;

create function public.echo_text(text) returns text language sql immutable set search_path = '' as $$ select $1 $$;
create function public.echo_bytes(bytea) returns text language sql immutable set search_path = '' as $$
  select encode($1, 'hex')
$$;
create function public.echo_xml(xml) returns text language sql immutable set search_path = '' as $$ select $1::text $$;
create function public.echo_json(json) returns text language sql immutable set search_path = '' as $$ select $1::text $$;
create function public.paintings_titled(text) returns setof public.paintings language sql stable set search_path = '' as $$
  select * from public.paintings where title = $1
$$;
create function public.echo_either(text) returns text language sql immutable set search_path = '' as $$ select 'text' $$;
create function public.echo_either(jsonb) returns text language sql immutable set search_path = '' as $$ select 'json' $$;

-- Functions that describe the response to their refusal, or fail.
create function public.refuse_with(message text, detail text) returns void language plpgsql set search_path = '' as $$
begin
  raise sqlstate 'PGRST' using message = refuse_with.message, detail = refuse_with.detail;
end $$;
create function public.two_rows() returns int language sql stable set search_path = '' as $$
  select (select 1 from generate_series(1, 2))
$$;
