import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/lib/limits.ts';
import type { Claims } from '../../../supabase/embedded/caller.ts';
import { type Law, openLaw, refusalOf, SERVER, VISITOR } from '../../support/law-in-sql.ts';
import { paragraph } from '../../support/newsroom.ts';
import { x } from './content-cases.ts';

/* What is kept of photos, whose they are, who sees them, and when they are forgotten. */

type Person = Claims & { sub: string };

let law: Law;
let [editor, reporter, colleague]: Person[] = [];
let coverage_id: string;
beforeAll(async () => {
  law = await openLaw();
  [editor, reporter, colleague] = await Promise.all([
    law.hire('editor'),
    law.hire('reporter'),
    law.hire('reporter'),
  ]);
  coverage_id = await makeCoverage();
});
afterAll(() => law.close());

async function makeCoverage() {
  const id = randomUUID();
  await press(editor, 'create_coverage', {
    coverage_id: id,
    content: { slug: `case-${id}`, headline: 'A case' },
  });
  await press(editor, 'set_coverage_state', { coverage_id: id, state: 'live' });
  return id;
}

const press = (who: Claims | undefined, name: string, args: Record<string, unknown>) =>
  law.press(who ?? VISITOR, [name, args]) as Promise<Record<string, unknown>>;

const PRINTS = [
  { width: 480, height: 320, bytes: 9_000 },
  { width: 960, height: 640, bytes: 30_000 },
];
const develop = (photo_id: string, prints: unknown = PRINTS, colour = '#0a1b2c') =>
  press(SERVER, 'photo_developed', { photo_id, prints, colour });

/** A photo that somebody has announced. @returns its id */
async function announce(who = reporter, content: object = { alt: 'A dam.' }, coverage = coverage_id) {
  const photo_id = randomUUID();
  await press(who, 'save_photo', { photo_id, coverage_id: coverage, content });
  return photo_id;
}

/** One that is ready. */
async function announced(who = reporter, content?: object) {
  const photo = await announce(who, content);
  await develop(photo);
  return photo;
}

const showing = (...photos: string[]) => ({
  body: [paragraph('Look.'), ...photos.map((photo) => ({ type: 'photo', photo }))],
});
const publish = (who: Person | undefined, content: object, update_id = randomUUID()) =>
  press(who, 'publish_update', { coverage_id, update_id, content });
const save = (
  who: Person | undefined,
  content: object,
  update_id = randomUUID(),
  version: number | null = null,
) => press(who, 'save_update', { coverage_id, update_id, content, version });

const rowOf = async (photo: string) =>
  (await law.rows('select * from public.photos where id = $1', [photo]))[0];
/** Which of these photos somebody sees, as the policies let them. */
const seenBy = (who: Claims | undefined, ...photos: string[]) =>
  law.as(who ?? VISITOR, async (session) => {
    const { rows } = await session.query<{ id: string }>(
      `select p.id from public.update_photos u join public.photos p on p.id = u.photo_id where p.id = any ($1::uuid[])`,
      [photos],
    );
    return rows.map(({ id }) => id);
  });

