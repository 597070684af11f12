import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import sharp from 'sharp';
import type { SMTPServerOptions } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createAlertClient } from '../../../src/lib/server/alert-client.ts';
import { startDeliveryScheduler } from '../../../src/lib/server/delivery-scheduler.ts';
import {
  allowPushService,
  createFollowers,
  type PushService,
  startPushService,
} from '../../support/alerts.ts';
import { anonClient, type OwnedBackend, serviceClient, startOwnedBackend } from '../../support/backend.ts';
import { eventually } from '../../support/eventually.ts';
import { type MailServer, startMailServer } from '../../support/mail.ts';
import { call, createLiveCoverage, createUsers, type Newsroom, type People } from '../../support/newsroom.ts';
import { announcePhoto, makePhoto } from '../../support/photos.ts';

const SITE = 'https://news.example';

let backend: OwnedBackend;
let service: SupabaseClient;
let people: People;
let pushes: PushService;
let mails: MailServer;
let newsroom: Newsroom;
/** Status codes of the mail server by receiver. By default it accepts mails. */
const refusals = new Map<string, number>();
/** Delays of the mail server by receiver. */
const waits = new Map<string, Promise<void>>();

const mailServer: SMTPServerOptions = {
  async onRcptTo({ address }, _session, go) {
    await waits.get(address);
    const responseCode = refusals.get(address);
    go(responseCode ? Object.assign(new Error('No'), { responseCode }) : null);
  },
};

beforeAll(async () => {
  [pushes, mails] = await Promise.all([startPushService(), startMailServer(mailServer)]);
  backend = await startOwnedBackend({ ...mails.environment, SITE_URL: SITE });
  service = serviceClient(backend);
  people = await createUsers({ ...backend, service });
  await allowPushService(backend.sql, pushes.origin);
});
afterAll(async () => {
  await backend.stop();
  await Promise.all([pushes.stop(), mails.stop()]);
});
beforeEach(async () => {
  newsroom = await createLiveCoverage(people);
  pushes.received.length = 0;
  pushes.requestCounts.clear();
  mails.delivered.length = 0;
});

type Told = { claimed: number; sent: number; again: number; dropped: number; more: boolean };

async function ringOnce(client = service): Promise<Told> {
  const { data, error } = await client.functions.invoke('deliver-alerts', { body: {} });
  if (error) throw error;
  return data;
}

/** Calls the function until nothing is left. @returns the sum of all results */
async function callUntilDone(): Promise<Omit<Told, 'more'>> {
  const whole = { claimed: 0, sent: 0, again: 0, dropped: 0 };
  for (;;) {
    const told = await ringOnce();
    for (const name of ['claimed', 'sent', 'again', 'dropped'] as const) whole[name] += told[name];
    if (!told.more) return whole;
  }
}

/** Makes all waiting alerts due. */
async function makeDue(): Promise<void> {
  await backend.sql(
    `update public.alerts set due_at = now() - interval '1 second', latest_at = now() - interval '1 second'
     where deliveries_created_at is null returning id`,
  );
  await backend.sql(
    `update public.deliveries set due_at = now() - interval '1 second' where state = 'queued' returning id`,
  );
}

const followers = (counts: Parameters<typeof createFollowers>[2]) =>
  createFollowers(backend.sql, newsroom.coverage.id, counts);

type Row = { state: string; attempts: number; error: string | null; wait: number; follower_id: string };
const deliveries = () =>
  backend.sql<Row>(
    `select d.state, d.attempts, d.error, ceil(extract(epoch from d.due_at - now()))::int as wait, d.follower_id
     from public.deliveries d join public.alerts a on a.id = d.alert_id where a.coverage_id = '${newsroom.coverage.id}'`,
  );

const addressesOf = () => mails.delivered.flatMap(({ to }) => to);
const topicsOf = (endpoint: string) =>
  pushes.received.filter((one) => one.endpoint === endpoint).map(({ topic }) => topic);

