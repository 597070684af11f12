import { describe, expect, test } from 'vitest';
import { errorOf, SERVER } from '../../support/database.ts';
import { paragraph } from '../../support/newsroom.ts';
import {
  at,
  bring,
  database,
  type Folder,
  first,
  folder,
  id,
  idOf,
  left,
  made,
  useDatabase,
} from './coverage-archive-context.ts';

useDatabase();

type Mend = (given: Folder) => unknown;

const second = (given: Folder) => given.updates[1] as Folder['updates'][0];

const versionOf = (given: Folder, n: number) =>
  first(given).versions[n] as Folder['updates'][0]['versions'][0];

const later = '2999-01-01T00:00:00Z';

/** Changes of a folder, and the expected error. */
const MENDED: [string, Mend, { field: string; number?: number; change?: number }][] = [
  ['another format', ({ head }) => Object.assign(head, { format: 'x' }), { field: 'format' }],
  ['a newer version', ({ head }) => Object.assign(head, { version: 2 }), { field: 'format' }],
  ['a stray field', ({ head }) => Object.assign(head, { created_by: 1 }), { field: 'created_by' }],
  ['a draft', ({ head }) => Object.assign(head.coverage, { state: 'draft' }), { field: 'state' }],
  [
    'a coverage of the future',
    ({ head }) => Object.assign(head.coverage, { published_at: later }),
    { field: 'published_at' },
  ],
  [
    'an end that never was',
    ({ head }) => Object.assign(head.coverage, { ended_at: null }),
    { field: 'ended_at' },
  ],
  [
    'a long headline',
    ({ head }) => Object.assign(head.coverage, { headline: 'x'.repeat(121) }),
    { field: 'headline' },
  ],
  [
    'a language of its own',
    ({ head }) => Object.assign(head.coverage, { language: 'klingon-' }),
    { field: 'language' },
  ],
  ['a bad slug', ({ head }) => Object.assign(head.coverage, { slug: '../x' }), { field: 'slug' }],
  ['none of its slugs', ({ head }) => Object.assign(head, { slugs: [] }), { field: 'slugs' }],
  [
    'more updates than it counts',
    ({ head }) => Object.assign(head.coverage, { update_count: 2 }),
    { field: 'update_count' },
  ],
  [
    'another newest time',
    ({ head }) => Object.assign(head.coverage, { last_published_at: at(4) }),
    { field: 'last_published_at' },
  ],
  [
    'what was withdrawn pinned',
    (given) => Object.assign(given.head.coverage, { pinned_update: second(given).id }),
    { field: 'pinned_update' },
  ],
  [
    'a lead photo that no update shows',
    ({ head }) => Object.assign(head.coverage, { lead_photo: id() }),
    { field: 'lead_photo' },
  ],
  [
    'a canonical address without https',
    ({ head }) => Object.assign(head.coverage, { canonical_url: 'http://paper.example/flood' }),
    { field: 'canonical_url' },
  ],
  [
    'a person who wrote nothing',
    ({ head }) =>
      head.people.push({ ...(head.people[0] as Folder['head']['people'][0]), id: id(), handle: `x-${made}` }),
    { field: 'people' },
  ],
  [
    'a name that turns round',
    ({ head }) => Object.assign(head.people[0] ?? {}, { display_name: 'A\u202eb' }),
    { field: 'people' },
  ],
  [
    'a topic without a name',
    ({ head }) => Object.assign(head.topics[0] ?? {}, { name: '' }),
    { field: 'topics' },
  ],
  [
    'a photo of no size',
    ({ head }) =>
      head.photos.push({
        id: id(),
        width: 1,
        height: 1,
        renditions: [],
        placeholder_colour: '#000000',
        alt: 'x',
        caption: null,
        credit: null,
        ready_at: at(1),
      }),
    { field: 'photos' },
  ],
  [
    'a gap in its numbers',
    (given) => Object.assign(second(given), { number: 4 }),
    { field: 'number', number: 2 },
  ],
  [
    'a number as text',
    (given) => Object.assign(first(given), { number: '1' }),
    { field: 'number', number: 1 },
  ],
  [
    'a draft among its updates',
    (given) => Object.assign(first(given), { state: 'draft' }),
    { field: 'state', number: 1 },
  ],
  [
    'a desk note',
    (given) => Object.assign(first(given), { desk_note: 'x' }),
    { field: 'desk_note', number: 1 },
  ],
  [
    'a desk note in a version',
    (given) => Object.assign(versionOf(given, 0).content ?? {}, { desk_note: 'x' }),
    { field: 'desk_note', number: 1 },
  ],
  [
    'an update of the future',
    (given) => Object.assign(first(given), { published_at: later }),
    { field: 'published_at', number: 1 },
  ],
  [
    'a time without its zone',
    (given) => Object.assign(first(given), { published_at: '2026-03-01T10:00:00' }),
    { field: 'published_at', number: 1 },
  ],
  [
    'a script for a body',
    (given) => Object.assign(first(given), { body: [{ type: 'script', text: 'x' }] }),
    { field: 'body', number: 1 },
  ],
  [
    'an address that is no web address',
    (given) =>
      Object.assign(first(given), {
        body: [{ type: 'paragraph', runs: [{ text: 'x', link: 'javascript:alert(1)' }] }],
      }),
    { field: 'body', number: 1 },
  ],
  [
    'somebody who is not in the file',
    (given) => Object.assign(first(given), { bylines: [id()] }),
    { field: 'bylines', number: 1 },
  ],
  [
    'a photo that is not in the file',
    (given) => Object.assign(first(given), { photos: [id()] }),
    { field: 'photos', number: 1 },
  ],
  [
    'a change that never was',
    (given) => Object.assign(first(given), { seq: 9 }),
    { field: 'seq', number: 1 },
  ],
  ['another last change', (given) => Object.assign(first(given), { seq: 2 }), { field: 'seq', number: 1 }],
  [
    'a correction that is not dated',
    (given) => Object.assign(first(given), { corrected_at: null }),
    { field: 'corrected_at', number: 1 },
  ],
  [
    'two versions with one number',
    (given) => Object.assign(versionOf(given, 0), { version: 3, content: null }),
    { field: 'versions', number: 1 },
  ],
  [
    'no current version',
    (given) => Object.assign(first(given), { version: 4 }),
    { field: 'content', number: 1 },
  ],
  [
    'a correction without its note',
    (given) => Object.assign(versionOf(given, 1), { note: '' }),
    { field: 'note', number: 1 },
  ],
  [
    'a version of the future',
    (given) => Object.assign(versionOf(given, 0), { at: later }),
    { field: 'at', number: 1 },
  ],
  [
    'a version without its words',
    (given) => Object.assign(versionOf(given, 0), { content: null }),
    { field: 'content', number: 1 },
  ],
  [
    'words in what was redacted',
    (given) => Object.assign(versionOf(given, 0), { redacted_at: at(9), redacted_reason: 'x' }),
    { field: 'content', number: 1 },
  ],
  [
    'no reason for a redaction',
    (given) => Object.assign(versionOf(given, 0), { redacted_at: at(9), content: null }),
    { field: 'redacted_reason', number: 1 },
  ],
  [
    'words of what was withdrawn',
    (given) => Object.assign(second(given), { headline: 'x' }),
    { field: 'body', number: 2 },
  ],
  [
    'a withdrawal without a reason',
    (given) => Object.assign(second(given), { withdrawn_reason: null }),
    { field: 'withdrawn_reason', number: 2 },
  ],
  [
    'the same update twice',
    (given) => Object.assign(second(given), { id: first(given).id }),
    { field: 'id', number: 2 },
  ],
  [
    'a gap in its changes',
    ({ changes }) => Object.assign(changes[3] ?? {}, { seq: 5 }),
    { field: 'seq', change: 4 },
  ],
  [
    'a change of nothing',
    ({ changes }) => Object.assign(changes[1] ?? {}, { number: 9 }),
    { field: 'number', change: 2 },
  ],
  [
    'a change of no kind',
    ({ changes }) => Object.assign(changes[1] ?? {}, { kind: 'x' }),
    { field: 'kind', change: 2 },
  ],
  [
    'a change of the future',
    ({ changes }) => Object.assign(changes[1] ?? {}, { at: later }),
    { field: 'at', change: 2 },
  ],
  ['a change left out', ({ changes }) => changes.pop(), { field: 'seq' }],
  [
    'two publications of one',
    ({ changes }) => Object.assign(changes[4] ?? {}, { kind: 'publication' }),
    { field: 'seq', number: 1 },
  ],
];

