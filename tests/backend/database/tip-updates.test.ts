import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import {
  addTip,
  type Call,
  createCoverageIn,
  errorOf,
  markPhotoReady,
  openTestDatabase,
  RENDITIONS,
  readTipQueue,
  SERVER,
  type TestDatabase,
  tipRow,
  VISITOR,
} from '../../support/database.ts';
import { paragraph } from '../../support/newsroom.ts';
import { x } from './content-cases.ts';

/* The update made from a tip: its content, its permissions, and who sees its photo. */

type Person = Claims & { sub: string };
let database: TestDatabase;
let moderator: Person;
let editor: Person;
let coverage: { coverage_id: string; slug: string };
beforeAll(async () => {
  database = await openTestDatabase();
  [moderator, editor] = [await database.createUser('moderator'), await database.createUser('editor')];
  coverage = await createCoverageIn(database, 'live');
});
afterAll(() => database.close());

const ADA = { name: 'Ada', contact: 'secret-contact' };
const send = (content: object = {}) =>
  addTip(database, { content: { coverage: coverage.slug, ...ADA, ...content } });
type Use = {
  tip_id: string;
  version: number;
  coverage_id: string;
  update_id: string;
  content: object;
  idempotency_key?: string;
};
const quoting = (tip_id: string, more: Partial<Use> = {}): Use => ({
  ...{ tip_id, version: 1, coverage_id: coverage.coverage_id, update_id: randomUUID() },
  ...{ content: { quote: 'It broke.' }, ...more },
});
const quoteTip = (args: Use, by = moderator) => database.call(by, ['use_tip', args]);
const updateRow = async (id: string) =>
  (await database.rows<Record<string, unknown>>('select * from public.updates where id = $1', [id]))[0];
const photoRow = async (id: string | null) =>
  (await database.rows<Record<string, unknown>>('select * from public.photos where id = $1', [id]))[0];

/** Adds a tip with a processed photo. */
async function withPhoto(content: object = {}) {
  const tip = await send({ photo: randomUUID(), ...content });
  await markPhotoReady(database, tip.photo);
  return tip;
}
const SHOWN = { quote: 'It broke.', photo: { alt: 'A broken dam' } };

async function publish(update_id: string, by = editor) {
  const { coverage_id, version, body } = (await updateRow(update_id)) ?? {};
  return database.call(by, ['publish_update', { coverage_id, update_id, version, content: { body } }]);
}

