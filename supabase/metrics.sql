-- Gauges of the newsroom, which the embedded backend adds to its metrics: one row, one column for each.
-- Each is counted in an index of its own and up to 10000, so that the query stays small.
select
  (select count(*)::integer from (select from public.alerts where deliveries_created_at is null limit 10000) counted) as alerts_waiting,
  (select count(*)::integer from (select from public.deliveries where state = 'queued' limit 10000) counted) as deliveries_waiting,
  (select count(*)::integer from (select from public.deliveries where state = 'sending' limit 10000) counted) as deliveries_sending,
  (select count(*)::integer from (select from public.photos where state <> 'ready' and state = 'uploading' limit 10000) counted) as photos_uploading,
  (select count(*)::integer from (select from public.tips where state in ('new', 'in_review') and not held limit 10000) counted) as tips_open,
  (select count(*)::integer from (select from public.tips where held limit 10000) counted) as tips_held
