import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Call,
  errorOf,
  openTestDatabase,
  SERVER,
  type TestDatabase,
  VISITOR,
} from '../../support/database.ts';
import { paragraph } from '../../support/newsroom.ts';

/* Importing a coverage folder: what is accepted and refused, and what remains after an interrupted import. */

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

let made = 0;
/** A new id. Ids are sequential, so that tests can name those of a folder. */
const id = () => `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`;
const at = (minute: number) => `2026-03-01T10:${String(minute).padStart(2, '0')}:00.123456Z`;

type Folder = ReturnType<typeof folder>;

/** The content of a small coverage folder: one corrected update, one withdrawn, and one unchanged. */
function folder() {
  const coverage = id();
  const person = { id: id(), handle: `ada-${made}`, display_name: 'Ada Reporter', bio: '' };
  const says = (text: string) => ({
    headline: null as string | null,
    body: [paragraph(text)],
    key_event: false,
    urgency: 'normal',
    verification: 'confirmed',
    attribution: null as string | null,
    dateline: null as string | null,
    occurred_at: null as string | null,
    bylines: [person.id],
  });
  const version = (n: number, more: object = {}) => ({
    version: n,
    kind: 'revision',
    at: at(n),
    note: null as string | null,
    redacted_at: null as string | null,
    redacted_reason: null as string | null,
    content: null as unknown,
    ...more,
  });
  const update = (number: number, seq: number, text: string, more: object = {}) => ({
    number,
    id: id(),
    state: 'published',
    published_at: at(number),
    revised_at: null as string | null,
    corrected_at: null as string | null,
    withdrawn_at: null as string | null,
    withdrawn_reason: null as string | null,
    ...says(text),
    photos: [] as string[],
    seq,
    version: 1,
    versions: [version(1)],
    ...more,
  });
  const updates = [
    update(1, 5, 'The fourth step.', {
      version: 3,
      revised_at: at(9),
      corrected_at: at(9),
      versions: [
        version(2, { content: says('The third step.') }),
        version(3, { kind: 'correction', note: 'It was the fourth.' }),
      ],
    }),
    update(2, 6, '', {
      state: 'withdrawn',
      version: 2,
      withdrawn_at: at(8),
      withdrawn_reason: 'Not true.',
      body: [],
      bylines: [],
      versions: [],
    }),
    update(3, 4, 'The last one.'),
  ];
  const change = (seq: number, kind: string, number: number | null) => ({ seq, kind, at: at(seq), number });
  return {
    head: {
      format: 'stoppress-coverage',
      version: 1,
      coverage: {
        id: coverage,
        slug: `folder-${made}`,
        kicker: '',
        headline: 'What a folder says',
        standfirst: '',
        summary: [],
        summary_at: null as string | null,
        state: 'ended',
        time_zone: 'UTC',
        language: 'en',
        starts_at: null as string | null,
        published_at: at(0) as string | null,
        revised_at: null as string | null,
        last_published_at: at(3),
        ended_at: at(20) as string | null,
        pinned_update: updates[2]?.id as string | null,
        reader_follow_mode: null,
        check_interval_seconds: null,
        update_count: 3,
        seq: 8,
        version: 2,
      } as Record<string, unknown>,
      slugs: [{ slug: `folder-${made}`, since: at(0) }],
      topics: [{ id: id(), slug: `topic-${made}`, name: 'Rivers', description: '' }],
      people: [person],
      photos: [] as object[],
    },
    updates,
    changes: [
      change(1, 'state', null),
      change(2, 'publication', 1),
      change(3, 'publication', 2),
      change(4, 'publication', 3),
      change(5, 'correction', 1),
      change(6, 'withdrawal', 2),
      change(7, 'pin', 3),
      change(8, 'state', null),
    ],
  };
}

const idOf = ({ head }: Folder) => head.coverage.id as string;

