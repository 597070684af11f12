-- A bare access token no longer deletes an account. The website verifies the password and the session, then calls this
-- function with the secret key.

drop function public.delete_account(uuid);

/* Deletes a person's account, for good. The activity log names the person, not the server.
   Errors: not_found (also for an account that is deleted already), bad_state for the last owner. */
create function public.delete_account(op uuid, person_id uuid)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare done jsonb := private.begin_op(op, 'delete_account', jsonb_build_array(person_id));
begin
  if done is not null then return done; end if;
  -- What follows is done by the person: auth.uid() reads this setting for the rest of the transaction.
  perform set_config('request.jwt.claims', jsonb_build_object('sub', person_id, 'role', 'authenticated')::text, true);
  delete from auth.users u where u.id = person_id;
  if not found then perform private.refuse_unknown(); end if;
  return private.finish_op(op, jsonb_build_object('id', person_id));
end $$;

revoke execute on function public.delete_account(uuid, uuid) from public, anon, authenticated;
grant execute on function public.delete_account(uuid, uuid) to service_role;
