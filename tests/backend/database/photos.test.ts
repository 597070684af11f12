import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { errorOf, SERVER, VISITOR } from '../../support/database.ts';
import { x } from './content-cases.ts';
import {
  announce,
  announced,
  callAs,
  colleague,
  coverage_id,
  database,
  develop,
  editor,
  makeCoverage,
  type Person,
  PRINTS,
  publish,
  reporter,
  rowOf,
  save,
  seenBy,
  showing,
  usePhotoDatabase,
} from './photo-context.ts';

usePhotoDatabase();

describe('a photo', () => {
  test('is announced before it arrives, and can be described later', async () => {
    const photo_id = randomUUID();
    const say = (content: object) => callAs(reporter, 'save_photo', { photo_id, coverage_id, content });
    const answer = { id: photo_id, state: 'uploading', refusal_code: null };
    expect(await say({})).toEqual(answer);
    expect(await say({ alt: ' A dam. ', credit: 'Ada' })).toEqual(answer);
    expect(await say({ caption: 'Two\nlines', credit: '' })).toEqual(answer);
    expect(await rowOf(photo_id)).toMatchObject({
      coverage_id,
      tip_id: null,
      alt: 'A dam.',
      caption: 'Two\nlines',
      credit: null,
      uploaded_by: reporter?.sub,
    });
  });

  test.each([
    ['alt', x(LIMITS.alt + 1)],
    ['alt', 'a\nb'],
    ['alt', 4],
    ['caption', x(LIMITS.caption + 1)],
    ['credit', x(LIMITS.credit + 1)],
    ['credit', 'a\nb'],
    ['state', 'ready'],
  ])('refuses a %s of %j', async (field, value) => {
    const photo_id = randomUUID();
    expect(
      await errorOf(callAs(reporter, 'save_photo', { photo_id, coverage_id, content: { [field]: value } })),
    ).toMatchObject({ code: 'invalid', field });
    expect(await rowOf(photo_id)).toBeUndefined();
  });

  test('accepts texts of maximum length', async () => {
    const photo = await announce(reporter, {
      alt: x(LIMITS.alt),
      caption: x(LIMITS.caption),
      credit: x(LIMITS.credit),
    });
    expect(await rowOf(photo)).toMatchObject({ alt: x(LIMITS.alt), caption: x(LIMITS.caption) });
  });

  test('can be cancelled by its uploader until it arrives', async () => {
    const [broken, ready] = [await announce(), await announced()];
    const state = async (photo_id: string) => (await callAs(reporter, 'cancel_photo', { photo_id })).state;
    expect([await state(broken), await state(broken), await state(ready)]).toEqual([
      'refused',
      'refused',
      'ready',
    ]);
    expect(await rowOf(broken)).toMatchObject({ state: 'refused', refusal_code: 'unsupported_media' });
    expect(await rowOf(ready)).toMatchObject({ state: 'ready', refusal_code: null });
  });

  test('keeps its id for its uploader', async () => {
    const photo = await announce();
    const elsewhere = await makeCoverage();
    const before = await rowOf(photo);
    const again = { photo_id: photo, coverage_id: elsewhere, content: { alt: 'Mine.' } };
    expect(await errorOf(callAs(reporter, 'save_photo', again))).toMatchObject({ code: 'forbidden' });
    expect(await errorOf(callAs(colleague, 'save_photo', { ...again, coverage_id }))).toMatchObject({
      code: 'forbidden',
    });
    expect(await errorOf(callAs(reporter, 'save_photo', { ...again, photo_id: null }))).toMatchObject({
      field: 'photo_id',
    });
    expect(await rowOf(photo)).toEqual(before);
  });

  test('cannot lose the description while readers see it', async () => {
    const photo = await announced();
    await publish(reporter, showing(photo));
    expect(
      await errorOf(callAs(reporter, 'save_photo', { photo_id: photo, coverage_id, content: { alt: '' } })),
    ).toMatchObject({ code: 'invalid', field: 'alt' });
    expect(await rowOf(photo)).toMatchObject({ alt: 'A dam.' });
  });
});

