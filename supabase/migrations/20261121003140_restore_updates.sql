-- A coverage that comes back: its updates with their versions, then the log of its changes.

/* A coverage that is being brought in, locked; any other is not found. */
create function private.lock_restored(wanted uuid) returns public.coverages
language plpgsql volatile set search_path = '' as $$
declare coverage public.coverages;
begin
  select * into coverage from public.coverages c where c.id = wanted and c.restoring for update;
  if coverage.id is null then
    perform private.refuse('bad_state', 'This coverage is not being brought in any more. Start again from the beginning.');
  end if;
  return coverage;
end $$;

/* Reads what an update or a version of one says. Those under it are among the people of the file. */
create function private.read_archived_content(content jsonb, fewest integer, people uuid[]) returns private.update_content
language plpgsql stable set search_path = '' as $$
declare result private.update_content;
begin
  if content ? 'desk_note' then perform private.refuse_field('desk_note', 'There is no such field.'); end if;
  result := private.read_content(content - 'bylines', fewest, null);
  if jsonb_typeof(content -> 'bylines') is distinct from 'array' or jsonb_array_length(content -> 'bylines') > private.limit_of('bylines')
      or exists (select from jsonb_array_elements(content -> 'bylines') b(id) where jsonb_typeof(b.id) <> 'string') then
    perform private.refuse_field('bylines', format('Name at most %s people of the file.', private.limit_of('bylines')));
  end if;
  result.bylines := array(select private.as_uuid(b.id) from jsonb_array_elements_text(content -> 'bylines') with ordinality b(id, n) order by b.n);
  if exists (select from unnest(result.bylines) b(id) where not coalesce(b.id = any (people), false))
      or cardinality(result.bylines) <> (select count(distinct b.id) from unnest(result.bylines) b(id)) then
    perform private.refuse_field('bylines', format('Name at most %s people of the file.', private.limit_of('bylines')));
  end if;
  return result;
end $$;

/* The versions of a published update: from the first that readers saw to the one that stands, of which the update says
   itself what it says. Each as a row to be written. */
create function private.read_versions(item jsonb, stands private.update_content, people uuid[]) returns setof public.update_revisions
language plpgsql stable set search_path = '' as $$
declare
  of_all constant integer := private.needed_count(item, 'version', 1);
  said jsonb;
  row public.update_revisions;
  before integer;
begin
  for said in select private.needed_list(item, 'versions', '{version,kind,note,at,redacted_at,redacted_reason,content}', 100000) loop
    row := null;
    row.update_id := (item ->> 'id')::uuid;
    row.public := true;
    row.version := private.needed_count(said, 'version', 1);
    row.kind := private.optional_word(said, 'kind', null::public.revision_kind, null);
    row.at := private.needed_time(said, 'at');
    row.redacted_at := private.past_time(said, 'redacted_at');
    if row.version <> before + 1 or row.version > of_all then
      perform private.refuse_field('versions', 'Versions go up by one to the one that stands.');
    elsif row.kind is null or row.kind = 'withdrawal' or (before is null and row.kind <> 'revision') then
      perform private.refuse_field('kind', 'The first version is the publication; others are revisions, clarifications or corrections.');
    end if;
    if row.kind <> 'revision' then row.note := private.read_note(private.string_at(said, 'note'), 'note');
    elsif jsonb_typeof(said -> 'note') is distinct from 'null' then perform private.refuse_field('note', 'There is no such field.');
    end if;
    if row.redacted_at is not null then
      row.redacted_reason := private.read_note(private.string_at(said, 'redacted_reason'), 'redacted_reason');
    elsif jsonb_typeof(said -> 'redacted_reason') is distinct from 'null' then
      perform private.refuse_field('redacted_reason', 'There is no such field.');
    end if;
    if (jsonb_typeof(said -> 'content') is not distinct from 'null') <> (row.version = of_all or row.redacted_at is not null)
        or (row.version = of_all and row.redacted_at is not null) then
      perform private.refuse_field('content', 'Each version says what it said, but one that was redacted and the one that stands.');
    elsif row.version = of_all then
      row.content := to_jsonb(stands);
    elsif row.redacted_at is null then
      row.content := to_jsonb(private.read_archived_content(said -> 'content', 1, people));
    end if;
    before := row.version;
    return next row;
  end loop;
  if before is distinct from of_all then
    perform private.refuse_field('versions', 'Versions go up by one to the one that stands.');
  end if;
end $$;

