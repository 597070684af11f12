import { randomUUID } from 'node:crypto';
import { PUSH_SERVICE_URL, subscription } from '../../../support/alerts.ts';
import { call, callServer, paragraph } from '../../../support/newsroom.ts';
import { imageOf } from '../../../support/site-images.ts';
import { type MatrixContext, newReceipt } from './context.ts';
import type { Mark, Person } from './table.ts';

export type PermissionCall = {
  /** Arguments, created again for each allowed actor. Refused actors share them. */
  args?: (matrix: MatrixContext, who: Person) => object | Promise<object>;
  /** Whether a result contains anything. */
  hasResult?: (value: never) => boolean;
  /**
   * Calls without an idempotency key, which fails after the permission check, because success would change what
   * other cells need.
   */
  isInvalidAccepted?: true;
};

const idempotency_key = () => ({ idempotency_key: randomUUID() });
const digest = () => randomUUID().replaceAll('-', '').repeat(2);
let tips = 0;

/** Adds a new tip. */
async function newTip({ context, shown }: MatrixContext, sender: object = {}) {
  const tip_id = randomUUID();
  const content = { body: `Something was seen: ${++tips}.`, coverage: shown.slug };
  await callServer(context.service, 'add_tip', { tip_id, content, receipt: newReceipt(), sender });
  return { ...idempotency_key(), tip_id, version: 1 };
}

/** A tip that the actor has in review, or its handler where the actor may not handle tips. */
async function ownTip(matrix: MatrixContext, who: Person) {
  const tip = await newTip(matrix);
  const handler = ['moderator', 'editor', 'owner'].includes(who) ? who : 'moderator';
  await call(matrix.client(handler), 'review_tip', { tip_id: tip.tip_id, version: 1 });
  return { ...tip, version: 2 };
}

async function newInvite({ context }: Pick<MatrixContext, 'context'>, role = 'editor') {
  const invite_id = randomUUID();
  const content = { email: `${invite_id}@example.com`, name: 'Nell', role };
  await call(context.actors.owner.client, 'invite_person', { invite_id, content, token_hash: digest() });
  return { ...idempotency_key(), invite_id };
}

/** A device that follows without an account, named by a client that knows its address but not its secret. */
async function strangeDevice({ context, shown }: MatrixContext) {
  const device = subscription();
  const target = { coverage: shown.slug };
  await callServer(context.service, 'save_device_follow', {
    subscription: device,
    device: '',
    target,
    scope: 'all',
  });
  return { ...device, keys: { ...device.keys, auth: `${'z'.repeat(21)}A` } };
}

const coverageOf = ({ shown }: MatrixContext) => ({ coverage_id: shown.coverage });

/** Makes a code with which WordPress may send a transfer. */
const newTransfer = (code: string) =>
  `insert into private.wordpress_transfer (code_hash, expires_at)
   values (encode(sha256('${code}'), 'hex'), now() + interval '1 hour')
   on conflict (id) do update set code_hash = excluded.code_hash, expires_at = excluded.expires_at, content = null, received_at = null
   returning id`;

const FILING_CHANNEL = {
  channel: 'telegram',
  account: '@desk_bot',
  token: 'x'.repeat(60),
  delivery_hash: 'a'.repeat(64),
};

/** Links a new sender to a person. @returns the id of the sender */
async function newSender(backend: MatrixContext['backend'], person: string | null): Promise<string> {
  const [row] = await backend.sql<{ id: string }>(
    `insert into private.filing_senders (channel, sender, name, person_id, language, code_hash)
     values ('telegram', '${randomUUID()}', '@ana', '${person}', 'en', '${digest()}') returning id`,
  );
  return row?.id ?? '';
}

