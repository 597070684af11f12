import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import {
  addTip,
  type Call,
  createCoverageIn,
  errorOf,
  markPhotoReady,
  newReceipt,
  openTestDatabase,
  type TestDatabase,
  tipRow,
} from '../../support/database.ts';

/* Concurrent transactions on one tip: one waits for the lock of the other. Runs on both engines. */

let database: TestDatabase;
let coverage_id: string;
const names = new Map<string, Claims & { sub: string }>();
beforeAll(async () => {
  database = await openTestDatabase();
  ({ coverage_id } = await createCoverageIn(database, 'live'));
  for (const name of ['Ada', 'Bea', 'Cid']) {
    const person = await database.createUser('moderator');
    await database.rows('update public.people set display_name = $2 where id = $1', [person.sub, name]);
    names.set(name, person);
  }
});
afterAll(() => database.close());

const by = (name: string) => names.get(name) as Claims & { sub: string };
const using = (photo = false): Call => [
  'use_tip',
  {
    coverage_id,
    update_id: randomUUID(),
    content: { quote: 'It broke.', ...(photo && { photo: { alt: 'A dam' } }) },
  },
];
const settling: Call = ['close_tip', { state: 'declined' }];
const giving = (): Call => ['hand_over_tip', { person_id: by('Cid').sub }];

test.each<[string, () => Call, () => Call, boolean]>([
  ['take and take', () => ['review_tip', {}], () => ['review_tip', {}], false],
  ['use and use', () => using(true), () => using(true), false],
  ['use and decline', () => using(), () => settling, false],
  ['take and use', () => ['review_tip', {}], () => using(), false],
  ['hand over and decline', giving, () => settling, false],
  ['take over and use', () => using(), () => ['review_tip', {}], true],
])('%s: one succeeds, and the other error names the winner', async (_, one, other, inReview) => {
  for (let round = 0; round < 4; round++) {
    const { id, photo } = await addTip(database, { content: { photo: randomUUID() } });
    await markPhotoReady(database, photo);
    if (inReview) await database.call(by('Ada'), ['review_tip', { tip_id: id, version: 1 }]);
    const version = inReview ? 2 : 1;
    const press = ([name, args]: Call, who: string) =>
      database.call(by(who), [name, { ...args, tip_id: id, version }]);
    const both = await Promise.allSettled([press(one(), 'Ada'), press(other(), 'Bea')]);
    const lost = both.filter((result) => result.status === 'rejected');
    expect(lost).toHaveLength(1);
    const row = await tipRow(database, id);
    expect(row).toMatchObject({ version: version + 1 });
    const refusal = await errorOf(Promise.reject(lost[0]?.reason));
    expect(refusal).toMatchObject({
      code: 'bad_state',
      version: version + 1,
      by: expect.stringMatching(/^(Ada|Bea|Cid)$/),
    });
    const updates = await database.rows('select id from public.updates where id = $1', [row?.update_id]);
    expect(updates).toHaveLength(row?.state === 'used' ? 1 : 0);
    const filed = await database.rows<{ count: number }>(
      `select count(*)::integer from public.updates u where u.author = any ($1::uuid[]) and not exists (
        select from public.tips t where t.update_id = u.id)`,
      [`{${by('Ada').sub},${by('Bea').sub}}`],
    );
    expect(filed, 'no update of whoever lost').toEqual([{ count: 0 }]);
  }
});

test('reopening a tip and publishing its update at the same time: one succeeds', async () => {
  const editor = await database.createUser('editor');
  for (let round = 0; round < 4; round++) {
    const { id } = await addTip(database);
    const update_id = randomUUID();
    const use = { tip_id: id, version: 1, coverage_id, update_id, content: { quote: 'It broke.' } };
    await database.call(by('Ada'), ['use_tip', use]);
    const content = { body: [{ type: 'quote', text: 'It broke.' }] };
    const [published, reopened] = await Promise.allSettled([
      database.call(editor, ['publish_update', { coverage_id, update_id, version: 1, content }]),
      database.call(by('Bea'), ['reopen_tip', { tip_id: id, version: 2 }]),
    ]);
    expect(published.status).not.toBe(reopened.status);
    const [update] = await database.rows<{ state: string }>(
      'select state from public.updates where id = $1',
      [update_id],
    );
    const state = (await tipRow(database, id))?.state;
    expect([update?.state, state]).toEqual(
      published.status === 'fulfilled' ? ['published', 'used'] : ['spiked', 'in_review'],
    );
  }
});

test('equal concurrent tips become one, and limits count each tip', async () => {
  const body = `The same: ${randomUUID()}.`;
  const sender = { address: randomUUID(), device: randomUUID(), known: true };
  const same = await Promise.all(
    Array.from({ length: 8 }, () => addTip(database, { content: { body }, sender })),
  );
  expect(new Set(same.map(({ id }) => id)).size).toBe(1);
  const others = await Promise.all(Array.from({ length: 9 }, () => addTip(database, { sender })));
  expect(others.filter(({ held }) => !held)).toHaveLength(4);
  // The same command.
  const tip = { tip_id: randomUUID(), receipt: newReceipt(), content: { body: `Once: ${randomUUID()}.` } };
  const answers = await Promise.all([1, 2, 3].map(() => addTip(database, tip)));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
});

test('a photo processed while its tip is used is either missing or shown', async () => {
  for (let round = 0; round < 4; round++) {
    const { id, photo } = await addTip(database, { content: { photo: randomUUID() } });
    const [name, args] = using(true);
    const [, used] = await Promise.allSettled([
      markPhotoReady(database, photo),
      database.call(by('Ada'), [name, { ...args, tip_id: id, version: 1 }]),
    ]);
    const [row] = await database.rows<{ state: string; coverage_id: string | null }>(
      'select state, coverage_id from public.photos where id = $1',
      [photo],
    );
    expect(row).toEqual({ state: 'ready', coverage_id: used.status === 'fulfilled' ? coverage_id : null });
    if (used.status === 'rejected')
      expect(await errorOf(Promise.reject(used.reason))).toMatchObject({ field: 'photo' });
  }
});
