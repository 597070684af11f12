import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import {
  addTip,
  createCoverageIn,
  errorOf,
  markPhotoReady,
  type NewTip,
  newReceipt,
  openTestDatabase,
  RENDITIONS,
  readTipQueue,
  SERVER,
  type TestDatabase,
  tipRow,
  VISITOR,
} from '../../support/database.ts';
import { x } from './content-cases.ts';

/* Storing tips, their limits, and who reads them. */

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

describe('a tip', () => {
  test('is stored once as it was sent, also when its sender repeats the request', async () => {
    const { coverage_id, slug } = await makeCoverage('live');
    const tip = {
      tip_id: randomUUID(),
      content: {
        body: ' Two\nlines. ',
        name: 'Ada',
        contact: 'ada@example.com',
        coverage: slug,
        photo: randomUUID(),
      },
      receipt: newReceipt(),
      sender: { address: '192.0.2.7', device: 'a-device', person: editor.sub },
    };
    const answer = { id: tip.tip_id, held: false, photo: tip.content.photo };
    expect(await send(tip)).toEqual(answer);
    expect(await send({ ...tip, sender: { address: '192.0.2.8' } })).toEqual(answer);
    expect(await rowOf(tip.tip_id)).toMatchObject({
      coverage_id,
      body: 'Two\nlines.',
      name: 'Ada',
      contact: 'ada@example.com',
      state: 'new',
      sender: editor.sub,
    });
    const [photo] = await database.rows('select * from public.photos where tip_id = $1', [tip.tip_id]);
    expect(photo).toMatchObject({ id: tip.content.photo, coverage_id: null, state: 'uploading' });
    for (const other of [{ content: { body: 'Other.' } }, { receipt: newReceipt() }]) {
      expect(await errorOf(send({ ...tip, ...other }))).toMatchObject({ code: 'forbidden' });
    }
    expect(await errorOf(send({ content: { photo: tip.content.photo } }))).toMatchObject({
      code: 'forbidden',
    });
    expect(await errorOf(send({ receipt: tip.receipt }))).toMatchObject({ code: 'forbidden' });
  });

  test('stores no address, device or receipt, and only keyed digests', async () => {
    const receipt = newReceipt();
    const sender = { address: '192.0.2.9', device: 'another-device' };
    const [one, other] = [
      await send({ receipt, sender }),
      await send({ sender: { ...sender, device: '192.0.2.9' } }),
    ];
    const [row, twin] = [await rowOf(one.id), await rowOf(other.id)];
    expect(row?.sender_hash).toBe(twin?.sender_hash);
    expect(twin?.device_hash).not.toBe(twin?.sender_hash);
    const [plain] = await database.rows<{ digest: string }>(
      `select encode(sha256('192.0.2.9'), 'hex') as digest`,
    );
    const kept = JSON.stringify([row, await database.rows('select * from private.idempotency_keys')]);
    for (const secret of [receipt, sender.address, sender.device, String(plain?.digest)]) {
      expect(kept).not.toContain(secret);
    }
  });

  test.each([
    ['body', ' '],
    ['body', x(LIMITS.tip_body + 1)],
    ['body', null],
    ['name', x(LIMITS.tip_name + 1)],
    ['name', 'a\nb'],
    ['contact', x(LIMITS.tip_contact + 1)],
    ['photo', 'storm.jpg'],
    ['may_be_named', 'yes'],
    ['website', 7],
    ['state', 'used'],
  ])('refuses as %s: %j', async (field, value) => {
    expect(await errorOf(send({ content: { [field]: value } }))).toMatchObject({ code: 'invalid', field });
  });

  test.each([[x(31)], [`${x(31)} `], [x(129)], [null], ['']])('refuses the receipt %j', async (receipt) => {
    expect(await errorOf(send({ receipt }))).toMatchObject({ code: 'invalid', field: 'receipt' });
  });

  test('is stored without a coverage that is not public', async () => {
    const { slug } = await makeCoverage('draft');
    const { id } = await send({ content: { coverage: slug } });
    expect(await rowOf(id)).toMatchObject({ coverage_id: null });
  });
});

