create table public.numbers (n int primary key);
insert into public.numbers select generate_series(1, 1000);
do $$ begin
  raise warning 'half way';
  perform pg_sleep(15);
end $$;
create table public.squares as select n * n as square from public.numbers;
