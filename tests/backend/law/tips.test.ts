import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/lib/limits.ts';
import type { Claims } from '../../../supabase/embedded/caller.ts';
import { type Law, openLaw, refusalOf, SERVER, VISITOR } from '../../support/law-in-sql.ts';
import { ROLES } from '../../support/newsroom.ts';
import { x } from './content-cases.ts';

/* What readers tell the newsroom: what is kept of it, how much is taken at once, and who reads it. */

let law: Law;
let editor: Claims & { sub: string };
beforeAll(async () => {
  law = await openLaw();
  editor = await law.hire('editor');
});
afterAll(() => law.close());

const newReceipt = () => randomUUID() + randomUUID();
/** No two are the same tip. */
let told = 0;
type Sent = { tip_id?: string; content?: object; receipt?: unknown; sender?: object };
const send = ({ tip_id = randomUUID(), content = {}, receipt = newReceipt(), sender = {} }: Sent = {}) =>
  law.press(SERVER, [
    'add_tip',
    { tip_id, content: { body: `A dam broke: ${++told}.`, ...content }, receipt, sender },
  ]) as Promise<{
    id: string;
    held: boolean;
    photo: string | null;
  }>;
const rowOf = async (id: string) =>
  (await law.rows<Record<string, unknown>>('select * from public.tips where id = $1', [id]))[0];

async function makeCoverage(state: 'draft' | 'live') {
  const coverage_id = randomUUID();
  const content = { slug: `case-${coverage_id}`, headline: 'A case' };
  await law.press(editor, ['create_coverage', { coverage_id, content }]);
  if (state === 'live') await law.press(editor, ['set_coverage_state', { coverage_id, state }]);
  return { coverage_id, slug: content.slug };
}

/** What somebody reads of a tip at the desk. */
const deskOf = (who: Claims, id: string) =>
  law.as(
    who,
    async (session) =>
      (await session.query<Record<string, unknown>>('select * from public.desk_tips where id = $1', [id]))
        .rows,
  );

describe('a tip', () => {
  test('is kept as it was sent, and once: lost answers are asked for again', async () => {
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
    const [photo] = await law.rows('select * from public.photos where tip_id = $1', [tip.tip_id]);
    expect(photo).toMatchObject({ id: tip.content.photo, coverage_id: null, state: 'arriving' });
    for (const other of [{ content: { body: 'Other.' } }, { receipt: newReceipt() }]) {
      expect(await refusalOf(send({ ...tip, ...other }))).toMatchObject({ code: 'forbidden' });
    }
    expect(await refusalOf(send({ content: { photo: tip.content.photo } }))).toMatchObject({
      code: 'forbidden',
    });
    expect(await refusalOf(send({ receipt: tip.receipt }))).toMatchObject({ code: 'forbidden' });
  });

  test('keeps neither address, device nor receipt, and no digest that can be made elsewhere', async () => {
    const receipt = newReceipt();
    const sender = { address: '192.0.2.9', device: 'another-device' };
    const [one, other] = [
      await send({ receipt, sender }),
      await send({ sender: { ...sender, device: '192.0.2.9' } }),
    ];
    const [row, twin] = [await rowOf(one.id), await rowOf(other.id)];
    expect(row?.sender_hash).toBe(twin?.sender_hash);
    expect(twin?.device_hash).not.toBe(twin?.sender_hash);
    const [plain] = await law.rows<{ digest: string }>(`select encode(sha256('192.0.2.9'), 'hex') as digest`);
    const kept = JSON.stringify([row, await law.rows('select * from private.ops')]);
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
    ['state', 'used'],
  ])('has no %s of %j', async (field, value) => {
    expect(await refusalOf(send({ content: { [field]: value } }))).toMatchObject({ code: 'invalid', field });
  });

  test.each([[x(31)], [`${x(31)} `], [x(129)], [null], ['']])('has no receipt of %j', async (receipt) => {
    expect(await refusalOf(send({ receipt }))).toMatchObject({ code: 'invalid', field: 'receipt' });
  });

  test('is about no coverage that is not for readers', async () => {
    const { slug } = await makeCoverage('draft');
    const { id } = await send({ content: { coverage: slug } });
    expect(await rowOf(id)).toMatchObject({ coverage_id: null });
  });
});