describe('an update from a tip', () => {
  test('is submitted with introduction, quote and the name that may be published', async () => {
    const { id } = await send({ may_be_named: true });
    const content = {
      headline: ' The dam ',
      intro: ' A reader writes:\n\n It is not confirmed. ',
      quote: ' It broke.\n\nAll of it. ',
    };
    const args = quoting(id, { content });
    const answer = { id, version: 2, state: 'used', assigned_to: moderator.sub, held: false };
    expect(await quoteTip(args)).toEqual(answer);
    const quoted = [
      paragraph('A reader writes:'),
      paragraph('It is not confirmed.'),
      { type: 'quote', text: 'It broke.\n\nAll of it.', attribution: 'Ada' },
    ];
    expect(await updateRow(args.update_id)).toMatchObject({
      ...{
        coverage_id: args.coverage_id,
        state: 'submitted',
        number: null,
        version: 1,
        author: moderator.sub,
      },
      ...{ headline: 'The dam', body: quoted, urgency: 'normal', key_event: false },
    });
    expect(await tipRow(database, id)).toMatchObject({
      state: 'used',
      update_id: args.update_id,
      handled_by: moderator.sub,
    });
    const kept = JSON.stringify([
      await database.rows('select * from public.updates'),
      await database.rows('select * from public.update_revisions'),
      await database.rows('select * from private.update_words'),
    ]);
    expect(kept).not.toContain(ADA.contact);
  });

  test.each([
    [{ may_be_named: false }, null, null],
    [{ may_be_named: true, name: null }, null, null],
    [{ may_be_named: true }, 'Ada', 'Ada'],
  ])('of %j is attributed to %s', async (sent, attribution, credit) => {
    const tip = await withPhoto(sent);
    const args = quoting(tip.id, { content: SHOWN });
    await quoteTip(args);
    const quote = { type: 'quote', text: 'It broke.', ...(attribution && { attribution }) };
    expect(await updateRow(args.update_id)).toMatchObject({
      body: [quote, { type: 'photo', photo: tip.photo }],
    });
    expect(await photoRow(tip.photo)).toMatchObject({ alt: 'A broken dam', caption: null, credit });
  });

  test('is created once per command, with its own id', async () => {
    const [{ id }, other] = [await send(), await send()];
    const args = { ...quoting(id), idempotency_key: randomUUID() };
    const first = await quoteTip(args);
    expect(await quoteTip(args)).toEqual(first);
    const before = await updateRow(args.update_id);
    const refused = quoteTip(quoting(other.id, { update_id: args.update_id }));
    expect(await errorOf(refused)).toEqual({ code: 'forbidden' });
    expect(await updateRow(args.update_id)).toEqual(before);
    expect(await tipRow(database, other.id)).toMatchObject({ state: 'new', version: 1, update_id: null });
  });

  test('needs a coverage that takes updates', async () => {
    for (const states of [[], ['live'], ['live', 'paused'], ['live', 'ended']]) {
      const { coverage_id } = await createCoverageIn(database, ...states);
      expect(await quoteTip(quoting((await send()).id, { coverage_id })), states.join()).toMatchObject({
        state: 'used',
      });
    }
    const { id } = await send();
    for (const states of [
      ['live', 'ended', 'archived'],
      ['live', 'withdrawn'],
    ]) {
      const { coverage_id } = await createCoverageIn(database, ...states);
      const refused = await errorOf(quoteTip(quoting(id, { coverage_id })));
      expect(refused).toMatchObject({ code: 'bad_state', state: states.at(-1) });
    }
    expect(await errorOf(quoteTip(quoting(id, { coverage_id: randomUUID() })))).toEqual({
      code: 'not_found',
    });
    expect(await tipRow(database, id)).toMatchObject({ state: 'new', version: 1 });
  });

  test.each<[object, string]>([
    [{}, 'quote'],
    [{ quote: ' ' }, 'quote'],
    [{ quote: x(LIMITS.body_characters + 1) }, 'quote'],
    [{ quote: x(LIMITS.body_characters), intro: 'More.' }, 'body'],
    [{ quote: 7 }, 'quote'],
    [{ quote: 'It broke.', intro: '\u0007' }, 'intro'],
    [{ quote: 'It broke.', headline: x(LIMITS.update_headline + 1) }, 'headline'],
    [{ quote: 'It broke.', urgency: 'urgent' }, 'urgency'],
    [{ quote: 'It broke.', attribution: 'The mayor' }, 'attribution'],
    [{ quote: 'It broke.', photo: {} }, 'alt'],
    [{ quote: 'It broke.', photo: { alt: ' ' } }, 'alt'],
    [{ quote: 'It broke.', photo: { alt: x(LIMITS.alt + 1) } }, 'alt'],
    [{ quote: 'It broke.', photo: { alt: 'A dam', caption: x(LIMITS.caption + 1) } }, 'caption'],
    [{ quote: 'It broke.', photo: { alt: 'A dam', credit: 'Me' } }, 'credit'],
    [{ quote: 'It broke.', photo: 'yes' }, 'content'],
  ])('refuses %j', async (content, field) => {
    const tip = await withPhoto();
    const args = quoting(tip.id, { content });
    expect(await errorOf(quoteTip(args))).toEqual({ code: 'invalid', field });
    expect(await updateRow(args.update_id)).toBeUndefined();
    expect(await tipRow(database, tip.id)).toMatchObject({ state: 'new', version: 1 });
    expect(await photoRow(tip.photo)).toMatchObject({ coverage_id: null, alt: null });
  });

  test('shows no photo that is missing, uploading or refused', async () => {
    const [without, uploading, refused] = [
      await send(),
      await send({ photo: randomUUID() }),
      await send({ photo: randomUUID() }),
    ];
    await database.call(SERVER, ['refuse_photo', { photo_id: refused.photo, code: 'unsupported_media' }]);
    for (const { id } of [without, uploading, refused]) {
      expect(await errorOf(quoteTip(quoting(id, { content: SHOWN })))).toEqual({
        code: 'invalid',
        field: 'photo',
      });
      expect(await quoteTip(quoting(id))).toMatchObject({ state: 'used' });
    }
  });

  test('is the only update that a moderator may write', async () => {
    const { id } = await send();
    const args = quoting(id);
    await quoteTip(args);
    const before = await updateRow(args.update_id);
    const { update_id, coverage_id } = args;
    const content = { body: [paragraph('Mine.')] };
    const saved = { update_id, coverage_id, version: 1, content };
    const calls: Call[] = [
      ['save_update', saved],
      ['save_update', { coverage_id, update_id: randomUUID(), content }],
      ['submit_update', { update_id, version: 1 }],
      ['spike_update', { update_id, version: 1 }],
      ['publish_update', saved],
      ['schedule_update', { ...saved, scheduled_for: new Date(Date.now() + 3_600_000).toISOString() }],
      ['save_photo', { photo_id: randomUUID(), coverage_id, content: {} }],
    ];
    for (const call of calls)
      expect(await errorOf(database.call(moderator, call)), call[0]).toEqual({ code: 'forbidden' });
    expect(await updateRow(update_id)).toEqual(before);
  });
});

