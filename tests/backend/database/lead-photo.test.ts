import { expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { errorOf, VISITOR } from '../../support/database.ts';
import {
  announce,
  announced,
  callAs,
  coverage_id,
  database,
  develop,
  editor,
  makeCoverage,
  publish,
  reporter,
  save,
  showing,
  usePhotoDatabase,
} from './photo-context.ts';

usePhotoDatabase();

const choose = (photo_id: string | null, who: Claims | undefined = editor) =>
  callAs(who, 'set_lead_photo', { coverage_id, photo_id });

const leadOf = async () =>
  (
    await database.rows<{ lead_photo: string | null }>(
      'select lead_photo from public.coverages where id = $1',
      [coverage_id],
    )
  )[0]?.lead_photo;

test('an editor chooses a published photo of the coverage, and takes the choice back', async () => {
  const photo = await announced();
  await publish(reporter, showing(photo));
  expect(await choose(photo)).toEqual({ id: coverage_id, lead_photo: photo });
  expect(await leadOf()).toBe(photo);
  await choose(null);
  expect(await leadOf()).toBeNull();
});

test('only editors choose the lead photo', async () => {
  const photo = await announced();
  await publish(reporter, showing(photo));
  for (const who of [reporter, VISITOR])
    expect(await errorOf(choose(photo, who))).toMatchObject({
      code: who === VISITOR ? '42501' : 'forbidden',
    });
  expect(await leadOf()).toBeNull();
});

test('refuses a photo that readers cannot see in the coverage', async () => {
  const drafted = await announced();
  await save(reporter, showing(drafted));
  const withdrawn = await announced();
  const update_id = crypto.randomUUID();
  await publish(reporter, showing(withdrawn), update_id);
  await callAs(editor, 'withdraw_update', { update_id, reason: 'It was another dam.' });
  const other = { coverage_id: await makeCoverage(), update_id: crypto.randomUUID() };
  const elsewhere = await announce(reporter, undefined, other.coverage_id);
  await develop(elsewhere);
  await callAs(reporter, 'publish_update', { ...other, content: showing(elsewhere) });
  for (const photo of [drafted, withdrawn, elsewhere, crypto.randomUUID()])
    expect(await errorOf(choose(photo))).toMatchObject({ code: 'invalid', field: 'photo_id' });
  expect(await leadOf()).toBeNull();
});

test('tells the site once which pages show the lead photo, and readers nothing', async () => {
  const photo = await announced();
  await publish(reporter, showing(photo));
  const [announcement, ...others] = await database.broadcastsOf(() => choose(photo));
  expect(others).toEqual([]);
  expect(announcement).toEqual({
    topic: 'site',
    event: 'change',
    payload: { site: expect.any(Number), tags: ['lists', `coverage:${coverage_id}`], removed: false },
  });
  expect(await database.broadcastsOf(() => choose(photo))).toEqual([]);
  await choose(null);
});