describe('equal tips', () => {
  /** The sender as submit-tip describes it. `known` means that the device has a token. */
  const from = (device: string, known = true, address = 'here') => ({ address, device, known });
  const words = () => ({ body: `The bridge is closed: ${randomUUID()}.`, name: 'Ada', contact: '01 234' });
  const tipsOf = (body: string) => database.rows('select id from public.tips where body = $1', [body]);

  test.each([
    ['the same device', from('a'), from('a', true, 'elsewhere'), true],
    ['the same device, which had no token before', from('a', false), from('a', true, 'elsewhere'), true],
    ['the same address, without a token at first', from('a', false), from('b'), true],
    ['the same address, without a token then', from('a'), from('b', false), true],
    ['the same address, never with a token', from('a', false), from('b', false), true],
    ['another device behind the same address', from('a'), from('b'), false],
    ['another address, without a token', from('a', false), from('b', false, 'elsewhere'), false],
  ])('are stored once from %s', async (_, sender, then, same) => {
    const content = words();
    const first = await send({ content, sender });
    const second = await send({ content, sender: then });
    expect(second.id === first.id).toBe(same);
    expect(await tipsOf(content.body)).toHaveLength(same ? 1 : 2);
  });

  test('are stored once for ten minutes, and only if all fields are equal', async () => {
    const [content, sender] = [words(), from(randomUUID())];
    const { id } = await send({ content, sender });
    for (const more of [
      { name: 'Bob' },
      { contact: null },
      { coverage: (await makeCoverage('live')).slug },
    ]) {
      expect((await send({ content: { ...content, ...more }, sender })).id).not.toBe(id);
    }
    expect((await send({ content: { ...content, may_be_named: true }, sender })).id).toBe(id);
    expect(await rowOf(id), 'what they said last').toMatchObject({ may_be_named: true, version: 2 });
    await database.rows(`update public.tips set created_at = created_at - interval '11 minutes'`);
    expect((await send({ content, sender })).id).not.toBe(id);
  });

  test('of two people are stored twice', async () => {
    const [content, sender] = [words(), from(randomUUID())];
    const [one, other] = [await database.createUser(), await database.createUser()];
    const first = await send({ content, sender: { ...sender, person: one.sub } });
    expect((await send({ content, sender: { ...sender, person: other.sub } })).id).not.toBe(first.id);
    expect((await send({ content, sender })).id).toBe(first.id);
  });

  test('can add a missing photo once', async () => {
    const [content, sender] = [words(), from(randomUUID())];
    const { id } = await send({ content, sender });
    const [photo, another, third] = [randomUUID(), randomUUID(), randomUUID()];
    const again = (next: string) => send({ content: { ...content, photo: next }, sender });
    expect(await again(photo)).toEqual({ id, held: false, photo });
    expect(await again(another), 'the first one is waited for').toEqual({ id, held: false, photo });
    await database.call(SERVER, ['refuse_photo', { photo_id: photo, code: 'unsupported_media' }]);
    expect(await again(third), 'instead of one that cannot be used').toEqual({
      id,
      held: false,
      photo: third,
    });
    await markPhotoReady(database, third);
    expect(await again(randomUUID())).toEqual({ id, held: false, photo: null });
    expect(await database.rows('select id from public.photos where tip_id = $1', [id])).toEqual([
      { id: third },
    ]);
  });
});

test.each([
  [{ website: 'https://spam.example' }, 'honeypot'],
  [{ took_ms: 0 }, 'haste'],
  [{ took_ms: LIMITS.tip_min_typing_ms - 1 }, 'haste'],
  [{ took_ms: LIMITS.tip_min_typing_ms }, null],
  [{ took_ms: 'long' }, null],
  [{ took_ms: null, website: ' ' }, null],
])('a tip with %j is stored, and held for %s', async (content, suspicion) => {
  const { id, held } = await send({ content });
  expect(held).toBe(suspicion !== null);
  expect(await rowOf(id)).toMatchObject({ suspicion, held, state: 'new' });
  const [newest] = await readTipQueue(database, editor, { view: suspicion ? 'held' : 'open' });
  expect(newest?.id).toBe(id);
});

