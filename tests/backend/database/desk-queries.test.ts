import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runBootstrapScripts } from '../../../packages/embedded-supabase/src/migrations.ts';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { contentOf } from '../../support/actors.ts';
import { type Call, openTestDatabase, SERVER, type TestDatabase, VISITOR } from '../../support/database.ts';
import type { SavedUpdate } from '../../support/newsroom.ts';

/* Queries beside the broadcasts: known sequences, the roster and lists of a desk, and failures of broadcasting. */

let database: TestDatabase;
let editor: Claims & { sub: string };
beforeAll(async () => {
  database = await openTestDatabase();
  editor = await database.createUser('editor');
});
afterAll(() => database.close());

const press = (name: string, args: Record<string, unknown>, who: Claims = editor) =>
  database.call(who, [name, args]);

async function makeCoverage(...states: string[]) {
  const coverage_id = randomUUID();
  const content = { slug: `case-${coverage_id}`, headline: 'A case' };
  const steps = states.map((state): Call => ['set_coverage_state', { coverage_id, state }]);
  await database.call(editor, ['create_coverage', { coverage_id, content }], ...steps);
  return coverage_id;
}

const publishIn = async (coverage_id: string, content: object = contentOf('News.')) =>
  (await press('publish_update', { coverage_id, update_id: randomUUID(), content })) as SavedUpdate;

describe('site_seqs()', () => {
  type Seqs = { site: number; coverages: Record<string, [seq: number, ...slugs: string[]]> };
  const seqs = () => press('site_seqs', {}, SERVER) as Promise<Seqs>;

  test('returns seq and slugs of coverages that are or were public, but not of drafts', async () => {
    const draft = await makeCoverage();
    const live = await makeCoverage('live');
    const gone = await makeCoverage('live', 'withdrawn');
    await publishIn(live);
    const { coverages } = await seqs();
    expect(coverages[live]).toEqual([2, `case-${live}`]);
    expect(coverages[gone]).toEqual([2, `case-${gone}`]);
    expect(Object.keys(coverages)).not.toContain(draft);
    expect(JSON.stringify(coverages)).not.toContain(draft);
  });

  test('lists the current slug first, then older ones, newest first', async () => {
    const coverage_id = await makeCoverage('live');
    for (const [n, slug] of ['second', 'third'].entries()) {
      const content = { slug: `${slug}-${coverage_id}` };
      await press('save_coverage', { coverage_id, version: n + 1, content });
    }
    const [seq, ...slugs] = (await seqs()).coverages[coverage_id] ?? [];
    expect(seq).toBe(3);
    expect(slugs).toEqual([`third-${coverage_id}`, `second-${coverage_id}`, `case-${coverage_id}`]);
  });

  test('counts changes of the whole site', async () => {
    const before = await seqs();
    await press('save_topic', { slug: `topic-${randomUUID().slice(0, 8)}`, name: 'Floods' });
    expect((await seqs()).site).toBe(before.site + 1);
  });

  test('equals the last broadcast', async () => {
    const coverage = await makeCoverage('live');
    const sent = await database.broadcastsOf(() => publishIn(coverage));
    const { coverages } = await seqs();
    expect(sent.find(({ topic }) => topic === 'site')?.payload.seq).toBe(coverages[coverage]?.[0]);
  });
});

describe('the roster of a desk', () => {
  const roster = (who: Claims, coverage: string) =>
    database.as(who, async (session) => {
      const { rows } = await session.query<{ id: string }>('select * from public.desk_roster($1)', [
        coverage,
      ]);
      return rows;
    });
  const ids = async (who: Claims, coverage: string) => (await roster(who, coverage)).map(({ id }) => id);

  test('lists everyone who may read it, and only for them', async () => {
    const coverage = await makeCoverage();
    const elsewhere = await makeCoverage('live');
    const [reader, reporter, moderator, gone, here, other, late] = [
      await database.createUser(),
      await database.createUser('reporter'),
      await database.createUser('moderator'),
      await database.createUser('editor'),
      await database.createUser('contributor'),
      await database.createUser('contributor'),
      await database.createUser('contributor'),
    ];
    const member = (person: { sub: string }, coverage_id: string, expires_at: string | null = null): Call => [
      'set_coverage_member',
      { coverage_id, person_id: person.sub, expires_at },
    ];
    await database.call(
      SERVER,
      member(here, coverage),
      member(other, elsewhere),
      member(late, coverage, '2020-01-01T00:00:00Z'),
      ['set_active', { person_id: gone.sub, active: false }],
    );
    const all = await ids(reporter, coverage);
    expect(all).toEqual(expect.arrayContaining([editor.sub, reporter.sub, moderator.sub, here.sub]));
    for (const stranger of [reader, gone, other, late]) expect(all).not.toContain(stranger.sub);
    expect(await ids(here, coverage)).toEqual(all);

    for (const stranger of [reader, gone, other, late]) expect(await ids(stranger, coverage)).toEqual([]);
    // A reader of a public coverage cannot see its desk, and a missing one looks the same.
    expect(await ids(reader, elsewhere)).toEqual([]);
    expect(await ids(editor, randomUUID())).toEqual([]);
    await expect(roster(VISITOR, elsewhere)).rejects.toMatchObject({ code: '42501' });
  });

  test('contains names and roles, but no addresses', async () => {
    const coverage = await makeCoverage();
    await press('save_me', { content: { display_name: 'Ada Löve' } });
    const mine = (await roster(editor, coverage)).find(({ id }) => id === editor.sub);
    expect(mine).toEqual({
      id: editor.sub,
      display_name: 'Ada Löve',
      handle: expect.any(String),
      role: 'editor',
    });
  });
});

