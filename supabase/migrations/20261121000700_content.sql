-- The content of an update as it is sent, checked once for every function that takes it.

create type private.update_content as (
  headline text, body jsonb, key_event boolean, urgency public.update_urgency,
  verification public.update_verification, attribution text, desk_note text, dateline text,
  occurred_at timestamptz, bylines uuid[]
);

/* An optional text of a content: white space around it goes, and nothing is null. */
create function private.optional_text(content jsonb, key text) returns text
language sql immutable set search_path = '' as $$
  select nullif(regexp_replace(private.string_at(content, key), '^\s+|\s+$', '', 'g'), '')
$$;

create function private.refuse_unless_object(content jsonb, keys text[]) returns void
language plpgsql immutable set search_path = '' as $$
declare stray text;
begin
  if content is null or jsonb_typeof(content) <> 'object' then
    perform private.refuse_field('content', 'Send the content as an object.');
  end if;
  select k into stray from jsonb_object_keys(content - keys) k limit 1;
  if stray is not null then perform private.refuse_field(stray, 'There is no such field.'); end if;
end $$;

/* A time of a content, or null. Must carry its zone, so that it means the same to everyone. */
create function private.optional_time(content jsonb, key text) returns timestamptz
language plpgsql immutable set search_path = '' as $$
declare value text := private.optional_text(content, key);
begin
  if value is null and (not content ? key or content -> key in ('null', '""')) then return null; end if;
  if value !~ '^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$' then raise datetime_field_overflow; end if;
  return value::timestamptz;
exception when others then
  perform private.refuse_field(key, 'Give a date and time with its zone, as 2026-03-01T14:05:00Z.');
end $$;

/* Reads a content, refusing the first thing that breaks a rule by its field's name. Byline people must
   be active staff; no bylines means the author. `fewest` is the smallest number of blocks. */
create function private.read_content(content jsonb, fewest integer, author uuid) returns private.update_content
language plpgsql stable set search_path = '' as $$
declare result private.update_content;
begin
  perform private.refuse_unless_object(content, '{headline,body,key_event,urgency,verification,attribution,desk_note,dateline,occurred_at,bylines}');
  result.headline := private.optional_text(content, 'headline');
  if result.headline is not null and not private.is_line(result.headline, private.limit_of('update_headline')) then
    perform private.refuse_field('headline', 'A headline is one line of at most 120 characters.');
  end if;
  result.body := coalesce(content -> 'body', '[]');
  if not private.is_body(result.body, fewest) then
    perform private.refuse_field('body', 'A body is 1 to 40 blocks and at most 10,000 characters; links are http or https.');
  end if;
  if not private.is_flag(content -> 'key_event') then
    perform private.refuse_field('key_event', 'Say true or false.');
  end if;
  result.key_event := coalesce((content ->> 'key_event')::boolean, false);
  if coalesce(content ->> 'urgency', 'normal') <> all (enum_range(null::public.update_urgency)::text[]) then
    perform private.refuse_field('urgency', 'Urgency is normal, important or urgent.');
  end if;
  result.urgency := coalesce(content ->> 'urgency', 'normal');
  if coalesce(content ->> 'verification', 'confirmed') <> all (enum_range(null::public.update_verification)::text[]) then
    perform private.refuse_field('verification', 'Verification is unverified, developing or confirmed.');
  end if;
  result.verification := coalesce(content ->> 'verification', 'confirmed');
  result.attribution := private.optional_text(content, 'attribution');
  if result.attribution is not null and not private.is_line(result.attribution, private.limit_of('attribution')) then
    perform private.refuse_field('attribution', 'An attribution is one line of at most 120 characters.');
  end if;
  result.desk_note := private.optional_text(content, 'desk_note');
  if result.desk_note is not null and not private.is_text(result.desk_note, private.limit_of('desk_note')) then
    perform private.refuse_field('desk_note', 'A desk note has at most 1,000 characters.');
  end if;
  result.dateline := private.optional_text(content, 'dateline');
  if result.dateline is not null and not private.is_line(result.dateline, private.limit_of('dateline')) then
    perform private.refuse_field('dateline', 'A dateline is one line of at most 80 characters.');
  end if;
  result.occurred_at := private.optional_time(content, 'occurred_at');
  result.bylines := private.read_bylines(coalesce(content -> 'bylines', 'null'), author);
  return result;
end $$;

create function private.read_bylines(bylines jsonb, author uuid) returns uuid[]
language plpgsql stable set search_path = '' as $$
declare people uuid[];
begin
  if bylines in ('null', '[]') then return array_remove(array[author], null); end if;
  if jsonb_typeof(bylines) = 'array' and jsonb_array_length(bylines) <= private.limit_of('bylines') then
    select array_agg(p.id order by b.n) into people
    from jsonb_array_elements_text(bylines) with ordinality b(id, n)
    join public.people p on p.id::text = b.id and p.active and p.role <> 'reader';
    if cardinality(people) = jsonb_array_length(bylines)
       and cardinality(people) = (select count(distinct x) from unnest(people) x) then
      return people;
    end if;
  end if;
  perform private.refuse_field('bylines', 'Bylines are at most 8 different people of the staff.');
end $$;

/* A note or reason that readers will see. */
create function private.read_note(note text, field text) returns text
language plpgsql immutable set search_path = '' as $$
declare value text := regexp_replace(note, '^\s+|\s+$', '', 'g');
begin
  if not coalesce(private.is_text(value, private.limit_of('note')), false) then
    perform private.refuse_field(field, 'Tell readers what changed or why, in 1 to 500 characters.');
  end if;
  return value;
end $$;
