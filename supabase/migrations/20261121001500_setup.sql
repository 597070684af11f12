-- The first owner of an empty newsroom: made once, with a code that the server shows to whoever runs it.

/* The newest code, as its SHA-256 in hexadecimal. */
create table private.setup (
  here boolean primary key default true check (here),
  code_hash text not null,
  constraint code_hash_form check (code_hash ~ '^[0-9a-f]{64}$')
);
alter table private.setup enable row level security;
revoke all on private.setup from public, anon, authenticated, service_role;

/* True: nobody owns this newsroom, and from now on this code and no other makes somebody its owner. */
create function public.offer_setup(code_hash text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_variable
begin
  if not coalesce(code_hash ~ '^[0-9a-f]{64}$', false) then
    perform private.refuse_field('code_hash', 'Send the SHA-256 of the code in hexadecimal.');
  end if;
  perform from public.site s for update;
  if private.has_owner() then return false; end if;
  insert into private.setup as t (code_hash) values (code_hash)
  on conflict (here) do update set code_hash = excluded.code_hash;
  return true;
end $$;

/* Whether somebody may become the first owner; with a code: whether that is the one. Asked before an account is
   made for whoever typed it. */
create function public.setup_is_open(code_hash text default null) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from private.setup t where setup_is_open.code_hash is null or t.code_hash = setup_is_open.code_hash)
    and not private.has_owner()
$$;

/* Makes a person the owner, once. The code is compared by its digest, whose bytes nobody can steer, so how long
   that takes tells nothing. */
create function public.set_up(code_hash text, person_id uuid)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
begin
  perform from public.site s for update;
  if private.has_owner() then perform private.refuse('not_found', 'This newsroom has its owner. Sign in instead.'); end if;
  delete from private.setup t where t.code_hash = set_up.code_hash;
  if not found then
    perform private.refuse('forbidden', 'This is not the code that the server showed last. Look at its log again.');
  end if;
  update public.people p set role = 'owner' where p.id = person_id and p.active and p.deleted_at is null;
  if not found then perform private.refuse('not_found', 'There is no such person.'); end if;
  perform private.audit('set_up', 'person', person_id);
  return jsonb_build_object('id', person_id, 'role', 'owner');
end $$;

revoke execute on function public.offer_setup(text), public.setup_is_open(text), public.set_up(text, uuid)
  from public, anon, authenticated;
grant execute on function public.offer_setup(text), public.setup_is_open(text), public.set_up(text, uuid) to service_role;