test('the duration is not part of a tip when it is repeated', async () => {
  const tip = { tip_id: randomUUID(), receipt: newReceipt(), content: { body: 'Slow.', took_ms: 5_000 } };
  const first = await send(tip);
  expect(await send({ ...tip, content: { body: 'Slow.', took_ms: 90_000, website: null } })).toEqual(first);
});

describe('tips above a limit', () => {
  const times = async (most: number, tip: () => NewTip) => {
    const held: boolean[] = [];
    for (let n = 0; n < most; n++) held.push((await send(tip())).held);
    return held;
  };
  /** Makes the tips of a device older. */
  const age = async (interval: string, id: string) =>
    database.rows(
      `update public.tips set created_at = created_at - $1::interval
       where device_hash = (select device_hash from public.tips where id = $2)`,
      [interval, id],
    );

  test('of a device per hour or day are held', async () => {
    const sender = { device: randomUUID() };
    const tip = () => ({ sender: { ...sender, address: randomUUID() } });
    const first = await send(tip());
    expect(await times(LIMITS.tips_per_hour, tip)).toEqual([
      ...Array<boolean>(LIMITS.tips_per_hour - 1).fill(false),
      true,
    ]);
    for (let sent = LIMITS.tips_per_hour + 1; sent < LIMITS.tips_per_day; sent += 2) {
      await age('61 minutes', first.id);
      expect(await times(2, tip)).toEqual([false, false]);
    }
    await age('61 minutes', first.id);
    expect(await times(1, tip)).toEqual([true]);
    await age('1 day', first.id);
    expect(await times(1, tip)).toEqual([false]);
  });

  test('of an address per hour are held, whatever the device', async () => {
    const address = randomUUID();
    const held = await times(LIMITS.tips_per_address + 1, () => ({
      sender: { address, device: randomUUID() },
    }));
    expect(held).toEqual([...Array<boolean>(LIMITS.tips_per_address).fill(false), true]);
    expect(await send({ sender: { address: randomUUID() } })).toMatchObject({ held: false });
    expect(await send()).toMatchObject({ held: false });
  });

  test('of one device do not use up the limit of its address', async () => {
    const [address, device] = [randomUUID(), randomUUID()];
    await times(LIMITS.tips_per_address + 5, () => ({ sender: { address, device, known: true } }));
    expect(await times(3, () => ({ sender: { address, device: randomUUID() } }))).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('of one person are held, whatever the devices', async () => {
    const person = (await database.createUser()).sub;
    const held = await times(LIMITS.tips_per_hour + 1, () => ({
      sender: { address: randomUUID(), device: randomUUID(), person },
    }));
    expect(held).toEqual([...Array<boolean>(LIMITS.tips_per_hour).fill(false), true]);
  });
});

describe('a receipt', () => {
  const ask = (receipt: string | null, who: Claims = VISITOR) =>
    database.call(who, ['tip_receipt', { receipt }]);

  test('shows the status and the text of its tip, without name and contact', async () => {
    const { coverage_id, slug } = await makeCoverage('live');
    const receipt = newReceipt();
    const content = { body: 'The gate is open.', name: 'Ada', contact: 'ada@example.com', coverage: slug };
    const { id } = await send({ receipt, content });
    const status = {
      state: 'new',
      created_at: expect.any(String),
      body: 'The gate is open.',
      coverage: { slug, headline: 'A case' },
      used_in: null,
      photo: null,
    };
    expect(await ask(receipt)).toEqual(status);
    expect(await ask(receipt, await database.createUser())).toEqual(status);
    await database.call(editor, ['set_coverage_state', { coverage_id, state: 'withdrawn' }]);
    await database.call(editor, ['review_tip', { tip_id: id, version: 1 }]);
    expect(await ask(receipt)).toEqual({ ...status, state: 'in_review', coverage: null });
    await database.call(editor, ['close_tip', { tip_id: id, version: 2, state: 'spam' }]);
    expect(await ask(receipt), 'not that it was called spam').toMatchObject({ state: 'declined' });
    expect(await ask(newReceipt())).toBeNull();
    expect(await ask(id)).toBeNull();
    expect(await ask(null)).toBeNull();
  });

  test('shows the photo of its tip only, until the newsroom removes it', async () => {
    const photoOf = async (receipt: string) => ((await ask(receipt)) as { photo: object | null }).photo;
    const sender = await database.createUser();
    const ownPhotos = async () =>
      ((await database.call(sender, ['my_tips', {}])) as { photo: object | null }[]).map(
        ({ photo }) => photo,
      );
    const [receipt, other] = [newReceipt(), newReceipt()];
    const content = { body: 'With a photo.', photo: randomUUID() };
    const { photo: id } = await send({ receipt, content, sender: { person: sender.sub } });
    expect(await ownPhotos()).toEqual([{ id, state: 'uploading', renditions: [] }]);
    await send({ receipt: other, content: { body: 'Without one.' } });
    expect(await photoOf(receipt)).toEqual({ id, state: 'uploading', renditions: [] });
    await markPhotoReady(database, id);
    expect(await photoOf(receipt)).toEqual({
      id,
      state: 'ready',
      renditions: expect.arrayContaining([expect.objectContaining({ width: expect.any(Number) })]),
    });
    expect(await photoOf(other)).toBeNull();
    await database.rows(
      `update public.photos set state = 'refused', refusal_code = 'too_large', renditions = '[]',
      width = null, height = null, placeholder_colour = null, ready_at = null where id = $1`,
      [id],
    );
    expect(await photoOf(receipt)).toEqual({ id, state: 'refused', renditions: [] });
    await database.rows(
      `update public.photos set state = 'removed', refusal_code = null, removed_at = now() where id = $1`,
      [id],
    );
    expect(await photoOf(receipt)).toBeNull();
    expect(await ownPhotos()).toEqual([null]);
  });
});

test('the photo of a tip is processed from its own bucket, and hidden from readers and reporters', async () => {
  const photo = randomUUID();
  const { id } = await send({ content: { photo } });
  await database.rows('insert into storage.objects (bucket_id, name) values ($1, $2)', [
    'tips',
    `incoming/${photo}`,
  ]);
  const waiting = await database.as(SERVER, (session) =>
    session.query('select * from public.list_photos_to_process($1)', [photo]),
  );
  expect(waiting.rows).toEqual([{ id: photo, bucket: 'tips', path: `incoming/${photo}`, held: false }]);
  const reporter = await database.createUser('reporter');
  const { coverage_id } = await makeCoverage('live');
  const own = randomUUID();
  await database.call(reporter, ['save_photo', { photo_id: own, coverage_id, content: {} }]);
  const flood = await send({ content: { photo: randomUUID() } });
  await database.rows('update public.tips set held = true, created_at = now() where id = $1', [flood.id]);
  await database.rows(`update public.photos set created_at = '2020-01-01' where id = $1`, [flood.photo]);
  for (const [bucket, id] of [
    ['tips', flood.photo],
    ['photos', own],
  ]) {
    await database.rows('insert into storage.objects (bucket_id, name) values ($1, $2)', [
      bucket,
      `incoming/${id}`,
    ]);
  }
  const all = await database.as(SERVER, (session) =>
    session.query<{ id: string; held: boolean }>('select id, held from public.list_photos_to_process()'),
  );
  expect(all.rows.slice(0, 1), 'the newsroom before tips').toEqual([{ id: own, held: false }]);
  expect(all.rows.slice(-2)).toEqual([
    { id: photo, held: false },
    { id: flood.photo, held: true },
  ]);
  expect(await database.broadcastsOf(() => markPhotoReady(database, photo))).toEqual([
    { topic: 'tips', event: 'tip', payload: { tip: id, version: 1 } },
  ]);
  expect(await readTipQueue(database, editor, { ids: [id] })).toMatchObject([
    { photo: { state: 'ready', width: 480, renditions: RENDITIONS } },
  ]);
  for (const view of ['photos', 'desk_photos']) {
    const seen = await database.as(editor, (session) =>
      session.query(`select id from public.${view} where id = $1`, [photo]),
    );
    expect(seen.rows, view).toEqual([]);
  }
});
