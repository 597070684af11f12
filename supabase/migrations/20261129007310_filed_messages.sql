-- Filing: the messages as they were sent, albums as one update, and corrections and deletions by commands in the chat.

-- The messages of an album by their ids at the channel: {written_at, content, photo: {id, file}, is_draft, result}. Of a refused album
-- only {written_at, result} of the message that was refused.
alter table private.filed_messages add column parts jsonb not null default '{}';

-- Removes all texts of a message after a redaction. The keys of the parts stay, so that a repeated delivery is known.
create function private.remove_filed_texts() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.texts := '[]';
  new.parts := coalesce((select jsonb_object_agg(p.key, p.value || '{"content": null}') from jsonb_each(new.parts) p), '{}');
  return new;
end $$;
create trigger remove_filed_texts before update on private.filed_messages
  for each row when (new.texts_removed) execute function private.remove_filed_texts();

-- ---- Photos of a message ----

-- The photos of a message or of the messages of an album: [{id, file}].
create function private.filed_photos(message private.filed_messages) returns jsonb
language sql immutable set search_path = '' as $$
  select case
    when message.parts <> '{}' then coalesce((select jsonb_agg(p.value -> 'photo' order by p.key::bigint) from jsonb_each(message.parts) p
      where jsonb_typeof(p.value -> 'photo') = 'object'), '[]')
    when message.photo_id is null then '[]'
    else jsonb_build_array(jsonb_build_object('id', message.photo_id, 'file', message.file)) end
$$;

-- Registers the photos of a message, in the name of the person, so that an update can show them before they arrive.
create or replace function private.register_filed_photo(message private.filed_messages, coverage_id uuid) returns void
language plpgsql volatile set search_path = '' as $$
declare photo uuid;
begin
  for photo in select (e ->> 'id')::uuid from jsonb_array_elements(private.filed_photos(message)) e loop
    if not exists (select from public.photos p where p.id = photo) then
      perform public.save_photo(gen_random_uuid(), photo, register_filed_photo.coverage_id, '{}');
    end if;
  end loop;
end $$;

-- The photos of a sender that have not arrived: [{id, file}], at most 10.
create or replace function private.missing_filed_photos(sender_id uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(f.photo order by f.written_at), '[]') from (
    select e.photo, m.written_at from private.filed_messages m, jsonb_array_elements(private.filed_photos(m)) e(photo)
      join public.photos p on p.id = (e.photo ->> 'id')::uuid
    where m.sender_id = missing_filed_photos.sender_id and m.version is not null and p.state = 'uploading'
      and not exists (select from storage.objects o where o.bucket_id = 'photos' and o.name = 'incoming/' || p.id)
    order by m.written_at limit 10) f
$$;

-- Whether an update has the headline and body that its message wrote.
create function private.is_as_filed(existing public.updates, filed private.filed_messages) returns boolean
language sql stable set search_path = '' as $$
  select exists (select from public.update_revisions r
    where r.update_id = existing.id and r.version = filed.version and r.content ->> 'headline' is not distinct from existing.headline
      and r.content -> 'body' = existing.body)
$$;

