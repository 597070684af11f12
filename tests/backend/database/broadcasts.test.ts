import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { contentOf } from '../../support/actors.ts';
import { type Broadcast, type Call, SERVER } from '../../support/database.ts';
import {
  callAs,
  database,
  editor,
  makeCoverage,
  ofUpdate,
  publishIn,
  toDesk,
  toReaders,
  toSite,
  useBroadcasts,
} from './broadcast-context.ts';

useBroadcasts();

describe('an update', () => {
  test('is broadcast to the site first, then to readers, then to the desk', async () => {
    const coverage = await makeCoverage();
    const update_id = randomUUID();
    const sent = await database.broadcastsOf(() =>
      callAs('publish_update', { coverage_id: coverage, update_id, content: contentOf('News.') }),
    );
    expect(sent).toEqual([toSite(coverage, 2), toReaders(coverage, 2), ofUpdate(coverage, update_id, 1)]);
  });

  test("also invalidates missing pages when it has a person's first byline", async () => {
    const coverage = await makeCoverage();
    const reporter = await database.createUser('reporter');
    const [first] = await database.broadcastsOf(() => publishIn(coverage, reporter));
    expect(first).toEqual(toSite(coverage, 2, { missing: true }));
    const [second] = await database.broadcastsOf(() => publishIn(coverage, reporter));
    expect(second).toEqual(toSite(coverage, 3));
  });

  test('is broadcast to the desk only while it is not published', async () => {
    const coverage = await makeCoverage();
    const scene = { coverage_id: coverage, update_id: randomUUID() };
    const { update_id } = scene;
    const save = (version: number | null) =>
      database.broadcastsOf(() => callAs('save_update', { ...scene, content: contentOf('Draft.'), version }));
    expect(await save(null)).toEqual([ofUpdate(coverage, update_id, 1)]);
    expect(await save(1)).toEqual([ofUpdate(coverage, update_id, 2)]);
    const submitting = () => callAs('submit_update', { update_id, version: 2 });
    expect(await database.broadcastsOf(submitting)).toEqual([ofUpdate(coverage, update_id, 2)]);
    const spiking = () => callAs('spike_update', { update_id, version: 2 });
    expect(await database.broadcastsOf(spiking)).toEqual([ofUpdate(coverage, update_id, 2)]);
  });

  test('is broadcast once, in its final state, when a draft is published', async () => {
    const coverage = await makeCoverage();
    const scene = { coverage_id: coverage, update_id: randomUUID(), content: contentOf('Ready.') };
    await callAs('save_update', scene);
    const sent = await database.broadcastsOf(() => callAs('publish_update', { ...scene, version: 1 }));
    expect(sent).toEqual([
      toSite(coverage, 2),
      toReaders(coverage, 2),
      ofUpdate(coverage, scene.update_id, 2),
    ]);
  });

  test.each([
    ['revise_update', {}],
    ['correct_update', { note: 'A name.' }],
  ])('is broadcast again by %s', async (act, more) => {
    const coverage = await makeCoverage();
    const { id: update_id, version } = await publishIn(coverage);
    const sent = await database.broadcastsOf(() =>
      callAs(act, { update_id, version, content: contentOf('Mended.'), ...more }),
    );
    expect(sent).toEqual([
      toSite(coverage, 3, { photos: true }),
      toReaders(coverage, 3),
      ofUpdate(coverage, update_id, 2),
    ]);
  });

  test('reports one removal for everything that its withdrawal removes', async () => {
    const coverage = await makeCoverage();
    const { id: update_id } = await publishIn(coverage);
    await callAs('pin_update', { coverage_id: coverage, update_id });
    const sent = await database.broadcastsOf(() =>
      callAs('withdraw_update', { update_id, reason: 'Wrong.' }),
    );
    expect(sent).toEqual([
      toSite(coverage, 5, { photos: true, removed: true }),
      toReaders(coverage, 5),
      toDesk(coverage, 1, 5),
      ofUpdate(coverage, update_id, 2),
    ]);
    const [next] = await database.broadcastsOf(() => publishIn(coverage));
    expect(next).toEqual(toSite(coverage, 6));
  });

  test('reports a removal to readers for a redacted public version, and to the desk otherwise', async () => {
    const coverage = await makeCoverage();
    const update_id = randomUUID();
    await callAs('save_update', { coverage_id: coverage, update_id, content: contentOf('Draft.') });
    await callAs('publish_update', {
      coverage_id: coverage,
      update_id,
      version: 1,
      content: contentOf('News.'),
    });
    await callAs('revise_update', { update_id, version: 2, content: contentOf('Mended.') });
    const redact = (version: number) =>
      database.broadcastsOf(() => callAs('redact_revision', { update_id, version, reason: 'A name.' }));
    expect(await redact(1)).toEqual([ofUpdate(coverage, update_id, 3)]);
    expect(await redact(2)).toEqual([
      toSite(coverage, 4, { photos: true, removed: true }),
      toReaders(coverage, 4),
      ofUpdate(coverage, update_id, 3),
    ]);
  });

  test('broadcasts nothing when its command is refused or repeated', async () => {
    const coverage = await makeCoverage();
    const again = {
      idempotency_key: randomUUID(),
      coverage_id: coverage,
      update_id: randomUUID(),
      content: contentOf('Once.'),
    };
    expect(await database.broadcastsOf(() => callAs('publish_update', again))).toHaveLength(3);
    expect(await database.broadcastsOf(() => callAs('publish_update', again))).toEqual([]);
    const refused = { coverage_id: coverage, update_id: randomUUID(), content: contentOf('') };
    expect(await database.broadcastsOf(() => callAs('publish_update', refused).catch(() => {}))).toEqual([]);
    // The whole transaction is rolled back, although one of its commands succeeded.
    const undone = database.broadcastsOf(() =>
      database
        .call(
          editor,
          ['publish_update', { ...refused, content: contentOf('Well.') }],
          ['pin_update', { update_id: null, coverage_id: null }],
        )
        .catch(() => {}),
    );
    expect(await undone).toEqual([]);
  });
});

