-- The receipt of a tip also shows its text, so that its holder recognises the tip. Name and contact stay out of it.

-- The tip of a receipt, or null: {state, created_at, body, coverage, used_in}.
create or replace function public.tip_receipt(receipt text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('state', private.sender_state(t.state), 'created_at', t.created_at, 'body', t.body,
    'coverage', private.tip_coverage(t.coverage_id), 'used_in', private.tip_use(t.update_id))
  from public.tips t where t.receipt_hash = private.sha256_hex(receipt)
$$;
