-- Followers without an account: devices and confirmed addresses. Their deletion, their export, and the rights to execute
-- the functions of followers.

-- ---- Devices without an account ----
-- `subscription` in these functions is the browser's push subscription, as its toJSON() returns it. It is the proof
-- that the caller is that browser.

-- Registers a device. Errors: rate_limited, beyond `device_followers_per_network` in an hour; conflict, if the
-- subscription belongs to an account.
create function private.add_device_follower(item public.push_subscriptions) returns uuid
language plpgsql volatile set search_path = '' as $$
declare
  network constant text := private.client_network_digest();
  follower uuid;
begin
  if (select count(*) from public.followers w where w.network_hash = network and w.created_at > now() - interval '1 hour')
    >= private.get_limit('device_followers_per_network') then
    perform private.raise_error('rate_limited', 'too_many_new_devices');
  end if;
  insert into public.followers (network_hash) values (network) returning id into follower;
  insert into public.push_subscriptions (follower_id, endpoint, p256dh, auth, device)
    values (follower, item.endpoint, item.p256dh, item.auth, item.device) on conflict do nothing;
  if not found then perform private.raise_error('conflict', 'device_of_an_account'); end if;
  return follower;
end $$;

-- Follows a coverage or topic on a device, or changes the scope. Returns the follows of the device: [{kind, slug,
-- name, state, scope}]. Errors: see private.add_device_follower, private.find_follow and private.put_follow.
create function public.save_device_follow(subscription jsonb, device text, target jsonb, scope public.follow_scope) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  item public.push_subscriptions := private.read_push_subscription(subscription, device);
  follower uuid := private.device_follower(subscription);
begin
  perform private.find_follow(follower, target);
  if follower is null then follower := private.add_device_follower(item); end if;
  perform from public.followers w where w.id = follower for no key update;
  perform private.put_follow(private.find_follow(follower, target), scope, false, true);
  return private.list_follows(follower);
end $$;

-- The follows of a device, as save_device_follow() returns them. Null if the device is not registered, or only for an
-- account.
create function public.list_device_follows(subscription jsonb) returns jsonb
language sql stable security definer set search_path = '' as $$
  select private.list_follows(w.follower) from (select private.device_follower(subscription) as follower) w where w.follower is not null
$$;

-- Ends one follow of a device, or all of them and the device itself. Returns the remaining follows.
create function public.delete_device_follows(subscription jsonb, target jsonb default null) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_variable
declare follower uuid := private.device_follower(subscription);
begin
  if follower is null then return '[]'; end if;
  if target is null then
    delete from public.follows f where f.follower_id = follower;
  else
    delete from public.follows f where f.id = (select o.id from private.find_follow(follower, target) o);
  end if;
  if not exists (select from public.follows f where f.follower_id = follower) then
    perform private.delete_follower(follower);
    return '[]';
  end if;
  return private.list_follows(follower);
end $$;