test('can be called by the server only, and its first call stores channels and keys', async () => {
  for (const client of [anonClient(backend), people.reader.client, people.owner.client]) {
    const { error } = await client.functions.invoke('deliver-alerts', { body: {} });
    expect(await error.context.json()).toMatchObject({ code: 'signed_out', message: expect.any(String) });
  }
  expect((await anonClient(backend).rpc('get_alert_channels')).data).toEqual({ push_key: null, mail: false });
  expect(await ringOnce()).toEqual({ claimed: 0, sent: 0, again: 0, dropped: 0, more: false });
  const { data } = await anonClient(backend).rpc('get_alert_channels');
  expect(data).toEqual({ push_key: expect.stringMatching(/^B[\w-]{86}$/), mail: true });
  await killFunction();
  await ringOnce();
  expect((await anonClient(backend).rpc('get_alert_channels')).data).toEqual(data);
});

test('delivers an alert once to every device and by mail, with a link to the update', async () => {
  const [phone, laptop, tablet] = [pushes.browser(), pushes.browser(), pushes.browser()];
  const [both] = await followers([
    { browsers: [phone, laptop], mail: true },
    { browsers: [tablet] },
    { mail: true },
  ]);
  const { number } = await newsroom.publish({ headline: 'The lower gate is open', key_event: true });
  // The update can still be undone.
  expect(await callUntilDone()).toMatchObject({ claimed: 0 });
  await makeDue();
  expect(await callUntilDone()).toEqual({ claimed: 5, sent: 5, again: 0, dropped: 0 });
  await makeDue();
  expect(await callUntilDone()).toMatchObject({ claimed: 0 });

  expect(pushes.received.map(({ endpoint }) => endpoint).sort()).toEqual(
    [phone, laptop, tablet].map(({ subscription }) => subscription.endpoint).sort(),
  );
  const { data: means } = await service.rpc('get_alert_channels');
  const { slug } = newsroom.coverage;
  for (const { message, topic, ttl, urgency, sender } of pushes.received) {
    expect(message).toEqual({
      alert: expect.any(String),
      title: 'The river rises at Harrow Bridge',
      body: 'The lower gate is open',
      url: `${SITE}/live/${slug}/${number}`,
      tag: slug,
      urgent: false,
      lang: 'en',
      at: expect.closeTo(Date.now(), -5),
    });
    expect(topic).toBe(message.alert.replaceAll('-', ''));
    expect([ttl, urgency]).toEqual([14_400, 'normal']);
    expect(sender).toMatchObject({ aud: pushes.origin, sub: SITE, key: means.push_key });
    expect(sender.exp - Date.now() / 1000).toBeLessThan(24 * 3600);
  }
  // The push topic makes a slow service keep one message per alert and device.
  expect(new Set(pushes.received.map(({ topic }) => topic)).size).toBe(1);

  expect(addressesOf()).toHaveLength(2);
  const mine = mails.delivered.find(({ to }) => to.includes(both?.email ?? ''))?.mail;
  const header = (name: string) => mine?.headers.find(({ key }) => key === name)?.value ?? '';
  expect(mine?.subject).toBe('The river rises at Harrow Bridge: The lower gate is open');
  const [, stop = ''] =
    /^<https:\/\/news\.example\/unsubscribe\/([\w-]{43})>$/.exec(header('list-unsubscribe')) ?? [];
  expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  expect(header('auto-submitted')).toBe('auto-generated');
  expect(mine?.messageId).toMatch(/^<alert-[0-9a-f-]{36}@news\.example>$/);
  for (const part of [mine?.text, mine?.html]) {
    for (const link of [`/live/${slug}/${number}`, `/live/${slug}`, `/unsubscribe/${stop}`, '/account']) {
      expect(part).toContain(`${SITE}${link}`);
    }
  }
  // Unsubscribing in the mail program needs nothing else.
  expect((await anonClient(backend).rpc('read_unsubscribe_link', { token: stop })).data).toMatchObject({
    slug,
  });
  const stopped = await anonClient(backend).rpc('unsubscribe', { token: stop });
  expect(stopped.error).toBeNull();
});

/** Adds a photo with one rendition. `file` is missing from storage if it is null. @returns its id */
async function addPhoto(file: Buffer | null): Promise<string> {
  const photo_id = await announcePhoto(newsroom);
  if (file) {
    const { error } = await service.storage
      .from('photos')
      .upload(`renditions/${photo_id}/480`, file, { contentType: 'image/webp' });
    if (error) throw error;
  }
  const renditions = [{ width: 480, height: 320, bytes: 2_000 }];
  await service
    .rpc('mark_photo_ready', { photo_id, renditions, placeholder_colour: '#28406a' })
    .throwOnError();
  return photo_id;
}