/** The calls that import a folder. */
const calls = (given: Folder, instead?: string): Call[] => [
  ['begin_coverage_import', { content: given.head, ...(instead && { other_slug: instead }) }],
  ['import_coverage_updates', { coverage_id: idOf(given), items: given.updates }],
  ['import_coverage_changes', { coverage_id: idOf(given), items: given.changes }],
  ['finish_coverage_import', { coverage_id: idOf(given) }],
];
const bring = (given: Folder, instead?: string) => database.call(SERVER, ...calls(given, instead));

const readers = (given: Folder) =>
  database.as(VISITOR, async (session) => {
    const count = async (query: string) => (await session.query(query, [idOf(given)])).rows.length;
    return {
      coverage: await count('select id from public.coverages where id = $1'),
      updates: await count('select id from public.updates where coverage_id = $1'),
      history: await count('select version from public.update_history where coverage_id = $1'),
      changes: await count('select seq from public.coverage_changes where coverage_id = $1'),
    };
  });

/** Row counts of everything that an import could leave. */
async function left(): Promise<unknown> {
  const tables = [
    'public.coverages',
    'public.coverage_slugs',
    'public.coverage_topics',
    'public.topics',
    'public.people',
    'public.photos',
    'public.updates',
    'public.update_revisions',
    'public.update_bylines',
    'public.update_photos',
    'public.coverage_changes',
    'private.coverage_imports',
    'private.update_words',
    'private.search_index',
    'public.audit_log',
    'public.alerts',
  ];
  const [row] = await database.rows<Record<string, string>>(
    `select ${tables.map((table) => `(select count(*) from ${table})::text as "${table}"`).join(', ')}`,
  );
  return row;
}

