-- What people do to their own account, and what stays of it when it is deleted.

/* The caller's own row, locked: what they press at once is done in turn, and not after their account has ended. */
create function private.lock_account() returns public.people
language plpgsql volatile set search_path = '' as $$
declare mine public.people;
begin
  select * into mine from public.people p where p.id = auth.uid() and p.active for no key update;
  if mine.id is null then perform private.refuse('forbidden', 'This account is not active. Ask an owner.'); end if;
  return mine;
end $$;

/* Changes the caller's own name and bio; a field that is not sent stays. The handle stays: addresses hang on it. */
create function public.save_me(op uuid, content jsonb)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  done jsonb := private.begin_op(op, 'save_me', jsonb_build_array(content));
  mine public.people;
begin
  if done is not null then return done; end if;
  -- A bylined name stands on every page, so this may count in the site's row: first, as when an account is deleted.
  perform from public.site s for update;
  mine := private.lock_account();
  perform private.refuse_unless_object(content, '{display_name,bio}');
  if content ? 'display_name' then
    mine.display_name := private.name_from(private.optional_text(content, 'display_name'));
    if not private.is_name(mine.display_name) then
      perform private.refuse_field('display_name', format('Give a name: one line of 1 to %s characters.', private.limit_of('display_name')));
    end if;
  end if;
  if content ? 'bio' then mine.bio := coalesce(private.optional_lines(content, 'bio', 'bio'), ''); end if;
  update public.people p set display_name = mine.display_name, bio = mine.bio where p.id = mine.id;
  -- The id alone: what was typed is kept in one place only, or a name would outlive its account among the presses.
  return private.finish_op(op, jsonb_build_object('id', mine.id));
end $$;

/* What an account leaves behind, whoever deletes it (the person, an owner, GoTrue's admin interface, a soft
   deletion): a tombstone that may do nothing. Who was bylined keeps handle and name, because published words stay
   signed and a handle never becomes somebody else's; everybody else loses both. Words and versions stay. */
create function private.person_after_user() returns trigger
language plpgsql security definer set search_path = '' as $$
declare gone public.people;
begin
  -- The order of set_role and set_active, who wait for the same two rows: the site's, then the person's.
  perform from public.site s for update;
  select * into gone from public.people p where p.id = old.id and p.deleted_at is null for update;
  if gone.id is null then return null; end if;
  update public.people p set role = 'reader', active = false, bio = '', deleted_at = now(),
    handle = case when gone.bylined_at is null then 'gone-' || left(md5(gen_random_uuid()::text), 16) else p.handle end,
    display_name = case when gone.bylined_at is null then 'Deleted account' else p.display_name end
  where p.id = gone.id;
  delete from public.coverage_members m where m.person_id = gone.id;
  delete from public.update_bylines b where b.person_id = gone.id and gone.bylined_at is null;
  perform private.forget_invited(gone.id, old.email::text);
  perform private.forget_follower(gone.id);
  if gone.role = 'owner' and gone.active then perform private.keep_an_owner(); end if;
  perform private.audit('delete_account', 'person', gone.id);
  return null;
end $$;
create trigger person_after_user after delete on auth.users
  for each row execute function private.person_after_user();
create trigger person_after_soft_deletion after update of deleted_at on auth.users
  for each row when (old.deleted_at is null and new.deleted_at is not null)
  execute function private.person_after_user();

/* Deletes the caller's account, for good. */
create function public.delete_account(op uuid)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare done jsonb := private.begin_op(op, 'delete_account', '[]');
begin
  if done is not null then return done; end if;
  delete from auth.users u where u.id = auth.uid();
  return private.finish_op(op, jsonb_build_object('id', auth.uid()));
end $$;

revoke execute on function public.save_me(uuid, jsonb), public.delete_account(uuid) from public, anon, service_role;
grant execute on function public.save_me(uuid, jsonb), public.delete_account(uuid) to authenticated;
