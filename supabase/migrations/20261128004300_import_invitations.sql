-- Invitations to a coverage that is being imported are refused, and those from earlier versions are deleted with an
-- unfinished import. They made it impossible to delete, and every later import failed.

-- Invites a person: content {email, name, role, coverage_id, days}, the last two for contributors. `token_hash` is
-- the digest of a secret that the caller created. Returns {id, email, name, expires_at,
-- has_account}.
create or replace function public.invite_person(idempotency_key uuid, invite_id uuid, content jsonb, token_hash text)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'invite_person', jsonb_build_array(invite_id, content, token_hash));
  new_invite public.invites;
  has_account boolean;
begin
  if stored_result is not null then return stored_result; end if;
  -- The lock order of accept_invite(): the coverage, then the site's row.
  perform from public.coverages c where c.id = private.to_uuid(content ->> 'coverage_id') for update;
  perform private.lock_administration();
  perform private.require_object(content, '{email,name,role,coverage_id,days}');
  if invite_id is null then perform private.raise_invalid('invite_id', 'invite_id_missing'); end if;
  if not coalesce(token_hash ~ '^[0-9a-f]{64}$', false) then
    perform private.raise_invalid('token_hash', 'invalid_token_hash');
  end if;
  new_invite.id := invite_id;
  new_invite.token_hash := token_hash;
  new_invite.email := lower(private.optional_text(content, 'email'));
  if not coalesce(private.is_email(new_invite.email), false) then
    perform private.raise_invalid('email', 'invalid_email');
  end if;
  new_invite.name := private.read_display_name(content, 'name');
  new_invite.role := private.optional_enum(content, 'role', null::public.person_role, 'reader')::public.person_role;
  if new_invite.role = 'reader' then perform private.raise_invalid('role', 'invite_role_missing'); end if;
  if new_invite.role = 'contributor' then
    select c.id into new_invite.coverage_id from public.coverages c
    where c.id = private.to_uuid(private.optional_text(content, 'coverage_id')) and c.state not in ('archived', 'withdrawn') and not c.is_importing;
    if new_invite.coverage_id is null then perform private.raise_invalid('coverage_id', 'invite_coverage_missing'); end if;
    new_invite.days := coalesce(private.optional_integer(content, 'days', 'contributor_days_min', 'contributor_days_max'),
      private.get_limit('contributor_days'));
  end if;
  has_account := private.check_invited_account(new_invite);
  if exists (select from public.invites i where i.email = new_invite.email and i.coverage_id is not distinct from new_invite.coverage_id
      and private.invite_state(i) = 'pending') then
    perform private.raise_invalid('email', 'already_invited');
  end if;
  insert into public.invites (id, email, name, role, coverage_id, days, token_hash, invited_by, expires_at)
    values (new_invite.id, new_invite.email, new_invite.name, new_invite.role, new_invite.coverage_id,
      new_invite.days, new_invite.token_hash, auth.uid(), private.invite_expiry())
  on conflict do nothing returning * into new_invite;
  if not found then perform private.raise_id_conflict(); end if;
  perform private.log_action('invite', 'invite', new_invite.id, jsonb_build_object('role', new_invite.role, 'coverage', new_invite.coverage_id));
  return private.finish_command(idempotency_key, private.invite_result(new_invite, has_account));
end $$;

-- Deletes an unfinished import. Its renditions are deleted with unused photos.
create or replace function private.delete_import(coverage uuid) returns void
language plpgsql volatile set search_path = '' as $$
declare created uuid[];
begin
  delete from private.coverage_imports r where r.coverage_id = coverage returning r.people into created;
  delete from private.update_words w where w.update_id in (select u.id from public.updates u where u.coverage_id = coverage);
  delete from public.update_photos o where o.update_id in (select u.id from public.updates u where u.coverage_id = coverage);
  delete from public.update_bylines b where b.update_id in (select u.id from public.updates u where u.coverage_id = coverage);
  delete from public.update_revisions r where r.update_id in (select u.id from public.updates u where u.coverage_id = coverage);
  delete from public.coverage_changes h where h.coverage_id = coverage;
  delete from public.updates u where u.coverage_id = coverage;
  delete from public.photos p where p.coverage_id = coverage;
  delete from public.invites i where i.coverage_id = coverage;
  delete from public.coverage_members m where m.coverage_id = coverage;
  delete from public.coverage_slugs s where s.coverage_id = coverage;
  delete from public.coverages c where c.id = coverage;
  -- Keeps people that other content refers to by now.
  delete from public.people p where p.id = any (created) and p.bylined_at is null
    and not exists (select from public.update_bylines b where b.person_id = p.id)
    and not exists (select from private.coverage_imports r where r.content -> 'people' @> jsonb_build_array(jsonb_build_object('id', p.id)));
end $$;
