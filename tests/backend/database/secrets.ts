import { randomUUID } from 'node:crypto';
import { contentOf, createCoverage, createSharedCoverage, type TestContext } from '../../support/actors.ts';
import { PUSH_SERVICE_URL, subscription } from '../../support/alerts.ts';
import { call, callServer, paragraph } from '../../support/newsroom.ts';

/** Texts that readers must not see. A response that contains one of them is a failure. */
export const SECRETS = {
  draftCoverage: 'secret-draft-coverage',
  withdrawnCoverage: 'secret-withdrawn-coverage',
  ofWithdrawnCoverage: 'secret-of-withdrawn-coverage',
  draft: 'secret-draft',
  submitted: 'secret-submitted',
  spiked: 'secret-spiked',
  scheduled: 'secret-scheduled',
  beforePublication: 'secret-before-publication',
  redacted: 'secret-redacted',
  withdrawn: 'secret-withdrawn',
  noteOfWithdrawn: 'secret-note-of-withdrawn',
  deskNote: 'secret-desk-note',
  earlierHeadline: 'secret-earlier-headline',
  photoOfDraft: 'secret-photo-of-draft',
  photoOfWithdrawn: 'secret-photo-of-withdrawn',
  photoComing: 'secret-photo-coming',
  photoRemoved: 'secret-photo-removed',
  tip: 'secret-tip',
  /** The push subscription of an editor. It is hidden from everyone, also from staff. */
  device: 'secret-device',
};
/** Text that readers see in updates, notes and reasons. */
export const PUBLISHED = 'words-for-everyone';

/** Ids of coverages (one draft, one live, one withdrawn) and of three updates of the live one. */
export type Scene = Record<'drafts' | 'live' | 'gone' | 'draft' | 'withdrawn' | 'corrected', string>;

/** Stores every secret in its usual place, beside public content. */
export async function hideSecrets(context: TestContext): Promise<Scene> {
  const { editor, reporter } = context.actors;
  const drafts = await createSharedCoverage(context, 'draft');
  const secret = {
    headline: SECRETS.draftCoverage,
    slug: SECRETS.draftCoverage,
    kicker: SECRETS.draftCoverage,
  };
  await call(editor.client, 'save_coverage', { coverage_id: drafts, version: 1, content: secret });
  await call(editor.client, 'set_summary', {
    coverage_id: drafts,
    version: 2,
    summary: [paragraph(SECRETS.draftCoverage)],
  });

  const live = await createCoverage(context.service, 'draft', { headline: SECRETS.earlierHeadline });
  await call(editor.client, 'save_coverage', {
    coverage_id: live,
    version: 1,
    content: { headline: PUBLISHED },
  });
  await call(editor.client, 'set_coverage_state', { coverage_id: live, state: 'live' });

  /** Adds a photo to the live coverage, processed unless `coming` is set. @returns its block */
  const photograph = async (words: string, coming = false) => {
    const photo = randomUUID();
    const content = { alt: words, caption: words, credit: words };
    await call(reporter.client, 'save_photo', { coverage_id: live, photo_id: photo, content });
    const renditions = [{ width: 480, height: 320, bytes: 9_000 }];
    if (!coming)
      await callServer(context.service, 'mark_photo_ready', {
        photo_id: photo,
        renditions,
        placeholder_colour: '#0a1b2c',
      });
    return { type: 'photo', photo };
  };

  const save = async (words: string, more: object = {}) => {
    const update_id = randomUUID();
    const content = contentOf(words, { headline: words, attribution: words, dateline: words, ...more });
    await call(reporter.client, 'save_update', { coverage_id: live, update_id, content });
    return update_id;
  };
  const publish = async (update_id: string, words: string, version: number | null) => {
    const content = contentOf(words, { desk_note: SECRETS.deskNote });
    await call(reporter.client, 'publish_update', { coverage_id: live, update_id, version, content });
  };

  const draft = await save(SECRETS.draft, {
    desk_note: SECRETS.deskNote,
    body: [paragraph(SECRETS.draft), await photograph(SECRETS.photoOfDraft)],
  });
  await call(reporter.client, 'submit_update', { update_id: await save(SECRETS.submitted), version: 1 });
  await call(reporter.client, 'spike_update', { update_id: await save(SECRETS.spiked), version: 1 });

  await call(reporter.client, 'schedule_update', {
    coverage_id: live,
    update_id: randomUUID(),
    content: contentOf(SECRETS.scheduled, { headline: SECRETS.scheduled }),
    scheduled_for: new Date(Date.now() + 24 * 3600_000).toISOString(),
  });

  const corrected = await save(SECRETS.beforePublication);
  await publish(corrected, SECRETS.redacted, 1);
  await call(reporter.client, 'correct_update', {
    update_id: corrected,
    version: 2,
    content: {
      body: [paragraph(PUBLISHED), await photograph(SECRETS.photoComing, true)],
      desk_note: SECRETS.deskNote,
    },
    note: PUBLISHED,
  });
  await call(editor.client, 'redact_revision', { update_id: corrected, version: 2, reason: PUBLISHED });

  const shown = await photograph(SECRETS.photoRemoved);
  await call(reporter.client, 'publish_update', {
    coverage_id: live,
    update_id: randomUUID(),
    content: { body: [paragraph(PUBLISHED), shown] },
  });
  await call(reporter.client, 'remove_photo', { photo_id: shown.photo, note: PUBLISHED });

  const withdrawn = randomUUID();
  await publish(withdrawn, SECRETS.withdrawn, null);
  await call(reporter.client, 'correct_update', {
    update_id: withdrawn,
    version: 1,
    content: {
      body: [paragraph(SECRETS.withdrawn), await photograph(SECRETS.photoOfWithdrawn)],
      headline: SECRETS.withdrawn,
      dateline: SECRETS.withdrawn,
    },
    note: SECRETS.noteOfWithdrawn,
  });
  await call(reporter.client, 'withdraw_update', { update_id: withdrawn, reason: PUBLISHED });

  await callServer(context.service, 'add_tip', {
    tip_id: randomUUID(),
    content: { body: SECRETS.tip, name: SECRETS.tip, contact: SECRETS.tip, coverage: `case-${live}` },
    receipt: randomUUID() + randomUUID(),
    sender: { address: SECRETS.tip },
  });

  const target = { coverage: `case-${live}` };
  await call(editor.client, 'save_follow', { target, scope: 'all', by_mail: true, by_push: true });
  await call(editor.client, 'save_push_subscription', {
    subscription: subscription(`${PUSH_SERVICE_URL}/${SECRETS.device}`),
    device: SECRETS.device,
  });

  const gone = await createCoverage(context.service, 'live', {
    headline: SECRETS.withdrawnCoverage,
    standfirst: SECRETS.withdrawnCoverage,
  });
  const update_id = randomUUID();
  const content = contentOf(SECRETS.ofWithdrawnCoverage);
  await call(reporter.client, 'publish_update', { coverage_id: gone, update_id, content });
  await call(reporter.client, 'correct_update', {
    update_id,
    version: 1,
    content,
    note: SECRETS.ofWithdrawnCoverage,
  });
  await call(editor.client, 'set_coverage_state', { coverage_id: gone, state: 'withdrawn' });
  return { drafts, live, gone, draft, withdrawn, corrected };
}
