import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { openAlerts, type Person } from '../../support/alerts.ts';
import {
  announce,
  announced,
  callAs,
  coverage_id,
  database,
  editor,
  publish,
  reporter,
  showing,
  usePhotoDatabase,
} from './photo-context.ts';

usePhotoDatabase();

let alerts: ReturnType<typeof openAlerts>;
beforeAll(() => {
  alerts = openAlerts(database, () => editor as Person);
});

/** Follows the coverage. @returns a function that reads the photo of the next alert */
async function followPhotos() {
  const [slug] = await database.rows<{ slug: string }>('select slug from public.coverages where id = $1', [
    coverage_id,
  ]);
  const person = await alerts.person();
  await alerts.follow(person, { coverage: slug?.slug });
  await alerts.subscribe(person);
  return async () => {
    await alerts.advance(3_600);
    const [delivery] = await alerts.claim();
    await database.rows('with d as (delete from public.deliveries) delete from public.alerts');
    return delivery?.updates[0]?.photo;
  };
}

test('shows no photo that readers do not see', async () => {
  const photo = await followPhotos();
  const text = { body: [{ type: 'paragraph', runs: [{ text: 'News.' }] }] };
  await publish(reporter, text);
  expect(await photo()).toBeNull();

  // Its photo is not processed yet.
  await publish(reporter, showing(await announce()));
  expect(await photo()).toBeNull();

  const update_id = randomUUID();
  await publish(reporter, { ...showing(await announced()), key_event: true }, update_id);
  await callAs(editor, 'withdraw_update', { update_id, reason: 'It was another dam.' });
  await publish(reporter, text);
  expect(await photo()).toBeNull();
});

test('shows the first photo of the update, else the chosen one, else that of the newest key event', async () => {
  const photo = await followPhotos();
  const text = { body: [{ type: 'paragraph', runs: [{ text: 'News.' }] }] };
  const [old, key, first, second] = [
    await announced(),
    await announced(),
    await announced(),
    await announced(),
  ];
  await publish(reporter, { ...showing(old), key_event: true });
  await publish(reporter, { ...showing(key), key_event: true });
  await publish(reporter, text);
  expect(await photo()).toEqual({ id: key, bucket: 'photos', width: 480, height: 320, alt: 'A dam.' });

  await callAs(editor, 'set_lead_photo', { coverage_id, photo_id: old });
  await publish(reporter, text);
  expect(await photo()).toMatchObject({ id: old });

  await publish(reporter, showing(second, first));
  expect(await photo()).toMatchObject({ id: second });
  await callAs(editor, 'set_lead_photo', { coverage_id, photo_id: null });
});