describe('a transaction', () => {
  const items = (count: number) =>
    Array.from({ length: count }, () => ({
      id: randomUUID(),
      published_at: '2026-01-01T00:00:00Z',
      content: contentOf('Imported.'),
    }));

  test('broadcasts once for an import of 500 updates', async () => {
    const coverage = await makeCoverage();
    const sent = await database.broadcastsOf(() =>
      callAs('import_updates', { coverage_id: coverage, items: items(500) }, SERVER),
    );
    expect(sent).toEqual([toSite(coverage, 501), toReaders(coverage, 501), toDesk(coverage, 1, 501)]);
  });

  test('names each update to the desk while there are few', async () => {
    const coverage = await makeCoverage();
    const few = items(LIMITS.changes_per_answer);
    const sent = await database.broadcastsOf(() =>
      callAs('import_updates', { coverage_id: coverage, items: few }, SERVER),
    );
    expect(sent.slice(0, 2)).toEqual([toSite(coverage, 51), toReaders(coverage, 51)]);
    expect(new Set(sent.slice(2))).toEqual(new Set(few.map(({ id }) => ofUpdate(coverage, id, 1))));
  });

  test('reports both when it removes one update and adds another', async () => {
    const coverage = await makeCoverage();
    const { id } = await publishIn(coverage);
    const update_id = randomUUID();
    const sent = await database.broadcastsOf(() =>
      database.call(
        editor,
        ['withdraw_update', { update_id: id, reason: 'Wrong.' }],
        ['save_coverage', { coverage_id: coverage, version: 1, content: { kicker: 'Floods' } }],
        ['publish_update', { coverage_id: coverage, update_id, content: contentOf('Right.') }],
      ),
    );
    expect(sent.find(({ topic }) => topic === 'site')).toEqual(
      toSite(coverage, 5, { missing: true, photos: true, removed: true }),
    );
  });

  test('broadcasts to both coverages that it changes', async () => {
    const [one, other] = [await makeCoverage(), await makeCoverage()];
    const publishing = (coverage_id: string): Call => [
      'publish_update',
      { coverage_id, update_id: randomUUID(), content: contentOf('News.') },
    ];
    const sent = await database.broadcastsOf(() =>
      database.call(editor, ...[one, other, one].map(publishing)),
    );
    expect(sent.filter(({ topic }) => !topic.startsWith('desk:'))).toEqual([
      toSite(other, 2),
      toReaders(other, 2),
      toSite(one, 3),
      toReaders(one, 3),
    ]);
  });
});

test('broadcasts every seq once and in order when several people work at the same time', async () => {
  const coverages = [await makeCoverage(), await makeCoverage()];
  const people = await Promise.all([
    database.createUser('editor'),
    database.createUser('editor'),
    database.createUser('editor'),
  ]);
  for (const person of people) await publishIn(coverages[0] as string, person);
  const acts = [
    (n: number, who: Claims) => publishIn(coverages[n % 2] as string, who),
    (n: number, who: Claims) => callAs('save_me', { content: { bio: `Version ${n}.` } }, who),
    (n: number, who: Claims) => publishIn(coverages[n % 2] as string, who),
    (n: number, who: Claims) => callAs('save_topic', { slug: `at-once-${n % 2}`, name: `Topic ${n}` }, who),
    async () => {
      const somebody = await database.createUser('reporter');
      await publishIn(coverages[0] as string, somebody);
      await database.rows('delete from auth.users where id = $1', [somebody.sub]);
    },
  ];
  const sent = await database.broadcastsOf(() =>
    Promise.all(
      Array.from({ length: 50 }, (_, n) => acts[n % acts.length]?.(n, people[n % people.length] as Claims)),
    ),
  );
  const payloads = sent.filter(({ topic }) => topic === 'site').map(({ payload }) => payload);
  const counted = [
    ...coverages.map((id) =>
      payloads.filter(({ coverage }) => coverage === id).map(({ seq }) => Number(seq)),
    ),
    payloads.filter(({ site }) => site !== undefined).map(({ site }) => Number(site)),
  ];
  for (const numbers of counted) {
    expect(numbers.length).toBeGreaterThan(9);
    expect(numbers).toEqual(numbers.map((_, n) => (numbers[0] ?? 0) + n));
  }
});

test('broadcasts contain ids, numbers and addresses, but no texts', async () => {
  const all = await database.rows<Broadcast>(
    "select topic, event, payload - 'id' as payload from realtime.messages",
  );
  expect(all.length).toBeGreaterThan(50);
  const plain =
    /^((coverage|coverage-fields|list-page|photos):)?[0-9a-f]{8}-|^(corrections|feeds|lists|missing|site|sitemaps|updates)$|^(case|renamed)-[0-9a-f]{8}-/;
  for (const { payload } of all) {
    for (const value of Object.values(payload).flat()) {
      if (typeof value === 'string') expect(value).toMatch(plain);
      else expect(['number', 'boolean']).toContain(typeof value);
    }
  }
});