describe('a photo', () => {
  test('is announced before it arrives, once, and described until it is described well', async () => {
    const photo_id = randomUUID();
    const say = (content: object) => press(reporter, 'save_photo', { photo_id, coverage_id, content });
    const answer = { id: photo_id, state: 'arriving', refusal: null };
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
  ])('is not described by a %s of %j', async (field, value) => {
    const photo_id = randomUUID();
    expect(
      await refusalOf(press(reporter, 'save_photo', { photo_id, coverage_id, content: { [field]: value } })),
    ).toMatchObject({ code: 'invalid', field });
    expect(await rowOf(photo_id)).toBeUndefined();
  });

  test('takes words of the longest that is allowed', async () => {
    const photo = await announce(reporter, {
      alt: x(LIMITS.alt),
      caption: x(LIMITS.caption),
      credit: x(LIMITS.credit),
    });
    expect(await rowOf(photo)).toMatchObject({ alt: x(LIMITS.alt), caption: x(LIMITS.caption) });
  });

  test('is given up by who sends it, for as long as it has not arrived', async () => {
    const [broken, ready] = [await announce(), await announced()];
    const state = async (photo_id: string) => (await press(reporter, 'give_up_photo', { photo_id })).state;
    expect([await state(broken), await state(broken), await state(ready)]).toEqual([
      'refused',
      'refused',
      'ready',
    ]);
    expect(await rowOf(broken)).toMatchObject({ state: 'refused', refusal: 'unsupported_media' });
    expect(await rowOf(ready)).toMatchObject({ state: 'ready', refusal: null });
  });

  test('has an id that is nobody else’s', async () => {
    const photo = await announce();
    const elsewhere = await makeCoverage();
    const before = await rowOf(photo);
    const again = { photo_id: photo, coverage_id: elsewhere, content: { alt: 'Mine.' } };
    expect(await refusalOf(press(reporter, 'save_photo', again))).toMatchObject({ code: 'forbidden' });
    expect(await refusalOf(press(colleague, 'save_photo', { ...again, coverage_id }))).toMatchObject({
      code: 'forbidden',
    });
    expect(await refusalOf(press(reporter, 'save_photo', { ...again, photo_id: null }))).toMatchObject({
      field: 'photo_id',
    });
    expect(await rowOf(photo)).toEqual(before);
  });

  test('that readers see keeps its description', async () => {
    const photo = await announced();
    await publish(reporter, showing(photo));
    expect(
      await refusalOf(press(reporter, 'save_photo', { photo_id: photo, coverage_id, content: { alt: '' } })),
    ).toMatchObject({ code: 'invalid', field: 'alt' });
    expect(await rowOf(photo)).toMatchObject({ alt: 'A dam.' });
  });
});

