import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ACTOR_NAMES,
  createSharedCoverage,
  openTestContext,
  type TestContext,
} from '../../support/actors.ts';
import { PUSH_SERVICE_URL, subscription } from '../../support/alerts.ts';
import { type OwnedBackend, startOwnedBackend } from '../../support/backend.ts';
import { apiTables, openCatalog, relationsOf } from '../../support/database.ts';
import { fileBlock, registerMedia } from '../../support/media.ts';
import { call, callServer, paragraph } from '../../support/newsroom.ts';
import { storeSiteImages } from '../../support/site-images.ts';

let context: TestContext;
let backend: OwnedBackend;
let relations: ReturnType<typeof apiTables>;
beforeAll(async () => {
  const catalog = await openCatalog();
  relations = apiTables(await relationsOf(catalog));
  await catalog.close();
  backend = await startOwnedBackend();
  context = await openTestContext(backend);
  // A row in every table, so that there is something to change or to delete.
  const coverage_id = await createSharedCoverage(context);
  const { client } = context.actors.editor;
  const update_id = randomUUID();
  await call(client, 'save_topic', { slug: 'weather', name: 'Weather' });
  await call(client, 'save_coverage', { coverage_id, version: 1, content: { topics: ['weather'] } });
  const target = { coverage: `case-${coverage_id}` };
  await call(client, 'save_follow', { target, scope: 'all', by_mail: false, by_push: true });
  await call(client, 'save_push_subscription', {
    subscription: subscription(`${PUSH_SERVICE_URL}/one`),
    device: '',
  });
  const photo = randomUUID();
  await call(client, 'save_photo', { coverage_id, photo_id: photo, content: { alt: 'A dam.' } });
  const file_id = await registerMedia(client, coverage_id);
  const { path } = await callServer<{ path: string }>(context.service, 'record_media_check', {
    file_id,
    bytes: 9,
  });
  const body = [paragraph('News.'), { type: 'photo', photo }, fileBlock(path)];
  await call(client, 'publish_update', { coverage_id, update_id, content: { body } });
  await call(client, 'correct_update', { update_id, version: 1, content: { body }, note: 'A name.' });
  const tip = { tip_id: randomUUID(), receipt: randomUUID() + randomUUID(), sender: {} };
  await call(context.actors.owner.client, 'invite_person', {
    invite_id: randomUUID(),
    content: { email: 'nell@example.com', name: 'Nell', role: 'editor' },
    token_hash: '0'.repeat(64),
  });
  await storeSiteImages(context.actors.owner.client);
  await callServer(context.service, 'add_tip', { ...tip, content: { body: 'Seen.' } });
  await backend.sql('update public.alerts set due_at = now() returning id');
  await callServer(context.service, 'claim_deliveries', {});
});
afterAll(() => context.stop());

/** All rows: as the server reads them, invites as an owner, and the rest as the owner of the database. */
async function everything() {
  const kept: Record<string, string[]> = {};
  for (const [table, columns] of relations) {
    const isInvites = /invites$/.test(table);
    const { data, error } = await (isInvites
      ? context.actors.owner.client.from('desk_invites').select('*')
      : context.service.from(table).select('*'));
    if (error && error.code !== '42501') throw new Error(`${table}: ${error.message}`);
    const rows = data ?? (await backend.sql(`select * from public.${table}`));
    const own = (row: Record<string, unknown>) =>
      isInvites ? Object.fromEntries(columns.map((column) => [column, row[column]])) : row;
    kept[table] = rows.map((row) => JSON.stringify(own(row))).sort();
  }
  return kept;
}

test('there is a row in every table and view', async () => {
  for (const [table, rows] of Object.entries(await everything())) expect(rows, table).not.toEqual([]);
});

describe.each([...ACTOR_NAMES, 'the server itself'] as const)('%s', (who) => {
  const { stringify } = JSON;

  test('cannot write to any table or view except through functions', async () => {
    const before = await everything();
    const client = who === 'the server itself' ? context.service : context.actors[who].client;
    for (const [table, columns] of relations) {
      const [column = ''] = columns;
      const value = before[table]?.map((row) => JSON.parse(row)[column])[0] ?? null;
      const row = JSON.parse(before[table]?.[0] ?? '{}');
      const attempts = {
        insert: await client.from(table).insert(row),
        'insert of one column': await client.from(table).insert({ [column]: value }),
        upsert: await client.from(table).upsert(row),
        'upsert that ignores': await client.from(table).upsert(row, { ignoreDuplicates: true }),
        update: await client.from(table).update(row).eq(column, value),
        'update of what is so': await client
          .from(table)
          .update({ [column]: value })
          .eq(column, value),
        delete: await client.from(table).delete().eq(column, value),
      };
      for (const [attempt, { error, status, data }] of Object.entries(attempts)) {
        const refused = who === 'deactivated' ? 'PT401' : '42501';
        expect(error?.code, `${attempt} ${table}: ${stringify(error)}`).toBe(refused);
        expect(status, `${attempt} ${table}`).toBe(['visitor', 'deactivated'].includes(who) ? 401 : 403);
        expect(data).toBeNull();
      }
    }
    expect(await everything()).toEqual(before);
  });
});
