import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import {
  createCoverageIn,
  errorOf,
  markPhotoReady,
  openTestDatabase,
  SERVER,
  type TestDatabase,
  VISITOR,
} from '../../support/database.ts';

type Caller = Claims & { sub: string };

let database: TestDatabase;
let [editor, owner, reporter]: Caller[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  [editor, owner, reporter] = [
    await database.createUser('editor'),
    await database.createUser('owner'),
    await database.createUser('reporter'),
  ];
});
afterAll(() => database?.close());

const SITE = { url: 'https://paper.example/blog', username: 'desk', password: 'x'.repeat(60) };

const save = (more: object = {}, who: Claims | undefined = owner) =>
  database.call(who ?? VISITOR, ['save_wordpress', { ...SITE, ...more }]);

const stored = () => database.rows('select url, username, password from private.wordpress');

test.for([
  ['an address with a query', { url: 'https://paper.example/?a=b' }, 'url'],
  ['an address with a password', { url: 'https://me:secret@paper.example' }, 'url'],
  ['another scheme', { url: 'javascript:alert(1)' }, 'url'],
  ['an address with a line break', { url: 'https://paper.example/\r\nX: y' }, 'url'],
  ['a user of two lines', { username: 'a\nb' }, 'username'],
  ['no user', { username: '' }, 'username'],
  ['a password that was not encrypted', { password: 'abcd efgh ijkl mnop qrst uvwx' }, 'password'],
] as const)('refuses %s', async ([, more, field]) => {
  expect(await errorOf(save(more))).toMatchObject({ code: 'invalid', field });
  expect(await stored()).toEqual([]);
});

test('only owners connect, read and disconnect the site, and no person can read the password', async () => {
  for (const who of [reporter, editor]) {
    expect(await errorOf(save({}, who))).toMatchObject({ code: 'forbidden' });
    expect(await errorOf(database.call(who as Caller, ['read_wordpress', {}]))).toMatchObject({
      code: 'forbidden',
    });
  }
  expect(await errorOf(save({}, VISITOR))).toMatchObject({ code: '42501' });
  expect(await stored()).toEqual([]);

  await save();
  expect(await stored()).toEqual([SITE]);
  const read = await database.call(owner as Caller, ['read_wordpress', {}]);
  expect(read).toMatchObject({ url: SITE.url, username: SITE.username });
  expect(JSON.stringify(read)).not.toContain(SITE.password);
  for (const who of [owner, editor, VISITOR]) {
    expect(await errorOf(database.call(who as Caller, ['wordpress_connection', {}]))).toMatchObject({
      code: '42501',
    });
  }
  expect(await errorOf(database.call(editor as Caller, ['remove_wordpress', {}]))).toMatchObject({
    code: 'forbidden',
  });
  expect(await stored()).toHaveLength(1);
  await save({ url: 'https://other.example' });
  expect(await stored()).toMatchObject([{ url: 'https://other.example' }]);
  await database.call(owner as Caller, ['remove_wordpress', {}]);
  expect(await stored()).toEqual([]);
  const log = await database.rows<{ action: string }>(
    `select action from public.audit_log where action like '%wordpress' order by id`,
  );
  expect(log.map(({ action }) => action)).toEqual(['save_wordpress', 'save_wordpress', 'remove_wordpress']);
});

const claim = (update_id: string, who: Claims | undefined = editor) =>
  database.call(who ?? VISITOR, ['claim_wordpress_draft', { update_id }]);

test('gives an update to one call at a time, and its draft to all later ones', async () => {
  const { coverage_id } = await createCoverageIn(database, 'live');
  const update_id = randomUUID();
  const content = { body: [{ type: 'paragraph', runs: [{ text: 'Water rises.' }] }] };
  await database.call(editor as Caller, ['save_update', { coverage_id, update_id, content }]);
  expect(await errorOf(claim(update_id))).toMatchObject({ code: 'bad_state' });
  await database.call(editor as Caller, ['publish_update', { coverage_id, update_id, content, version: 1 }]);
  for (const who of [reporter, VISITOR])
    expect(await errorOf(claim(update_id, who))).toMatchObject({
      code: who === VISITOR ? '42501' : 'forbidden',
    });
  expect(await database.rows('select from private.wordpress_drafts')).toEqual([]);

  expect(await claim(update_id)).toMatchObject({
    number: 1,
    body: content.body,
    photos: [],
    is_repeated: false,
  });
  expect(await errorOf(claim(update_id, owner))).toMatchObject({ code: 'bad_state' });
  const finish = (link: string | null) =>
    database.call(SERVER, ['finish_wordpress_draft', { update_id, link }]);
  await finish(null);
  expect(await claim(update_id, owner)).toMatchObject({ is_repeated: true });
  await finish('https://paper.example/wp-admin/post.php?post=7');
  // A call that was late does not replace the draft.
  await finish('https://paper.example/wp-admin/post.php?post=8');
  const link = 'https://paper.example/wp-admin/post.php?post=7';
  expect(await claim(update_id)).toEqual({ link });
  const list = (who: Caller | undefined) =>
    database.call(who as Caller, ['list_wordpress_drafts', { coverage_id }]);
  expect(await list(editor)).toEqual({ is_connected: false, links: { [update_id]: link } });
  expect(await list(reporter)).toBeNull();
  expect(
    await database.rows(
      `select created_by, detail from public.audit_log where action = 'make_wordpress_draft'`,
    ),
  ).toEqual([{ created_by: owner?.sub, detail: { coverage: coverage_id, number: 1 } }]);
});