describe('a body', () => {
  test('holds photos in its order, and may hold nothing else', async () => {
    const [one, other] = [await announced(), await announce()];
    const update_id = randomUUID();
    await publish(reporter, { body: [other, one].map((photo) => ({ type: 'photo', photo })) }, update_id);
    const deskOf = async () =>
      (
        await law.as(reporter as Person, (session) =>
          session.query<{ photos: unknown }>('select photos from public.desk_updates where id = $1', [
            update_id,
          ]),
        )
      ).rows[0]?.photos;
    const arriving = { id: other, state: 'arriving', refusal: null, width: null, height: null, prints: [] };
    const ready = { id: one, state: 'ready', refusal: null, width: 960, height: 640, prints: PRINTS };
    const words = { alt: 'A dam.', caption: null, credit: null };
    expect(await deskOf()).toEqual([
      { ...arriving, ...words },
      { ...ready, ...words },
    ]);
    await press(reporter, 'revise_update', { update_id, version: 1, content: showing(one) });
    expect(await deskOf()).toEqual([{ ...ready, ...words }]);
  });

  test('takes one’s own photos, those that it has, and those that are published; an editor’s takes any', async () => {
    const [theirs, published, own] = [await announce(colleague), await announce(colleague), await announce()];
    await publish(colleague, showing(published));
    expect(await save(reporter, showing(own, published))).toMatchObject({ version: 1 });
    expect(await refusalOf(save(reporter, showing(own, theirs)))).toMatchObject({
      code: 'invalid',
      field: 'photos',
    });
    const update_id = randomUUID();
    await save(reporter, showing(own), update_id);
    expect(await save(editor, showing(own, theirs), update_id, 1)).toMatchObject({ version: 2 });
    expect(await save(reporter, showing(theirs), update_id, 2)).toMatchObject({ version: 3 });
    expect(await refusalOf(publish(reporter, showing(theirs)))).toMatchObject({ field: 'photos' });
  });

  test.each([
    ['nobody knows', async () => randomUUID()],
    ['is of another coverage', async () => announce(editor, { alt: 'Far.' }, await makeCoverage())],
    [
      'is a tip’s',
      async () => {
        const photo = randomUUID();
        const content = { body: 'Seen.', photo };
        await press(SERVER, 'add_tip', {
          tip_id: randomUUID(),
          content,
          receipt: x(20) + randomUUID(),
          sender: {},
        });
        return photo;
      },
    ],
  ])('takes no photo that %s, not even from an editor', async (_what, find) => {
    const photo = await find();
    for (const act of [save, publish]) {
      expect(await refusalOf(act(editor, showing(photo)))).toMatchObject({
        code: 'invalid',
        field: 'photos',
      });
    }
    expect(await law.rows('select 1 from public.update_photos where photo_id = $1', [photo])).toEqual([]);
    const items = [{ id: randomUUID(), published_at: new Date().toISOString(), content: showing(photo) }];
    const importing = press(SERVER, 'import_updates', { coverage_id, items });
    expect(await refusalOf(importing)).toMatchObject({ code: 'invalid', field: 'photos' });
  });

  test('is not published before each photo says what it shows; a draft may wait', async () => {
    const photo = await announce(reporter, {});
    const update_id = randomUUID();
    await save(reporter, showing(photo), update_id);
    const publishing = () =>
      press(reporter, 'publish_update', { coverage_id, update_id, content: showing(photo), version: 1 });
    expect(await refusalOf(publishing())).toMatchObject({ code: 'invalid', field: 'photos' });
    const news = randomUUID();
    await publish(reporter, showing(), news);
    const revising = () =>
      press(reporter, 'revise_update', { update_id: news, version: 1, content: showing(photo) });
    expect(await refusalOf(revising())).toMatchObject({ code: 'invalid', field: 'photos' });
    await press(reporter, 'save_photo', { photo_id: photo, coverage_id, content: { alt: 'A dam.' } });
    expect(await publishing()).toMatchObject({ state: 'published' });
    expect(await revising()).toMatchObject({ version: 2 });
  });

  test('of a summary holds none', async () => {
    const summary = showing(await announced()).body;
    expect(await refusalOf(press(editor, 'set_summary', { coverage_id, version: 1, summary }))).toMatchObject(
      { code: 'invalid', field: 'summary' },
    );
  });
});

describe('readers', () => {
  test('see a photo while it is ready, described and in a published update, and not a moment more', async () => {
    const photo = await announce(reporter, {});
    const update_id = randomUUID();
    await save(reporter, showing(photo), update_id);
    await develop(photo);
    expect(await seenBy(VISITOR, photo), 'of a draft').toEqual([]);
    expect(await seenBy(reporter, photo), 'of their own draft, as readers').toEqual([]);
    await press(reporter, 'save_photo', { photo_id: photo, coverage_id, content: { alt: 'A dam.' } });
    await press(reporter, 'publish_update', { coverage_id, update_id, content: showing(photo), version: 1 });
    expect(await seenBy(VISITOR, photo)).toEqual([photo]);
    expect(await seenBy(await law.hire(), photo)).toEqual([photo]);
    await press(reporter, 'revise_update', { update_id, version: 2, content: showing() });
    expect(await seenBy(VISITOR, photo), 'when it was taken out').toEqual([]);
    await press(reporter, 'revise_update', { update_id, version: 3, content: showing(photo) });
    expect(await seenBy(VISITOR, photo)).toEqual([photo]);
    await press(reporter, 'withdraw_update', { update_id, reason: 'Wrong.' });
    expect(await seenBy(VISITOR, photo), 'when it was withdrawn').toEqual([]);
    expect(await seenBy(editor, photo), 'by the editor, as a reader').toEqual([]);
  });

  test('see none that is on its way or was refused, and none of a withdrawn coverage', async () => {
    const [coming, refused] = [await announce(), await announce()];
    await publish(reporter, showing(coming, refused));
    await press(SERVER, 'photo_refused', { photo_id: refused, code: 'too_large' });
    expect(await seenBy(VISITOR, coming, refused)).toEqual([]);
    const elsewhere = await makeCoverage();
    const photo = await announce(reporter, undefined, elsewhere);
    await develop(photo);
    const content = showing(photo);
    await press(reporter, 'publish_update', { coverage_id: elsewhere, update_id: randomUUID(), content });
    expect(await seenBy(VISITOR, photo)).toEqual([photo]);
    await press(editor, 'set_coverage_state', { coverage_id: elsewhere, state: 'withdrawn' });
    expect(await seenBy(VISITOR, photo)).toEqual([]);
  });
});

