import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { errorOf, SERVER, VISITOR } from '../../support/database.ts';
import {
  announce,
  announced,
  callAs,
  database,
  develop,
  PRINTS,
  publish,
  reporter,
  rowOf,
  save,
  seenBy,
  showing,
  store,
  usePhotoDatabase,
} from './photo-context.ts';

usePhotoDatabase();

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

  test('are not those that arrived and still wait for processing', async () => {
    const waiting = await announce();
    await store('photos', `incoming/${waiting}`);
    await age('1 year', waiting);
    expect(await toForget(waiting)).toEqual([]);
    expect(await forget(waiting)).toEqual([]);
    // A refused photo is deleted together with its upload.
    await callAs(SERVER, 'refuse_photo', { photo_id: waiting, code: 'invalid' });
    expect(await forget(waiting)).toEqual([waiting]);
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
