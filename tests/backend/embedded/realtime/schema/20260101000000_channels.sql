-- Permissions on private topics, one per row, so that a test can grant and revoke them.
create table public.guests (
  topic text not null,
  -- Null grants the permissions to all clients.
  person uuid,
  may text[] not null
);
alter table public.guests enable row level security;
grant all on public.guests to service_role;

create function public.may(what text) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (
    select from public.guests g
    where g.topic = realtime.topic() and what = any (g.may) and (g.person is null or g.person = auth.uid()))
$$;
grant execute on function public.may(text) to anon, authenticated;

create policy "guests hear, and see who is there" on realtime.messages for select to anon, authenticated
  using (public.may(case extension when 'broadcast' then 'hear' else 'see' end));
create policy "guests send, and show themselves" on realtime.messages for insert to anon, authenticated
  with check (public.may(case extension when 'broadcast' then 'send' else 'show' end));

create function public.announce(topic text, messages jsonb[], private boolean default true) returns void
language sql security definer set search_path = '' as $$
  select realtime.send(message, 'change', topic, private) from unnest(messages) message
$$;

create function public.announce_bytes(topic text, hex text) returns void
language sql security definer set search_path = '' as $$
  select realtime.send_binary(decode(hex, 'hex'), 'frame', topic)
$$;
revoke execute on function public.announce_bytes(text, text) from public;
grant execute on function public.announce_bytes(text, text) to service_role;

-- Sends in a transaction that is rolled back.
create function public.announce_and_fail(topic text, message jsonb) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.send(message, 'change', topic, true);
  raise exception 'rolled back';
end $$;

-- This function has the name of the product's function, because all databases of a server share the setting.
create schema private;
grant usage on schema private to anon, authenticated, service_role;
create function private.check_session() returns void
language plpgsql stable security definer set search_path = '' as $$
begin
  if auth.jwt() ? 'session_id'
     and not exists (select from auth.sessions s where s.id = (auth.jwt() ->> 'session_id')::uuid) then
    raise exception using errcode = 'PT401', message = 'signed_out';
  end if;
end $$;
grant execute on function private.check_session() to anon, authenticated, service_role;
alter role authenticator set pgrst.db_pre_request = 'private.check_session';

revoke execute on function public.announce(text, jsonb[], boolean), public.announce_and_fail(text, jsonb) from public;
grant execute on function public.announce(text, jsonb[], boolean), public.announce_and_fail(text, jsonb) to service_role;