describe('the list of a desk', () => {
  const heads = (who: Claims, coverage: string, states: string[], most: number) =>
    database.as(
      who,
      async (session) =>
        (
          await session.query<{ id: string }>(
            'select id from public.list_desk_updates($1::uuid, $2::text[], $3)',
            [coverage, `{${states}}`, most],
          )
        ).rows,
    );
  const PUBLIC = ['published', 'withdrawn'];

  test('shows waiting updates by time, then numbers, filtered and limited as requested', async () => {
    const coverage_id = await makeCoverage('live');
    const published: string[] = [];
    for (let n = 0; n < 5; n++) published.unshift((await publishIn(coverage_id)).id);
    for (const n of [1, 4])
      await press('withdraw_update', { update_id: published[n], reason: 'It was wrong.' });
    const waiting: string[] = [];
    for (let n = 0; n < 3; n++) {
      const update_id = randomUUID();
      await press('save_update', { coverage_id, update_id, content: contentOf('Waits.') });
      waiting.unshift(update_id);
    }
    await press('spike_update', { update_id: waiting[0], version: 1 });
    await press('submit_update', { update_id: waiting[2], version: 1 });

    const [, draft, submitted] = waiting;
    const [five, four, three, two, one] = published;
    const asked: [states: string[], most: number, ids: unknown[]][] = [
      [['draft', 'submitted', 'scheduled', ...PUBLIC], 4, [draft, submitted, five, four]],
      [['draft', 'submitted', 'scheduled', ...PUBLIC], 1, [draft]],
      [PUBLIC, 9, [five, four, three, two, one]],
      [['published'], 2, [five, three]],
      [['withdrawn'], 9, [four, one]],
      [['spiked'], 9, [waiting[0]]],
      [['draft', 'submitted'], 9, [draft, submitted]],
    ];
    for (const [states, most, ids] of asked) {
      expect({ states, ids: (await heads(editor, coverage_id, states, most)).map(({ id }) => id) }).toEqual({
        states,
        ids,
      });
    }
    expect(await heads(await database.createUser(), coverage_id, PUBLIC, 9)).toEqual([]);
    expect(await heads(await database.createUser('contributor'), coverage_id, PUBLIC, 9)).toEqual([]);
  });
});

