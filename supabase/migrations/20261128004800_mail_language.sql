-- Mails to accounts are written in the site's language. The auth service gives templates the account's metadata as
-- `.Data`, and nothing of other tables, so each account stores the language there.

-- The language that templates compare with: `es` for `es-MX`.
create function private.mail_language() returns text
language sql stable security definer set search_path = '' as $$
  select split_part(lower(s.language), '-', 1) from public.site s;
$$;

-- Adds the site's language to the metadata of an account that names none. The auth service reads a new account again
-- after creating it, so the first mail has the language too.
create function private.set_mail_language() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  new.raw_user_meta_data := jsonb_build_object('language', private.mail_language()) || coalesce(new.raw_user_meta_data, '{}');
  return new;
end $$;
create trigger set_mail_language before insert or update of raw_user_meta_data on auth.users
  for each row execute function private.set_mail_language();

-- Writes a changed language of the site to all accounts.
create function private.update_mail_languages() returns trigger
language plpgsql security definer set search_path = '' as $$
declare mail_language text := private.mail_language();
begin
  update auth.users u
  set raw_user_meta_data = coalesce(u.raw_user_meta_data, '{}') || jsonb_build_object('language', mail_language)
  where u.raw_user_meta_data ->> 'language' is distinct from mail_language;
  return null;
end $$;
create trigger update_mail_languages after update of language on public.site
  for each row when (old.language is distinct from new.language) execute function private.update_mail_languages();

update auth.users u
set raw_user_meta_data = coalesce(u.raw_user_meta_data, '{}') || jsonb_build_object('language', private.mail_language())
where u.raw_user_meta_data ->> 'language' is null;

-- Nothing calls these functions but triggers.
revoke execute on function private.mail_language(), private.set_mail_language(), private.update_mail_languages() from public, anon, authenticated;
