import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { ENGINE } from '../../support/data-folders.ts';
import { errorOf, openTestDatabase, SERVER, type TestDatabase, VISITOR } from '../../support/database.ts';
import { paragraph } from '../../support/newsroom.ts';
import { x } from './content-cases.ts';

/* Photos: their content, permissions, visibility and deletion. */

type Person = Claims & { sub: string };

let database: TestDatabase;
let [editor, reporter, colleague]: Person[] = [];
let coverage_id: string;
beforeAll(async () => {
  database = await openTestDatabase();
  [editor, reporter, colleague] = await Promise.all([
    database.createUser('editor'),
    database.createUser('reporter'),
    database.createUser('reporter'),
  ]);
  coverage_id = await makeCoverage();
});
afterAll(() => database.close());

async function makeCoverage() {
  const id = randomUUID();
  await callAs(editor, 'create_coverage', {
    coverage_id: id,
    content: { slug: `case-${id}`, headline: 'A case' },
  });
  await callAs(editor, 'set_coverage_state', { coverage_id: id, state: 'live' });
  return id;
}

const callAs = (who: Claims | undefined, name: string, args: Record<string, unknown>) =>
  database.call(who ?? VISITOR, [name, args]) as Promise<Record<string, unknown>>;

const PRINTS = [
  { width: 480, height: 320, bytes: 9_000 },
  { width: 960, height: 640, bytes: 30_000 },
];
const develop = (photo_id: string, renditions: unknown = PRINTS, colour = '#0a1b2c') =>
  callAs(SERVER, 'mark_photo_ready', { photo_id, renditions, placeholder_colour: colour });

/** Announces a photo. @returns its id */
async function announce(who = reporter, content: object = { alt: 'A dam.' }, coverage = coverage_id) {
  const photo_id = randomUUID();
  await callAs(who, 'save_photo', { photo_id, coverage_id: coverage, content });
  return photo_id;
}

/** Announces and processes a photo. @returns its id */
async function announced(who = reporter, content?: object) {
  const photo = await announce(who, content);
  await develop(photo);
  return photo;
}

const showing = (...photos: string[]) => ({
  body: [paragraph('Look.'), ...photos.map((photo) => ({ type: 'photo', photo }))],
});
const publish = (who: Person | undefined, content: object, update_id = randomUUID()) =>
  callAs(who, 'publish_update', { coverage_id, update_id, content });
const save = (
  who: Person | undefined,
  content: object,
  update_id = randomUUID(),
  version: number | null = null,
) => callAs(who, 'save_update', { coverage_id, update_id, content, version });

const rowOf = async (photo: string) =>
  (await database.rows('select * from public.photos where id = $1', [photo]))[0];
/** Those of these photos that the policies show to a caller. */
const seenBy = (who: Claims | undefined, ...photos: string[]) =>
  database.as(who ?? VISITOR, async (session) => {
    const { rows } = await session.query<{ id: string }>(
      `select p.id from public.update_photos u join public.photos p on p.id = u.photo_id where p.id = any ($1::uuid[])`,
      [photos],
    );
    return rows.map(({ id }) => id);
  });

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

