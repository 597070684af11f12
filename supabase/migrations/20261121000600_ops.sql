-- Presses: the same op by the same person with the same arguments returns its first result.

create table private.ops (
  op uuid primary key,
  person uuid,
  action text not null,
  -- A digest, not the arguments: what was typed is kept in one place only.
  arguments text not null,
  result jsonb,
  at timestamptz not null default now()
);
alter table private.ops enable row level security;
revoke all on private.ops from public, anon, authenticated, service_role;

create function private.digest_of(arguments jsonb) returns text
language sql immutable set search_path = '' as $$ select encode(sha256(convert_to(arguments::text, 'UTF8')), 'hex') $$;

/* Starts a press. Null: it is new, do the work and call finish_op. Else the first result, to be returned
   as it is. Two at once: the second waits here for the first one's transaction. Any other use of a known
   op is refused with the same words, whoever made it and whatever for. */
create function private.begin_op(wanted uuid, action text, arguments jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  caller uuid := auth.uid();
  known private.ops;
begin
  if caller is null and not private.is_service() then
    perform private.refuse('signed_out', 'Sign in, then press again. Your text is kept.');
  end if;
  if wanted is null then perform private.refuse_field('op', 'Send an id made for this press.'); end if;
  insert into private.ops (op, person, action, arguments) values (wanted, caller, begin_op.action, private.digest_of(arguments))
  on conflict do nothing;
  if found then return null; end if;
  select * into known from private.ops o where o.op = wanted;
  if known.person is not distinct from caller and known.action = begin_op.action
     and known.arguments = private.digest_of(begin_op.arguments) then
    return known.result;
  end if;
  perform private.refuse('forbidden', 'This press is not yours or was for something else. Make a new one.');
end $$;

create function private.finish_op(wanted uuid, outcome jsonb) returns jsonb
language sql volatile set search_path = '' as $$
  update private.ops set result = outcome where op = wanted returning result
$$;
