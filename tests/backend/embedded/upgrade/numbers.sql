create table public.numbers (n int primary key);
insert into public.numbers select generate_series(1, 1000);
create table public.squares as select n * n as square from public.numbers;
