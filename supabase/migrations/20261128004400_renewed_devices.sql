-- A device that renews its subscription during a delivery is not deleted when the push service reports that the earlier
-- address is gone.

-- When the browser last renewed the subscription.
alter table public.push_subscriptions add column replaced_at timestamptz;

-- Replaces the subscription of a device, after the browser has renewed it. Returns the follows, or null if the former
-- one is not known.
create or replace function public.replace_device_subscription(former jsonb, subscription jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  follower uuid := private.device_follower(former);
  item public.push_subscriptions := private.read_push_subscription(subscription, '');
begin
  if follower is null then return null; end if;
  update public.push_subscriptions s set endpoint = item.endpoint, p256dh = item.p256dh, auth = item.auth,
    replaced_at = clock_timestamp() where s.follower_id = follower;
  return private.list_follows(follower);
exception when unique_violation then perform private.raise_error('conflict', 'device_of_an_account');
end $$;

-- Records results: [{id, outcome, retry_after?, error?}]. Outcomes: `sent`; `again` (retry while attempts are
-- left); `gone` (the device no longer exists); `refused` (permanent). Returns {sent, again, gone, failed}.
create or replace function public.record_deliveries(results jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  result jsonb;
  existing public.deliveries;
  outcome text;
  counts jsonb := '{"sent": 0, "again": 0, "gone": 0, "failed": 0}';
begin
  for result in select value from jsonb_array_elements(results) order by value ->> 'id' loop
    outcome := result ->> 'outcome';
    select * into existing from public.deliveries d where d.id = private.to_uuid(result ->> 'id') and d.attempts > 0 for update;
    -- A successful delivery is recorded even if it is reported late. Other outcomes count only during the lease.
    continue when not case when outcome = 'sent' then existing.state in ('sending', 'queued', 'unclear') else existing.state = 'sending' end
      or existing.id is null;
    -- The address that is gone is the one before the renewal.
    if outcome = 'gone' and exists (select from public.push_subscriptions s
        where s.id = existing.subscription_id and s.replaced_at >= existing.claimed_at) then
      outcome := 'again';
    end if;
    if outcome = 'again' and existing.attempts >= private.get_limit('delivery_attempts') then outcome := 'failed'; end if;
    if outcome = 'refused' or (outcome = 'gone' and existing.channel = 'mail') then outcome := 'failed'; end if;
    continue when not counts ? outcome;
    update public.deliveries d set lease_expires_at = null, error = left(result ->> 'error', private.get_limit('alert_text')),
      state = case outcome when 'sent' then 'sent' when 'again' then 'queued' when 'gone' then 'dropped' else 'failed' end::public.delivery_state,
      sent_at = case outcome when 'sent' then now() end,
      due_at = case outcome when 'again' then now() + private.retry_after(d.attempts,
        case jsonb_typeof(result -> 'retry_after') when 'number' then (result ->> 'retry_after')::numeric end) else d.due_at end
    where d.id = existing.id;
    if outcome = 'gone' then
      delete from public.push_subscriptions s where s.id = existing.subscription_id;
      -- A device without an account follows nothing once it is gone.
      delete from public.follows f using public.followers w
      where w.id = existing.follower_id and f.follower_id = w.id and w.person_id is null and w.email is null;
    end if;
    if outcome = 'sent' then update public.push_subscriptions s set last_notified_at = now() where s.id = existing.subscription_id; end if;
    counts := counts || jsonb_build_object(outcome, (counts ->> outcome)::integer + 1);
  end loop;
  return counts;
end $$;