-- Writes an edited message into its update. Returns {outcome}: `edited`; `changed`, if the desk has changed or finished the
-- update; `live`, if readers see it and the sender may not change that.
create or replace function private.revise_filed_update(filer private.filing_senders, filed private.filed_messages, content jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
#variable_conflict use_variable
declare
  existing public.updates;
  new_content jsonb;
  saved jsonb;
begin
  perform private.lock_coverage_of_update(filed.id);
  -- An edit could undo a redaction.
  if exists (select from private.filed_messages m where m.id = filed.id and m.texts_removed) then
    return private.filing_result(filed.id, 'changed');
  end if;
  select * into existing from public.updates u where u.id = filed.id;
  if existing.state not in ('draft', 'submitted', 'published') or not private.is_as_filed(existing, filed) then
    return private.filing_result(filed.id, 'changed');
  end if;
  perform private.act_as(filer.person_id);
  if existing.state = 'published' and not (filer.publishes and private.has_permission('publish_update', existing.coverage_id, existing.author)) then
    perform private.act_as(null);
    return private.filing_result(filed.id, 'live');
  end if;
  perform private.register_filed_photo(filed, existing.coverage_id);
  new_content := to_jsonb(private.current_content(existing)) || jsonb_build_object('headline', content -> 'headline',
    'key_event', existing.key_event or (filed.parts <> '{}' and coalesce((content ->> 'key_event')::boolean, false)), 'body',
    -- A photo that could not be fetched at first is not part of the update.
    (select coalesce(jsonb_agg(b.block order by b.position), '[]') from jsonb_array_elements(content -> 'body') with ordinality b(block, position)
      where b.block ->> 'photo' is null
        or private.filed_photos(filed) @> jsonb_build_array(jsonb_build_object('id', b.block ->> 'photo'))));
  if existing.state = 'published' then
    saved := public.revise_update(gen_random_uuid(), existing.id, existing.version, new_content);
  else
    saved := public.save_update(gen_random_uuid(), existing.coverage_id, existing.id, new_content, existing.version);
  end if;
  perform private.act_as(null);
  update private.filed_messages m set version = (saved ->> 'version')::integer where m.id = filed.id;
  return private.filing_result(filed.id, 'edited');
end $$;

-- ---- Albums ----

-- The content of an album: the texts of its messages, then its photos, in the order in which they were sent.
create function private.album_content(parts jsonb) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object(
    'headline', (select p.value -> 'content' -> 'headline' from jsonb_each(parts) p
      where p.value -> 'content' ->> 'headline' is not null order by p.key::bigint limit 1),
    'key_event', coalesce((select bool_or((p.value -> 'content' ->> 'key_event')::boolean) from jsonb_each(parts) p), false),
    'body', coalesce((select jsonb_agg(b.block order by b.block ->> 'type' = 'photo', p.key::bigint, b.position)
      from jsonb_each(parts) p, jsonb_array_elements(p.value -> 'content' -> 'body') with ordinality b(block, position)), '[]'))
$$;

-- Remembers that the first message of an album was refused, so that the others are not filed without its words. An album that is
-- filed stays as it is.
create function private.refuse_album(filer private.filing_senders, message_id uuid, written_at timestamptz, key text, answer jsonb) returns void
language sql volatile set search_path = '' as $$
  insert into private.filed_messages (id, sender_id, written_at, parts, result)
    values (message_id, filer.id, written_at, jsonb_build_object(key, jsonb_build_object('written_at', written_at, 'result', answer)), answer)
  on conflict on constraint filed_messages_pkey do nothing
$$;

-- Files a message of an album, whose id is the same for all its messages. The first one makes the update, each further one is a
-- version of it. See file_message.
create function private.file_album_message(filer private.filing_senders, message_id uuid, written_at timestamptz, content jsonb, options jsonb)
returns jsonb language plpgsql volatile set search_path = '' as $$
#variable_conflict use_variable
declare
  key text := options ->> 'reference';
  filed private.filed_messages;
  part jsonb;
  is_new boolean;
  new_parts jsonb;
  answer jsonb;
begin
  select * into filed from private.filed_messages m where m.id = message_id;
  part := filed.parts -> key;
  is_new := part is null;
  if not is_new and (part ->> 'written_at')::timestamptz >= written_at then return part -> 'result'; end if;
  if filed.id is not null and filed.version is null and filed.waiting is null then
    return case filed.result ->> 'outcome' when 'deleted' then filed.result else '{"outcome": "album_refused"}' end;
  end if;
  -- Commands on updates lock the coverage before they change the record of a message.
  if filed.version is not null then perform private.lock_coverage_of_update(message_id); end if;
  -- A message that became an update of its own stays one. A published update takes no more photos, because they have no alt text.
  if is_new and (exists (select from private.filed_messages m where m.id = (options ->> 'own_id')::uuid)
      or exists (select from public.updates u where u.id = message_id and u.state = 'published')) then
    return '{"outcome": "album_closed"}';
  end if;
  new_parts := coalesce(filed.parts, '{}') || jsonb_build_object(key, jsonb_build_object('written_at', written_at, 'content', content,
    'photo', options -> 'photo', 'is_draft', coalesce((options ->> 'is_draft')::boolean, false)));
  if filed.id is not null then
    update private.filed_messages m set parts = new_parts where m.id = message_id;
  end if;
  -- A choice would take the place of the photos.
  answer := private.file_message_of(filer, message_id, greatest(written_at, filed.written_at + interval '1 microsecond'),
    private.album_content(new_parts), options - 'choice' || jsonb_build_object('is_draft',
      (select bool_or((p.value ->> 'is_draft')::boolean) from jsonb_each(new_parts) p)));
  if answer ->> 'outcome' in ('unknown_coverage', 'no_coverage', 'too_many_waiting') then
    update private.filed_messages m set parts = filed.parts where m.id = message_id;
    perform private.refuse_album(filer, message_id, written_at, key, answer);
    return answer;
  end if;
  if filed.id is not null and is_new then
    if answer ->> 'outcome' in ('changed', 'live') then
      -- The message can still become an update of its own.
      update private.filed_messages m set parts = filed.parts, result = filed.result where m.id = message_id;
      return '{"outcome": "album_closed"}';
    end if;
    if answer ->> 'outcome' in ('edited', 'choose') then answer := '{"outcome": "added"}'; end if;
  end if;
  update private.filed_messages m set parts = new_parts || jsonb_build_object(key, new_parts -> key || jsonb_build_object('result', answer))
  where m.id = message_id;
  return answer;
end $$;

-- ---- Messages ----

-- Stores what the desk and notices need of a message that became an update or waits: its id at the channel, and its text, at most 20
-- texts with those of edits.
create function private.keep_filed_text(message_id uuid, sender_id uuid, written_at timestamptz, options jsonb) returns void
language sql volatile set search_path = '' as $$
  update private.filed_messages m set reference = coalesce(m.reference, left(keep_filed_text.options ->> 'reference', 40)),
    account = coalesce(m.account, (select c.account from private.filing_senders s join private.filing_channels c on c.channel = s.channel
      where s.id = m.sender_id)),
    texts = case
      when coalesce(keep_filed_text.options ->> 'text', '') = '' or jsonb_array_length(m.texts) >= 20
        or m.texts @> jsonb_build_array(jsonb_build_object('written_at', keep_filed_text.written_at)) then m.texts
      else m.texts || jsonb_build_object('text', left(keep_filed_text.options ->> 'text', 4096), 'written_at', keep_filed_text.written_at) end
  where m.id = keep_filed_text.message_id and m.sender_id = keep_filed_text.sender_id and (m.version is not null or m.waiting is not null)
$$;

-- Files a message of a sender. A repeated delivery gets the first answer. `content` is that of an update; `options` has
-- {slug, choice, is_draft, photo, is_album, own_id, reference, text}: the slug that the message names, the position that it may choose, whether
-- it stays a draft, the photo {id, file} that the content shows, whether the id is that of an album of which this is a message, the id that the
-- message has without the album, the id of the message at the channel, and its text as it was sent.
-- Without content it only tells whether the sender may file; with {is_refused, reference} it also remembers that the message is refused, of
-- the album that has the id.
-- Returns {outcome, language, …}:
-- `linked`, without content; `filed`, `edited`, `changed`, `live` with {state, number, coverage}; `chosen` with {coverage, filed, state, number};
-- `added`, for a further message of an album; `album_closed`, for one that the update takes no more; `album_refused`, if its first message
-- was refused; `not_corrected`, for the edit of a correction;
-- `choose` with {coverages}; `unknown_coverage`, `no_coverage`, `too_many_waiting`; `unlinked` or `inactive`, of which only a
-- count is stored. `photos` are those of the sender that have not arrived: [{id, file}].
-- Errors: those of the commands on updates.
create or replace function public.file_message(channel text, sender text, message_id uuid, written_at timestamptz, content jsonb, options jsonb default '{}')
returns jsonb language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  filer private.filing_senders;
  answer jsonb;
begin
  -- The lock puts the messages of a sender in order.
  select * into filer from private.filing_senders s where s.channel = channel and s.sender = sender for update;
  if filer.id is null then
    perform public.refuse_filing(channel, 'unlinked');
    return jsonb_build_object('outcome', 'unlinked');
  end if;
  if not private.may_file(filer.person_id) then
    perform public.refuse_filing(channel, 'inactive');
    return jsonb_build_object('outcome', 'inactive', 'language', filer.language);
  end if;
  answer := '{"outcome": "linked"}';
  if content is not null then
    answer := case when (options ->> 'is_album')::boolean then private.file_album_message(filer, message_id, written_at, content, options)
      else private.file_message_of(filer, message_id, written_at, content, options) end;
    if answer ->> 'outcome' in ('corrected', 'proposed') then answer := '{"outcome": "not_corrected"}'; end if;
    if answer ->> 'outcome' not in ('album_closed', 'unknown_coverage', 'no_coverage') then
      perform private.keep_filed_text(message_id, filer.id, written_at, options);
    end if;
  elsif (options ->> 'is_refused')::boolean then
    perform private.refuse_album(filer, message_id, written_at, options ->> 'reference', '{"outcome": "refused"}');
  end if;
  return answer || jsonb_build_object('language', filer.language, 'photos', private.missing_filed_photos(filer.id));
end $$;

-- ---- Corrections ----

-- The coverage that a message of a sender is about: the one with the slug, the only live one, or the chosen one; null if none is
-- clear.
create function private.filing_target(filer private.filing_senders, slug text) returns uuid
language plpgsql stable set search_path = '' as $$
#variable_conflict use_variable
declare candidates uuid[] := private.filing_coverages(filer.person_id);
begin
  if slug is not null then return private.filing_coverage_of_slug(slug, filer.person_id); end if;
  if cardinality(candidates) = 1 then return candidates[1]; end if;
  if filer.chosen_until > now() and filer.coverage_id = any (candidates) then return filer.coverage_id; end if;
  return null;
end $$;

-- The published update with a number, if the person wrote it or is an editor of its coverage.
create function private.correctable_update(person uuid, coverage_id uuid, number integer) returns public.updates
language sql stable security definer set search_path = '' as $$
  select u.* from public.updates u
  where u.coverage_id = correctable_update.coverage_id and u.number = correctable_update.number and u.state = 'published'
    and (u.author = person or private.person_has_permission(person, 'run_coverage', u.coverage_id, u.author))
$$;

-- The content of an update with a new text. A headline, photos, maps, tables, posts and recordings stay.
create function private.with_new_text(existing public.updates, content jsonb) returns jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(private.current_content(existing)) || jsonb_build_object('headline', coalesce(content ->> 'headline', existing.headline), 'body',
    (content -> 'body') || coalesce((select jsonb_agg(b.block order by b.position)
      from jsonb_array_elements(existing.body) with ordinality b(block, position)
      where b.block ->> 'type' not in ('paragraph', 'list', 'quote', 'link')), '[]'))
$$;

-- Corrects the published update with a number, in the name of a sender's person: at once for a trusted sender whose person may
-- publish, or else as a submitted update with a note for the desk. People correct their own updates, editors any. A repeated
-- delivery gets the first answer. `content` is the new text; `options` has {slug, note, notes, desk_notes, reference, text}: the note for
-- readers or else `notes` by language, the notes for the desk by language, and the rest as for file_message.
-- Returns {outcome, language, …}: `corrected` with {number, coverage}; `proposed` with {number, coverage}; `unknown_update` with {number}, also
-- for an update of another person; `name_coverage`, `unknown_coverage`; `not_corrected`, for the edit of a message that is filed;
-- `unlinked` or `inactive`.
-- Errors: those of the commands on updates.
create function public.correct_filed_update(channel text, sender text, message_id uuid, written_at timestamptz, number integer, content jsonb,
  options jsonb default '{}') returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  filer private.filing_senders;
  stored private.filed_messages;
  coverage public.coverages;
  existing public.updates;
  saved jsonb;
  answer jsonb;
begin
  -- The lock puts the messages of a sender in order.
  select * into filer from private.filing_senders s where s.channel = channel and s.sender = sender for update;
  if filer.id is null or not private.may_file(filer.person_id) then
    return public.file_message(channel, sender, message_id, written_at, null);
  end if;
  select * into stored from private.filed_messages m where m.id = message_id;
  if stored.id is not null then
    return case when stored.written_at >= written_at and stored.result ->> 'outcome' in ('corrected', 'proposed') then stored.result
      else '{"outcome": "not_corrected"}' end || jsonb_build_object('language', filer.language);
  end if;
  select * into coverage from public.coverages c where c.id = private.filing_target(filer, options ->> 'slug');
  if coverage.id is null then
    return jsonb_build_object('language', filer.language,
      'outcome', case when options ->> 'slug' is null then 'name_coverage' else 'unknown_coverage' end);
  end if;
  existing := private.correctable_update(filer.person_id, coverage.id, number);
  if existing.id is null then
    return jsonb_build_object('language', filer.language, 'outcome', 'unknown_update', 'number', number);
  end if;

  perform private.act_as(filer.person_id);
  if filer.publishes and private.has_permission('publish_update', coverage.id, existing.author) then
    perform public.correct_update(message_id, existing.id, existing.version, private.with_new_text(existing, content),
      coalesce(options ->> 'note', options -> 'notes' ->> left(coverage.language, 2), options -> 'notes' ->> 'en'));
    answer := '{"outcome": "corrected"}';
  else
    saved := public.save_update(message_id, coverage.id, message_id, content || jsonb_build_object('desk_note',
      (select coalesce(options -> 'desk_notes' ->> left(s.language, 2), options -> 'desk_notes' ->> 'en') from public.site s)));
    perform public.submit_update(gen_random_uuid(), message_id, (saved ->> 'version')::integer);
    answer := '{"outcome": "proposed"}';
  end if;
  perform private.act_as(null);
  answer := answer || jsonb_build_object('number', number, 'coverage', coverage.headline);
  insert into private.filed_messages (id, sender_id, written_at, version, result)
    values (message_id, filer.id, written_at, (saved ->> 'version')::integer, answer);
  perform private.keep_filed_text(message_id, filer.id, written_at, options);
  update private.filing_senders s set last_filed_at = now() where s.id = filer.id;
  return answer || jsonb_build_object('language', filer.language);
end $$;

-- ---- Deletions ----

-- Spikes the unpublished update of a message, in the name of its person, or drops a message that waits. The message must be of the same
-- sender. If it is no update of its own, that of its album is meant.
-- Returns {outcome, language, …}: `deleted`, also for a repeated delivery; `published` with {number}, for an update that
-- readers have seen; `kept`, for an update that the desk has changed or scheduled; `unknown_message`; `unlinked` or `inactive`.
create function public.delete_filed_update(channel text, sender text, message_id uuid, album_id uuid default null) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  filer private.filing_senders;
  filed private.filed_messages;
  existing public.updates;
  answer jsonb := '{"outcome": "deleted"}';
begin
  -- The lock puts the messages of a sender in order.
  select * into filer from private.filing_senders s where s.channel = channel and s.sender = sender for update;
  if filer.id is null or not private.may_file(filer.person_id) then
    return public.file_message(channel, sender, message_id, now(), null);
  end if;
  select * into filed from private.filed_messages m where m.id in (message_id, album_id) and m.sender_id = filer.id
  order by m.id = message_id desc limit 1;
  if filed.waiting is not null then
    update private.filed_messages m set waiting = null, texts = '[]', parts = '{}', result = answer where m.id = filed.id;
  elsif filed.version is not null then
    perform private.act_as(filer.person_id);
    perform private.lock_coverage_of_update(filed.id);
    select * into existing from public.updates u where u.id = filed.id;
    if existing.state in ('draft', 'submitted') and private.is_as_filed(existing, filed) then
      perform public.spike_update(gen_random_uuid(), existing.id, existing.version);
    elsif existing.number is not null then
      answer := jsonb_build_object('outcome', 'published', 'number', existing.number);
    elsif existing.state <> 'spiked' then
      answer := '{"outcome": "kept"}';
    end if;
    perform private.act_as(null);
  elsif filed.result -> 'outcome' is distinct from answer -> 'outcome' then
    answer := '{"outcome": "unknown_message"}';
  end if;
  return answer || jsonb_build_object('language', filer.language);
end $$;

-- ---- Execute rights ----

grant execute on function public.correct_filed_update, public.delete_filed_update to service_role;