describe('photo processing', () => {
  const toDevelop = (photoId: string | null = null) =>
    database.as(SERVER, async (session) => {
      const { rows } = await session.query<{ id: string }>(
        'select * from public.list_photos_to_process($1)',
        [photoId],
      );
      return rows;
    });

  test('lists photos that have arrived and wait', async () => {
    const [arrived, coming] = [await announce(), await announce()];
    await store('photos', `incoming/${arrived}`);
    const row = { id: arrived, bucket: 'photos', path: `incoming/${arrived}`, held: false };
    expect(await toDevelop(arrived)).toEqual([row]);
    expect(await toDevelop()).toContainEqual(row);
    expect(await toDevelop(coming)).toEqual([]);
    await develop(arrived);
    expect(await toDevelop(arrived)).toEqual([]);
  });

  test('skips photos of people who may no longer write there', async () => {
    const leaving = await database.createUser('reporter');
    const photo = await announce(leaving);
    await publish(leaving, showing(photo));
    await store('photos', `incoming/${photo}`);
    await callAs(SERVER, 'set_role', { person_id: leaving.sub, role: 'reader' });
    expect(await develop(photo)).toEqual({ id: photo, state: 'refused', refusal_code: 'forbidden' });
    expect(await rowOf(photo)).toMatchObject({ state: 'refused', refusal_code: 'forbidden', renditions: [] });
    expect(await seenBy(VISITOR, photo)).toEqual([]);
  });

  test('stores the result once', async () => {
    const [good, bad] = [await announce(), await announce()];
    expect(await develop(good)).toEqual({ id: good, state: 'ready', refusal_code: null });
    const ready = await rowOf(good);
    expect(ready).toMatchObject({
      width: 960,
      height: 640,
      renditions: PRINTS,
      placeholder_colour: '#0a1b2c',
    });
    expect(await develop(good, PRINTS.slice(0, 1), '#ffffff')).toMatchObject({ state: 'ready' });
    expect(await rowOf(good)).toEqual(ready);
    const refuse = (photo_id: string, code: unknown = 'too_large') =>
      callAs(SERVER, 'refuse_photo', { photo_id, code });
    expect(await refuse(bad)).toEqual({ id: bad, state: 'refused', refusal_code: 'too_large' });
    expect(await refuse(bad, 'invalid')).toEqual({ id: bad, state: 'refused', refusal_code: 'too_large' });
    expect(await errorOf(refuse(good))).toMatchObject({ code: 'bad_state' });
    expect(await errorOf(develop(bad))).toMatchObject({ code: 'bad_state' });
    expect(await errorOf(develop(randomUUID()))).toMatchObject({ code: 'not_found' });
    expect(await errorOf(refuse(await announce(), 'A sentence.'))).toMatchObject({ field: 'code' });
  });

  test.each([
    [[]],
    [null],
    ['"x"'],
    [{}],
    [[null]],
    [[{ width: 480, height: 320 }]],
    [[{ width: 480, height: 320, bytes: 0 }]],
    [[{ width: 480.5, height: 320, bytes: 1 }]],
    [[{ width: '480', height: 320, bytes: 1 }]],
    [[{ width: 480, height: 320, bytes: 1, path: 'x' }]],
    [PRINTS.toReversed()],
    [[PRINTS[0], PRINTS[0]]],
  ])('refuses renditions of %j', async (renditions) => {
    const photo = await announce();
    expect(await errorOf(develop(photo, renditions))).toMatchObject({ code: 'invalid', field: 'renditions' });
    expect(await errorOf(develop(photo, PRINTS, 'red'))).toMatchObject({
      code: 'invalid',
      field: 'placeholder_colour',
    });
    expect(await rowOf(photo)).toMatchObject({ state: 'uploading' });
  });
});

describe('unused photos', () => {
  const toForget = (...photos: string[]) =>
    database.as(SERVER, async (session) => {
      const { rows } = await session.query<{ id: string }>('select * from public.list_deletable_photos()');
      return rows.filter(({ id }) => photos.includes(id));
    });
  const forget = (...photos: string[]) =>
    database.as(SERVER, async (session) => {
      const { rows } = await session.query<{ id: string }>('select public.delete_unused_photos($1) as id', [
        photos,
      ]);
      return rows.map(({ id }) => id);
    });
  /** Makes photos older. */
  const age = (interval: string, ...photos: string[]) =>
    database.rows(
      `update public.photos set created_at = created_at - $1::interval, ready_at = ready_at - $1::interval where id = any ($2::uuid[])`,
      [interval, photos],
    );

  test('are deleted a day after announcing, or a week after processing, and then their objects', async () => {
    const [late, refused, unused, fresh] = [
      await announce(),
      await announce(),
      await announced(),
      await announced(),
    ];
    await callAs(SERVER, 'refuse_photo', { photo_id: refused, code: 'invalid' });
    for (const name of ['incoming', 'renditions/480', 'renditions/960']) {
      const [folder, width] = name.split('/');
      await store('photos', [folder, unused, width].filter(Boolean).join('/'));
    }
    expect(await toForget(late, refused, unused, fresh)).toEqual([
      { id: unused, bucket: 'photos', paths: [`incoming/${unused}`] },
    ]);
    await age('25 hours', late, refused);
    await age('7 days 1 hour', unused);
    const paths = [`incoming/${unused}`, `renditions/${unused}/480`, `renditions/${unused}/960`];
    expect(await toForget(late, refused, unused, fresh)).toEqual(
      expect.arrayContaining([
        { id: late, bucket: 'photos', paths: [] },
        { id: refused, bucket: 'photos', paths: [] },
        { id: unused, bucket: 'photos', paths },
      ]),
    );
    expect((await forget(late, refused, unused, fresh)).sort()).toEqual([late, refused, unused].sort());
    expect(await rowOf(fresh)).toBeDefined();
    // The earlier run may have stopped before it deleted the objects.
    expect(await toForget(late, refused, unused, fresh)).toEqual([{ id: unused, bucket: 'photos', paths }]);
  });

  test('are not those in any version of an update', async () => {
    const [earlier, withdrawn, spiked, coming] = [
      await announced(),
      await announced(),
      await announced(),
      await announce(),
    ];
    const update_id = randomUUID();
    await publish(reporter, showing(earlier), update_id);
    await callAs(reporter, 'revise_update', { update_id, version: 1, content: showing() });
    const gone = await publish(reporter, showing(withdrawn, coming));
    await callAs(reporter, 'withdraw_update', { update_id: gone.id, reason: 'Wrong.' });
    const away = await save(reporter, showing(spiked));
    await callAs(reporter, 'spike_update', { update_id: away.id, version: 1 });
    const all = [earlier, withdrawn, spiked, coming];
    await age('1 year', ...all);
    expect(await toForget(...all)).toEqual([]);
    expect(await forget(...all)).toEqual([]);
  });
});