test('gives the photos that readers see, in the order of the body', async () => {
  const { coverage_id } = await createCoverageIn(database, 'live');
  const announce = async (content: object) => {
    const photo_id = randomUUID();
    await database.call(editor as Caller, ['save_photo', { photo_id, coverage_id, content }]);
    return photo_id;
  };
  const [second, first, unready] = [
    await announce({ alt: 'The second', caption: 'At noon', credit: 'A. Reporter' }),
    await announce({ alt: 'The first' }),
    await announce({ alt: 'Not processed' }),
  ];
  for (const photo of [second, first]) await markPhotoReady(database, photo);
  const photos = [first, unready, second].map((photo) => ({ type: 'photo', photo }));
  const update_id = randomUUID();
  const content = { body: [{ type: 'paragraph', runs: [{ text: 'Look.' }] }, ...photos] };
  await database.call(editor as Caller, ['publish_update', { coverage_id, update_id, content }]);
  expect(await claim(update_id)).toMatchObject({
    photos: [
      { id: first, bucket: 'photos', width: 480, alt: 'The first', caption: null, credit: null },
      {
        id: second,
        bucket: 'photos',
        width: 480,
        alt: 'The second',
        caption: 'At noon',
        credit: 'A. Reporter',
      },
    ],
  });
});

const CODE = 'c'.repeat(43);
const PERSON = { email: 'ada@example.com', name: 'Ada Quay', role: 'reporter' };
const offer = (who: Claims | undefined = owner, code = CODE) =>
  database.call(who ?? VISITOR, ['offer_wordpress_transfer', { code_hash: sha256(code) }]);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const send = (content: object, code = CODE) =>
  database.call(VISITOR, ['send_wordpress_transfer', { code, content }]);
const readTransfer = () => database.call(owner as Caller, ['read_wordpress_transfer', {}]);

test.for([
  ['no people', {}],
  ['people that are no list', { people: {} }],
  ['an owner', { people: [{ ...PERSON, role: 'owner' }] }],
  ['a moderator', { people: [{ ...PERSON, role: 'moderator' }] }],
  ['no address', { people: [{ ...PERSON, email: 'ada' }] }],
  ['a name of two lines', { people: [{ ...PERSON, name: 'Ada\nQuay' }] }],
  ['another field', { people: [{ ...PERSON, password: 'x' }] }],
  ['no object', { people: ['ada@example.com'] }],
  ['51 people', { people: Array.from({ length: 51 }, () => PERSON) }],
  ['a colour that is none', { people: [], accent: 'red;}' }],
  ['a name of the site in two lines', { people: [], name: 'a\nb' }],
  ['a menu that runs', { people: [], menu: [{ label: 'a', url: 'javascript:alert(1)' }] }],
  ['a logo that is no file', { people: [], logo: '<svg onload=alert(1)>' }],
  ['a logo that is too large', { people: [], logo: 'A'.repeat(500_000) }],
  ['another setting', { people: [], embed_origins: ['*'] }],
] as const)('refuses a transfer with %s', async ([, content]) => {
  await offer();
  expect(await errorOf(send(content))).toMatchObject({ code: 'invalid' });
  expect(await readTransfer()).toMatchObject({ content: null });
});

test('takes one transfer for a code of an owner, and applies nothing', async () => {
  for (const who of [editor, VISITOR])
    expect(await errorOf(offer(who))).toMatchObject({ code: who === VISITOR ? '42501' : 'forbidden' });
  await offer();
  const content = { people: [PERSON], name: 'The Courier', accent: '#ffaa00', menu: [] };
  const site = () => database.rows('select name, accent from public.site');
  const before = await site();
  expect(await errorOf(send(content, 'd'.repeat(43)))).toMatchObject({ code: 'gone' });
  expect(await send(content)).toEqual({ people: 1 });
  // The answer was lost.
  expect(await send(content)).toEqual({ people: 1 });
  expect(await errorOf(send({ people: [] }))).toMatchObject({ code: 'gone' });
  expect(await readTransfer()).toMatchObject({ content });
  expect(await errorOf(database.call(editor as Caller, ['read_wordpress_transfer', {}]))).toMatchObject({
    code: 'forbidden',
  });
  expect(await errorOf(database.call(editor as Caller, ['close_wordpress_transfer', {}]))).toMatchObject({
    code: 'forbidden',
  });
  expect(await site()).toEqual(before);
  expect(await database.rows('select from public.invites')).toEqual([]);
  expect(await database.rows('select code_hash from private.wordpress_transfer')).toEqual([
    { code_hash: sha256(CODE) },
  ]);
  await database.call(owner as Caller, ['close_wordpress_transfer', {}]);
  expect(await readTransfer()).toBeNull();
  expect(await errorOf(send(content))).toMatchObject({ code: 'gone' });
});

test('takes no transfer with a code older than an hour, or one that was replaced', async () => {
  await offer();
  await database.rows(`update private.wordpress_transfer set expires_at = now() - interval '1 second'`);
  expect(await errorOf(send({ people: [PERSON] }))).toMatchObject({ code: 'gone' });
  expect(await readTransfer()).toBeNull();
  await offer();
  await offer(owner, 'e'.repeat(43));
  expect(await errorOf(send({ people: [PERSON] }))).toMatchObject({ code: 'gone' });
  expect(await send({ people: [PERSON] }, 'e'.repeat(43))).toEqual({ people: 1 });
});
