-- Bringing a coverage in from a file. The server's own (service_role), through the same private steps.

/* When an item was published: a time with its zone, and not one to come, which no newer update could follow. */
create function private.item_time(item jsonb) returns timestamptz
language plpgsql stable set search_path = '' as $$
declare at timestamptz := private.optional_time(item, 'published_at');
begin
  if at is null or at > now() then
    perform private.refuse_field('published_at', 'Give the time at which it was published, with its zone.');
  end if;
  return at;
end $$;

create function private.item_id(item jsonb) returns uuid
language plpgsql immutable set search_path = '' as $$
declare id uuid := private.as_uuid(item ->> 'id');
begin
  if id is null then perform private.refuse_field('id', 'Give an id made for this item.'); end if;
  return id;
end $$;

/* The content of an item. The photos in it are here already, of whatever coverage: which one is asked as it is published. */
create function private.item_content(item jsonb) returns private.update_content
language plpgsql stable set search_path = '' as $$
declare result private.update_content := private.read_content(item -> 'content', 1, null);
begin
  if exists (select from unnest(private.photos_in(result.body)) id where not exists (
      select from public.photos p where p.id = id.id and p.coverage_id is not null and p.alt is not null)) then
    perform private.refuse_field('photos', 'Photos come in before the updates that show them, each with what it shows.');
  end if;
  return result;
end $$;

/* Checks a batch of items [{id, published_at, content}] without writing: answers [{id, field, hint}] of those
   that the database would refuse, in the order of the batch. */
create function public.check_import(items jsonb) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  item jsonb;
  wrong jsonb := '[]';
  details text;
  hint text;
begin
  for item in select value from jsonb_array_elements(items) loop
    begin
      perform private.item_id(item), private.item_time(item), private.item_content(item);
    exception when sqlstate 'PT422' then
      get stacked diagnostics details = pg_exception_detail, hint = pg_exception_hint;
      wrong := wrong || jsonb_build_array(jsonb_build_object('id', item -> 'id', 'field', details::jsonb -> 'field', 'hint', hint));
    end;
  end loop;
  return wrong;
end $$;

/* Publishes a batch of items, in time order, into a coverage that takes updates: {added, unchanged, refused:[id]}.
   An id that is there is unchanged; one older than the newest update is refused, because numbers are for good.
   A batch with an unfit item is refused whole. */
create function public.import_updates(coverage_id uuid, items jsonb) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_coverage(coverage_id);
  newest timestamptz := (select u.published_at from public.updates u
    where u.coverage_id = coverage_id and u.number = coverage.update_count);
  item jsonb;
  item_id uuid;
  at timestamptz;
  added integer := 0;
  unchanged integer := 0;
  refused jsonb := '[]';
begin
  for item in select value from jsonb_array_elements(items) loop
    item_id := private.item_id(item);
    at := private.item_time(item);
    if exists (select from public.updates u where u.id = item_id) then
      unchanged := unchanged + 1;
    elsif at < newest then
      refused := refused || jsonb_build_array(item_id);
    else
      perform private.file_update(coverage.id, item_id, null, at);
      perform private.publish(coverage, item_id, private.item_content(item), at);
      newest := at;
      added := added + 1;
    end if;
  end loop;
  return jsonb_build_object('added', added, 'unchanged', unchanged, 'refused', refused);
end $$;

/* Takes a coverage to a state as of a time: an imported one began and ended when its updates say. */
create function public.import_state(coverage_id uuid, state public.coverage_state, at timestamptz) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare coverage public.coverages := private.lock_coverage(coverage_id);
begin
  if coverage.state <> state then perform private.enter_state(coverage, state, at); end if;
  return private.coverage_result(coverage.id);
end $$;

revoke execute on function public.check_import(jsonb), public.import_updates(uuid, jsonb),
  public.import_state(uuid, public.coverage_state, timestamptz) from public, anon, authenticated;
grant execute on function public.check_import(jsonb), public.import_updates(uuid, jsonb),
  public.import_state(uuid, public.coverage_state, timestamptz) to service_role;