test.each(MENDED)('refuses %s by name and leaves nothing', async (_what, mend, said) => {
  const given = folder();
  mend(given);
  const before = await left();
  expect(await errorOf(bring(given))).toEqual({ code: 'invalid', ...said });
  expect(await left()).toEqual(before);
});

describe('an unfinished import', () => {
  async function beginImport() {
    const given = folder();
    await database.call(SERVER, ['begin_coverage_import', { content: given.head }]);
    return given;
  }

  test('cannot be a reason to invite a contributor', async () => {
    const owner = await database.createUser('owner');
    const invite = {
      invite_id: id(),
      content: {
        email: 'a@example.com',
        name: 'A',
        role: 'contributor',
        coverage_id: idOf(await beginImport()),
      },
      token_hash: 'a'.repeat(64),
    };
    expect(await errorOf(database.call(owner, ['invite_person', invite]))).toEqual({
      code: 'invalid',
      field: 'coverage_id',
    });
  });

  test('can be deleted although an earlier version let a contributor in', async () => {
    const given = await beginImport();
    const contributor = await database.createUser('contributor');
    await database.rows(
      `with member as (insert into public.coverage_members (coverage_id, person_id, expires_at) values ($1, $2, now()))
       insert into public.invites (id, email, name, role, coverage_id, days, token_hash, invited_by, expires_at)
       values ($1, 'b@example.com', 'B', 'contributor', $1, 7, $3, $2, now())`,
      [idOf(given), contributor.sub, 'b'.repeat(64)],
    );
    await bring(given);
    expect(await database.rows('select from public.invites where id = $1', [idOf(given)])).toEqual([]);
  });
});

test('rows of another coverage are refused', async () => {
  const [here, given] = [folder(), folder()];
  await bring(here);
  first(given).id = first(here).id;
  expect(await errorOf(bring(given))).toEqual({ code: 'invalid', field: 'id', number: 1 });
  const photo = id();
  await database.rows("insert into public.photos (id, coverage_id, alt) values ($1, $2, 'Not yours')", [
    photo,
    idOf(here),
  ]);
  for (const show of [
    (other: Folder) => Object.assign(first(other), { body: [paragraph('x'), { type: 'photo', photo }] }),
    (other: Folder) => Object.assign(versionOf(other, 0).content ?? {}, { body: [{ type: 'photo', photo }] }),
  ]) {
    const other = folder();
    show(other);
    expect(await errorOf(bring(other))).toEqual({ code: 'invalid', field: 'body', number: 1 });
  }
});

test('does not make a person an author who never wrote for readers', async () => {
  const given = folder();
  const reader = await database.createUser();
  const author = given.head.people[0] as Folder['head']['people'][0];
  given.updates = JSON.parse(JSON.stringify(given.updates).replaceAll(author.id, reader.sub));
  author.id = reader.sub;
  expect(await errorOf(bring(given))).toEqual({ code: 'invalid', field: 'people' });
});