describe('the photo of a tip', () => {
  const readBy = async (who: Claims, view: string, id: string | null) =>
    (
      await database.as(who, (session) =>
        session.query(`select id, bucket from public.${view} where id = $1`, [id]),
      )
    ).rows;
  const shownAt = async (id: string | null) => [
    await readBy(VISITOR, 'photos', id),
    await readBy(editor, 'desk_photos', id),
  ];
  const photoOf = (who: Claims, photo_id: string | null) => database.call(who, ['tip_photo', { photo_id }]);

  test('is public while an update shows it, and visible to moderators before and after', async () => {
    const sender = await database.createUser();
    const tip = await addTip(database, {
      content: { coverage: coverage.slug, photo: randomUUID() },
      sender: { person: sender.sub },
    });
    await markPhotoReady(database, tip.photo);
    const there = [{ id: tip.photo, bucket: 'tips' }];
    expect(await shownAt(tip.photo)).toEqual([[], []]);
    const args = quoting(tip.id, { content: SHOWN });
    await quoteTip(args);
    expect(await shownAt(tip.photo)).toEqual([[], there]);
    // The desk does not see the sender.
    const [seen] = await database.rows<{ uploaded_by: string }>(
      'select uploaded_by from public.photos where id = $1',
      [tip.photo],
    );
    expect(seen?.uploaded_by).toBe(moderator.sub);
    await publish(args.update_id);
    expect(await shownAt(tip.photo)).toEqual([there, there]);
    await database.call(editor, ['withdraw_update', { update_id: args.update_id, reason: 'Not so.' }]);
    expect(await shownAt(tip.photo)).toEqual([[], there]);
    expect(await readTipQueue(database, moderator, { ids: [tip.id] })).toMatchObject([
      { photo: { id: tip.photo, state: 'ready', renditions: RENDITIONS } },
    ]);
    expect(await photoOf(moderator, tip.photo)).toEqual(RENDITIONS);
    for (const role of ['reader', 'contributor', 'reporter'] as const)
      expect(await photoOf(await database.createUser(role), tip.photo)).toBeNull();
  });

  test('is removed for everyone, and its stored objects are listed for deletion', async () => {
    const tip = await withPhoto();
    await quoteTip(quoting(tip.id, { content: { ...SHOWN, intro: 'So.' } }));
    await database.rows('insert into storage.objects (bucket_id, name) values ($1, $2)', [
      'tips',
      `renditions/${tip.photo}/480`,
    ]);
    await database.call(editor, ['remove_photo', { photo_id: tip.photo }]);
    expect(await photoOf(moderator, tip.photo)).toBeNull();
    const left = await database.as(SERVER, (session) =>
      session.query('select * from public.list_deletable_photos() where id = $1', [tip.photo]),
    );
    expect(left.rows).toEqual([{ id: tip.photo, bucket: 'tips', paths: [`renditions/${tip.photo}/480`] }]);
  });
});