test('the desk sees its own photos and those that its updates hold', async () => {
  const [held, alone] = [await announce(), await announce()];
  await save(reporter, showing(held));
  const contributor = await law.hire('contributor');
  const deskOf = (who: Claims) =>
    law.as(who, async (session) => {
      const { rows } = await session.query<{ id: string }>(
        'select id from public.desk_photos where id = any ($1::uuid[]) order by created_at, id',
        [[held, alone]],
      );
      return rows.map(({ id }) => id);
    });
  expect((await deskOf(reporter as Person)).sort()).toEqual([held, alone].sort());
  expect(await deskOf(colleague as Person)).toEqual([held]);
  expect(await deskOf(contributor)).toEqual([]);
  await press(editor, 'set_coverage_member', { coverage_id, person_id: contributor.sub });
  expect(await deskOf(contributor)).toEqual([held]);
  expect(await deskOf(await law.hire())).toEqual([]);
});

describe('the darkroom', () => {
  const toDevelop = (wanted: string | null = null) =>
    law.as(SERVER, async (session) => {
      const { rows } = await session.query<{ id: string }>('select * from public.photos_to_develop($1)', [
        wanted,
      ]);
      return rows;
    });

  test('is told of what has arrived and was not looked at', async () => {
    const [arrived, coming] = [await announce(), await announce()];
    await store('photos', `incoming/${arrived}`);
    const row = { id: arrived, bucket: 'photos', path: `incoming/${arrived}`, held: false };
    expect(await toDevelop(arrived)).toEqual([row]);
    expect(await toDevelop()).toContainEqual(row);
    expect(await toDevelop(coming)).toEqual([]);
    await develop(arrived);
    expect(await toDevelop(arrived)).toEqual([]);
  });

  test('has none of somebody who may not write there any more, whatever shows it', async () => {
    const leaving = await law.hire('reporter');
    const photo = await announce(leaving);
    await publish(leaving, showing(photo));
    await store('photos', `incoming/${photo}`);
    await press(SERVER, 'set_role', { person_id: leaving.sub, role: 'reader' });
    expect(await develop(photo)).toEqual({ id: photo, state: 'refused', refusal: 'forbidden' });
    expect(await rowOf(photo)).toMatchObject({ state: 'refused', refusal: 'forbidden', prints: [] });
    expect(await seenBy(VISITOR, photo)).toEqual([]);
  });

  test('says once what became of a photo', async () => {
    const [good, bad] = [await announce(), await announce()];
    expect(await develop(good)).toEqual({ id: good, state: 'ready', refusal: null });
    const ready = await rowOf(good);
    expect(ready).toMatchObject({ width: 960, height: 640, prints: PRINTS, colour: '#0a1b2c' });
    expect(await develop(good, PRINTS.slice(0, 1), '#ffffff')).toMatchObject({ state: 'ready' });
    expect(await rowOf(good)).toEqual(ready);
    const refuse = (photo_id: string, code: unknown = 'too_large') =>
      press(SERVER, 'photo_refused', { photo_id, code });
    expect(await refuse(bad)).toEqual({ id: bad, state: 'refused', refusal: 'too_large' });
    expect(await refuse(bad, 'invalid')).toEqual({ id: bad, state: 'refused', refusal: 'too_large' });
    expect(await refusalOf(refuse(good))).toMatchObject({ code: 'bad_state' });
    expect(await refusalOf(develop(bad))).toMatchObject({ code: 'bad_state' });
    expect(await refusalOf(develop(randomUUID()))).toMatchObject({ code: 'not_found' });
    expect(await refusalOf(refuse(await announce(), 'A sentence.'))).toMatchObject({ field: 'code' });
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
  ])('makes no print of %j', async (prints) => {
    const photo = await announce();
    expect(await refusalOf(develop(photo, prints))).toMatchObject({ code: 'invalid', field: 'prints' });
    expect(await refusalOf(develop(photo, PRINTS, 'red'))).toMatchObject({
      code: 'invalid',
      field: 'colour',
    });
    expect(await rowOf(photo)).toMatchObject({ state: 'arriving' });
  });
});