describe('the photo library', () => {
  type Listed = { id: string; uses: number; published: number; withdrawn: number; uploader: string };
  const library = (who: Claims | undefined, ...asked: unknown[]) =>
    database.as(who ?? VISITOR, async (session) => {
      const [words = null, coverage = null, which = 'all', before = null, most = 24] = asked;
      const { rows } = await session.query<Listed>('select * from public.photo_library($1, $2, $3, $4, $5)', [
        words,
        coverage,
        which,
        before,
        most,
      ]);
      return rows;
    });
  const idsOf = async (who: Claims | undefined, ...asked: unknown[]) =>
    (await library(who, ...asked)).map(({ id }) => id);
  const usesOf = async (who: Claims | undefined, photo: string) =>
    (
      await database.as(who ?? VISITOR, (session) =>
        session.query<Record<string, unknown>>('select * from public.photo_uses($1)', [photo]),
      )
    ).rows;

  test('finds photos by text, coverage and uploader, newest first, as permissions allow', async () => {
    const own = await makeCoverage();
    const [ada, bo] = [await database.createUser('reporter'), await database.createUser('reporter')];
    const name = `N${randomUUID().slice(0, 8)}`;
    await callAs(ada, 'save_me', { content: { display_name: `Ádá ${name}` } });
    const word = `w${randomUUID().slice(0, 8)}`;
    const first = await announce(ada, { alt: `Presión, ${word}` }, own);
    const second = await announce(ada, { caption: `The ${word}s` }, own);
    const third = await announce(bo, { alt: 'A gate.', credit: word }, own);
    const [draft, other] = [randomUUID(), randomUUID()];
    for (const update_id of [draft, other]) {
      await callAs(ada, 'save_update', { coverage_id: own, update_id, content: showing(first) });
    }
    const all = [third, second, first];
    expect(await idsOf(editor, null, own)).toEqual(all);
    expect(await idsOf(editor, word)).toEqual(all);
    expect(await idsOf(editor, `${word} presion`, own)).toEqual([first]);
    expect(await idsOf(editor, name.toLowerCase())).toEqual([second, first]);
    expect(await idsOf(editor, word, await makeCoverage())).toEqual([]);
    expect(await idsOf(bo, null, own), 'theirs, and what an update holds').toEqual([third, first]);
    expect(await idsOf(bo, null, own, 'mine')).toEqual([third]);
    expect(await idsOf(bo, null, null, 'mine')).toEqual([third]);
    expect(await idsOf(ada, null, own, 'unused')).toEqual([second]);
    await callAs(ada, 'save_update', { coverage_id: own, update_id: draft, content: showing(), version: 1 });
    expect(await idsOf(ada, null, own, 'unused'), 'another update shows it').toEqual([second]);
    await callAs(ada, 'spike_update', { update_id: other, version: 1 });
    expect(await idsOf(ada, null, own, 'unused'), 'removed from updates').toEqual([second, first]);
    await callAs(ada, 'save_update', {
      ...{ coverage_id: own, update_id: draft, version: 2 },
      content: showing(first),
    });
    expect(await idsOf(ada, null, own, 'unused'), 'in use again').toEqual([second]);
    expect(await idsOf(editor, null, own, 'all', third, 1), 'on from one').toEqual([second]);
    expect(await idsOf(editor, word, null, 'all', second)).toEqual([first]);
    expect((await idsOf(editor)).slice(0, 3)).toEqual(all);
    await callAs(SERVER, 'refuse_photo', { photo_id: second, code: 'invalid' });
    expect(await idsOf(editor, null, own, 'refused')).toEqual([second]);
    expect((await idsOf(editor, null, null, 'refused'))[0]).toBe(second);
    await develop(first);
    await develop(third);
    expect(await idsOf(bo, null, own, 'usable'), 'not somebody’s draft').toEqual([third]);
    expect(await idsOf(editor, null, own, 'usable')).toEqual([third, first]);

    const contributor = await database.createUser('contributor');
    expect(await idsOf(contributor, word)).toEqual([]);
    expect(await idsOf(contributor, null, own)).toEqual([]);
    await callAs(editor, 'set_coverage_member', { coverage_id: own, person_id: contributor.sub });
    expect(await idsOf(contributor, word)).toEqual([first]);
    expect(await idsOf(contributor)).toEqual([first]);
    expect(await idsOf(await database.createUser())).toEqual([]);
    expect((await library(editor, null, own))[2]).toMatchObject({
      uses: 1,
      published: 0,
      uploader: `Ádá ${name}`,
    });
    expect(await idsOf(editor, "it's | & :* <-> (")).toEqual([]);
  });

  test('replaces a photo in all current versions and keeps earlier versions', async () => {
    const [old, other] = [await announced(), await announced(reporter, { alt: 'The right dam.' })];
    const [news, draft] = [randomUUID(), randomUUID()];
    await publish(reporter, { ...showing(old), headline: 'Look', key_event: true, dateline: 'Ayr' }, news);
    await save(reporter, { body: [{ type: 'photo', photo: old }, ...showing().body] }, draft);
    const away = await save(reporter, showing(old));
    await callAs(reporter, 'spike_update', { update_id: away.id, version: 1 });
    const args = {
      idempotency_key: randomUUID(),
      photo_id: old,
      replacement_id: other,
      note: 'Another dam.',
    };
    const done = { id: other, state: 'ready', refusal_code: null, updates: 2, published: 1 };
    expect(await callAs(reporter, 'replace_photo', args)).toEqual(done);
    expect(await callAs(reporter, 'replace_photo', args), 'pressed again').toEqual(done);
    const rows = await database.rows<{ id: string; body: unknown }>(
      'select id, version, headline, body, key_event, dateline, corrected_at is not null as corrected from public.updates where id = any ($1::uuid[])',
      [[news, draft, away.id]],
    );
    const at = (id: unknown) => rows.find((row) => row.id === id);
    expect(at(news)).toMatchObject({
      version: 2,
      headline: 'Look',
      ...showing(other),
      key_event: true,
      dateline: 'Ayr',
      corrected: true,
    });
    expect(at(draft)).toMatchObject({
      version: 2,
      body: [{ type: 'photo', photo: other }, ...showing().body],
      corrected: false,
    });
    expect(at(away.id), 'put away').toMatchObject(showing(old));
    expect(await seenBy(VISITOR, old, other)).toEqual([other]);
    const uses = await usesOf(reporter, old);
    expect(uses).toEqual([
      expect.objectContaining({
        update_id: news,
        number: expect.any(Number),
        shows: false,
        may_change: true,
        versions: [1],
      }),
      ...[away.id, draft].map((update_id) =>
        expect.objectContaining({ update_id, number: null, shows: update_id === away.id, versions: [1] }),
      ),
    ]);
    expect(await usesOf(await database.createUser(), old)).toEqual([]);
    const log = await database.rows(
      `select kind from public.coverage_changes where update_id = $1 order by seq`,
      [news],
    );
    expect(log).toEqual([{ kind: 'publication' }, { kind: 'correction' }]);
  });

  test('accepts a replacement only if it is ready, allowed, of the same coverage and not in the same update', async () => {
    const [old, coming, theirs, beside, far] = [
      await announced(),
      await announce(),
      await announced(colleague),
      await announced(),
      await announce(reporter, { alt: 'Far.' }, await makeCoverage()),
    ];
    const news = randomUUID();
    await publish(reporter, showing(old, beside), news);
    const put = (replacement_id: unknown) =>
      errorOf(callAs(reporter, 'replace_photo', { photo_id: old, replacement_id }));
    expect(await put(coming)).toMatchObject({ code: 'bad_state' });
    expect(await put(beside)).toMatchObject({ code: 'bad_state' });
    for (const one of [theirs, far, old, randomUUID(), null]) {
      expect(await put(one)).toMatchObject({ code: 'invalid', field: 'replacement_id' });
    }
    const silent = await announced(reporter, {});
    expect(await put(silent), 'readers are told what it shows').toMatchObject({ field: 'photos' });
    const long = callAs(reporter, 'replace_photo', {
      photo_id: old,
      replacement_id: beside,
      note: x(LIMITS.note + 1),
    });
    expect(await errorOf(long)).toMatchObject({ field: 'note' });
    expect(await database.rows('select version, body from public.updates where id = $1', [news])).toEqual([
      { version: 1, ...showing(old, beside) },
    ]);
  });

  test('removes a photo everywhere in one transaction, and leaves a mark in versions', async () => {
    const photo = await announced();
    const [news, draft] = [randomUUID(), randomUUID()];
    await publish(reporter, showing(photo), news);
    const withdrawn = await publish(reporter, showing(photo));
    await callAs(reporter, 'withdraw_update', { update_id: withdrawn.id, reason: 'Wrong.' });
    await save(reporter, { body: [{ type: 'photo', photo }] }, draft);
    await store('photos', `renditions/${photo}/480`);
    expect(await seenBy(VISITOR, photo)).toEqual([photo]);
    const sent = await database.broadcastsOf(() => callAs(reporter, 'remove_photo', { photo_id: photo }));
    expect(sent.find(({ topic }) => topic === 'site')?.payload).toMatchObject({
      tags: expect.arrayContaining([`photos:${coverage_id}`]),
    });
    expect(sent).toContainEqual(
      expect.objectContaining({ event: 'photo', payload: expect.objectContaining({ photo }) }),
    );
    expect(await seenBy(VISITOR, photo)).toEqual([]);
    expect(await rowOf(photo)).toMatchObject({
      state: 'removed',
      renditions: [],
      width: null,
      alt: 'A dam.',
      removed_by: reporter?.sub,
    });
    expect(
      await database.rows('select body, version, corrected_at from public.updates where id = $1', [news]),
    ).toEqual([{ ...showing(), version: 2, corrected_at: null }]);
    expect(await database.rows('select body from public.updates where id = $1', [draft])).toEqual([
      { body: [] },
    ]);
    expect(
      await database.rows(
        `select content -> 'body' as body from public.update_revisions where update_id = $1 and version = 1`,
        [news],
      ),
    ).toEqual([showing(photo)]);
    // The photo cannot be used again.
    expect(
      await errorOf(
        callAs(reporter, 'revise_update', { update_id: news, version: 2, content: showing(photo) }),
      ),
    ).toMatchObject({ field: 'photos' });
    expect(await errorOf(save(editor, showing(photo)))).toMatchObject({ field: 'photos' });
    expect(await develop(photo), 'looked at too late').toMatchObject({ state: 'removed' });
    expect(await callAs(SERVER, 'refuse_photo', { photo_id: photo, code: 'invalid' })).toMatchObject({
      state: 'removed',
    });
    for (const act of ['remove_photo', 'replace_photo']) {
      expect(
        await errorOf(
          callAs(reporter, act, {
            photo_id: photo,
            ...(act === 'replace_photo' && { replacement_id: await announced() }),
          }),
        ),
      ).toMatchObject({ code: 'bad_state', state: 'removed' });
    }
    const [kept] = (await library(editor, null, coverage_id, 'removed')).filter(({ id }) => id === photo);
    expect(kept).toMatchObject({ uses: 0, withdrawn: 1 });
    const left = await database.as(SERVER, (session) =>
      session.query<{ id: string }>('select * from public.list_deletable_photos()'),
    );
    expect(left.rows.find(({ id }) => id === photo)).toEqual({
      id: photo,
      bucket: 'photos',
      paths: [`renditions/${photo}/480`],
    });
    const logged = await database.rows(
      `select action, created_by, detail from public.audit_log where subject_id = $1`,
      [photo],
    );
    expect(logged).toEqual([
      {
        action: 'remove_photo',
        created_by: reporter?.sub,
        detail: { coverage: coverage_id, updates: 2, published: 1 },
      },
    ]);
  });

  test('withdraws updates that show only the removed photo, and changes no others', async () => {
    const photo = await announced();
    const [beside, alone, waits] = [randomUUID(), randomUUID(), randomUUID()];
    await publish(reporter, showing(photo), beside);
    const only = { body: [{ type: 'photo', photo }] };
    await publish(reporter, only, alone);
    const remove = () =>
      callAs(reporter, 'remove_photo', { photo_id: photo, note: 'Wrong.' }).catch(({ message, detail }) => [
        message,
        JSON.parse(detail),
      ]);
    const refused = (details: object) => [expect.stringContaining('bad_state'), details];
    expect(await remove()).toEqual(
      refused({ reason: 'update_shows_only_photo', number: expect.any(Number) }),
    );
    await callAs(reporter, 'withdraw_update', { update_id: alone, reason: 'Wrong.' });
    await save(reporter, only, waits);
    await callAs(reporter, 'submit_update', { update_id: waits, version: 1 });
    expect(await remove()).toEqual(refused({ reason: 'waiting_update_shows_only_photo' }));
    expect(await database.rows('select body, version from public.updates where id = $1', [beside])).toEqual([
      { ...showing(photo), version: 1 },
    ]);
    expect(await rowOf(photo)).toMatchObject({ state: 'ready' });
    await callAs(reporter, 'spike_update', { update_id: waits, version: 1 });
    expect(await callAs(reporter, 'remove_photo', { photo_id: photo, note: 'Wrong.' })).toMatchObject({
      updates: 1,
      published: 1,
    });
    expect(
      await database.rows('select kind, note from public.update_notes where update_id = $1', [beside]),
    ).toEqual([{ kind: 'correction', note: 'Wrong.' }]);
  });

  test('lets reporters change their own photos, and editors all photos', async () => {
    const photo = await announced();
    const [own, others] = [randomUUID(), randomUUID()];
    await publish(reporter, showing(photo), own);
    await publish(colleague, showing(photo), others);
    const acts = [
      ['remove_photo', {}],
      ['replace_photo', { replacement_id: await announced() }],
    ] as const;
    for (const [act, args] of acts) {
      const trying = callAs(reporter, act, { photo_id: photo, ...args });
      const details = await trying.catch((error) => JSON.parse(error.detail));
      expect(details).toEqual({ reason: 'photo_in_other_updates', updates: [expect.any(Number)] });
    }
    expect((await usesOf(reporter, photo)).map(({ may_change }) => may_change)).toEqual([false, true]);
    expect(await callAs(editor, 'remove_photo', { photo_id: photo })).toMatchObject({
      updates: 2,
      published: 2,
    });
    // Photos of tips are not in the library.
    const ofTip = randomUUID();
    const tip = {
      tip_id: randomUUID(),
      content: { body: 'Seen.', photo: ofTip },
      receipt: x(20) + randomUUID(),
      sender: {},
    };
    await callAs(SERVER, 'add_tip', tip);
    expect(await errorOf(callAs(editor, 'remove_photo', { photo_id: ofTip }))).toMatchObject({
      code: 'not_found',
    });
    expect(await errorOf(callAs(editor, 'remove_photo', { photo_id: randomUUID() }))).toMatchObject({
      code: 'not_found',
    });
  });
});

