-- Functions that bring in many rows with one call. They are called with the secret key alone, by the website's own
-- server, and may take longer than the requests of people.
do $$
declare
  called regprocedure;
begin
  for called in
    select p.oid::regprocedure from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and p.proname in ('check_import', 'import_updates', 'restore_coverage', 'restore_updates', 'restore_changes',
        'restore_words', 'finish_restored', 'abandon_restored')
  loop
    execute format('alter function %s set statement_timeout = ''60s''', called);
  end loop;
end $$;