test('shows the photo of an update, and sends the mail without a photo that is missing', async () => {
  await followers([{ browsers: [pushes.browser()], mail: true }]);
  const file = await sharp(await makePhoto(480, 320))
    .webp()
    .toBuffer();
  for (const content of [file, null]) {
    const photo = await addPhoto(content);
    await newsroom.publish({ headline: 'The gate', body: [{ type: 'photo', photo }] });
    await makeDue();
    expect(await callUntilDone()).toMatchObject({ sent: 2 });
    expect(pushes.received.at(-1)?.message).toMatchObject({ photo: `${SITE}/photos/${photo}/960` });
    const mail = mails.delivered.at(-1)?.mail;
    expect(mail?.text).toContain('The gate');
    expect(mail?.attachments.map((one) => Buffer.from(one.content as ArrayBuffer))).toEqual(
      content ? [content] : [],
    );
    expect(mail?.html?.includes('cid:photo')).toBe(content !== null);
  }
});

test('combines several updates in one alert, and marks urgent ones', async () => {
  const browser = pushes.browser();
  const [, writes] = await followers([{ browsers: [browser] }, { mail: true }]);
  const { data } = await service.from('coverages').select('version').eq('id', newsroom.coverage.id).single();
  await call(people.editor.client, 'save_coverage', {
    coverage_id: newsroom.coverage.id,
    version: data?.version,
    content: { language: 'es-MX' },
  });
  for (const headline of ['Uno', 'Dos', 'Tres']) await newsroom.publish({ headline });
  await makeDue();
  await callUntilDone();
  expect(pushes.received.map(({ message }) => message)).toMatchObject([
    { body: 'Tres\ny 2 actualizaciones más', url: `${SITE}/live/${newsroom.coverage.slug}`, lang: 'es-MX' },
  ]);
  const [mail] = mails.delivered;
  expect(mail?.to).toEqual([writes?.email]);
  expect(mail?.mail.text).toMatch(/3 actualizaciones nuevas.*Tres.*Dos.*Uno.*No recibir más correos/s);

  const coverage_id = newsroom.coverage.id;
  const content = {
    headline: 'Cuatro',
    urgency: 'urgent',
    body: [{ type: 'paragraph', runs: [{ text: 'Ya.' }] }],
  };
  await call(people.editor.client, 'publish_update', { coverage_id, update_id: randomUUID(), content });
  await makeDue();
  await callUntilDone();
  expect(pushes.received.at(-1)).toMatchObject({
    urgency: 'high',
    message: { urgent: true, body: 'Cuatro' },
  });
  expect(mails.delivered.at(-1)?.mail.subject).toBe('Urgente: The river rises at Harrow Bridge: Cuatro');
});