/** Inserts a storage object, as the storage service does. */
const store = (bucket: string, name: string) =>
  database.rows('insert into storage.objects (bucket_id, name) values ($1, $2)', [bucket, name]);

// PGlite has one session at a time, so nothing waits for locks.
describe.skipIf(ENGINE !== 'postgres')('replacing a photo', () => {
  const LOCK = 'select from public.photos where id = $1 for update';

  test('does not wait for the lock of a photo of another coverage', async () => {
    const [photo_id, elsewhere] = [await announced(), await announce(editor, {}, await makeCoverage())];
    await database.engine.transaction(async (other) => {
      await other.query(LOCK, [elsewhere]);
      const replacing = callAs(editor, 'replace_photo', { photo_id, replacement_id: elsewhere });
      expect(await errorOf(replacing)).toMatchObject({ code: 'invalid', field: 'replacement_id' });
    });
  });

  test('locks both photos in the same order as the deletion of photos', async () => {
    const [first = '', last = ''] = [await announced(editor), await announced(editor)].sort();
    let replacing: Promise<unknown> | undefined;
    await database.engine.transaction(async (other) => {
      await other.query(LOCK, [first]);
      replacing = callAs(editor, 'replace_photo', { photo_id: last, replacement_id: first });
      const waits = () =>
        database.rows(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
      await expect.poll(waits).toHaveLength(1);
      await other.query(`${LOCK} nowait`, [last]);
    });
    await replacing;
  });
});