describe('a body', () => {
  test('shows photos in order, and nothing else as a photo', async () => {
    const [one, other] = [await announced(), await announce()];
    const update_id = randomUUID();
    await publish(reporter, { body: [other, one].map((photo) => ({ type: 'photo', photo })) }, update_id);
    const deskOf = async () =>
      (
        await database.as(reporter as Person, (session) =>
          session.query<{ photos: unknown }>('select photos from public.desk_updates where id = $1', [
            update_id,
          ]),
        )
      ).rows[0]?.photos;
    const uploading = {
      id: other,
      state: 'uploading',
      refusal_code: null,
      width: null,
      height: null,
      renditions: [],
    };
    const ready = {
      id: one,
      state: 'ready',
      refusal_code: null,
      width: 960,
      height: 640,
      renditions: PRINTS,
    };
    const words = { alt: 'A dam.', caption: null, credit: null };
    expect(await deskOf()).toEqual([
      { ...uploading, ...words },
      { ...ready, ...words },
    ]);
    await callAs(reporter, 'revise_update', { update_id, version: 1, content: showing(one) });
    expect(await deskOf()).toEqual([{ ...ready, ...words }]);
  });

  test('accepts own, existing and published photos, and any photo from an editor', async () => {
    const [theirs, published, own] = [await announce(colleague), await announce(colleague), await announce()];
    await publish(colleague, showing(published));
    expect(await save(reporter, showing(own, published))).toMatchObject({ version: 1 });
    expect(await errorOf(save(reporter, showing(own, theirs)))).toMatchObject({
      code: 'invalid',
      field: 'photos',
    });
    const update_id = randomUUID();
    await save(reporter, showing(own), update_id);
    expect(await save(editor, showing(own, theirs), update_id, 1)).toMatchObject({ version: 2 });
    expect(await save(reporter, showing(theirs), update_id, 2)).toMatchObject({ version: 3 });
    expect(await errorOf(publish(reporter, showing(theirs)))).toMatchObject({ field: 'photos' });
  });

  test.each([
    ['nobody knows', async () => randomUUID()],
    ['is of another coverage', async () => announce(editor, { alt: 'Far.' }, await makeCoverage())],
    [
      'is a tip’s',
      async () => {
        const photo = randomUUID();
        const content = { body: 'Seen.', photo };
        await callAs(SERVER, 'add_tip', {
          tip_id: randomUUID(),
          content,
          receipt: x(20) + randomUUID(),
          sender: {},
        });
        return photo;
      },
    ],
  ])('refuses a photo that %s, even from an editor', async (_what, find) => {
    const photo = await find();
    for (const act of [save, publish]) {
      expect(await errorOf(act(editor, showing(photo)))).toMatchObject({
        code: 'invalid',
        field: 'photos',
      });
    }
    expect(await database.rows('select 1 from public.update_photos where photo_id = $1', [photo])).toEqual(
      [],
    );
    const items = [{ id: randomUUID(), published_at: new Date().toISOString(), content: showing(photo) }];
    const importing = callAs(SERVER, 'import_updates', { coverage_id, items });
    expect(await errorOf(importing)).toMatchObject({ code: 'invalid', field: 'photos' });
  });

  test('cannot be published before each photo has an alt text, but can be saved as a draft', async () => {
    const photo = await announce(reporter, {});
    const update_id = randomUUID();
    await save(reporter, showing(photo), update_id);
    const publishing = () =>
      callAs(reporter, 'publish_update', { coverage_id, update_id, content: showing(photo), version: 1 });
    expect(await errorOf(publishing())).toMatchObject({ code: 'invalid', field: 'photos' });
    const news = randomUUID();
    await publish(reporter, showing(), news);
    const revising = () =>
      callAs(reporter, 'revise_update', { update_id: news, version: 1, content: showing(photo) });
    expect(await errorOf(revising())).toMatchObject({ code: 'invalid', field: 'photos' });
    await callAs(reporter, 'save_photo', { photo_id: photo, coverage_id, content: { alt: 'A dam.' } });
    expect(await publishing()).toMatchObject({ state: 'published' });
    expect(await revising()).toMatchObject({ version: 2 });
  });

  test('cannot contain photos in a summary', async () => {
    const summary = showing(await announced()).body;
    expect(await errorOf(callAs(editor, 'set_summary', { coverage_id, version: 1, summary }))).toMatchObject({
      code: 'invalid',
      field: 'summary',
    });
  });
});

