-- Buckets and policies for the contract tests of resumable uploads.

insert into storage.buckets (id, name, file_size_limit, allowed_mime_types) values
  ('parts', 'parts', null, null),
  ('pictures', 'pictures', 65536, '{image/png}');

-- People whose permission to upload was revoked.
create table public.barred (id uuid primary key);
alter table public.barred enable row level security;
create policy "who is barred" on public.barred for select to authenticated using (true);
grant select on public.barred to authenticated;
grant select, insert, delete on public.barred to service_role;

create policy "into one's own folder" on storage.objects for insert to authenticated with check (
  (storage.foldername(name))[1] = (select auth.uid())::text
  and not exists (select from public.barred where id = (select auth.uid()))
);
create policy "what one has" on storage.objects for select to authenticated
  using ((storage.foldername(name))[1] = (select auth.uid())::text);
create policy "another version of it" on storage.objects for update to authenticated
  using ((storage.foldername(name))[1] = (select auth.uid())::text);
