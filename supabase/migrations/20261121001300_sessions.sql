-- Sessions: a token is good for as long as its session is, and people see their own.

/* Whether the caller's token is good still: its session has not ended, and its person is neither banned nor gone.
   A key has no session and nothing to be asked. */
create function private.session_stands() returns boolean
language plpgsql stable security definer set search_path = '' as $$
declare session text := auth.jwt() ->> 'session_id';
begin
  return session is null or exists (
    select from auth.sessions s join auth.users u on u.id = s.user_id
    where s.id = private.as_uuid(session) and s.user_id = auth.uid() and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null);
end $$;

/* Run before every request by PostgREST and by the embedded backend. A token lives for an hour; this refuses one
   whose session does not. */
create function private.check_session() returns void
language plpgsql stable security definer set search_path = '' as $$
begin
  if not private.session_stands() then
    perform private.refuse('signed_out', 'You have been signed out. Sign in again; your text is kept.');
  end if;
end $$;
revoke execute on function private.check_session() from public;
grant execute on function private.check_session() to anon, authenticated, service_role;
alter role authenticator set pgrst.db_pre_request = 'private.check_session';
notify pgrst, 'reload config';

/* The caller's sessions, this one first, then the newest seen; at most 100. Times are in UTC; a session that
   nobody came back to for `session_days` is over, though its row may still be there. */
create function public.my_devices()
returns table (id uuid, user_agent text, started_at timestamptz, last_seen_at timestamptz, current boolean)
language sql stable security definer set search_path = '' as $$
  select s.id, s.user_agent, s.created_at, seen.at, s.id = private.as_uuid(auth.jwt() ->> 'session_id') as this_one
  from auth.sessions s,
    lateral (select coalesce(s.refreshed_at at time zone 'UTC', s.created_at) as at) seen
  where s.user_id = (select auth.uid()) and (s.not_after is null or s.not_after > now())
    and seen.at > now() - make_interval(days => private.limit_of('session_days'))
  order by this_one desc, seen.at desc, s.id limit 100
$$;

/* Ends one of the caller's sessions. True: it ended now. False: there was none, or it was not theirs. */
create function public.sign_out_device(device uuid) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  delete from auth.sessions s where s.id = device and s.user_id = (select auth.uid());
  return found;
end $$;

revoke execute on function public.my_devices(), public.sign_out_device(uuid) from public, anon, service_role;
grant execute on function public.my_devices(), public.sign_out_device(uuid) to authenticated;