test('retries as requested or gives up, deletes devices that are gone, and logs no personal data', async () => {
  const [busy, late, gone, refused] = [
    pushes.browser(),
    pushes.browser(),
    pushes.browser(),
    pushes.browser(),
  ].map((browser) => [browser]);
  const all = await followers([
    { browsers: busy },
    { browsers: late },
    { browsers: gone },
    { browsers: refused },
    { mail: true },
    { mail: true },
  ]);
  const endpointOf = (at: number) => all[at]?.browsers[0]?.subscription.endpoint ?? '';
  pushes.setResponse(endpointOf(0), { status: 503, headers: { 'retry-after': '7200' } });
  pushes.setResponse(endpointOf(1), {
    status: 302,
    headers: { location: `${pushes.origin}/push/elsewhere` },
  });
  pushes.setResponse(endpointOf(2), { status: 410 });
  pushes.setResponse(endpointOf(3), { status: 403 });
  refusals.set(all[4]?.email ?? '', 550).set(all[5]?.email ?? '', 451);
  await newsroom.publish();
  await makeDue();
  expect(await callUntilDone()).toEqual({ claimed: 6, sent: 0, again: 3, dropped: 3 });
  const rowOf = async (at: number) =>
    (await deliveries()).find(({ follower_id }) => follower_id === all[at]?.id);
  expect(await rowOf(0)).toMatchObject({ state: 'queued', attempts: 1, error: 'push 503' });
  expect((await rowOf(0))?.wait).toBeGreaterThan(7100);
  expect(await rowOf(1)).toMatchObject({ state: 'queued', error: 'push 302' });
  expect((await rowOf(1))?.wait).toBeLessThan(80);
  expect([...pushes.requestCounts.keys()]).not.toContain(`${pushes.origin}/push/elsewhere`);
  expect(await rowOf(2)).toMatchObject({ state: 'dropped', error: 'push 410' });
  expect(await rowOf(3)).toMatchObject({ state: 'failed', error: 'push 403' });
  expect(await rowOf(4)).toMatchObject({ state: 'failed', error: 'mail 550' });
  expect(await rowOf(5)).toMatchObject({ state: 'queued', error: 'mail 451' });
  const kept = await backend.sql(
    `select id from public.push_subscriptions where endpoint in ('${endpointOf(2)}', '${endpointOf(3)}')`,
  );
  expect(kept).toHaveLength(1);

  for (const at of [0, 1]) pushes.setResponse(endpointOf(at));
  refusals.clear();
  await makeDue();
  expect(await callUntilDone()).toMatchObject({ sent: 3, again: 0 });
  expect(addressesOf()).toEqual([all[5]?.email]);
  expect(backend.errors()).toContain('not told: 1 × push 503');
  const log = backend.errors() + backend.output();
  for (const secret of [pushes.origin, 'readers.example', 'unsubscribe']) expect(log).not.toContain(secret);
});

test('records a mail that cannot be written, and continues', async () => {
  const browser = pushes.browser();
  const [both] = await followers([{ browsers: [browser], mail: true }]);
  await newsroom.publish();
  // A time that PostgreSQL accepts and JavaScript cannot show.
  await backend.sql(
    `update public.updates set published_at = 'infinity' where coverage_id = '${newsroom.coverage.id}' returning id`,
  );
  await makeDue();
  expect(await callUntilDone()).toEqual({ claimed: 2, sent: 1, again: 0, dropped: 1 });
  expect(topicsOf(browser.subscription.endpoint)).toHaveLength(1);
  expect(mails.delivered).toEqual([]);
  expect(await deliveries()).toContainEqual(
    expect.objectContaining({
      follower_id: both?.id,
      state: 'failed',
      attempts: 1,
      error: 'not written (RangeError)',
    }),
  );
  expect(backend.errors()).toContain('not told: 1 × not written (RangeError)');
  expect(backend.errors() + backend.output()).not.toContain(both?.email);
});

test('calls no unknown push service, and does not deliver withdrawn updates', async () => {
  const stranger = await startPushService();
  const browser = pushes.browser();
  await followers([{ browsers: [stranger.browser()] }, { browsers: [browser], mail: true }]);
  const saved = await newsroom.publish();
  await makeDue();
  expect(await callUntilDone()).toMatchObject({ claimed: 2, sent: 2 });
  expect(stranger.requestCounts.size).toBe(0);
  await stranger.stop();
  await newsroom.withdraw(saved, 'Not true.');
  await newsroom.withdraw(await newsroom.publish({ headline: 'Gone' }), 'Not true.');
  await makeDue();
  expect(await callUntilDone()).toMatchObject({ claimed: 0 });
  expect(pushes.received).toHaveLength(1);
});

/** The process id of the function, a child of the backend. */
function functionPid(): number {
  const lines = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(backend.pid)], { encoding: 'utf8' });
  const [line = ''] = lines.split('\n').filter((one) => one.includes('deliver-alerts'));
  return Number.parseInt(line, 10);
}

async function killFunction(): Promise<void> {
  const pid = functionPid();
  process.kill(pid, 'SIGKILL');
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow());
}

/** Ends the leases of killed processes. */
const endLeases = () =>
  backend.sql(`update public.deliveries set lease_expires_at = now() where state = 'sending' returning id`);