-- Replaces the subscription of a device, after the browser has renewed it. Returns the follows, or null if the former
-- one is not known.
create function public.replace_device_subscription(former jsonb, subscription jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  follower uuid := private.device_follower(former);
  item public.push_subscriptions := private.read_push_subscription(subscription, '');
begin
  if follower is null then return null; end if;
  update public.push_subscriptions s set endpoint = item.endpoint, p256dh = item.p256dh, auth = item.auth where s.follower_id = follower;
  return private.list_follows(follower);
exception when unique_violation then perform private.raise_error('conflict', 'device_of_an_account');
end $$;

-- ---- Addresses without an account ----

-- Requests to follow by e-mail: a link is mailed that starts the alerts. The response is the same for every address.
-- Beyond `follow_mails_per_address` in a day nothing is mailed to an address.
-- Errors: invalid; not_found; bad_state without a mail server; rate_limited, beyond the limits in an hour.
create function public.request_mail_follow(target jsonb, scope public.follow_scope, email text) returns void
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  address constant text := lower(private.trim_text(email));
  hour_ago constant timestamptz := now() - interval '1 hour';
  network constant text := private.client_network_digest();
  follow public.follows;
  last_request private.follow_requests;
begin
  follow := private.find_follow(null, target);
  if scope is null then perform private.raise_invalid('scope', 'follow_scope_missing'); end if;
  if not coalesce(private.is_email(address), false) then perform private.raise_invalid('email', 'invalid_email'); end if;
  -- One request at a time, because concurrent ones would each be counted as the first.
  perform from private.alert_settings m for update;
  if not (select m.mail from private.alert_settings m) then perform private.raise_error('bad_state', 'no_alert_mail'); end if;
  select * into last_request from private.follow_requests r where r.email = address
    and (r.coverage_id = follow.coverage_id or r.topic_id = follow.topic_id) and r.confirmed_at is null
    and r.created_at > now() - interval '1 minute' order by r.created_at desc limit 1;
  -- The same form again, perhaps with another choice.
  if last_request.id is not null then
    update private.follow_requests r set scope = request_mail_follow.scope where r.id = last_request.id;
    return;
  end if;
  if (select count(*) from private.follow_requests r where r.network_hash = network and r.created_at > hour_ago)
      >= private.get_limit('follow_mails_per_network')
    or (select count(*) from private.follow_requests r where r.created_at > hour_ago) >= private.get_limit('follow_mails_per_hour') then
    perform private.raise_error('rate_limited', 'too_many_follow_requests');
  end if;
  insert into private.follow_requests (email, coverage_id, topic_id, scope, network_hash, due_at)
    values (address, follow.coverage_id, follow.topic_id, scope, network, case when (select count(*) from private.follow_requests r
      where r.email = address and r.created_at > now() - interval '1 day') < private.get_limit('follow_mails_per_address') then now() end);
  perform private.broadcast('site', 'alerts', '{"due": 0}');
end $$;

-- The request of a mailed link that is still valid.
create function private.find_follow_request(token text) returns setof private.follow_requests
language sql stable set search_path = '' rows 1 as $$
  select r.* from private.follow_requests r where r.token_hash = private.sha256_hex(token)
    and r.created_at > now() - make_interval(hours => private.get_limit('follow_request_hours'))
$$;

-- The follow that a mailed link starts: {kind, slug, name, scope, confirmed}. Null if there is no such link, or it
-- expired.
create function public.read_follow_request(token text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select private.follow_target(r.coverage_id, r.topic_id) || jsonb_build_object('scope', r.scope, 'confirmed', r.confirmed_at is not null)
  from private.find_follow_request(token) r
$$;

-- Starts the follow of a mailed link, once: the same as read_follow_request(). If an account with this address follows
-- the target already, its follow gets the scope and e-mail. Errors: bad_state, beyond `max_follows`.
create function public.confirm_follow_request(token text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  request private.follow_requests;
  follower uuid;
  follow public.follows;
begin
  select r.* into request from private.follow_requests r
  where r.id = (select found.id from private.find_follow_request(token) found) for update;
  if request.id is null then return null; end if;
  if request.confirmed_at is null then
    follower := (select f.follower_id from auth.users u join public.people p on p.id = u.id and p.active join public.follows f on f.follower_id = u.id
      where u.email = request.email and u.email_confirmed_at is not null and (f.coverage_id = request.coverage_id or f.topic_id = request.topic_id));
    if follower is null then
      insert into public.followers (email) values (request.email) on conflict do nothing;
      select w.id into follower from public.followers w where w.email = request.email for no key update;
    end if;
    select f.* into follow from public.follows f
    where f.follower_id = follower and (f.coverage_id = request.coverage_id or f.topic_id = request.topic_id);
    follow.follower_id := follower;
    follow.coverage_id := request.coverage_id;
    follow.topic_id := request.topic_id;
    perform private.put_follow(follow, request.scope, true, coalesce(follow.push, false));
    update private.follow_requests r set confirmed_at = now() where r.id = request.id;
  end if;
  return public.read_follow_request(token);
end $$;

-- Follows by the caller's confirmed address that belong to no account: [{kind, slug, name, state, scope}].
create function public.my_address_follows() returns jsonb
language sql stable security definer set search_path = '' as $$
  select private.list_follows(private.address_follower(auth.uid()))
$$;

-- Moves those follows into the caller's account. Returns their number.
create function public.adopt_address_follows(idempotency_key uuid) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  stored_result jsonb := private.begin_command(idempotency_key, 'adopt_address_follows', '[]');
  person public.people;
  adopted integer;
begin
  if stored_result is not null then return stored_result; end if;
  person := private.lock_account();
  adopted := jsonb_array_length(public.my_address_follows());
  perform private.adopt_follower(w.id, person.id) from (select private.address_follower(person.id) as id) w where w.id is not null;
  return private.finish_command(idempotency_key, jsonb_build_object('adopted', adopted));
end $$;

-- ---- Deletion ----

-- Deletes a follower with everything that belongs to it. The lock order is that of record_deliveries(): deliveries by
-- id, then push subscriptions.
create function private.delete_follower(follower uuid) returns void
language plpgsql volatile set search_path = '' as $$
begin
  -- No delivery is created from here on.
  perform from public.followers w where w.id = follower for update;
  delete from public.follows f where f.follower_id = follower;
  perform from public.deliveries d where d.follower_id = follower order by d.id for update;
  delete from public.deliveries d where d.follower_id = follower;
  delete from public.push_subscriptions s where s.follower_id = follower;
  delete from public.followers w where w.id = follower;
end $$;

-- Deletes what belongs to a deleted account and its readership: follows, deliveries, devices, the sender of tips.
create or replace function private.delete_follower_data(person uuid) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.delete_follower(person);
  update public.photos p set uploaded_by = null where p.uploaded_by = person and p.tip_id is not null;
  update public.tips t set sender = null where t.sender = person;
end $$;

-- Ends what followers without an account no longer need: follows of a coverage that ended `follow_ended_days` ago,
-- followers without follows or without a device, digests of networks, requests. At most `max_rows` followers at a time.
create function private.delete_old_followers(max_rows integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  delete from private.follow_requests r where r.created_at < now() - make_interval(hours => private.get_limit('follow_request_hours'));
  update public.followers w set network_hash = null where w.network_hash is not null and w.created_at < now() - interval '1 day';
  delete from public.follows f where f.id in (
    select o.id from public.followers w join public.follows o on o.follower_id = w.id join public.coverages c on c.id = o.coverage_id
    where w.person_id is null and (c.state = 'withdrawn' or c.ended_at < now() - make_interval(days => private.get_limit('follow_ended_days')))
    limit max_rows);
  perform private.delete_follower(w.id) from (
    select o.id from public.followers o where o.person_id is null and (
      not exists (select from public.follows f where f.follower_id = o.id)
      or (o.email is null and not exists (select from public.push_subscriptions s where s.follower_id = o.id)))
    limit max_rows for update skip locked) w;
end $$;
select cron.schedule('delete-old-followers', '17 * * * *', 'select private.delete_old_followers(2000)');

-- ---- Export ----

-- The owner's export lists followers with the addresses.
insert into private.export_parts (part, position, key, omits, requires_option) values ('followers', 19, '{id}', '{network_hash}', 'addresses');

-- The caller's follows, push subscriptions, alerts and tips. Spam is reported as declined.
create or replace function private.my_subscriptions() returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'follows', coalesce((select jsonb_agg(private.follow_target(f.coverage_id, f.topic_id) || jsonb_build_object('id', f.id, 'scope', f.scope,
        'mail', f.mail, 'push', f.push, 'created_at', f.created_at) order by f.created_at)
      from public.follows f where f.follower_id = auth.uid()), '[]'),
    'address_follows', public.my_address_follows(),
    'push', coalesce((select jsonb_agg(jsonb_build_object('id', s.id, 'device', s.device,
        'service', substring(s.endpoint from '^https?://([^/]+)/'), 'created_at', s.created_at, 'last_notified_at', s.last_notified_at) order by s.created_at)
      from public.push_subscriptions s where s.follower_id = auth.uid()), '[]'),
    'alerts', coalesce((select jsonb_agg(jsonb_build_object('id', d.id, 'channel', d.channel, 'device', d.subscription_id, 'state', d.state,
        'coverage', private.coverage_for_me(a.coverage_id), 'updates', to_jsonb(d.updates), 'due_at', d.due_at,
          'sent_at', d.sent_at) order by d.due_at)
      from public.deliveries d join public.alerts a on a.id = d.alert_id where d.follower_id = auth.uid()), '[]'),
    'tips', coalesce((select jsonb_agg(jsonb_build_object('id', t.id, 'body', t.body, 'name', t.name, 'contact', t.contact, 'may_be_named', t.may_be_named,
        'state', private.sender_state(t.state), 'created_at', t.created_at,
        'coverage', private.coverage_for_me(t.coverage_id)) order by t.created_at)
      from public.tips t where t.sender = auth.uid()), '[]'))
$$;

-- ---- Execute rights ----

grant execute on function public.save_device_follow, public.list_device_follows, public.delete_device_follows,
  public.replace_device_subscription, public.request_mail_follow, public.read_follow_request, public.confirm_follow_request
  to anon, authenticated, service_role;
grant execute on function public.my_address_follows, public.adopt_address_follows to authenticated;