/** Calls for the rows of "Functions", except commands in a coverage, which are in rights-cases.ts. */
export const CALLS: Record<string, PermissionCall> = {
  '`resolve_slug` of a public coverage': { args: ({ shown }) => ({ slug: shown.slug }) },
  '`resolve_slug` of a draft': { args: ({ draft }) => ({ slug: `case-${draft}` }) },
  '`search`': {
    args: () => ({ filters: { query: 'zebra' } }),
    hasResult: ({ hits }: { hits: unknown[] }) => hits.length > 0,
  },
  '`search` in a withdrawn coverage': {
    args: ({ hidden }) => ({ filters: { query: 'zebra', coverage: hidden.slug } }),
    hasResult: ({ hits }: { hits: unknown[] }) => hits.length > 0,
  },
  '`read_media_file` published': { args: ({ file }) => ({ file_id: file }) },
  '`read_media_file` unpublished': { args: ({ unusedFile }) => ({ file_id: unusedFile }) },
  '`list_corrections`': {},
  '`feed_updates`': { hasResult: ({ entries }: { entries: unknown[] }) => entries.length > 0 },
  '`list_ended_coverages`': { args: () => ({ max_rows: 10 }) },
  '`archive_months`': {},
  '`coverage_days`': { args: coverageOf },
  '`coverage_days` of a withdrawn coverage': { args: ({ hidden }) => ({ coverage_id: hidden.coverage }) },
  '`list_updates_by_person`': { args: ({ id }) => ({ person_id: id('reporter'), max_rows: 5 }) },
  '`sitemap_parts`': {},
  '`sitemap_part`': {
    args: () => ({ month: new Date().toISOString().slice(0, 7).concat('-01'), part: 1 }),
    hasResult: ({ coverages }: { coverages: unknown[] }) => coverages.length > 0,
  },
  '`sitemap_pages`': {},
  '`sitemap_news`': { args: () => ({ max_rows: 10 }) },
  '`get_alert_channels`': {},
  '`tip_receipt` with its secret': { args: ({ receipt }) => ({ receipt }) },
  '`tip_receipt` without its secret': { args: () => ({ receipt: newReceipt() }) },
  '`read_invite` with its secret': {
    args: async ({ context, backend }) => {
      const { invite_id } = await newInvite({ context });
      const token = randomUUID();
      await backend.sql(
        `update public.invites set token_hash = private.sha256_hex('${token}') where id = '${invite_id}' returning id`,
      );
      return { token };
    },
  },
  '`read_invite` without its secret': { args: () => ({ token: randomUUID() }) },
  '`save_device_follow`': {
    args: ({ shown }) => ({
      subscription: subscription(),
      device: '',
      target: { coverage: shown.slug },
      scope: 'all',
    }),
  },
  '`save_device_follow` of a draft': {
    args: ({ draft }) => ({
      subscription: subscription(),
      device: '',
      target: { coverage: `case-${draft}` },
      scope: 'all',
    }),
  },
  '`list_device_follows` without its secret': {
    args: async (matrix) => ({ subscription: await strangeDevice(matrix) }),
  },
  '`delete_device_follows` without its secret': {
    args: async (matrix) => ({ subscription: await strangeDevice(matrix) }),
  },
  '`replace_device_subscription` without its secret': {
    args: async (matrix) => ({ former: await strangeDevice(matrix), subscription: subscription() }),
  },
  '`request_mail_follow`': {
    args: async ({ context, shown }) => {
      const channels = { push_public: null, push_private: null, mail: true };
      await callServer(context.service, 'save_alert_settings', channels);
      return { target: { coverage: shown.slug }, scope: 'all', email: `${randomUUID()}@example.com` };
    },
    // Returns the same for every address.
    hasResult: () => true,
  },
  '`read_follow_request` without its token': { args: () => ({ token: randomUUID() }) },
  '`confirm_follow_request` without its token': { args: () => ({ token: randomUUID() }) },
  '`read_unsubscribe_link` without its secret': { args: () => ({ token: randomUUID() }) },
  '`table_reading_url` without its ticket': { args: () => ({ ticket: randomUUID() }) },
  '`unsubscribe` without its secret': { args: () => ({ token: randomUUID() }) },

  '`get_me`': {},
  '`my_data`': {},
  '`my_sessions`': {},
  '`my_follows`': {},
  '`my_address_follows`': {},
  '`adopt_address_follows`': { args: idempotency_key },
  '`my_push_subscriptions`': {},
  '`my_tips`': {},
  '`save_me`': { args: () => ({ ...idempotency_key(), content: { bio: randomUUID() } }) },
  '`save_follow`': {
    args: ({ shown }) => ({
      ...idempotency_key(),
      target: { coverage: shown.slug },
      scope: 'key',
      by_mail: false,
      by_push: true,
    }),
  },
  '`save_follow` of a draft': {
    args: ({ draft }) => ({
      ...idempotency_key(),
      target: { coverage: `case-${draft}` },
      scope: 'key',
      by_mail: false,
      by_push: true,
    }),
  },
  '`save_push_subscription`': {
    args: () => ({
      ...idempotency_key(),
      subscription: subscription(`${PUSH_SERVICE_URL}/${randomUUID()}`),
      device: '',
    }),
  },
  '`delete_push_subscription` of another person': {
    args: async ({ backend, subject }) => {
      const [row] = await backend.sql<{ id: string }>(
        `select id from public.push_subscriptions where follower_id = '${subject}'`,
      );
      return { ...idempotency_key(), id: row?.id };
    },
    // Returns the same for a missing one.
    hasResult: () => false,
  },
  '`end_session` of another person': {
    args: async ({ backend, subject }) => {
      const [row] = await backend.sql<{ id: string }>(
        `select id from auth.sessions where user_id = '${subject}' limit 1`,
      );
      return { device: row?.id };
    },
  },
  '`accept_invite` of another person': {
    args: async (matrix) => {
      const invite = await newInvite(matrix);
      const token = randomUUID();
      await matrix.backend.sql(
        `update public.invites set token_hash = private.sha256_hex('${token}') where id = '${invite.invite_id}' returning id`,
      );
      return { idempotency_key: invite.idempotency_key, token };
    },
  },

  '`list_desk_updates`': { args: (matrix) => ({ ...coverageOf(matrix), states: ['draft'], max_rows: 10 }) },
  '`desk_search`': {
    args: (matrix) => ({ ...coverageOf(matrix), words: 'zebra', states: ['draft'], max_rows: 10 }),
  },
  '`desk_counts`': { args: coverageOf },
  '`desk_roster`': { args: coverageOf },
  '`list_quiet_coverages`': {
    args: async ({ backend, shown }) => {
      await backend.sql(
        `update public.coverages set quiet_since = now() where id = '${shown.coverage}' returning id`,
      );
      return {};
    },
  },
  '`desk_waiting`': {
    args: async (matrix) => {
      await newTip(matrix);
      return {};
    },
  },
  '`summary_versions`': { args: coverageOf },
  '`photo_library`': { args: ({ shown }) => ({ coverage: shown.coverage }) },
  '`list_table_readings`': {
    args: async ({ backend, shown }) => {
      await backend.sql(
        `insert into private.table_readings (update_id, csv) values ('${shown.update}', 'https://port.example/a.csv')
         on conflict (update_id, csv) do update set next_at = now() returning update_id`,
      );
      return { update_id: shown.update };
    },
  },
  '`photo_uses`': { args: ({ written }) => ({ photo_id: written.photo }) },
  '`photo_uses` of a tip’s photo': { args: ({ tipPhoto }) => ({ photo_id: tipPhoto }) },
  '`coverage_people`': { args: coverageOf },

  '`tip_queue`': { args: () => ({ filters: {} }) },
  '`tip_counts`': { hasResult: (counts: Record<string, unknown>) => Number(counts?.new ?? 0) > 0 },
  '`tip_handlers`': {},
  '`tip_photo`': { args: ({ tipPhoto }) => ({ photo_id: tipPhoto }) },
  '`review_tip`': { args: (matrix) => newTip(matrix) },
  '`hand_over_tip`': { args: async (matrix, who) => ({ ...(await ownTip(matrix, who)), person_id: null }) },
  '`close_tip`': { args: async (matrix, who) => ({ ...(await ownTip(matrix, who)), state: 'declined' }) },
  '`reopen_tip`': {
    args: async (matrix) => {
      const tip = await newTip(matrix);
      const { moderator } = matrix.context.actors;
      await call(moderator.client, 'close_tip', { tip_id: tip.tip_id, version: 1, state: 'spam' });
      return { ...tip, version: 2 };
    },
  },
  '`release_tip`': {
    args: async (matrix) => {
      const tip = await newTip(matrix);
      await matrix.backend.sql(`update public.tips set held = true where id = '${tip.tip_id}' returning id`);
      return tip;
    },
  },
  '`use_tip`': {
    args: async (matrix, who) => ({
      ...(await ownTip(matrix, who)),
      ...coverageOf(matrix),
      update_id: randomUUID(),
      content: { quote: 'Something was seen.' },
    }),
  },

  '`create_coverage`': {
    args: () => ({
      ...idempotency_key(),
      coverage_id: randomUUID(),
      content: { slug: `new-${randomUUID().slice(0, 8)}`, headline: 'New' },
    }),
  },
  '`save_topic`': {
    args: () => ({ ...idempotency_key(), slug: `topic-${randomUUID().slice(0, 8)}`, name: 'Rain' }),
  },
  '`arrange_front_page`': {
    args: ({ shown }) => ({ ...idempotency_key(), coverage_ids: [shown.coverage] }),
  },
  '`set_lead_photo`': {
    args: ({ shown }) => ({ ...idempotency_key(), coverage_id: shown.coverage }),
  },
  '`set_canonical_url`': {
    args: ({ shown }) => ({ ...idempotency_key(), coverage_id: shown.coverage }),
  },
  '`read_filed_texts`': {
    args: async ({ backend, shown, id }) => {
      const sender = await newSender(backend, id('reporter'));
      await backend.sql(
        `insert into private.filed_messages (id, sender_id, written_at, result, texts)
         values ('${shown.update}', '${sender}', now(), '{}', '[{"text": "a"}]') on conflict (id) do nothing returning id`,
      );
      return { update_id: shown.update };
    },
    hasResult: (texts: unknown[]) => texts.length > 0,
  },
  '`list_wordpress_drafts`': { args: ({ shown }) => ({ coverage_id: shown.coverage }) },
  '`claim_wordpress_draft`': {
    args: async ({ backend, shown }) => {
      await backend.sql('delete from private.wordpress_drafts returning update_id');
      return { update_id: shown.update };
    },
  },
  '`read_wordpress`': {
    args: async ({ backend }) => {
      await backend.sql(
        `insert into private.wordpress (url, username, password) values ('https://paper.example', 'desk', 'x')
         on conflict (id) do update set saved_at = now() returning id`,
      );
      return {};
    },
  },
  '`save_wordpress`': {
    args: () => ({
      ...idempotency_key(),
      url: 'https://paper.example',
      username: 'desk',
      password: 'x'.repeat(60),
    }),
  },
  '`remove_wordpress`': { args: () => idempotency_key() },
  '`offer_wordpress_transfer`': { args: () => ({ ...idempotency_key(), code_hash: digest() }) },
  '`read_wordpress_transfer`': {
    args: async ({ backend }) => {
      await backend.sql(newTransfer(randomUUID()));
      return {};
    },
  },
  '`close_wordpress_transfer`': { args: () => idempotency_key() },
  '`read_filing`': {},
  '`my_filing`': {},
  '`connect_filing_channel`': { args: () => ({ ...idempotency_key(), ...FILING_CHANNEL }) },
  '`remove_filing_channel`': { args: () => ({ ...idempotency_key(), channel: 'telegram' }) },
  '`make_filing_code`': {
    args: async ({ context }) => {
      await call(context.actors.owner.client, 'connect_filing_channel', FILING_CHANNEL);
      return { ...idempotency_key(), channel: 'telegram', code_hash: digest(), language: 'en' };
    },
  },
  '`set_filing_trust`': {
    args: async ({ backend, id }) => ({
      ...idempotency_key(),
      sender_id: await newSender(backend, id('reporter')),
      publishes: true,
    }),
  },
  '`unlink_filing_sender` of the reporter': {
    args: async ({ backend, id }) => ({
      ...idempotency_key(),
      sender_id: await newSender(backend, id('reporter')),
    }),
  },
  '`send_wordpress_transfer` with its code': {
    args: async ({ backend }) => {
      const code = randomUUID();
      await backend.sql(newTransfer(code));
      return { code, content: { people: [] } };
    },
  },
  '`set_surge`': { args: () => ({ ...idempotency_key(), mode: 'on' }) },

  '`desk_people`': {},
  '`desk_person`': { args: ({ subject }) => ({ person_id: subject }) },
  '`desk_log`': {},
  '`begin_export`': { args: () => ({ ...idempotency_key(), tips: true, addresses: true }) },
  '`export_page` of one’s own export': {
    args: async ({ context, client }, who) => {
      const asker = who === 'owner' ? client(who) : context.actors.owner.client;
      const begun = idempotency_key();
      await callServer(asker, 'begin_export', { ...begun, tips: false, addresses: false });
      return { export: begun.idempotency_key, part: 'people' };
    },
  },
  '`invite_person`': {
    args: () => ({
      ...idempotency_key(),
      invite_id: randomUUID(),
      content: { email: `${randomUUID()}@example.com`, name: 'Nell', role: 'editor' },
      token_hash: digest(),
    }),
  },
  '`renew_invite`': { args: async (matrix) => ({ ...(await newInvite(matrix)), token_hash: digest() }) },
  '`revoke_invite`': { args: (matrix) => newInvite(matrix) },
  '`set_role`': {
    args: ({ subject }) => ({ ...idempotency_key(), person_id: subject, role: 'contributor' }),
  },
  '`set_role` to owner, of oneself': {
    args: ({ id }, who) => ({ ...idempotency_key(), person_id: id(who), role: 'owner' }),
  },
  '`set_active`': { args: ({ subject }) => ({ ...idempotency_key(), person_id: subject, active: true }) },
  '`save_site`': { args: () => ({ ...idempotency_key(), content: { about: [paragraph(randomUUID())] } }) },
  '`save_site_identity`': {
    args: async ({ context }) => {
      const { data } = await context.service.from('site').select('identity_version').single().throwOnError();
      const content = { sponsor: { label: randomUUID() } };
      return { ...idempotency_key(), content, version: data.identity_version };
    },
  },
  '`save_site_image`': { args: () => ({ ...idempotency_key(), files: imageOf(randomUUID()).files }) },
};

const REFUSALS: Record<string, Mark> = { forbidden: '–', not_found: '?', signed_out: '×' };

const isNonEmpty = (value: unknown) =>
  value !== null && value !== false && value !== undefined && JSON.stringify(value) !== '[]';

/** The mark for the result of a call. Unexpected results are returned as text. */
export async function callMark(
  { client }: MatrixContext,
  who: Person,
  name: string,
  args: object,
  { hasResult = isNonEmpty, isInvalidAccepted }: PermissionCall = {},
): Promise<Mark | string> {
  const { data, error, status } = await client(who).rpc(name, args);
  if (!error) return hasResult(data as never) ? '●' : '○';
  if (error.code === '42501') return '–';
  if (isInvalidAccepted && error.message === 'invalid') return '●';
  return REFUSALS[error.message] ?? `${status} ${error.code} ${error.message} ${error.details}`;
}
