-- Extensions that a hosted project offers in this schema.
create extension if not exists pg_trgm with schema extensions;
create extension if not exists unaccent with schema extensions;

create function public.likeness(a text, b text) returns real language sql stable set search_path = '' as $$
  select extensions.similarity(extensions.unaccent(a), extensions.unaccent(b))
$$;
