-- Fails when much is done already.
insert into public.shelves values (99, 'of a migration that failed');
update public.notes set body = 'lost ' || id;
drop table public.writers;
alter table public.notes drop column shelf cascade;
create table public.made_in_vain (id int);
select 1 / count(*) from public.made_in_vain;
