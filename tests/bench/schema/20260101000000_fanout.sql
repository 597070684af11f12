-- Everybody may receive what is sent to one private topic.
create policy "everybody hears the bench" on realtime.messages for select
  to anon, authenticated using ((select realtime.topic()) = 'bench-private');

-- What a function of the product does when something has changed.
create function public.announce(message jsonb) returns void
language sql security definer set search_path = '' as $$
  select realtime.send(message, 'change', 'bench-private', true)
$$;
revoke execute on function public.announce(jsonb) from public, anon, authenticated;
grant execute on function public.announce(jsonb) to service_role;
