import { describe, expect, test } from 'vitest';
import { catalog, type Readers, readersOf, rows, useCatalog } from './catalog-context.ts';

useCatalog();

/** Roles that may call each function of the API. */
const FUNCTIONS: Record<string, Readers> = {
  permissions: 'server',
  check_import: 'server',
  import_updates: 'server',
  export_coverage: 'server',
  export_coverage_updates: 'server',
  export_coverage_changes: 'server',
  begin_coverage_import: 'server',
  import_coverage_updates: 'server',
  import_coverage_changes: 'server',
  finish_coverage_import: 'server',
  index_imported_updates: 'server',
  cancel_coverage_import: 'server',
  import_state: 'server',
  get_me: 'people only',
  resolve_slug: 'everyone',
  search: 'everyone',
  save_update: 'signed in',
  submit_update: 'signed in',
  publish_update: 'signed in',
  revise_update: 'signed in',
  correct_update: 'signed in',
  withdraw_update: 'signed in',
  redact_revision: 'signed in',
  list_corrections: 'everyone',
  feed_updates: 'everyone',
  spike_update: 'signed in',
  schedule_update: 'signed in',
  unschedule_update: 'signed in',
  pin_update: 'signed in',
  create_coverage: 'signed in',
  save_coverage: 'signed in',
  set_summary: 'signed in',
  set_coverage_state: 'signed in',
  continue_coverage: 'signed in',
  coverage_people: 'people only',
  summary_versions: 'people only',
  set_coverage_member: 'signed in',
  arrange_front_page: 'signed in',
  set_lead_photo: 'signed in',
  set_canonical_url: 'signed in',
  save_wordpress: 'people only',
  remove_wordpress: 'people only',
  read_wordpress: 'people only',
  list_wordpress_drafts: 'people only',
  claim_wordpress_draft: 'people only',
  offer_wordpress_transfer: 'people only',
  read_wordpress_transfer: 'people only',
  close_wordpress_transfer: 'people only',
  send_wordpress_transfer: 'everyone',
  wordpress_connection: 'server',
  finish_wordpress_draft: 'server',
  connect_filing_channel: 'people only',
  remove_filing_channel: 'people only',
  read_filing: 'people only',
  my_filing: 'people only',
  make_filing_code: 'people only',
  unlink_filing_sender: 'people only',
  set_filing_trust: 'people only',
  filing_connection: 'server',
  filing_senders_of: 'server',
  refuse_filing: 'server',
  link_filing_sender: 'server',
  file_message: 'server',
  read_filed_texts: 'people only',
  correct_filed_update: 'server',
  delete_filed_update: 'server',
  filing_notices_due: 'server',
  claim_filing_notices: 'server',
  record_filing_notices: 'server',
  save_topic: 'signed in',
  save_site: 'signed in',
  save_site_identity: 'signed in',
  save_site_image: 'signed in',
  set_surge: 'signed in',
  report_load: 'server',
  set_role: 'signed in',
  set_active: 'signed in',
  desk_people: 'people only',
  desk_log: 'people only',
  desk_person: 'people only',
  begin_export: 'people only',
  export_page: 'people only',
  invite_person: 'people only',
  renew_invite: 'people only',
  revoke_invite: 'people only',
  accept_invite: 'people only',
  read_invite: 'everyone',
  invited_account: 'server',
  list_desk_updates: 'people only',
  desk_search: 'people only',
  desk_counts: 'people only',
  list_table_readings: 'people only',
  claim_table_readings: 'server',
  save_table_reading: 'server',
  table_reading_url: 'everyone',
  list_quiet_coverages: 'people only',
  desk_waiting: 'people only',
  desk_roster: 'people only',
  list_updates_by_person: 'everyone',
  list_ended_coverages: 'everyone',
  archive_months: 'everyone',
  coverage_days: 'everyone',
  sitemap_parts: 'everyone',
  sitemap_part: 'everyone',
  sitemap_pages: 'everyone',
  sitemap_news: 'everyone',
  site_seqs: 'server',
  my_sessions: 'people only',
  end_session: 'people only',
  save_me: 'people only',
  delete_account: 'server',
  offer_setup: 'server',
  is_setup_open: 'server',
  create_first_owner: 'server',
  save_photo: 'signed in',
  cancel_photo: 'signed in',
  replace_photo: 'signed in',
  remove_photo: 'signed in',
  photo_library: 'people only',
  photo_uses: 'people only',
  list_photos_to_process: 'server',
  mark_photo_ready: 'server',
  refuse_photo: 'server',
  list_deletable_photos: 'server',
  delete_unused_photos: 'server',
  save_media_file: 'signed in',
  read_media_file: 'everyone',
  record_media_check: 'server',
  delete_unused_media_files: 'server',
  import_media_files: 'server',
  get_alert_channels: 'everyone',
  save_alert_settings: 'server',
  save_follow: 'people only',
  my_follows: 'people only',
  save_push_subscription: 'people only',
  my_push_subscriptions: 'people only',
  delete_push_subscription: 'people only',
  save_device_follow: 'everyone',
  list_device_follows: 'everyone',
  delete_device_follows: 'everyone',
  replace_device_subscription: 'everyone',
  request_mail_follow: 'everyone',
  read_follow_request: 'everyone',
  confirm_follow_request: 'everyone',
  my_address_follows: 'people only',
  adopt_address_follows: 'people only',
  claim_follow_requests: 'server',
  retry_follow_requests: 'server',
  read_unsubscribe_link: 'everyone',
  unsubscribe: 'everyone',
  claim_deliveries: 'server',
  begin_deliveries: 'server',
  record_deliveries: 'server',
  alerts_due: 'server',
  my_data: 'people only',
  add_tip: 'server',
  tip_receipt: 'everyone',
  my_tips: 'people only',
  review_tip: 'people only',
  hand_over_tip: 'people only',
  use_tip: 'people only',
  close_tip: 'people only',
  reopen_tip: 'people only',
  release_tip: 'people only',
  tip_queue: 'people only',
  tip_counts: 'people only',
  tip_handlers: 'people only',
  tip_photo: 'people only',
};

