-- The receipt of a tip also shows its photo.

-- The tip of a receipt, or null: {state, created_at, body, coverage, used_in, photo}. Its photo, {id, state, renditions},
-- is null if none was sent or the newsroom removed it.
create or replace function public.tip_receipt(receipt text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('state', private.sender_state(t.state), 'created_at', t.created_at, 'body', t.body,
    'coverage', private.tip_coverage(t.coverage_id), 'used_in', private.tip_use(t.update_id),
    'photo', (
      select jsonb_build_object('id', p.id, 'state', p.state, 'renditions', p.renditions)
      from public.photos p where p.tip_id = t.id and p.state <> 'removed'))
  from public.tips t where t.receipt_hash = private.sha256_hex(receipt)
$$;
