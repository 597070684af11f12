import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import {
  contentOf,
  createCoverage,
  createSharedCoverage,
  createUser,
  openTestContext,
  type TestContext,
} from '../../../support/actors.ts';
import { PUSH_SERVICE_URL, subscription } from '../../../support/alerts.ts';
import { type OwnedBackend, startOwnedBackend } from '../../../support/backend.ts';
import { call, callServer, paragraph } from '../../../support/newsroom.ts';
import { storeSiteImages } from '../../../support/site-images.ts';
import type { Person } from './table.ts';

/** A test context with one of everything, both in a public coverage and in a desk that readers cannot see. */
export type MatrixContext = {
  context: TestContext;
  backend: OwnedBackend;
  client(who: Person): SupabaseClient;
  id(who: Person): string | null;
  /** Public rows, and the same rows in a withdrawn coverage. */
  shown: Thing;
  hidden: Thing;
  /** An update of the reporter in the public coverage. */
  written: Thing;
  /** Id of a draft coverage. */
  draft: string;
  /** A photo of the reporter that no update shows. */
  unusedPhoto: string;
  /** Audio files of the reporter, in a published update and in none. */
  file: string;
  unusedFile: string;
  /** A person who is not an actor. */
  subject: string;
  /** Id of an invite. */
  invite: string;
  /** A tip, its receipt and its photo. */
  tip: string;
  receipt: string;
  tipPhoto: string;
  siteName: string;
  /** Names of an image that the site shows, and of one that it does not show. */
  siteImages: { shown: string; unused: string };
};
export type Thing = { coverage: string; slug: string; update: string; photo: string };

export const PRINTS = [{ width: 480, height: 320, bytes: 9_000 }];
export const newReceipt = () => randomUUID() + randomUUID();

export async function openMatrix(): Promise<MatrixContext> {
  const backend = await startOwnedBackend();
  const context = await openTestContext(backend);
  const { editor, reporter, owner, reader } = context.actors;
  const gone = await createUser(context, 'editor');
  // A copied token is used after auth-js has ended its session.
  await (await gone.signIn()).auth.signOut({ scope: 'global' });

  await call(editor.client, 'save_topic', { slug: 'weather', name: 'Weather' });
  const write = async (coverage: string, published: boolean): Promise<Thing> => {
    const [photo, update] = [randomUUID(), randomUUID()];
    const announced = { photo_id: photo, coverage_id: coverage, content: { alt: 'A dam.' } };
    await call(reporter.client, 'save_photo', announced);
    await callServer(context.service, 'mark_photo_ready', {
      photo_id: photo,
      renditions: PRINTS,
      placeholder_colour: '#0a1b2c',
    });
    const body = [paragraph('A zebra.'), { type: 'photo', photo }];
    const content = { headline: 'Zebra', body, bylines: [reporter.id, owner.id] };
    const args = { coverage_id: coverage, update_id: update, content };
    await call(reporter.client, published ? 'publish_update' : 'save_update', args);
    if (published) {
      const correction = { update_id: update, version: 1, content: { body }, note: 'A stripe.' };
      await call(reporter.client, 'correct_update', correction);
    }
    return { coverage, slug: `case-${coverage}`, update, photo };
  };
  const settle = async (coverage_id: string) => {
    const content = { topics: ['weather'] };
    await call(editor.client, 'save_coverage', { coverage_id, version: 1, content });
    await call(editor.client, 'set_summary', { coverage_id, version: 2, summary: [paragraph('So far.')] });
    return coverage_id;
  };
  const shown = await write(await settle(await createSharedCoverage(context)), true);
  const hidden = await write(await settle(await createSharedCoverage(context)), true);
  await call(editor.client, 'set_coverage_state', { coverage_id: hidden.coverage, state: 'withdrawn' });
  const written = await write(shown.coverage, false);
  const draft = await createSharedCoverage(context, 'draft');
  await createCoverage(context.service, 'ended');
  const unusedPhoto = randomUUID();
  await call(reporter.client, 'save_photo', {
    photo_id: unusedPhoto,
    coverage_id: shown.coverage,
    content: { alt: 'A gate.' },
  });
  const [file, unusedFile] = [randomUUID(), randomUUID()];
  for (const file_id of [file, unusedFile]) {
    await call(reporter.client, 'save_media_file', { file_id, coverage_id: shown.coverage, format: 'mp3' });
    await callServer(context.service, 'record_media_check', { file_id, bytes: 9_000 });
  }
  const recording = {
    type: 'media',
    url: `/media/${file}/9000.mp3`,
    title: 'Hooves',
    description: 'Hooves.',
  };
  const heard = { coverage_id: shown.coverage, update_id: randomUUID(), content: { body: [recording] } };
  await call(reporter.client, 'publish_update', heard);
  const { id: subject, client: subjects } = await createUser(context);
  const push = { subscription: subscription(`${PUSH_SERVICE_URL}/${randomUUID()}`), device: '' };
  await call(subjects, 'save_push_subscription', push);
  const invite = randomUUID();
  await call(owner.client, 'invite_person', {
    invite_id: invite,
    content: { email: 'nell@example.com', name: 'Nell', role: 'editor' },
    token_hash: '0'.repeat(64),
  });
  const { data: site } = await context.service.from('site').select('name').single();

  const [receipt, tipPhoto, tip] = [newReceipt(), randomUUID(), randomUUID()];
  const tipContent = { body: 'A zebra is loose.', contact: 'z@example.org', photo: tipPhoto };
  await callServer(context.service, 'add_tip', {
    tip_id: tip,
    content: tipContent,
    receipt,
    sender: { person: reader.id },
  });
  await callServer(context.service, 'mark_photo_ready', {
    photo_id: tipPhoto,
    renditions: PRINTS,
    placeholder_colour: '#0a1b2c',
  });
  const target = { coverage: shown.slug };
  await call(editor.client, 'save_follow', { target, scope: 'all', by_mail: false, by_push: true });
  const own = { subscription: subscription(`${PUSH_SERVICE_URL}/${randomUUID()}`), device: '' };
  await call(editor.client, 'save_push_subscription', own);
  await call(editor.client, 'publish_update', {
    coverage_id: shown.coverage,
    update_id: randomUUID(),
    content: contentOf('Told to followers.'),
  });
  await backend.sql('update public.alerts set due_at = now() returning id');
  await callServer(context.service, 'claim_deliveries', {});

  const client = (who: Person) =>
    who === 'server' ? context.service : who === 'signedOut' ? gone.client : context.actors[who].client;
  const id = (who: Person) => (who === 'server' || who === 'signedOut' ? gone.id : context.actors[who].id);
  return {
    ...{
      context,
      backend,
      client,
      id,
      shown,
      hidden,
      written,
      draft,
      file,
      unusedFile,
      unusedPhoto,
      subject,
      invite,
      tip,
      receipt,
      tipPhoto,
    },
    siteName: (site as { name: string }).name,
    siteImages: await storeSiteImages(owner.client),
  };
}