describe('the search of a desk', () => {
  type Asked = { words?: string; states?: string[]; most?: number; filter?: string };
  const ALL = ['draft', 'submitted', 'scheduled', 'published', 'withdrawn', 'spiked'];
  const searchDesk = (who: Claims, coverage: string, { words = '', states = ALL, most = 9, filter }: Asked) =>
    database.as(who, async (session) => {
      const { rows } = await session.query<{ id: string }>(
        'select id from public.desk_search($1::uuid, $2, $3::text[], $4, $5)',
        [coverage, words, `{${states}}`, most, filter ?? null],
      );
      return rows.map(({ id }) => id);
    });
  const save = async (coverage_id: string, content: object) => {
    const update_id = randomUUID();
    await press('save_update', { coverage_id, update_id, content });
    return update_id;
  };

  test('finds words in all fields of the current version, for those who may read it', async () => {
    const coverage_id = await makeCoverage('live');
    await press('save_me', { content: { display_name: 'Zoë Ångström' } });
    const draft = await save(coverage_id, {
      ...contentOf('«El puente» está CERRADO, 4.8 m.'),
      desk_note: 'Ring Ana',
    });
    const { id: out } = await publishIn(coverage_id, {
      ...contentOf('Over the weir'),
      attribution: 'The council',
      dateline: 'Harrow Bridge',
      key_event: true,
    });
    const asked: [string, string[]][] = [
      ['puente', [draft]],
      ['PUEN', [draft]],
      ['esta cerrado', [draft]],
      ['4.8', [draft]],
      ['ring', [draft]],
      ['council bri', [out]],
      ['zoe angstrom', [draft, out]],
      ['zoe weir', [out]],
      ['we', []],
      ['weird', []],
      ['puente weir', []],
      ["' | !x & \\\\ %_", []],
    ];
    for (const [words, ids] of asked) {
      expect({ words, ids: await searchDesk(editor, coverage_id, { words }) }).toEqual({ words, ids });
    }
    expect(await searchDesk(editor, coverage_id, { words: 'zoe', most: 1 })).toEqual([draft]);
    expect(await searchDesk(editor, coverage_id, { words: 'zoe', states: ['published'] })).toEqual([out]);
    expect(await searchDesk(editor, coverage_id, { filter: 'key' })).toEqual([out]);
    expect(await searchDesk(editor, coverage_id, { filter: 'mine' })).toEqual([draft, out]);
    expect(await searchDesk(editor, coverage_id, { filter: 'photos' })).toEqual([]);

    await press('revise_update', { update_id: out, version: 1, content: contentOf('Over the gate') });
    expect(await searchDesk(editor, coverage_id, { words: 'weir' })).toEqual([]);
    expect(await searchDesk(editor, coverage_id, { words: 'gate' })).toEqual([out]);
    await press('correct_update', {
      update_id: out,
      version: 2,
      content: contentOf('Over the dam'),
      note: 'A dam.',
    });
    expect(await searchDesk(editor, coverage_id, { filter: 'corrected' })).toEqual([out]);
    await press('withdraw_update', { update_id: out, reason: 'Hearsay.' });
    expect(await searchDesk(editor, coverage_id, { words: 'dam' })).toEqual([]);
    expect(await searchDesk(editor, coverage_id, { words: 'hearsay', states: ['withdrawn'] })).toEqual([out]);

    const reporter = await database.createUser('reporter');
    expect(await searchDesk(reporter, coverage_id, { words: 'puente' })).toEqual([draft]);
    expect(await searchDesk(reporter, coverage_id, { filter: 'mine' })).toEqual([]);
    for (const stranger of [await database.createUser(), await database.createUser('contributor')]) {
      expect(await searchDesk(stranger, coverage_id, { words: 'puente' })).toEqual([]);
      expect(await searchDesk(stranger, coverage_id, { words: 'hearsay' })).toEqual([]);
    }
    await expect(searchDesk(VISITOR, coverage_id, { words: 'puente' })).rejects.toMatchObject({
      code: '42501',
    });
  });

  test('returns counts to those who may see them', async () => {
    const coverage_id = await makeCoverage('live');
    const counts = (who: Claims) =>
      database.as(who, async (session) => {
        const { rows } = await session.query<{ state: string; updates: number }>(
          'select state::text, updates from public.desk_counts($1::uuid)',
          [coverage_id],
        );
        return Object.fromEntries(rows.map(({ state, updates }) => [state, updates]));
      });
    const waiting = (who: Claims) =>
      database.as(who, async (session) => {
        const { rows } = await session.query<{ submitted: number; tips: number }>(
          'select submitted, tips from public.desk_waiting() where coverage_id = $1::uuid',
          [coverage_id],
        );
        return rows;
      });
    const draft = await save(coverage_id, contentOf('Waits.'));
    await publishIn(coverage_id);
    const { id } = await publishIn(coverage_id);
    await press('withdraw_update', { update_id: id, reason: 'Not so.' });
    await press('submit_update', { update_id: draft, version: 1 });
    expect(await counts(editor)).toEqual({
      draft: 0,
      submitted: 1,
      scheduled: 0,
      spiked: 0,
      withdrawn: 1,
      published: 1,
    });
    expect(await counts(await database.createUser())).toEqual({});
    expect(await waiting(editor)).toEqual([{ submitted: 1, tips: 0 }]);
    for (const role of ['reporter', 'moderator'] as const)
      expect(await waiting(await database.createUser(role))).toEqual([]);
    expect(await waiting(await database.createUser())).toEqual([]);
  });
});

