import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import {
  type Courtroom,
  hire,
  makeCase,
  makeCoverage,
  openCourtroom,
  says,
} from '../../../support/actors.ts';
import { SERVICE, subscription } from '../../../support/alerts.ts';
import { type OwnedBackend, startOwnedBackend } from '../../../support/backend.ts';
import { call, paragraph, run } from '../../../support/newsroom.ts';
import type { Person } from './table.ts';

/** A courtroom in which there is something of every kind, once for readers and once for a desk alone. */
export type House = {
  court: Courtroom;
  backend: OwnedBackend;
  client(who: Person): SupabaseClient;
  id(who: Person): string | null;
  /** Something of every kind that readers may see, and the same in a coverage that was taken back. */
  shown: Thing;
  hidden: Thing;
  /** The reporter's, at the desk of what is shown. */
  written: Thing;
  /** A coverage that has not begun. */
  draft: string;
  /** A photo of the reporter's that no update shows. */
  spare: string;
  /** A person whom nobody acts as. */
  subject: string;
  /** An invitation. */
  invite: string;
  /** A tip, what its sender holds, and its photo. */
  tip: string;
  receipt: string;
  tipPhoto: string;
  siteName: string;
};
export type Thing = { coverage: string; slug: string; update: string; photo: string };

export const PRINTS = [{ width: 480, height: 320, bytes: 9_000 }];
export const newReceipt = () => randomUUID() + randomUUID();

export async function openHouse(): Promise<House> {
  const backend = await startOwnedBackend();
  const court = await openCourtroom(backend);
  const { editor, reporter, owner, reader } = court.parties;
  const gone = await hire(court, 'editor');
  // auth-js forgets the token with the session; whoever copied it does not.
  await (await gone.signIn()).auth.signOut({ scope: 'global' });

  await call(editor.client, 'save_topic', { slug: 'weather', name: 'Weather' });
  const write = async (coverage: string, published: boolean): Promise<Thing> => {
    const [photo, update] = [randomUUID(), randomUUID()];
    const announced = { photo_id: photo, coverage_id: coverage, content: { alt: 'A dam.' } };
    await call(reporter.client, 'save_photo', announced);
    await run(court.service, 'photo_developed', { photo_id: photo, prints: PRINTS, colour: '#0a1b2c' });
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
  const shown = await write(await settle(await makeCase(court)), true);
  const hidden = await write(await settle(await makeCase(court)), true);
  await call(editor.client, 'set_coverage_state', { coverage_id: hidden.coverage, state: 'withdrawn' });
  const written = await write(shown.coverage, false);
  const draft = await makeCase(court, 'draft');
  await makeCoverage(court.service, 'ended');
  const spare = randomUUID();
  await call(reporter.client, 'save_photo', {
    photo_id: spare,
    coverage_id: shown.coverage,
    content: { alt: 'A gate.' },
  });
  const { id: subject, client: subjects } = await hire(court);
  const push = { subscription: subscription(`${SERVICE}/${randomUUID()}`), device: '' };
  await call(subjects, 'save_push', push);
  const invite = randomUUID();
  await call(owner.client, 'invite_person', {
    invite_id: invite,
    content: { email: 'nell@example.com', name: 'Nell', role: 'editor' },
    token_hash: '0'.repeat(64),
  });
  const { data: site } = await court.service.from('site').select('name').single();

  const [receipt, tipPhoto, tip] = [newReceipt(), randomUUID(), randomUUID()];
  const told = { body: 'A zebra is loose.', contact: 'z@example.org', photo: tipPhoto };
  await run(court.service, 'add_tip', { tip_id: tip, content: told, receipt, sender: { person: reader.id } });
  await run(court.service, 'photo_developed', { photo_id: tipPhoto, prints: PRINTS, colour: '#0a1b2c' });
  const target = { coverage: shown.slug };
  await call(editor.client, 'save_follow', { target, scope: 'all', mail: false, push: true });
  const own = { subscription: subscription(`${SERVICE}/${randomUUID()}`), device: '' };
  await call(editor.client, 'save_push', own);
  await call(editor.client, 'publish_update', {
    coverage_id: shown.coverage,
    update_id: randomUUID(),
    content: says('Told to followers.'),
  });
  await backend.sql('update public.alerts set due_at = now() returning id');
  await run(court.service, 'claim_deliveries', {});

  const client = (who: Person) =>
    who === 'server' ? court.service : who === 'signedOut' ? gone.client : court.parties[who].client;
  const id = (who: Person) => (who === 'server' || who === 'signedOut' ? gone.id : court.parties[who].id);
  return {
    ...{
      court,
      backend,
      client,
      id,
      shown,
      hidden,
      written,
      draft,
      spare,
      subject,
      invite,
      tip,
      receipt,
      tipPhoto,
    },
    siteName: (site as { name: string }).name,
  };
}
