-- Bucket `rooms`: each person has a folder, and may read the folder `shown`.
insert into storage.buckets (id, name, allowed_mime_types) values ('rooms', 'rooms', null), ('letters', 'letters', null);

create policy "own folder" on storage.objects for all to authenticated
  using (bucket_id = 'rooms' and (storage.foldername(name))[1] = auth.uid()::text)
  with check (bucket_id = 'rooms' and (storage.foldername(name))[1] = auth.uid()::text);
create policy "shown" on storage.objects for select to authenticated
  using (bucket_id = 'rooms' and name like 'shown/%');

-- Bucket `letters`: the letters in the name of a folder allow insert, select, update and delete in it.
create policy "i" on storage.objects for insert to authenticated
  with check (bucket_id = 'letters' and split_part(name, '/', 1) like '%i%');
create policy "s" on storage.objects for select to authenticated
  using (bucket_id = 'letters' and split_part(name, '/', 1) like '%s%');
create policy "u" on storage.objects for update to authenticated
  using (bucket_id = 'letters' and split_part(name, '/', 1) like '%u%');
create policy "d" on storage.objects for delete to authenticated
  using (bucket_id = 'letters' and split_part(name, '/', 1) like '%d%');
create policy "what is being done" on storage.objects for insert to authenticated
  with check (bucket_id = 'letters' and name = storage.operation());

-- A closed folder can be neither read nor written.
create table public.closed_rooms (person uuid primary key);
grant select on public.closed_rooms to authenticated;
create policy "closed" on storage.objects as restrictive for all to authenticated
  using (bucket_id <> 'rooms' or not exists (select from public.closed_rooms where person = auth.uid()));
create function public.close_room(person uuid) returns void language sql as $$
  insert into public.closed_rooms values (person)
$$;
revoke execute on function public.close_room(uuid) from public;
grant insert on public.closed_rooms to service_role;
grant execute on function public.close_room(uuid) to service_role;
