-- The content of an update as it is sent, checked once for every function that takes it.

create type private.update_content as (
  headline text, body jsonb, key_event boolean, urgency public.update_urgency,
  verification public.update_verification, attribution text, desk_note text, dateline text,
  occurred_at timestamptz, bylines uuid[]
);

/* An optional text of a content: white space around it goes, and nothing is null. */
create function private.optional_text(content jsonb, key text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  if jsonb_typeof(content -> key) not in ('string', 'null') then
    perform private.refuse_field(key, 'Send this as text.');
  end if;
  return nullif(private.trimmed(content ->> key), '');
end $$;

/* An optional text that must be one line within a limit. */
create function private.optional_line(content jsonb, key text, most text) returns text
language plpgsql immutable set search_path = '' as $$
declare value text := private.optional_text(content, key);
begin
  if value is not null and not private.is_line(value, most) then
    perform private.refuse_field(key, format('Use one line of words, at most %s characters.', private.limit_of(most)));
  end if;
  return value;
end $$;

/* An optional text of one or more lines within a limit. */
create function private.optional_lines(content jsonb, key text, most text) returns text
language plpgsql immutable set search_path = '' as $$
declare value text := private.optional_text(content, key);
begin
  if value is not null and not private.is_text(value, most) then
    perform private.refuse_field(key, format('Use words, at most %s characters.', private.limit_of(most)));
  end if;
  return value;
end $$;

create function private.refuse_unless_object(content jsonb, keys text[]) returns void
language plpgsql immutable set search_path = '' as $$
declare stray text;
begin
  if jsonb_typeof(content) is distinct from 'object' then
    perform private.refuse_field('content', 'Send the content as an object.');
  end if;
  select left(k, 40) into stray from jsonb_object_keys(content - keys) k limit 1;
  if stray is not null then perform private.refuse_field(stray, 'There is no such field.'); end if;
end $$;

/* A time of a content, or null. Must carry its zone, so that it means the same to everyone. */
create function private.optional_time(content jsonb, key text) returns timestamptz
language plpgsql immutable set search_path = '' as $$
declare value text := private.optional_text(content, key);
begin
  if value !~ '^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$' then raise datetime_field_overflow; end if;
  return value::timestamptz;
exception when data_exception then
  perform private.refuse_field(key, 'Give a date and time with its zone, as 2026-03-01T14:05:00Z.');
end $$;

/* A word out of an enumeration, or the usual one. */
create function private.optional_word(content jsonb, key text, words anyenum, usual text) returns text
language plpgsql immutable set search_path = '' as $$
declare value text := coalesce(private.optional_text(content, key), usual);
begin
  if value <> all (enum_range(words)::text[]) then
    perform private.refuse_field(key, 'Choose one of: ' || array_to_string(enum_range(words), ', ') || '.');
  end if;
  return value;
end $$;

/* A whole number of a content within two limits, or null. */
create function private.optional_integer(content jsonb, key text, fewest text, most text) returns integer
language plpgsql immutable set search_path = '' as $$
declare value text := nullif(content -> key, 'null')::text;
begin
  if value !~ '^[0-9]{1,9}$' or value::integer not between private.limit_of(fewest) and private.limit_of(most) then
    perform private.refuse_field(key, format('Give a whole number from %s to %s.', private.limit_of(fewest), private.limit_of(most)));
  end if;
  return value::integer;
end $$;

/* A body, or why it is refused: which of its limits, so that a reporter in the field knows what to cut. */
create function private.read_body(body jsonb, fewest integer, field text) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  if private.is_body(body, fewest) and not (field = 'summary' and private.has_photos(body)) then return body; end if;
  perform private.refuse_field(field, case
    when jsonb_typeof(body) is distinct from 'array' then 'Send the text as a list of blocks.'
    when jsonb_array_length(body) < fewest then 'Write something first.'
    when jsonb_array_length(body) > private.limit_of('body_blocks') then
      format('Use at most %s blocks: this has %s.', private.limit_of('body_blocks'), jsonb_array_length(body))
    when char_length(private.body_text(body)) > private.limit_of('body_characters') then
      format('Use at most %s characters: this has %s.', private.limit_of('body_characters'), char_length(private.body_text(body)))
    when octet_length(body::text) > private.limit_of('body_bytes') then 'Shorten this, or use fewer links and less formatting.'
    when private.body_text(body) is not null and private.has_photos(body) then
      case field when 'summary' then 'Photos stand in updates, not in a summary.' else 'Use each photo once.' end
    else 'Each block is a paragraph, list, quote or link with words in it, or a photo; links are http or https.' end);
end $$;

/* Reads a content, refusing the first thing that breaks a rule by its field's name. Byline people are active
   staff, or were bylined on this update before; no bylines means the author. `fewest` is the smallest number
   of blocks. */
create function private.read_content(content jsonb, fewest integer, author uuid, wanted uuid default null) returns private.update_content
language plpgsql stable set search_path = '' as $$
declare result private.update_content;
begin
  perform private.refuse_unless_object(content, '{headline,body,key_event,urgency,verification,attribution,desk_note,dateline,occurred_at,bylines}');
  result.headline := private.optional_line(content, 'headline', 'update_headline');
  result.body := private.read_body(coalesce(content -> 'body', '[]'), fewest, 'body');
  if not private.is_flag(content -> 'key_event') then
    perform private.refuse_field('key_event', 'Say true or false.');
  end if;
  result.key_event := coalesce((content ->> 'key_event')::boolean, false);
  result.urgency := private.optional_word(content, 'urgency', null::public.update_urgency, 'normal');
  result.verification := private.optional_word(content, 'verification', null::public.update_verification, 'confirmed');
  result.attribution := private.optional_line(content, 'attribution', 'attribution');
  result.desk_note := private.optional_lines(content, 'desk_note', 'desk_note');
  result.dateline := private.optional_line(content, 'dateline', 'dateline');
  result.occurred_at := private.optional_time(content, 'occurred_at');
  -- The clock of a phone may be a little ahead of ours.
  if result.occurred_at > now() + interval '1 minute' then
    perform private.refuse_field('occurred_at', 'Give a time that has passed.');
  end if;
  result.bylines := private.read_bylines(coalesce(content -> 'bylines', 'null'), author, wanted);
  return result;
end $$;

create function private.read_bylines(bylines jsonb, author uuid, wanted uuid) returns uuid[]
language plpgsql stable set search_path = '' as $$
declare people uuid[];
begin
  if bylines in ('null', '[]') then
    -- Not an author whose account is deleted and who has no name any more.
    return array(select p.id from public.people p where p.id = author and (p.deleted_at is null or p.bylined_at is not null));
  end if;
  if jsonb_typeof(bylines) = 'array' and jsonb_array_length(bylines) <= private.limit_of('bylines') then
    select array_agg(p.id order by b.n) into people
    from jsonb_array_elements_text(bylines) with ordinality b(id, n)
    join public.people p on p.id = private.as_uuid(b.id)
    where (p.active and p.role <> 'reader')
       or exists (select from public.update_bylines u where u.update_id = wanted and u.person_id = p.id);
    if cardinality(people) = jsonb_array_length(bylines)
       and cardinality(people) = (select count(distinct x) from unnest(people) x) then
      return people;
    end if;
  end if;
  perform private.refuse_field('bylines', format('Name at most %s different people of the staff.', private.limit_of('bylines')));
end $$;

/* A note or reason that readers will see. */
create function private.read_note(note text, field text) returns text
language plpgsql immutable set search_path = '' as $$
declare value text := private.trimmed(note);
begin
  if not coalesce(private.is_text(value, 'note'), false) then
    perform private.refuse_field(field, format('Tell readers what changed or why, in 1 to %s characters.', private.limit_of('note')));
  end if;
  return value;
end $$;
