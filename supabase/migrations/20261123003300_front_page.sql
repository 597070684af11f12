-- The front page as editors arrange it: which coverage leads, and the order of the next ones.

-- Position on the front page: 1 is the lead. Null: after the arranged coverages, in the usual order.
alter table public.coverages
  add column front_page_position smallint,
  add constraint front_page_position_form check (front_page_position >= 1);
grant select (front_page_position) on public.coverages to anon, authenticated;

create trigger announce_front_page after update of front_page_position on public.coverages
  for each statement execute function private.announce_site('lists');

-- Sets the first coverages of the front page, the lead first. An empty array restores the usual order.
-- Errors: forbidden; invalid, if the list is too long, repeats a coverage or names one that readers cannot see.
create function public.arrange_front_page(idempotency_key uuid, coverage_ids uuid[])
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'arrange_front_page', jsonb_build_array(coverage_ids));
  max_length constant integer := 20;
begin
  if stored_result is not null then return stored_result; end if;
  perform private.require_permission('run_coverage', null);
  if coverage_ids is null or coalesce(array_ndims(coverage_ids), 1) <> 1 or cardinality(coverage_ids) > max_length then
    perform private.raise_invalid('coverage_ids', 'front_page_too_long', jsonb_build_object('max', max_length));
  elsif cardinality(coverage_ids) > (select count(distinct id) from unnest(coverage_ids) id) then
    perform private.raise_invalid('coverage_ids', 'front_page_repeats_coverage');
  end if;
  -- One call at a time, so that no position exists twice.
  perform from public.site s where s.id for update;
  if exists (select from unnest(coverage_ids) id where not exists (
      select from public.coverages c where c.id = id.id and private.is_public(c.state))) then
    perform private.raise_invalid('coverage_ids', 'front_page_coverage_not_public');
  end if;
  update public.coverages c set front_page_position = array_position(coverage_ids, c.id)
  where (c.id = any (coverage_ids) or c.front_page_position is not null)
    and c.front_page_position is distinct from array_position(coverage_ids, c.id);
  perform private.log_action('arrange_front_page', 'site', null, jsonb_build_object('coverages', to_jsonb(coverage_ids)));
  return private.finish_command(idempotency_key, jsonb_build_object('coverage_ids', to_jsonb(coverage_ids)));
end $$;

grant execute on function public.arrange_front_page to authenticated, service_role;