describe('an imported coverage', () => {
  test('equals the original, is broadcast once, and alerts no followers', async () => {
    const given = folder();
    const topic = given.head.topics[0]?.id;
    const follower = await database.createUser();
    await database.rows('insert into public.topics (id, slug, name) values ($1, $2, $3)', [
      topic,
      given.head.topics[0]?.slug,
      'Rivers',
    ]);
    await database.rows(
      "insert into public.follows (person_id, topic_id, scope, mail, push) values ($1, $2, 'all', true, true)",
      [follower.sub, topic],
    );
    const now = new Date().toISOString();
    const [, , third] = given.updates;
    if (third) third.published_at = now;
    given.head.coverage.last_published_at = now;
    given.head.coverage.ended_at = now;

    // The command runs each call in a transaction.
    const sent = await database.broadcastsOf(async () => {
      for (const step of calls(given)) await database.call(SERVER, step);
    });
    expect(sent.filter(({ topic }) => topic === 'site')).toMatchObject([
      { event: 'change', payload: { coverage: idOf(given), seq: 8, removed: true } },
    ]);
    expect(sent.filter(({ topic }) => topic.startsWith('coverage:'))).toMatchObject([
      { payload: { seq: 8 } },
    ]);
    expect(await database.rows('select id from public.alerts')).toEqual([]);
    expect(await readers(given)).toEqual({ coverage: 1, updates: 3, history: 3, changes: 8 });
    const [author] = await database.rows(
      'select active, role, deleted_at is not null as gone from public.people where id = $1',
      [given.head.people[0]?.id],
    );
    expect(author).toEqual({ active: false, role: 'reader', gone: true });

    const coverage_id = idOf(given);
    const [said, updates, changes] = await Promise.all([
      database.call(SERVER, ['export_coverage', { slug: given.head.coverage.slug }]),
      database.call(SERVER, ['export_coverage_updates', { coverage_id, after: 0, max_rows: 50 }]),
      database.call(SERVER, ['export_coverage_changes', { coverage_id, after: 0, max_rows: 50 }]),
    ]);
    const { format: _, version: __, ...head } = given.head;
    const whole = (time: unknown) =>
      typeof time === 'string' && time === now ? now.replace('Z', '000Z') : time;
    expect(said).toEqual(JSON.parse(JSON.stringify(head), (_key, value) => whole(value)));
    expect(updates).toEqual(JSON.parse(JSON.stringify(given.updates), (_key, value) => whole(value)));
    expect(changes).toEqual(given.changes);
  });

  test('stays hidden and locked after an interruption, and can be imported again', async () => {
    const given = folder();
    const editor = await database.createUser('editor');
    const before = await left();
    await database.call(SERVER, ...calls(given).slice(0, 1));
    await database.call(SERVER, [
      'import_coverage_updates',
      { coverage_id: idOf(given), items: given.updates.slice(0, 2) },
    ]);
    expect(await readers(given)).toEqual({ coverage: 0, updates: 0, history: 0, changes: 0 });
    const state = ['set_coverage_state', { coverage_id: idOf(given), state: 'live' }] as Call;
    expect(await errorOf(database.call(editor, state))).toEqual({ code: 'bad_state' });
    const early = database.call(SERVER, ['finish_coverage_import', { coverage_id: idOf(given) }]);
    expect(await errorOf(early)).toEqual({ code: 'invalid', field: 'update_count' });

    // Starts from the beginning as another run does, and discards it as a refused import is.
    await database.call(SERVER, ...calls(given).slice(0, 3));
    await database.call(SERVER, ['cancel_coverage_import', { coverage_id: idOf(given) }]);
    expect(await left()).toEqual(before);
    await bring(given);
    expect(await readers(given)).toEqual({ coverage: 1, updates: 3, history: 3, changes: 8 });
    expect(
      await errorOf(database.call(SERVER, ['cancel_coverage_import', { coverage_id: idOf(given) }])),
    ).toEqual({
      code: 'bad_state',
    });
  });

  test('is deleted by the next import if it was abandoned', async () => {
    const [forgotten, given] = [folder(), folder()];
    await database.call(SERVER, ...calls(forgotten).slice(0, 2));
    await database.rows("update private.coverage_imports set started_at = now() - interval '25 hours'");
    await bring(given);
    expect(await database.rows('select id from public.coverages where id = $1', [idOf(forgotten)])).toEqual(
      [],
    );
    await bring(forgotten);
  });

  test('is refused if it exists already, and nothing is written', async () => {
    const given = folder();
    await bring(given);
    const before = await left();
    expect(await errorOf(bring(given))).toEqual({ code: 'bad_state' });
    for (const seq of [7, 9]) {
      const other = structuredClone(given);
      other.head.coverage.seq = seq;
      expect(await errorOf(bring(other))).toEqual({ code: 'bad_state' });
    }
    expect(await left()).toEqual(before);
  });

  test('gets other slugs, handles and topics where they are in use', async () => {
    const [first, given] = [folder(), folder()];
    await bring(first);
    const slug = first.head.coverage.slug as string;
    given.head.coverage.slug = slug;
    given.head.slugs = [
      { slug, since: at(0) },
      { slug: `old-${made}`, since: at(0) },
    ];
    given.head.people[0] = {
      ...given.head.people[0],
      handle: first.head.people[0]?.handle,
    } as Folder['head']['people'][0];
    given.head.topics[0] = { ...first.head.topics[0], id: id() } as Folder['head']['topics'][0];
    expect(await errorOf(bring(given))).toEqual({ code: 'invalid', field: 'slug' });
    expect(await bring(given, `new-${made}`)).toMatchObject({
      slug: `new-${made}`,
      people: [{ handle: `${first.head.people[0]?.handle}-2` }],
      topics: [first.head.topics[0]?.slug],
      slugs: [slug],
    });
    const known = await database.rows<{ slug: string }>(
      'select slug from public.coverage_slugs where coverage_id = $1 order by slug',
      [idOf(given)],
    );
    expect(known.map((row) => row.slug)).toEqual([`new-${made}`, `old-${made - 1}`].sort());
  });
});

type Mend = (given: Folder) => unknown;
const first = (given: Folder) => given.updates[0] as Folder['updates'][0];
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
    'a version left out',
    (given) => Object.assign(versionOf(given, 0), { version: 1 }),
    { field: 'versions', number: 1 },
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
