import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import {
  addTip,
  createCoverageIn,
  markPhotoReady,
  type NewTip,
  newReceipt,
  openTestDatabase,
  SERVER,
  type TestDatabase,
  tipRow,
  VISITOR,
} from '../../support/database.ts';

/* How long tips and their personal data are stored. */

let database: TestDatabase;
let editor: Claims & { sub: string };
beforeAll(async () => {
  database = await openTestDatabase();
  editor = await database.createUser('editor');
});
afterAll(() => database.close());

const send = (sent?: NewTip) => addTip(database, sent);
const rowOf = (id: string) => tipRow(database, id);

const makeCoverage = (state: 'draft' | 'live') =>
  createCoverageIn(database, ...(state === 'live' ? ['live'] : []));

test('personal data is deleted after its retention time', async () => {
  const content = { name: 'Ada', contact: 'ada@example.com' };
  const sender = { address: randomUUID(), device: randomUUID() };
  const [fresh, recent, handled, old] = await Promise.all([1, 2, 3, 4].map(() => send({ content, sender })));
  const days = async (id: string | undefined, created: number, handled: number | null) => {
    if (handled) await database.call(editor, ['close_tip', { tip_id: id, version: 1, state: 'declined' }]);
    await database.rows(
      `update public.tips set created_at = now() - make_interval(days => $2), handled_at = now() - make_interval(days => $3) where id = $1`,
      [id, created, handled],
    );
  };
  await days(recent?.id, LIMITS.sender_days - 1, LIMITS.contact_days - 1);
  await days(handled?.id, 1, LIMITS.contact_days + 1);
  await days(old?.id, LIMITS.sender_days + 1, null);
  await database.rows('select private.delete_expired_data()');
  const hashes = { sender_hash: expect.any(String), device_hash: expect.any(String) };
  const gone = { sender_hash: null, device_hash: null };
  expect(await rowOf(fresh?.id ?? '')).toMatchObject({ ...content, ...hashes });
  expect(await rowOf(recent?.id ?? '')).toMatchObject({ ...content, ...hashes });
  expect(await rowOf(handled?.id ?? '')).toMatchObject({ name: null, contact: null, ...hashes });
  expect(await rowOf(old?.id ?? '')).toMatchObject({ ...content, ...gone });
});

test('unhandled tips are deleted with photo and receipt, and handled ones stay', async () => {
  const days = (id: string, column: 'created_at' | 'handled_at', count: number) =>
    database.rows(`update public.tips set ${column} = now() - make_interval(days => $2) where id = $1`, [
      id,
      count,
    ]);
  const settle = (id: string, state: string) =>
    database.call(editor, ['close_tip', { tip_id: id, version: 1, state }]);
  const receipts = new Map<string, string>();
  const make = async (content: object = {}) => {
    const receipt = newReceipt();
    const tip = await send({ receipt, content: { ...content, photo: randomUUID() } });
    receipts.set(tip.id, receipt);
    await markPhotoReady(database, tip.photo);
    return tip;
  };
  const make2 = async (content?: object) => [await make(content), await make(content)] as const;
  const [unhandled, waiting] = await make2();
  await days(unhandled.id, 'created_at', LIMITS.tip_unhandled_days + 1);
  await days(waiting.id, 'created_at', LIMITS.tip_unhandled_days - 1);
  const [held, heldStill] = await make2({ website: 'x' });
  await days(held.id, 'created_at', LIMITS.tip_held_days + 1);
  await days(heldStill.id, 'created_at', LIMITS.tip_held_days - 1);
  const [spam, spamStill] = await make2();
  for (const { id } of [spam, spamStill]) await settle(id, 'spam');
  await days(spam.id, 'handled_at', LIMITS.tip_spam_days + 1);
  await days(spamStill.id, 'handled_at', LIMITS.tip_spam_days - 1);
  const declined = await make();
  await settle(declined.id, 'declined');
  for (const column of ['created_at', 'handled_at'] as const) await days(declined.id, column, 400);
  // The tip is deleted, and the photo stays with its update.
  const { coverage_id } = await makeCoverage('live');
  const reopened = await make();
  const shown = { quote: 'It broke.', photo: { alt: 'A dam' } };
  const using = { tip_id: reopened.id, version: 1, coverage_id, update_id: randomUUID(), content: shown };
  await database.call(editor, ['use_tip', using]);
  const body = [{ type: 'photo', photo: reopened.photo }];
  await database.call(editor, [
    'publish_update',
    { coverage_id, update_id: randomUUID(), content: { body } },
  ]);
  await database.call(editor, ['reopen_tip', { tip_id: reopened.id, version: 2 }]);
  await days(reopened.id, 'created_at', LIMITS.tip_unhandled_days + 1);

  await database.rows('select private.delete_expired_data()');
  const photosOf = (photo: string | null) =>
    database.rows<object>('select tip_id, coverage_id from public.photos where id = $1', [photo]);
  for (const { id, photo } of [unhandled, held, spam]) {
    expect(await rowOf(id)).toBeUndefined();
    expect(await photosOf(photo)).toEqual([]);
    expect(await database.call(VISITOR, ['tip_receipt', { receipt: receipts.get(id) }])).toBeNull();
    expect(await database.rows('select key from private.idempotency_keys where key = $1', [id])).toEqual([]);
  }
  for (const { id, photo } of [waiting, heldStill, spamStill, declined]) {
    expect(await rowOf(id)).toMatchObject({ id });
    expect(await photosOf(photo)).toEqual([{ tip_id: id, coverage_id: null }]);
  }
  expect(await rowOf(reopened.id)).toBeUndefined();
  expect(await photosOf(reopened.photo)).toEqual([{ tip_id: null, coverage_id }]);
  // Stored objects are listed until they are deleted.
  await database.rows('insert into storage.objects (bucket_id, name) values ($1, $2)', [
    'tips',
    `renditions/${spam.photo}/480`,
  ]);
  const left = await database.as(SERVER, (session) =>
    session.query('select bucket, paths from public.list_deletable_photos() where id = $1', [spam.photo]),
  );
  expect(left.rows).toEqual([{ bucket: 'tips', paths: [`renditions/${spam.photo}/480`] }]);
});