test('continues after being killed, without duplicates, and leaves only a few deliveries unclear', async () => {
  // As many as one claim takes, so that mails come later.
  const browsers = Array.from({ length: 60 }, () => pushes.browser());
  const all = await followers([
    ...browsers.map((browser) => ({ browsers: [browser] })),
    ...Array.from({ length: 50 }, () => ({ mail: true })),
  ]);
  await newsroom.publish();
  await makeDue();
  // The push service is slow: some pushes of a group are sent but not recorded.
  const held = Promise.withResolvers<void>();
  const holds = browsers.filter((_, index) => index % 3 === 0);
  for (const { subscription } of holds) pushes.setResponse(subscription.endpoint, held.promise);
  const broken = ringOnce().catch((error: unknown) => error);
  await vi.waitFor(() => expect(pushes.received.length).toBeGreaterThan(9), { timeout: 20_000 });
  await killFunction();
  expect(await broken).toBeInstanceOf(Error);
  held.resolve();
  for (const { subscription } of holds) pushes.setResponse(subscription.endpoint);
  await endLeases();

  // The mail server accepts the others of a group, and delays one.
  const last = all.at(-1)?.email ?? '';
  const rest = Promise.withResolvers<void>();
  waits.set(last, rest.promise);
  const brokenToo = callUntilDone().catch((error: unknown) => error);
  const groupOfLast = `select count(*)::int as told from public.deliveries o join public.deliveries d using (alert_id)
    where o.state = 'sending' and o.sending_started_at is not null and d.state = 'sending' and d.follower_id = '${all.at(-1)?.id}'
    and d.sending_started_at is not null`;
  await vi.waitFor(
    async () => {
      const [row] = await backend.sql<{ told: number }>(groupOfLast);
      const begun = row?.told ?? 0;
      expect(begun).toBeGreaterThan(0);
      const known = (await deliveries()).filter(({ state }) => state === 'sent').length;
      expect(mails.delivered.length + browsers.length - known).toBe(begun - 1);
    },
    { timeout: 20_000, interval: 200 },
  );
  await killFunction();
  expect(await brokenToo).toBeInstanceOf(Error);
  waits.delete(last);
  rest.resolve();
  await endLeases();
  await makeDue();
  await callUntilDone();

  for (const { subscription } of browsers) {
    expect(new Set(topicsOf(subscription.endpoint)).size, subscription.endpoint).toBe(1);
  }
  const addresses = addressesOf();
  expect(new Set(addresses).size).toBe(addresses.length);
  const unclear = (await deliveries()).filter(({ state }) => state === 'unclear');
  const untold = all.filter(({ mail, email }) => mail && !addresses.includes(email));
  expect(unclear.length).toBeLessThanOrEqual(6);
  expect(untold.map(({ email }) => email)).toEqual([last]);
  expect(unclear.map(({ follower_id }) => follower_id)).toContain(all.at(-1)?.id);
});

test('delivers once when two servers call at the same time', async () => {
  const browsers = Array.from({ length: 90 }, () => pushes.browser());
  await followers([
    ...browsers.map((browser) => ({ browsers: [browser] })),
    ...Array.from({ length: 30 }, () => ({ mail: true })),
  ]);
  await newsroom.publish();
  await makeDue();
  const both = await Promise.all([callUntilDone(), callUntilDone()]);
  expect(both.map(({ sent }) => sent).reduce((one, other) => one + other)).toBe(120);
  expect(pushes.requestCounts.size).toBe(90);
  expect([...pushes.requestCounts.values()]).toEqual(Array(90).fill(1));
  expect(new Set(addressesOf()).size).toBe(30);
  expect(addressesOf()).toHaveLength(30);
});

test('is called by the scheduler when an alert is created', async () => {
  const browser = pushes.browser();
  await followers([{ browsers: [browser] }]);
  const alertClient = createAlertClient({ url: backend.url, secretKey: backend.secretKey });
  const due = vi.fn(alertClient.secondsUntilDue);
  const stop = startDeliveryScheduler({ ...alertClient, secondsUntilDue: due }, undefined, 0);
  // The scheduler has checked and would check again in half a minute.
  await vi.waitFor(() => expect(due).toHaveResolvedWith(null), 10_000);
  await newsroom.publish({ headline: 'At last' });
  await makeDue();
  await backend.sql(`select private.broadcast('site', 'alerts', '{"due": 0}')`);
  await vi.waitFor(() => expect(topicsOf(browser.subscription.endpoint)).toHaveLength(1), 10_000);
  await stop();
});