/* Refuses photos that are here and belong to another coverage. */
create function private.guard_named_photos(coverage uuid, bodies jsonb[]) returns void
language plpgsql stable set search_path = '' as $$
begin
  if exists (select from unnest(bodies) b(body), unnest(private.photos_in(b.body)) n(id)
      join public.photos p on p.id = n.id where p.coverage_id is distinct from coverage) then
    perform private.refuse_field('body', 'This shows a photo of another coverage.');
  end if;
end $$;

/* Writes one update of a file, the next in its order. @returns those whom it makes known to readers */
create function private.restore_update(coverage uuid, next_number integer, item jsonb, people uuid[], photos uuid[], last_seq bigint) returns uuid[]
language plpgsql volatile set search_path = '' as $$
declare
  said constant text[] := '{headline,body,key_event,urgency,verification,attribution,dateline,occurred_at,bylines}';
  saved public.updates;
  read private.update_content;
  versions public.update_revisions[];
  shown uuid[];
begin
  perform private.refuse_unless_object(item, said
    || '{id,number,state,published_at,revised_at,corrected_at,withdrawn_at,withdrawn_reason,version,seq,photos,versions}'::text[]);
  saved.id := private.needed_id(item, 'id');
  saved.number := private.needed_count(item, 'number', 1);
  if saved.number <> next_number then
    perform private.refuse_field('number', format('Numbers go up by one: the next is %s.', next_number));
  elsif not coalesce(private.string_at(item, 'state') in ('published', 'withdrawn'), false) then
    perform private.refuse_field('state', 'Only what readers may see is brought in.');
  elsif exists (select from public.updates u where u.id = saved.id) then
    perform private.refuse_field('id', 'An update of this id is here already.');
  end if;
  saved.state := (item ->> 'state')::public.update_state;
  saved.published_at := private.needed_time(item, 'published_at');
  saved.revised_at := private.past_time(item, 'revised_at');
  saved.corrected_at := private.past_time(item, 'corrected_at');
  saved.withdrawn_at := private.past_time(item, 'withdrawn_at');
  saved.version := private.needed_count(item, 'version', 1);
  saved.seq := private.needed_count(item, 'seq', 1);
  if saved.seq > last_seq then perform private.refuse_field('seq', 'There is no such thing, or it is not open to you.'); end if;
  read := private.read_archived_content((select jsonb_object_agg(key, value) from jsonb_each(item) where key = any (said)),
    case saved.state when 'published' then 1 else 0 end, people);
  shown := array(select n.id from unnest(private.photos_in(read.body)) with ordinality n(id, n) where n.id = any (photos) order by n.n);
  if item -> 'photos' is distinct from to_jsonb(shown) then
    perform private.refuse_field('photos', 'Name the photos of the file that the body shows, in its order.');
  end if;

  if saved.state = 'published' then
    if saved.withdrawn_at is not null or jsonb_typeof(item -> 'withdrawn_reason') is distinct from 'null' then
      perform private.refuse_field('withdrawn_at', 'There is no such field.');
    end if;
    versions := array(select v from private.read_versions(item, read, people) v);
    if (cardinality(versions) > 1) <> (saved.revised_at is not null) then
      perform private.refuse_field('revised_at', 'What has several versions says when it was revised, and nothing else does.');
    elsif exists (select from unnest(versions) v where v.kind = 'correction') <> (saved.corrected_at is not null) then
      perform private.refuse_field('corrected_at', 'What was corrected says when, and nothing else does.');
    end if;
  else
    saved.withdrawn_at := private.needed_time(item, 'withdrawn_at');
    saved.withdrawn_reason := private.read_note(private.string_at(item, 'withdrawn_reason'), 'withdrawn_reason');
    if coalesce(read.headline, read.attribution, read.dateline) is not null or read.body <> '[]' or read.bylines <> '{}'
        or item -> 'versions' is distinct from '[]' then
      perform private.refuse_field('body', 'Of what was withdrawn there are no words.');
    elsif saved.version < 2 then
      perform private.refuse_field('version', 'What was withdrawn has a version before.');
    end if;
    saved.body := '[]';
    versions := array[row(saved.id, saved.version, null, 'withdrawal', saved.withdrawn_reason, null, saved.withdrawn_at, false,
      null, null, null)::public.update_revisions];
  end if;
  perform private.guard_named_photos(coverage, array(select v.content -> 'body' from unnest(versions) v where private.has_photos(v.content -> 'body')));

  insert into public.updates (id, coverage_id, number, state, headline, body, key_event, urgency, verification, attribution, dateline,
      occurred_at, filed_at, published_at, revised_at, corrected_at, withdrawn_at, withdrawn_reason, version, seq)
    values (saved.id, coverage, saved.number, saved.state, read.headline, read.body, read.key_event, read.urgency, read.verification,
      read.attribution, read.dateline, read.occurred_at, saved.published_at, saved.published_at, saved.revised_at, saved.corrected_at,
      saved.withdrawn_at, saved.withdrawn_reason, saved.version, saved.seq)
  returning * into saved;
  insert into public.update_revisions select v.* from unnest(versions) v;
  insert into public.update_bylines (update_id, person_id, position, published_at)
    select saved.id, b.id, b.n, saved.published_at from unnest(read.bylines) with ordinality b(id, n);
  if shown <> '{}' then
    insert into public.update_photos (update_id, photo_id, position)
      select saved.id, o.id, o.n from unnest(shown) with ordinality o(id, n);
    perform private.note_use(shown);
  end if;
  perform private.note_words(saved, read.bylines);
  return array(select distinct b.id::uuid from unnest(versions) v, jsonb_array_elements_text(v.content -> 'bylines') b(id));