/** Functions that policies and views use, and the check before each request. They run as the caller. */
const HELPERS: Record<string, Readers> = {
  can_administer: 'people only',
  can_upload_photo: 'people only',
  can_upload_media_file: 'people only',
  check_session: 'everyone',
  is_public: 'everyone',
  is_site_image_shown: 'everyone',
  desk_coverages: 'signed in',
  can_see_photo: 'signed in',
  can_join_coverage: 'everyone',
  can_join_desk: 'people only',
  can_join_tips: 'people only',
  can_join_own_topic: 'people only',
  time_position: 'everyone',
};

describe('functions', () => {
  const runnable = async (schema: string) => {
    const catalogRows = await rows<{ name: string; who: string }>(`
      select p.proname as name, coalesce(string_agg(r, ',' order by r), '') as who
      from pg_proc p left join unnest(array['anon', 'authenticated', 'service_role']) r
        on has_function_privilege(r, p.oid, 'execute')
      where p.pronamespace = '${schema}'::regnamespace
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
      group by p.oid, p.proname order by 1`);
    // Overloads are not allowed, because roles are listed by name.
    expect(new Set(catalogRows.map(({ name }) => name)).size).toBe(catalogRows.length);
    return Object.fromEntries(catalogRows.map(({ name, who }) => [name, readersOf(who)]));
  };

  test('of the API can be called by the expected roles', async () => {
    expect(await runnable('public')).toEqual(FUNCTIONS);
  });

  test('of the schema private cannot be called, except those that run as the caller', async () => {
    const helpers = Object.entries(await runnable('private')).filter(([, who]) => who !== 'nobody');
    expect(Object.fromEntries(helpers)).toEqual(HELPERS);
  });

  test('with SECURITY DEFINER have an empty search path', async () => {
    const trusting = await rows(`select oid::regprocedure::text as name from pg_proc
      where pronamespace in ('public'::regnamespace, 'private'::regnamespace) and prosecdef
        and not coalesce(proconfig @> '{"search_path=\\"\\""}', false)`);
    expect(trusting).toEqual([]);
  });

  test('of every kind have an empty search path', async () => {
    const trusting = await rows(`select oid::regprocedure::text as name from pg_proc p
      where pronamespace in ('public'::regnamespace, 'private'::regnamespace)
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
        -- A procedure with one cannot commit: it names schemas.
        and prokind <> 'p' and prosqlbody is null and not coalesce(proconfig @> '{"search_path=\\"\\""}', false)`);
    expect(trusting).toEqual([]);
  });

  test('cannot be called by API roles before they are granted', async () => {
    const who = await catalog.rolledBack(async (session) => {
      await session.exec('create function public.new_one() returns integer language sql return 1');
      return session.query(`select r from unnest(array['anon', 'authenticated', 'service_role']) r
        where has_function_privilege(r, 'public.new_one()', 'execute')`);
    });
    expect(who.rows).toEqual([]);
  });
});
