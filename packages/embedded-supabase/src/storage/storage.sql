/* The part of Storage in the database that migrations use. The backend runs this file at every start. Names, columns
   and grants are those of a hosted project. Policies decide which buckets and objects a caller may use. */

create schema if not exists storage;
grant usage on schema storage to anon, authenticated, service_role;

do $$
begin
  create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');
exception when duplicate_object then null;
end $$;

create table if not exists storage.buckets (
  id text primary key,
  name text not null unique check (length(name) between 1 and 100),
  owner uuid,
  owner_id text,
  -- Whether every client may download the objects, without a policy.
  public boolean not null default false,
  avif_autodetection boolean default false,
  -- In bytes. Null means the limit of the whole project.
  file_size_limit bigint check (file_size_limit >= 0),
  -- Types such as `image/png` or `image/*`. Null allows all types.
  allowed_mime_types text[],
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  type storage.buckettype not null default 'STANDARD'
);

create table if not exists storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text references storage.buckets (id),
  name text collate "C",
  owner uuid,
  -- The `sub` of the uploader.
  owner_id text,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_accessed_at timestamptz default now(),
  -- Keys: eTag, size, mimetype, cacheControl, lastModified, contentLength, httpStatusCode.
  metadata jsonb,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  -- Version of the file. A new upload under the same name is a new version.
  version text,
  -- Metadata that the uploader sent with the file.
  user_metadata jsonb,
  unique (bucket_id, name)
);
create index if not exists name_prefix_search on storage.objects (name text_pattern_ops);

alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;
grant select, insert, update, delete on storage.buckets, storage.objects to anon, authenticated, service_role;

/* Functions for policies: they return the folders of an object's name, its last segment, and the text after its last
   dot. */
create or replace function storage.foldername(name text) returns text[]
language sql immutable strict set search_path = '' as $$
  select parts [1 : cardinality(parts) - 1] from string_to_array(name, '/') parts
$$;
create or replace function storage.filename(name text) returns text
language sql immutable strict set search_path = '' as $$
  select parts [cardinality(parts)] from string_to_array(name, '/') parts
$$;
create or replace function storage.extension(name text) returns text
language sql immutable strict set search_path = '' as $$
  select pg_catalog.reverse(split_part(pg_catalog.reverse(storage.filename(name)), '.', 1))
$$;

/* Returns the current operation, such as `storage.object.upload`, for policies. */
create or replace function storage.operation() returns text language sql stable as $$
  select nullif(current_setting('storage.operation', true), '')
$$;

create or replace function storage.update_updated_at_column() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.updated_at = now();
  return new;
end $$;
create or replace trigger update_objects_updated_at before update on storage.objects
  for each row execute function storage.update_updated_at_column();

/* Rejects deletions except those of the Storage service, which first sets `storage.allow_delete_query`. Any other
   deletion would leave the file of the row on the disk. */
create or replace function storage.protect_delete() returns trigger
language plpgsql set search_path = '' as $$
begin
  if coalesce(current_setting('storage.allow_delete_query', true), 'false') <> 'true' then
    raise exception using errcode = '42501',
      message = 'Direct deletion from storage tables is not allowed. Use the Storage API instead.',
      hint = 'This prevents accidental data loss from orphaned objects.';
  end if;
  return null;
end $$;
create or replace trigger protect_buckets_delete before delete on storage.buckets
  for each statement execute function storage.protect_delete();
create or replace trigger protect_objects_delete before delete on storage.objects
  for each statement execute function storage.protect_delete();

-- Explicit grants, because a migration may have revoked the default privileges on new functions.
grant execute on function storage.foldername(text), storage.filename(text), storage.extension(text),
  storage.operation() to anon, authenticated, service_role;