describe('too many', () => {
  const times = async (most: number, tip: () => Sent) => {
    const held: boolean[] = [];
    for (let n = 0; n < most; n++) held.push((await send(tip())).held);
    return held;
  };
  /** Makes the tips of a device older than they are. */
  const age = async (interval: string, id: string) =>
    law.rows(
      `update public.tips set created_at = created_at - $1::interval
       where device_hash = (select device_hash from public.tips where id = $2)`,
      [interval, id],
    );

  test('of a device in an hour are held, and so are too many in a day', async () => {
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

  test('of an address in an hour are held, whatever the device says', async () => {
    const address = randomUUID();
    const held = await times(LIMITS.tips_per_address + 1, () => ({
      sender: { address, device: randomUUID() },
    }));
    expect(held).toEqual([...Array<boolean>(LIMITS.tips_per_address).fill(false), true]);
    expect(await send({ sender: { address: randomUUID() } })).toMatchObject({ held: false });
    expect(await send()).toMatchObject({ held: false });
  });
});

describe('whoever has the receipt', () => {
  const ask = (receipt: string | null, who: Claims = VISITOR) => law.press(who, ['tip_receipt', { receipt }]);

  test('learns what became of the tip, and nothing else', async () => {
    const { coverage_id, slug } = await makeCoverage('live');
    const receipt = newReceipt();
    const { id } = await send({ receipt, content: { coverage: slug } });
    const told = {
      state: 'new',
      created_at: expect.any(String),
      coverage: { slug, headline: 'A case' },
      used: null,
    };
    expect(await ask(receipt)).toEqual(told);
    expect(await ask(receipt, await law.hire())).toEqual(told);
    await law.press(editor, ['set_coverage_state', { coverage_id, state: 'withdrawn' }]);
    await law.press(editor, ['take_tip', { tip_id: id, version: 1 }]);
    expect(await ask(receipt)).toEqual({ ...told, state: 'in_review', coverage: null });
    await law.press(editor, ['settle_tip', { tip_id: id, version: 2, state: 'spam' }]);
    expect(await ask(receipt), 'not that it was called spam').toMatchObject({ state: 'declined' });
    expect(await ask(newReceipt())).toBeNull();
    expect(await ask(id)).toBeNull();
    expect(await ask(null)).toBeNull();
  });
});

describe('tips are read', () => {
  test.each(ROLES)('by a %s', async (role) => {
    const photo = randomUUID();
    const { id } = await send({ content: { photo } });
    const found = await deskOf(await law.hire(role), id);
    if (!['moderator', 'editor', 'owner'].includes(role)) expect(found).toEqual([]);
    else {
      const waiting = { id: photo, state: 'arriving', refusal: null, width: null, height: null, prints: [] };
      expect(found).toMatchObject([{ id, body: `A dam broke: ${told}.`, held: false, photo: waiting }]);
      expect(Object.keys(found[0] ?? {}).join()).toBe(
        'id,coverage_id,body,name,contact,state,held,created_at,photo',
      );
    }
  });

  test('by nobody else, by no other way', async () => {
    for (const who of [VISITOR, editor, SERVER]) {
      const reading = law.as(who, (session) => session.query('select id from public.tips'));
      expect(await refusalOf(reading)).toEqual({ code: '42501' });
    }
    for (const who of [VISITOR, SERVER])
      expect(await refusalOf(deskOf(who, randomUUID()))).toEqual({ code: '42501' });
  });
});

test('the photo of a tip is developed out of its own bucket, and no reader or reporter sees it', async () => {
  const photo = randomUUID();
  const { id } = await send({ content: { photo } });
  await law.rows('insert into storage.objects (bucket_id, name) values ($1, $2)', [
    'tips',
    `incoming/${photo}`,
  ]);
  const waiting = await law.as(SERVER, (session) =>
    session.query('select * from public.photos_to_develop($1)', [photo]),
  );
  expect(waiting.rows).toEqual([{ id: photo, bucket: 'tips', path: `incoming/${photo}`, held: false }]);
  const reporter = await law.hire('reporter');
  const { coverage_id } = await makeCoverage('live');
  const own = randomUUID();
  await law.press(reporter, ['save_photo', { photo_id: own, coverage_id, content: {} }]);
  const flood = await send({ content: { photo: randomUUID() } });
  await law.rows('update public.tips set held = true, created_at = now() where id = $1', [flood.id]);
  await law.rows(`update public.photos set created_at = '2020-01-01' where id = $1`, [flood.photo]);
  for (const [bucket, id] of [
    ['tips', flood.photo],
    ['photos', own],
  ]) {
    await law.rows('insert into storage.objects (bucket_id, name) values ($1, $2)', [
      bucket,
      `incoming/${id}`,
    ]);
  }
  const all = await law.as(SERVER, (session) =>
    session.query<{ id: string; held: boolean }>('select id, held from public.photos_to_develop()'),
  );
  expect(all.rows.slice(0, 1), 'the newsroom before tips').toEqual([{ id: own, held: false }]);
  expect(all.rows.slice(-2)).toEqual([
    { id: photo, held: false },
    { id: flood.photo, held: true },
  ]);
  const prints = [{ width: 480, height: 320, bytes: 9_000 }];
  const developing = () =>
    law.press(SERVER, ['photo_developed', { photo_id: photo, prints, colour: '#0a1b2c' }]);
  expect(await law.sentBy(developing)).toEqual([
    { topic: 'tips', event: 'tip', payload: { tip: id, version: 1 } },
  ]);
  expect(await deskOf(editor, id)).toMatchObject([{ photo: { state: 'ready', width: 480, prints } }]);
  for (const view of ['photos', 'desk_photos']) {
    const seen = await law.as(editor, (session) =>
      session.query(`select id from public.${view} where id = $1`, [photo]),
    );
    expect(seen.rows, view).toEqual([]);
  }
});

test('what is kept for a time only is forgotten after it', async () => {
  const content = { name: 'Ada', contact: 'ada@example.com' };
  const sender = { address: '192.0.2.7', device: 'a' };
  const [fresh, recent, handled, old] = await Promise.all([1, 2, 3, 4].map(() => send({ content, sender })));
  const days = async (id: string | undefined, created: number, handled: number | null) => {
    if (handled) await law.press(editor, ['settle_tip', { tip_id: id, version: 1, state: 'declined' }]);
    await law.rows(
      `update public.tips set created_at = now() - make_interval(days => $2), handled_at = now() - make_interval(days => $3) where id = $1`,
      [id, created, handled],
    );
  };
  await days(recent?.id, LIMITS.sender_days - 1, LIMITS.contact_days - 1);
  await days(handled?.id, 1, LIMITS.contact_days + 1);
  await days(old?.id, LIMITS.sender_days + 1, null);
  await law.rows('select private.forget_old()');
  const hashes = { sender_hash: expect.any(String), device_hash: expect.any(String) };
  const gone = { sender_hash: null, device_hash: null };
  expect(await rowOf(fresh?.id ?? '')).toMatchObject({ ...content, ...hashes });
  expect(await rowOf(recent?.id ?? '')).toMatchObject({ ...content, ...hashes });
  expect(await rowOf(handled?.id ?? '')).toMatchObject({ name: null, contact: null, ...hashes });
  expect(await rowOf(old?.id ?? '')).toMatchObject({ ...content, ...gone });
});