end $$;

/* Brings the next updates of a coverage in, in the order of their numbers. A batch with an unfit one is refused whole, with
   its number and field. Answers how many there are now. */
create function public.restore_updates(coverage_id uuid, items jsonb) returns integer
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_restored(coverage_id);
  begun private.restorations;
  people uuid[];
  photos uuid[];
  named uuid[];
  item jsonb;
  at_number integer := coverage.update_count;
  details text;
  hint text;
begin
  select * into begun from private.restorations r where r.coverage_id = coverage.id;
  people := array(select (p ->> 'id')::uuid from jsonb_array_elements(begun.content -> 'people') p);
  photos := array(select (p ->> 'id')::uuid from jsonb_array_elements(begun.content -> 'photos') p);
  named := begun.named;
  for item in select value from jsonb_array_elements(items) loop
    at_number := at_number + 1;
    named := named || private.restore_update(coverage.id, at_number, item, people, photos, (begun.content -> 'coverage' ->> 'seq')::bigint);
  end loop;
  update public.coverages c set update_count = at_number where c.id = coverage.id;
  update private.restorations r set named = array(select distinct n from unnest(named) n) where r.coverage_id = coverage.id;
  return at_number;
exception
  when sqlstate 'PT422' then
    get stacked diagnostics details = pg_exception_detail, hint = pg_exception_hint;
    perform private.refuse('invalid', hint, details::jsonb || jsonb_build_object('number', at_number));
  when integrity_constraint_violation then
    get stacked diagnostics details = constraint_name;
    perform private.refuse('invalid', 'This is not as updates are here.', jsonb_build_object('field', details, 'number', at_number));
end $$;

/* Brings the next changes of a coverage in, in their order, when its updates are here. Answers how many there are now. */
create function public.restore_changes(coverage_id uuid, items jsonb) returns bigint
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  coverage public.coverages := private.lock_restored(coverage_id);
  last bigint := coalesce((select max(h.seq) from public.coverage_changes h where h.coverage_id = coverage.id), 0);
  item jsonb;
  changed uuid;
  details text;
  hint text;
begin
  for item in select value from jsonb_array_elements(items) loop
    last := last + 1;
    perform private.refuse_unless_object(item, '{seq,kind,at,number}');
    if private.needed_count(item, 'seq', 1) <> last then
      perform private.refuse_field('seq', format('Changes go up by one: the next is %s.', last));
    elsif private.optional_word(item, 'kind', null::public.change_kind, null) is null then
      perform private.refuse_field('kind', 'Say what kind of change it was.');
    end if;
    changed := null;
    if jsonb_typeof(item -> 'number') is distinct from 'null' then
      select u.id into changed from public.updates u
      where u.coverage_id = coverage.id and u.number = private.needed_count(item, 'number', 1);
      if changed is null then perform private.refuse_field('number', 'There is no such thing, or it is not open to you.'); end if;
    end if;
    insert into public.coverage_changes (coverage_id, seq, update_id, kind, at)
      values (coverage.id, last, changed, (item ->> 'kind')::public.change_kind, private.needed_time(item, 'at'));
  end loop;
  return last;
exception when sqlstate 'PT422' then
  get stacked diagnostics details = pg_exception_detail, hint = pg_exception_hint;
  perform private.refuse('invalid', hint, details::jsonb || jsonb_build_object('change', last));
end $$;

revoke execute on function public.restore_updates(uuid, jsonb), public.restore_changes(uuid, jsonb) from public, anon, authenticated;
grant execute on function public.restore_updates(uuid, jsonb), public.restore_changes(uuid, jsonb) to service_role;