describe('what nobody would miss', () => {
  const toForget = (...photos: string[]) =>
    law.as(SERVER, async (session) => {
      const { rows } = await session.query<{ id: string }>('select * from public.photos_to_forget()');
      return rows.filter(({ id }) => photos.includes(id));
    });
  const forget = (...photos: string[]) =>
    law.as(SERVER, async (session) => {
      const { rows } = await session.query<{ id: string }>('select public.forget_photos($1) as id', [photos]);
      return rows.map(({ id }) => id);
    });
  /** Makes photos older than they are. */
  const age = (interval: string, ...photos: string[]) =>
    law.rows(
      `update public.photos set created_at = created_at - $1::interval, ready_at = ready_at - $1::interval where id = any ($2::uuid[])`,
      [interval, photos],
    );

  test('is forgotten: what never came after a day, what nothing showed after a week; then its objects', async () => {
    const [late, refused, unused, fresh] = [
      await announce(),
      await announce(),
      await announced(),
      await announced(),
    ];
    await press(SERVER, 'photo_refused', { photo_id: refused, code: 'invalid' });
    for (const name of ['incoming', 'prints/480', 'prints/960']) {
      const [folder, width] = name.split('/');
      await store('photos', [folder, unused, width].filter(Boolean).join('/'));
    }
    expect(await toForget(late, refused, unused, fresh)).toEqual([
      { id: unused, bucket: 'photos', paths: [`incoming/${unused}`] },
    ]);
    await age('25 hours', late, refused);
    await age('7 days 1 hour', unused);
    const paths = [`incoming/${unused}`, `prints/${unused}/480`, `prints/${unused}/960`];
    expect(await toForget(late, refused, unused, fresh)).toEqual(
      expect.arrayContaining([
        { id: late, bucket: 'photos', paths: [] },
        { id: refused, bucket: 'photos', paths: [] },
        { id: unused, bucket: 'photos', paths },
      ]),
    );
    expect((await forget(late, refused, unused, fresh)).sort()).toEqual([late, refused, unused].sort());
    expect(await rowOf(fresh)).toBeDefined();
    // Whoever forgot it may have been stopped before the objects went.
    expect(await toForget(late, refused, unused, fresh)).toEqual([{ id: unused, bucket: 'photos', paths }]);
  });

  test('is nothing that any version of any update ever held', async () => {
    const [earlier, withdrawn, spiked, coming] = [
      await announced(),
      await announced(),
      await announced(),
      await announce(),
    ];
    const update_id = randomUUID();
    await publish(reporter, showing(earlier), update_id);
    await press(reporter, 'revise_update', { update_id, version: 1, content: showing() });
    const gone = await publish(reporter, showing(withdrawn, coming));
    await press(reporter, 'withdraw_update', { update_id: gone.id, reason: 'Wrong.' });
    const away = await save(reporter, showing(spiked));
    await press(reporter, 'spike_update', { update_id: away.id, version: 1 });
    const all = [earlier, withdrawn, spiked, coming];
    await age('1 year', ...all);
    expect(await toForget(...all)).toEqual([]);
    expect(await forget(...all)).toEqual([]);
  });
});

/** Puts an object into storage, as the service would. */
const store = (bucket: string, name: string) =>
  law.rows('insert into storage.objects (bucket_id, name) values ($1, $2)', [bucket, name]);
