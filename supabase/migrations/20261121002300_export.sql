-- Everything that the newsroom has, for its owner to take away.

/* What can be taken away, part by part: the rows of a table in the order of its key. `omits` are columns that are nobody's
   to have: digests of secrets and of where somebody wrote from. */
create table private.export_parts (
  part text primary key,
  position smallint not null unique,
  key text[] not null,
  omits text[] not null default '{}',
  -- Only when it is asked for: what people told in confidence, or where to reach them.
  asked_for text check (asked_for in ('tips', 'addresses'))
);
alter table private.export_parts enable row level security;
revoke all on private.export_parts from public, anon, authenticated, service_role;
insert into private.export_parts (part, position, key, omits, asked_for) values
  ('site', 1, '{here}', '{}', null),
  ('people', 2, '{id}', '{}', null),
  ('topics', 3, '{id}', '{}', null),
  ('coverages', 4, '{id}', '{}', null),
  ('coverage_slugs', 5, '{slug}', '{}', null),
  ('coverage_topics', 6, '{coverage_id,topic_id}', '{}', null),
  ('coverage_members', 7, '{coverage_id,person_id}', '{}', null),
  ('coverage_revisions', 8, '{coverage_id,version}', '{}', null),
  ('updates', 9, '{id}', '{}', null),
  ('update_bylines', 10, '{update_id,person_id}', '{}', null),
  ('update_photos', 11, '{update_id,photo_id}', '{}', null),
  ('update_revisions', 12, '{update_id,version}', '{}', null),
  ('coverage_changes', 13, '{coverage_id,seq}', '{}', null),
  ('photos', 14, '{id}', '{}', null),
  ('audit_log', 15, '{id}', '{}', null),
  ('tips', 16, '{id}', '{sender_hash,device_hash,device_known,words_hash,receipt_hash}', 'tips'),
  ('invites', 17, '{id}', '{token_hash}', 'addresses'),
  ('follows', 18, '{id}', '{stop_secret}', 'addresses');

/* Writes down that somebody takes everything away, and which parts there are, in order: {parts}. */
create function public.begin_export(op uuid, tips boolean, addresses boolean)
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  done jsonb := private.begin_op(op, 'begin_export', jsonb_build_array(tips, addresses));
  parts jsonb;
begin
  if done is not null then return done; end if;
  perform private.require('administer', null);
  select jsonb_agg(p.part order by p.position) into parts from private.export_parts p
  where p.asked_for is null or (p.asked_for = 'tips' and tips) or (p.asked_for = 'addresses' and addresses);
  if addresses then parts := parts || '["addresses"]'; end if;
  perform private.audit('export', 'site', null, jsonb_build_object('tips', coalesce(tips, false), 'addresses', coalesce(addresses, false)));
  return private.finish_op(op, jsonb_build_object('parts', parts));
end $$;

/* The parts of an export that the caller has begun, and may still take: for a day. */
create function private.parts_of(export uuid) returns jsonb
language plpgsql stable set search_path = '' as $$
declare parts jsonb;
begin
  select o.result -> 'parts' into parts from private.ops o
  where o.op = export and o.action = 'begin_export' and o.person = auth.uid() and o.at > now() - interval '1 day';
  if parts is null then perform private.refuse('bad_state', 'Begin an export first. It can be taken for a day.'); end if;
  return parts;
end $$;

/* The rows of a part after one of them (its key as an object; null: from the beginning), at most `export_rows`. Asked page by
   page, so that neither side holds more, and the right is asked each time. `export`: the op of begin_export, which says what
   there is. A photo of a tip goes with the tips. */
create function public.export_page(export uuid, part text, after jsonb default null)
returns setof jsonb language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  parts jsonb;
  wanted private.export_parts;
  keys text;
  past text;
begin
  perform private.require('administer', null);
  parts := private.parts_of(export);
  if not coalesce(parts ? part, false) then perform private.refuse_unknown(); end if;
  if part = 'addresses' then
    return query select jsonb_build_object('id', u.id, 'email', u.email) from auth.users u
    where after is null or u.id > (after ->> 'id')::uuid order by u.id limit private.limit_of('export_rows');
    return;
  end if;
  select * into wanted from private.export_parts p where p.part = part;
  select string_agg(format('t.%I', k), ', '), string_agg(format('a.%I', k), ', ') into keys, past from unnest(wanted.key) k;
  return query execute format('select to_jsonb(t) - $2 from public.%1$I t%2$s where %4$s%5$s order by %3$s limit $3', wanted.part,
    case when after is null then '' else format(', jsonb_populate_record(null::public.%I, $1) a', wanted.part) end, keys,
    case when after is null then 'true' else format('(%s) > (%s)', keys, past) end,
    case when part = 'photos' and not parts ? 'tips' then ' and t.coverage_id is not null' else '' end)
  using after, wanted.omits, private.limit_of('export_rows');
end $$;
revoke execute on function public.begin_export(uuid, boolean, boolean), public.export_page(uuid, text, jsonb) from public, anon, service_role;
grant execute on function public.begin_export(uuid, boolean, boolean), public.export_page(uuid, text, jsonb) to authenticated;