describe('readers', () => {
  test('see a photo only while it is ready, described and in a published update', async () => {
    const photo = await announce(reporter, {});
    const update_id = randomUUID();
    await save(reporter, showing(photo), update_id);
    await develop(photo);
    expect(await seenBy(VISITOR, photo), 'of a draft').toEqual([]);
    expect(await seenBy(reporter, photo), 'of their own draft, as readers').toEqual([]);
    await callAs(reporter, 'save_photo', { photo_id: photo, coverage_id, content: { alt: 'A dam.' } });
    await callAs(reporter, 'publish_update', { coverage_id, update_id, content: showing(photo), version: 1 });
    expect(await seenBy(VISITOR, photo)).toEqual([photo]);
    expect(await seenBy(await database.createUser(), photo)).toEqual([photo]);
    await callAs(reporter, 'revise_update', { update_id, version: 2, content: showing() });
    expect(await seenBy(VISITOR, photo), 'after its removal from the update').toEqual([]);
    await callAs(reporter, 'revise_update', { update_id, version: 3, content: showing(photo) });
    expect(await seenBy(VISITOR, photo)).toEqual([photo]);
    await callAs(reporter, 'withdraw_update', { update_id, reason: 'Wrong.' });
    expect(await seenBy(VISITOR, photo), 'when it was withdrawn').toEqual([]);
    expect(await seenBy(editor, photo), 'by the editor, as a reader').toEqual([]);
  });

  test('see no photo that is uploading or refused, or in a withdrawn coverage', async () => {
    const [coming, refused] = [await announce(), await announce()];
    await publish(reporter, showing(coming, refused));
    await callAs(SERVER, 'refuse_photo', { photo_id: refused, code: 'too_large' });
    expect(await seenBy(VISITOR, coming, refused)).toEqual([]);
    const elsewhere = await makeCoverage();
    const photo = await announce(reporter, undefined, elsewhere);
    await develop(photo);
    const content = showing(photo);
    await callAs(reporter, 'publish_update', { coverage_id: elsewhere, update_id: randomUUID(), content });
    expect(await seenBy(VISITOR, photo)).toEqual([photo]);
    await callAs(editor, 'set_coverage_state', { coverage_id: elsewhere, state: 'withdrawn' });
    expect(await seenBy(VISITOR, photo)).toEqual([]);
  });
});

test('a desk sees its own photos and those in its updates', async () => {
  const [held, alone] = [await announce(), await announce()];
  await save(reporter, showing(held));
  const contributor = await database.createUser('contributor');
  const deskOf = (who: Claims) =>
    database.as(who, async (session) => {
      const { rows } = await session.query<{ id: string }>(
        'select id from public.desk_photos where id = any ($1::uuid[]) order by created_at, id',
        [[held, alone]],
      );
      return rows.map(({ id }) => id);
    });
  expect((await deskOf(reporter as Person)).sort()).toEqual([held, alone].sort());
  expect(await deskOf(colleague as Person)).toEqual([held]);
  expect(await deskOf(contributor)).toEqual([]);
  await callAs(editor, 'set_coverage_member', { coverage_id, person_id: contributor.sub });
  expect(await deskOf(contributor)).toEqual([held]);
  expect(await deskOf(await database.createUser())).toEqual([]);
  expect((await deskOf(editor as Person)).sort(), 'an editor all of them').toEqual([held, alone].sort());
  const update_id = randomUUID();
  await save(reporter, showing(alone), update_id);
  // Saving again as the same person stores no version.
  await save(editor, showing(), update_id, 1);
  expect((await deskOf(colleague as Person)).sort(), 'in an earlier version').toEqual([held, alone].sort());
});