describe('reopening a used tip', () => {
  const reopen = (tip_id: string, version = 2, by = moderator) =>
    database.call(by, ['reopen_tip', { tip_id, version }]);

  test('spikes its update and gives the tip with its photo to the caller', async () => {
    const tip = await withPhoto();
    const args = quoting(tip.id, { content: SHOWN });
    await quoteTip(args);
    const colleague = await database.createUser('moderator');
    expect(await reopen(tip.id, 2, colleague)).toMatchObject({
      state: 'in_review',
      version: 3,
      assigned_to: colleague.sub,
    });
    expect(await updateRow(args.update_id)).toMatchObject({ state: 'spiked' });
    expect(await tipRow(database, tip.id)).toMatchObject({
      update_id: null,
      handled_at: null,
      handled_by: null,
    });
    expect(await photoRow(tip.photo)).toMatchObject({
      coverage_id: null,
      alt: null,
      credit: null,
      in_use: false,
    });
    // Correction of a wrong coverage: the tip is used in another one.
    const { coverage_id } = await createCoverageIn(database, 'live');
    const again = quoting(tip.id, { version: 3, coverage_id, content: SHOWN });
    await quoteTip(again, colleague);
    expect(await photoRow(tip.photo)).toMatchObject({ coverage_id, alt: 'A broken dam' });
    await publish(again.update_id);
    expect(await database.call(VISITOR, ['tip_receipt', { receipt: x(32) }])).toBeNull();
  });

  test('keeps a photo that another update shows', async () => {
    const tip = await withPhoto();
    const args = quoting(tip.id, { content: SHOWN });
    await quoteTip(args);
    const body = [paragraph('Look.'), { type: 'photo', photo: tip.photo }];
    const { coverage_id } = args;
    await database.call(editor, [
      'publish_update',
      { coverage_id, update_id: randomUUID(), content: { body } },
    ]);
    await reopen(tip.id);
    expect(await photoRow(tip.photo)).toMatchObject({ coverage_id, alt: 'A broken dam', in_use: true });
    const elsewhere = await createCoverageIn(database, 'live');
    const moved = quoteTip(
      quoting(tip.id, { version: 3, coverage_id: elsewhere.coverage_id, content: SHOWN }),
    );
    expect(await errorOf(moved)).toEqual({ code: 'invalid', field: 'photo' });
    expect(await quoteTip(quoting(tip.id, { version: 3, content: SHOWN }))).toMatchObject({ state: 'used' });
  });

  test('is refused after the update was published, even if it was withdrawn', async () => {
    const { id } = await send();
    const args = quoting(id);
    await quoteTip(args);
    await publish(args.update_id);
    const refusal = { code: 'bad_state', version: 2, state: 'used' };
    expect(await errorOf(reopen(id))).toEqual(refusal);
    await database.call(editor, ['withdraw_update', { update_id: args.update_id, reason: 'Not so.' }]);
    expect(await errorOf(reopen(id, 2, editor))).toEqual(refusal);
    expect(await tipRow(database, id)).toMatchObject({ state: 'used', version: 2 });
  });

  test('is refused to moderators for a scheduled update', async () => {
    const { id } = await send();
    const args = quoting(id);
    await quoteTip(args);
    const content = { body: [paragraph('Later.')] };
    const { coverage_id, update_id } = args;
    const scheduled_for = new Date(Date.now() + 3_600_000).toISOString();
    await database.call(editor, [
      'schedule_update',
      { coverage_id, update_id, content, scheduled_for, version: 1 },
    ]);
    expect(await errorOf(reopen(id))).toEqual({ code: 'forbidden' });
    expect(await updateRow(update_id)).toMatchObject({ state: 'scheduled' });
    expect(await reopen(id, 2, editor)).toMatchObject({ state: 'in_review', assigned_to: editor.sub });
    expect(await updateRow(update_id)).toMatchObject({ state: 'spiked', scheduled_for: null });
  });

  test('is possible after an editor has spiked the update', async () => {
    const { id } = await send();
    const args = quoting(id);
    await quoteTip(args);
    await database.call(editor, ['spike_update', { update_id: args.update_id, version: 1 }]);
    expect(await reopen(id)).toMatchObject({ state: 'in_review' });
  });
});
