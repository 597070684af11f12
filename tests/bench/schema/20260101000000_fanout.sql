-- All clients may receive the messages of one private topic.
create policy "all clients read the bench" on realtime.messages for select
  to anon, authenticated using ((select realtime.topic()) = 'bench-private');

-- Broadcasts a change as the functions of the product do.
create function public.announce(message jsonb) returns void
language sql security definer set search_path = '' as $$
  select realtime.send(message, 'change', 'bench-private', true)
$$;
revoke execute on function public.announce(jsonb) from public, anon, authenticated;
grant execute on function public.announce(jsonb) to service_role;
