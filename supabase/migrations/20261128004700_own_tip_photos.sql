-- People see the photos of their own tips.

drop function public.my_tips();

-- The caller's newest 50 tips, newest first, or only the one of `tip_id`:
-- [{id, body, state, created_at, coverage, used_in, photo}]. The photo, {id, state, renditions}, is null if none was sent
-- or the newsroom removed it.
create function public.my_tips(tip_id uuid default null) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'body', t.body, 'state', private.sender_state(t.state),
    'created_at', t.created_at, 'coverage', private.tip_coverage(t.coverage_id), 'used_in', private.tip_use(t.update_id),
    'photo', (
      select jsonb_build_object('id', p.id, 'state', p.state, 'renditions', p.renditions)
      from public.photos p where p.tip_id = t.id and p.state <> 'removed'))
    order by t.created_at desc, t.id desc), '[]')
  from (select * from public.tips t where t.sender = (select auth.uid()) and (my_tips.tip_id is null or t.id = my_tips.tip_id)
    order by t.created_at desc limit 50) t
$$;

grant execute on function public.my_tips to authenticated;
