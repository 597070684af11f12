import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Upload } from 'tus-js-client';
import { createCoverage, STATE_PATHS } from './actors.ts';
import { subscription } from './alerts.ts';
import { anonClient, serviceClient, type TestBackend } from './backend.ts';
import type { MailServer } from './mail.ts';
import { call, callServer, createAccount, createNewsroom, paragraph } from './newsroom.ts';
import { addReadyPhoto, createRichCoverage } from './seeded-newsroom.ts';
import { until } from './until.ts';

/** Links, passwords and ids that people of this newsroom still have. */
export type ReleaseRecord = {
  password: string;
  /** E-mail addresses by role. */
  people: Record<string, string>;
  /** The session of the reporter's browser. */
  refreshToken: string;
  receipts: string[];
  /** A public photo, and the digest of one rendition. */
  photo: { id: string; width: number; sha256: string };
  coverage: { id: string; slug: string };
};

/** Creates a small newsroom with rows in every table. */
export async function createReleaseNewsroom(backend: TestBackend, mails: MailServer): Promise<ReleaseRecord> {
  const service = serviceClient(backend);
  const access = { ...backend, service };
  await callServer(service, 'offer_setup', { code_hash: digest('nobody has this code') }).catch(
    () => undefined,
  );
  await service.functions.invoke('deliver-alerts', { body: {} });
  const rich = await createRichCoverage(backend);
  const newsroom = await createNewsroom(access);
  const { people, coverage } = newsroom;
  const { owner, editor, reporter, moderator, reader } = people;
  await call(owner.client, 'save_site', {
    content: { name: 'The Ostley Courier', tagline: 'By the river', contact: 'desk@example.com' },
  });
  for (const state of Object.keys(STATE_PATHS))
    await createCoverage(service, state, { headline: `A case, ${state}` });

  // Followers must exist before the first update.
  const follow = { target: { coverage: coverage.slug }, scope: 'all', by_mail: true, by_push: true };
  await call(reader.client, 'save_follow', follow);
  await call(reader.client, 'save_push_subscription', {
    subscription: subscription('https://updates.push.services.mozilla.com/wpush/v2/nobody'),
    device: 'A phone',
  });
  const leaving = await createAccount(access, { name: 'leaving' });
  const leaver = anonClient(backend);
  await leaver.auth.signInWithPassword(leaving);
  await call(leaver, 'save_follow', follow);

  // These texts fill the search index.
  const first = await newsroom.publish({ headline: 'Zażółć gęślą jaźń 🌊', key_event: true });
  const corrected = await newsroom.correct(first, { headline: 'The bridge is closed' }, 'It was the bridge.');
  await newsroom.withdraw(await newsroom.publish({ headline: 'Wrong' }), 'It was another river.');
  await newsroom.pin(corrected);
  await newsroom.setSummary([paragraph('The river is rising.')]);
  const photo = await addReadyPhoto(service, reporter.client, coverage.id, {
    alt: 'The quay',
    credit: 'A. Reporter',
  });
  const shown = { headline: 'The quay', body: [paragraph('So it stands.'), photo.block] };
  await newsroom.publish(shown);
  await call(reporter.client, 'save_photo', {
    photo_id: randomUUID(),
    coverage_id: coverage.id,
    content: { alt: 'Still on its way' },
  });
  await leaveHalfAnUpload(backend, reporter.client, coverage.id);

  const receipts = await submitTips(backend, coverage, moderator.client);
  const invite = { email: 'invited@example.com', name: 'Nell Ashe', role: 'reporter' };
  const token_hash = digest('nobody has this token');
  await call(owner.client, 'invite_person', { invite_id: randomUUID(), content: invite, token_hash });
  await call(editor.client, 'set_coverage_member', { coverage_id: rich, person_id: people.contributor.id });
  await callServer(owner.client, 'begin_export', {
    idempotency_key: randomUUID(),
    tips: true,
    addresses: false,
  });
  // This update is refused when its time comes, because its coverage is a draft.
  const draft = await createCoverage(service, 'draft', { headline: 'Nobody reads this yet' });
  await call(editor.client, 'schedule_update', {
    coverage_id: draft,
    update_id: randomUUID(),
    content: { body: [paragraph('Later.')] },
    scheduled_for: new Date(Date.now() + 300 * 86_400_000).toISOString(),
  });
  await waitForAlert(service, mails);
  await reporter.client.auth.refreshSession();

  const width = 480;
  const { data: print } = await service.storage.from('photos').download(`renditions/${photo.id}/${width}`);
  const { data: held } = await reporter.client.auth.getSession();
  return {
    password: reporter.password,
    people: Object.fromEntries(Object.entries(people).map(([role, { email }]) => [role, email])),
    refreshToken: held.session?.refresh_token ?? '',
    receipts,
    photo: {
      id: photo.id,
      width,
      sha256: digest(Buffer.from((await print?.arrayBuffer()) ?? new ArrayBuffer(0))),
    },
    coverage,
  };
}

const digest = (what: string | Buffer) => createHash('sha256').update(what).digest('hex');

type Client = ReturnType<typeof anonClient>;

async function submitTips(
  backend: TestBackend,
  { slug, id }: { id: string; slug: string },
  moderator: Client,
): Promise<string[]> {
  const receipts: string[] = [];
  const tips: string[] = [];
  for (const body of ['The gate is open.', 'Cheap watches.', 'Nothing new.', 'The school is closed.']) {
    const tip = {
      id: randomUUID(),
      coverage: slug,
      body,
      name: 'Ada',
      contact: 'ada@example.org',
      may_be_named: true,
    };
    const { data, error } = await anonClient(backend).functions.invoke('submit-tip', { body: tip });
    if (error) throw error;
    receipts.push(data.receipt);
    tips.push(tip.id);
  }
  const [used = '', spam = '', declined = ''] = tips;
  const seen = { version: 1 };
  const content = { quote: 'The gate is open.' };
  await call(moderator, 'use_tip', {
    ...seen,
    tip_id: used,
    coverage_id: id,
    update_id: randomUUID(),
    content,
  });
  await call(moderator, 'close_tip', { ...seen, tip_id: spam, state: 'spam' });
  await call(moderator, 'close_tip', { ...seen, tip_id: declined, state: 'declined' });
  return receipts;
}

/** Starts a resumable upload and stops it after its first part. */
async function leaveHalfAnUpload(backend: TestBackend, client: Client, coverage_id: string): Promise<void> {
  const id = randomUUID();
  await call(client, 'save_photo', { photo_id: id, coverage_id, content: { alt: 'Half of it' } });
  const { data } = await client.auth.getSession();
  const done = Promise.withResolvers<void>();
  const upload = new Upload(randomBytes(40_000), {
    endpoint: `${backend.url}/storage/v1/upload/resumable`,
    chunkSize: 20_000,
    headers: { authorization: `Bearer ${data.session?.access_token}`, apikey: backend.publishableKey },
    metadata: { bucketName: 'photos', objectName: `incoming/${id}`, contentType: 'image/jpeg' },
    onChunkComplete: () => void upload.abort().then(done.resolve),
    onError: done.reject,
  });
  upload.start();
  await done.promise;
}

/** Waits until the follower has received a mail. Alerts are held for some seconds. */
const waitForAlert = (service: Client, mails: MailServer): Promise<void> =>
  until('The follower receives a mail', async () => {
    await service.functions.invoke('deliver-alerts', { body: {} });
    return mails.delivered.length > 0;
  });
