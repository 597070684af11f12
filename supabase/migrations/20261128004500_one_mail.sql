-- An account and its address get one mail, also when one of them follows the coverage and the other one its topic.

-- The other follower with the same confirmed address: the one without an account, or that of the account. Null if there
-- is none. The index of the addresses contains no accounts of a single sign-on.
create function private.same_address_follower(follower public.followers) returns uuid
language sql stable set search_path = '' as $$
  select case when follower.email is null then private.address_follower(follower.person_id)
    else (select p.id from auth.users u join public.people p on p.id = u.id and p.active
      where u.email = follower.email and not u.is_sso_user and u.deleted_at is null
        and (u.banned_until is null or u.banned_until <= now()) and private.address_follower(u.id) = follower.id) end
$$;

-- Creates deliveries of the due alerts of a channel, urgent ones first, until there are about `max_rows`. Returns their
-- number.
create or replace function private.create_deliveries(delivery_channel public.alert_channel, max_rows integer) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  batch constant integer := least(private.get_limit('delivery_batch_people'), greatest(max_rows, 1));
  alert public.alerts;
  follower_ids uuid[];
  inserted integer;
  remaining integer := max_rows;
begin
  for round in 1 .. 20 loop
    exit when remaining <= 0;
    select * into alert from public.alerts a where a.deliveries_created_at is null and a.due_at <= now() and a.channel = delivery_channel
    order by a.urgent desc, a.due_at, a.id limit 1 for update skip locked;
    exit when alert.id is null;
    if alert.started_at is null then
      alert := private.begin_alert(alert);
      continue when alert.id is null;
    elsif not private.has_published_update(alert) then
      update public.alerts a set deliveries_created_at = now() where a.id = alert.id;
      continue;
    end if;
    follower_ids := array(select private.next_followers(alert, batch));
    insert into public.deliveries (alert_id, follower_id, channel, subscription_id)
      select alert.id, w.id, alert.channel, d.subscription_id
      from public.followers w left join public.people p on p.id = w.person_id cross join lateral (
        select s.id as subscription_id from public.push_subscriptions s where alert.channel = 'push' and s.follower_id = w.id
        union all select null where alert.channel = 'mail') d
      -- Followers in both scopes get everything from the other stream.
      where w.id = any (follower_ids) and coalesce(p.active, true) and (alert.scope = 'all' or not exists (
        select from private.follows_of(w.id, alert.coverage_id, alert.channel) f where f.scope = 'all'))
      -- An account and the follower with its address get one mail, from the follow with the wider scope.
      and not (alert.channel = 'mail' and exists (
        select from private.follows_of(private.same_address_follower(w), alert.coverage_id, alert.channel) f
        where (f.scope = 'all' and alert.scope = 'key') or (w.email is not null and f.scope = alert.scope)))
      -- A follower that is being deleted gets nothing.
      for key share of w skip locked
    on conflict do nothing;
    get diagnostics inserted = row_count;
    remaining := remaining - inserted;
    update public.alerts a set last_follower_id = coalesce(follower_ids[cardinality(follower_ids)], a.last_follower_id),
      deliveries_created_at = case when cardinality(follower_ids) < batch then now() end
    where a.id = alert.id;
  end loop;
  return max_rows - remaining;
end $$;
