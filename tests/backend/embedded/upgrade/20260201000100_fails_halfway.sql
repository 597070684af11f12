-- Fails after several changes, which the database must roll back.
insert into public.categories values (99, 'of a migration that failed');
update public.notes set body = 'lost ' || id;
drop table public.writers;
alter table public.notes drop column category cascade;
create table public.never_created (id int);
select 1 / count(*) from public.never_created;
