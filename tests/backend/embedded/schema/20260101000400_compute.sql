-- Functions that write a row and then compute for the given time.
create table public.computed (ms integer);
grant select on public.computed to service_role;

create function public.compute(ms integer) returns text language plpgsql security definer
set search_path = '' as $$
declare
  ends constant timestamptz := clock_timestamp() + make_interval(secs => ms / 1000.0);
begin
  insert into public.computed values (ms);
  while clock_timestamp() < ends loop
    perform md5(n::text) from generate_series(1, 10000) n;
  end loop;
  return 'done';
end $$;

create function public.compute_briefly(ms integer) returns text language sql
set search_path = '' set statement_timeout = '1s' as $$ select public.compute(ms) $$;

create function public.compute_for_long(ms integer) returns text language sql
set search_path = '' set statement_timeout = '1min' as $$ select public.compute(ms) $$;

grant execute on function public.compute, public.compute_briefly, public.compute_for_long
  to anon, authenticated, service_role;

-- Bucket `computing`: its policy computes for longer than any statement may take.
insert into storage.buckets (id, name) values ('computing', 'computing');
create policy "slow" on storage.objects for select to authenticated
  using (case when bucket_id = 'computing' then public.compute(100000) = 'done' end);
