import { describe, expect, test } from 'vitest';
import type { Table } from '../../../src/lib/domain/body/blocks.ts';
import { type Call, errorOf, SERVER, VISITOR } from '../../support/database.ts';
import {
  at,
  bring,
  calls,
  database,
  type Folder,
  folder,
  id,
  idOf,
  left,
  made,
  useDatabase,
} from './coverage-archive-context.ts';

useDatabase();

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
    await database.rows('insert into public.followers (id, person_id) values ($1, $1)', [follower.sub]);
    await database.rows(
      "insert into public.follows (follower_id, topic_id, scope, mail, push) values ($1, $2, 'all', true, true)",
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

  test('keeps the CSV address of a table, which is not read while the coverage is not live', async () => {
    const given = folder();
    const [, , third] = given.updates;
    const table: Table = {
      type: 'table',
      rows: [[[{ text: 'Gauge' }]], [[{ text: 'Quay' }]]],
      csv: 'https://port.example/levels.csv',
    };
    if (third) third.body = [table];
    await bring(given);
    const page = { coverage_id: idOf(given), after: 0, max_rows: 50 };
    const updates = await database.call(SERVER, ['export_coverage_updates', page]);
    expect(updates).toEqual(given.updates);
    expect(await database.call(SERVER, ['claim_table_readings', {}])).toEqual([]);
  });

  test('keeps the numbers of versions, between which readings of a table were replaced', async () => {
    const given = folder();
    const [updated] = given.updates;
    if (updated?.versions[0]) updated.versions[0].version = 1;
    await bring(given);
    const page = { coverage_id: idOf(given), after: 0, max_rows: 50 };
    expect(await database.call(SERVER, ['export_coverage_updates', page])).toEqual(given.updates);
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
