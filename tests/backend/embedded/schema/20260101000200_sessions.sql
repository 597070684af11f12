-- Describes the devices of a person's sessions.
create function public.sessions_of(person uuid)
returns table (user_agent text, ip text, refreshed_at timestamp)
language sql stable security definer set search_path = '' as $$
  select user_agent, host(ip), refreshed_at from auth.sessions where user_id = person order by created_at
$$;
revoke execute on function public.sessions_of(uuid) from public;
grant execute on function public.sessions_of(uuid) to service_role;
