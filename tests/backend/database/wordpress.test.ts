import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import {
  createCoverageIn,
  errorOf,
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

test('only owners connect, read and disconnect the site, and nobody reads the password', async () => {
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
    photo: null,
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
