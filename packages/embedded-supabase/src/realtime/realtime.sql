/* The part of Realtime in the database that migrations use. The backend runs this file at every start. Signatures,
   columns and grants are those of Supabase's documentation ("Realtime": "Broadcast" and "Authorization"). */

create schema if not exists realtime;
grant usage on schema realtime to anon, authenticated, service_role;

/* Sent messages. The policies on this table decide which clients may receive and send on a topic. */
create table if not exists realtime.messages (
  topic text not null,
  -- `broadcast` or `presence`.
  extension text not null,
  payload jsonb,
  event text,
  private boolean default false,
  updated_at timestamp not null default now(),
  inserted_at timestamp not null default now(),
  id uuid not null default gen_random_uuid(),
  /* Order of the messages. A hosted project has no such column. Transactions that wait for each other, such as those of
     one coverage, get positions in the order of their commits. The times above are those of the start of a transaction,
     so they do not give this order. */
  position bigint generated always as identity primary key
);
-- For realtime.send_binary. Databases that an older release created lack the column.
alter table realtime.messages add column if not exists binary_payload bytea
  constraint messages_payload_exclusive check (payload is null or binary_payload is null);
create index if not exists messages_topic_inserted_at on realtime.messages (topic, inserted_at);
alter table realtime.messages enable row level security;
grant select, insert, update on realtime.messages to anon, authenticated, service_role;

/* Returns the topic that the client joins or sends to, for policies. */
create or replace function realtime.topic() returns text language sql stable as $$
  select nullif(current_setting('realtime.topic', true), '')
$$;

/* Sends a message with the rights of the caller, when the transaction commits. A failure raises a warning instead of an
   error, as on a hosted project, so that it does not roll back the transaction. */
create or replace function realtime.send(payload jsonb, event text, topic text, private boolean default true)
returns void language plpgsql set search_path = '' as $$
declare message_id uuid := gen_random_uuid();
begin
  if jsonb_typeof(payload) is distinct from 'object' then
    raise exception 'the payload must be a JSON object';
  end if;
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (id, topic, extension, payload, event, private)
    values (message_id, topic, 'broadcast', jsonb_build_object('id', message_id) || payload, event, private);
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end $$;

/* As realtime.send, with bytes as payload. */
create or replace function realtime.send_binary(
  payload bytea, event text, topic text, private boolean default true)
returns void language plpgsql set search_path = '' as $$
begin
  if payload is null then
    raise exception 'the payload must not be null';
  end if;
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (topic, extension, binary_payload, event, private)
    values (topic, 'broadcast', payload, event, private);
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end $$;

/* Sends the row that a statement has changed. Triggers call this function. */
create or replace function realtime.broadcast_changes(
  topic_name text, event_name text, operation text, table_name text, table_schema text, new record, old record,
  level text default 'ROW')
returns void language plpgsql set search_path = '' as $$
begin
  if level = 'STATEMENT' then
    raise exception 'function can only be triggered for each row, not for each statement';
  end if;
  if operation not in ('INSERT', 'UPDATE', 'DELETE') then
    raise exception 'Unexpected operation type: %', operation;
  end if;
  perform realtime.send(
    jsonb_build_object('operation', operation, 'table', table_name, 'schema', table_schema,
      'record', to_jsonb(new), 'old_record', to_jsonb(old)),
    event_name, topic_name);
end $$;

/* Notifies the backend of each committed message. A notification must be shorter than 8,000 bytes, so for a longer
   message it contains only the position, and the backend reads the row. Bytes are sent as base64. Without a value for
   `private`, a message is private. */
create or replace function realtime.announce() returns trigger language plpgsql set search_path = '' as $$
declare
  is_binary boolean := new.binary_payload is not null;
  head jsonb := jsonb_build_array(
    new.position, new.id, new.topic, new.event, coalesce(new.private, true), is_binary);
  body text := coalesce(encode(new.binary_payload, 'base64'), new.payload::text, 'null');
  whole text := head::text || chr(10) || body;
begin
  perform pg_notify('realtime', case when octet_length(whole) <= 7900 then whole else new.position::text end);
  return null;
end $$;
create or replace trigger announce after insert on realtime.messages for each row
  when (new.extension = 'broadcast' and new.event is not null) execute function realtime.announce();

/* Returns the permissions of the caller on the current topic, for broadcast and for presence. The caller may read if it
   sees the probe row of that kind, and may write if it can insert such a row. The backend rolls the transaction
   back. */
create or replace function realtime.try_rights(probes bigint[]) returns jsonb language plpgsql set search_path = '' as $$
declare
  readable text[] := array(select m.extension from realtime.messages m where m.position = any (probes));
  rights jsonb := '{}';
  kind text;
  writable boolean;
begin
  foreach kind in array array['broadcast', 'presence'] loop
    begin
      insert into realtime.messages (topic, extension) values (realtime.topic(), kind);
      writable := true;
    exception when insufficient_privilege then
      writable := false;
    end;
    rights := rights || jsonb_build_object(kind, jsonb_build_object('read', kind = any (readable), 'write', writable));
  end loop;
  return rights;
end $$;

-- Explicit grants, because a migration may have revoked the default privileges on new functions.
grant execute on function realtime.topic(), realtime.send(jsonb, text, text, boolean),
  realtime.send_binary(bytea, text, text, boolean),
  realtime.broadcast_changes(text, text, text, text, text, record, record, text),
  realtime.try_rights(bigint[]) to anon, authenticated, service_role;