describe('the newest updates of a person', () => {
  const newest = async (most: number) => {
    const searchDesk = await database.as(VISITOR, (session) =>
      session.query<{ update_id: string }>(
        'select update_id from public.list_updates_by_person($1::uuid, $2)',
        [editor.sub, most],
      ),
    );
    return searchDesk.rows.map(({ update_id }) => update_id);
  };

  test('contain what the caller may see, up to the limit', async () => {
    const coverage_id = await makeCoverage('live');
    const one = await publishIn(coverage_id);
    const two = await publishIn(coverage_id);
    const three = await publishIn(coverage_id);
    const other = await makeCoverage('live');
    const hidden = await publishIn(other);
    await press('save_update', { coverage_id, update_id: randomUUID(), content: contentOf('Waits.') });
    expect(await newest(4)).toEqual([hidden.id, three.id, two.id, one.id]);
    await press('withdraw_update', { update_id: two.id, reason: 'It was wrong.' });
    await press('set_coverage_state', { coverage_id: other, state: 'withdrawn' });
    expect(await newest(2)).toEqual([three.id, one.id]);
    expect(await newest(1)).toEqual([three.id]);
    expect(await newest(-1)).toEqual([]);
  });
});

describe('denormalised columns', () => {
  const bylines = (update_id: string) =>
    database.rows(
      `select b.published_at is not distinct from u.published_at as carried, b.published_at is null as none
       from public.update_bylines b join public.updates u on u.id = b.update_id where u.id = $1::uuid`,
      [update_id],
    );

  test('follow the publication time of an update, at its bylines and its coverage', async () => {
    const coverage_id = await makeCoverage('live');
    const newest = () =>
      database.rows(
        `select c.last_published_at is not distinct from u.published_at as carried from public.coverages c
         left join public.updates u on u.coverage_id = c.id and u.number = c.update_count where c.id = $1::uuid`,
        [coverage_id],
      );
    expect(await newest()).toEqual([{ carried: true }]);
    const update_id = randomUUID();
    await press('save_update', { coverage_id, update_id, content: contentOf('Waits.') });
    expect(await bylines(update_id)).toEqual([{ carried: true, none: true }]);
    await press('publish_update', { coverage_id, update_id, content: contentOf('News.'), version: 1 });
    expect(await bylines(update_id)).toEqual([{ carried: true, none: false }]);
    await press('revise_update', { update_id, content: contentOf('Newer.'), version: 2 });
    expect(await bylines(update_id)).toEqual([{ carried: true, none: false }]);
    await publishIn(coverage_id);
    expect(await newest()).toEqual([{ carried: true }]);
    await press('withdraw_update', { update_id, reason: 'It was wrong.' });
    expect(await bylines(update_id)).toEqual([{ carried: false, none: true }]);
  });
});

describe('a failing broadcast', () => {
  const BROKEN: [what: string, statement: string][] = [
    [
      'because sending fails',
      `create or replace function realtime.send(payload jsonb, event text, topic text, private boolean default true)
       returns void language plpgsql as $$ begin raise exception 'no' using errcode = 'PT500'; end $$`,
    ],
    ['because messages have no place', 'alter table realtime.messages rename to away'],
    ['because there is nothing to send with', 'alter schema realtime rename to away'],
  ];
  const MENDED = ['alter schema away rename to realtime', 'alter table realtime.away rename to messages'];

  test.each(BROKEN)('is lost %s, and the update is published', async (_, statement) => {
    const coverage = await makeCoverage('live');
    await database.engine.exec(statement);
    const saved = await publishIn(coverage);
    await press('save_site', { content: { tagline: randomUUID() } }, SERVER);
    for (const mending of MENDED) await database.engine.exec(mending).catch(() => {});
    await runBootstrapScripts(database.engine);
    expect(
      await database.rows('select state, number, seq::int from public.updates where id = $1', [saved.id]),
    ).toEqual([{ state: 'published', number: 1, seq: 2 }]);
    const broadcastQuery = "select from realtime.messages where topic = $1 and payload ->> 'seq' = '2'";
    expect(await database.rows(broadcastQuery, [`coverage:${coverage}`])).toEqual([]);
    // The next broadcast succeeds and continues the seq.
    const sent = await database.broadcastsOf(() => publishIn(coverage));
    expect(sent.map(({ topic, payload }) => [topic, payload.seq])).toEqual([
      ['site', 3],
      [`coverage:${coverage}`, 3],
      [`desk:${coverage}`, undefined],
    ]);
  });
});

test('the tables refuse an invalid interval without the functions', async () => {
  for (const table of ['site', 'coverages']) {
    await makeCoverage('live');
    await expect(
      database.rows(`update public.${table} set check_interval_seconds = 9`),
    ).rejects.toMatchObject({
      code: '23514',
      constraint: 'reader_interval_form',
    });
  }
});
