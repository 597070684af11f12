import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect } from 'vitest';
import { contentOf, createCoverage, type TestContext, tryCall } from '../../support/actors.ts';
import type { OwnedBackend } from '../../support/backend.ts';
import { test } from '../../support/backend-test.ts';
import { call } from '../../support/newsroom.ts';
import { nameOf, search, searchOutcome } from '../../support/search/newsroom.ts';

/* Search results follow what readers may read, from the same transaction on. */

let context: TestContext;
let backend: OwnedBackend;
test.beforeAll(async ({ context: shared }) => {
  context = shared;
  backend = shared.backend;
});

const visitor = () => context.actors.visitor.client;
const editor = () => context.actors.editor.client;
/** Results do not depend on the role of the caller. */
const allClients = () => [visitor(), editor(), context.service];

/** A unique word of letters. */
const newWord = () =>
  `q${randomUUID().replaceAll(/[^a-f]/g, '')}x${Math.random()
    .toString(36)
    .replaceAll(/[^a-z]/g, '')}`;

async function resultsFor(query: string, more: object = {}): Promise<string[]> {
  const [first, ...others] = await Promise.all(allClients().map((who) => search(who, query, more)));
  for (const other of others) expect(other).toEqual(first);
  // No other result may contain it.
  expect(first?.hits.length === 0 ? JSON.stringify(first) : '').not.toContain(query);
  return first?.hits.map(nameOf) ?? [];
}

const slugOf = async (id: string) =>
  (await context.service.from('coverages').select('slug').eq('id', id).single().throwOnError()).data
    .slug as string;

async function publish(coverage_id: string, content: object): Promise<string> {
  const update_id = randomUUID();
  await call(context.service, 'publish_update', { coverage_id, update_id, content });
  return update_id;
}

const versionOf = async (update_id: string) =>
  (await context.service.from('updates').select('version').eq('id', update_id).single().throwOnError()).data
    .version as number;

test('lists an update after its publication, not before', async () => {
  const [coverage_id, word, update_id] = [await createCoverage(context.service), newWord(), randomUUID()];
  const content = contentOf(`The ${word} stood.`, { headline: `Of ${word}`, desk_note: `note${word}` });
  const slug = await slugOf(coverage_id);
  await call(editor(), 'save_update', { coverage_id, update_id, content });
  expect(await resultsFor(word)).toEqual([]);
  await call(editor(), 'submit_update', { update_id, version: 1 });
  expect(await resultsFor(word)).toEqual([]);
  const scheduled_for = new Date(Date.now() + 3_600_000).toISOString();
  await call(editor(), 'schedule_update', { coverage_id, update_id, content, version: 1, scheduled_for });
  expect(await resultsFor(word)).toEqual([]);
  const version = await versionOf(update_id);
  await call(editor(), 'publish_update', { coverage_id, update_id, content, version });
  expect(await resultsFor(word)).toEqual([`${slug}/1`]);
  // Desk notes are never found.
  expect(await resultsFor(`note${word}`)).toEqual([]);
});

test('finds the text, the author, the account and the network of a quoted post', async () => {
  const coverage_id = await createCoverage(context.service);
  const [text, author, account, network] = [newWord(), newWord(), newWord(), newWord()];
  const post = {
    type: 'post',
    url: 'https://example.org/@ana/1',
    author: `Ana ${author}`,
    handle: `@${account}`,
    network,
    text: `The bridge\n${text}`,
    quoted_at: '2026-11-28T14:02:00Z',
  };
  await publish(coverage_id, contentOf('Words.', { body: [post] }));
  const name = `${await slugOf(coverage_id)}/1`;
  for (const word of [text, author, account, network]) expect(await resultsFor(word), word).toEqual([name]);
});

test('never lists a spiked update', async () => {
  const [coverage_id, word, update_id] = [await createCoverage(context.service), newWord(), randomUUID()];
  await call(editor(), 'save_update', { coverage_id, update_id, content: contentOf(word) });
  await call(editor(), 'spike_update', { update_id, version: 1 });
  expect(await resultsFor(word)).toEqual([]);
});

test('neither matches nor suggests corrected words, redacted or not', async () => {
  const [coverage_id, before, after] = [await createCoverage(context.service), newWord(), newWord()];
  const update_id = await publish(coverage_id, contentOf(`It was ${before}.`));
  const slug = await slugOf(coverage_id);
  await backend.sql('select private.update_vocabulary(1000)');
  const mistyped = `${before.slice(0, 4)}${before.slice(5)}`;
  expect(await searchOutcome(visitor(), mistyped)).toMatchObject({
    results: [`${slug}/1`],
    corrected_query: before,
  });
  const content = contentOf(`It was ${after}.`);
  await call(editor(), 'correct_update', { update_id, version: 1, content, note: 'It was another.' });
  expect(await resultsFor(before)).toEqual([]);
  expect(await searchOutcome(visitor(), mistyped)).toEqual({ results: [], total: 0, corrected_query: null });
  expect(await resultsFor(after)).toEqual([`${slug}/1`]);
  expect((await search(visitor(), after)).hits[0]).toMatchObject({ corrected: true });
  await call(editor(), 'redact_revision', { update_id, version: 1, reason: 'It hurt somebody.' });
  expect(await resultsFor(before)).toEqual([]);
});

test('does not match a withdrawn update by its text, its reason or a typing error', async () => {
  const [coverage_id, word, reason] = [await createCoverage(context.service), newWord(), newWord()];
  const update_id = await publish(coverage_id, contentOf(word, { headline: `Head of ${word}` }));
  await backend.sql('select private.update_vocabulary(1000)');
  await call(editor(), 'withdraw_update', { update_id, reason: `For ${reason}.` });
  const mistyped = `${word.slice(0, 4)}${word.slice(5)}`;
  for (const query of [word, reason, `"head of ${word}"`, mistyped])
    expect(await resultsFor(query), query).toEqual([]);
  expect((await search(visitor(), mistyped)).corrected_query).toBeNull();
});

test('a typing error does not suggest word forms that are no longer public', async () => {
  const coverage_id = await createCoverage(context.service);
  await publish(coverage_id, contentOf('The zeppelin landed.'));
  const update_id = await publish(coverage_id, contentOf('Two zeppelins landed.'));
  await backend.sql('select private.update_vocabulary(1000)');
  expect((await search(visitor(), 'zepelins')).corrected_query).toBe('zeppelins');
  await call(editor(), 'withdraw_update', { update_id, reason: 'There was one.' });
  expect(await search(visitor(), 'zepelins')).toMatchObject({ corrected_query: 'zeppelin', total: 1 });
});

test('lists a coverage and its updates while it is public', async () => {
  const [word, told] = [newWord(), newWord()];
  const coverage_id = await createCoverage(context.service, 'draft', {
    headline: `Of ${word}`,
    standfirst: `S${word}`,
  });
  expect(await resultsFor(word)).toEqual([]);
  await call(editor(), 'set_coverage_state', { coverage_id, state: 'scheduled' });
  const slug = await slugOf(coverage_id);
  expect(await resultsFor(word)).toEqual([slug]);
  await call(editor(), 'set_coverage_state', { coverage_id, state: 'live' });
  await publish(coverage_id, contentOf(told));
  expect(await resultsFor(told)).toEqual([`${slug}/1`]);
  expect(await resultsFor(`s${word}`)).toEqual([slug]);
  await call(editor(), 'set_coverage_state', { coverage_id, state: 'withdrawn' });
  for (const query of [word, told]) expect(await resultsFor(query)).toEqual([]);
  expect(
    await backend.sql(`select id from private.search_index where coverage_id = '${coverage_id}'`),
  ).toEqual([]);
});

test('does not list entries that remain in the index after their update or coverage was withdrawn', async () => {
  const [coverage_id, word] = [await createCoverage(context.service), newWord()];
  const [withdrawn, shown] = [
    await publish(coverage_id, contentOf('First.')),
    await publish(coverage_id, contentOf('Second.')),
  ];
  const slug = await slugOf(coverage_id);
  /** Indexes an entry with the word, as a transaction does that read the state before a withdrawal. */
  const writeEntry = (id: string, number: number | null) =>
    backend.sql(`select private.write_search_entry('${id}', c, ${number}, now(), null, '${word}', 'D', array['#' || c.id])::text
      from public.coverages c where c.id = '${coverage_id}'`);
  const found = () => searchOutcome(visitor(), word);
  await call(editor(), 'withdraw_update', { update_id: withdrawn, reason: 'Wrong.' });
  await writeEntry(withdrawn, 1);
  await writeEntry(shown, 2);
  expect(await found()).toEqual({ results: [`${slug}/2`], total: 1, corrected_query: null });
  await call(editor(), 'set_coverage_state', { coverage_id, state: 'withdrawn' });
  await writeEntry(shown, 2);
  await writeEntry(coverage_id, null);
  expect(await found()).toEqual({ results: [], total: 0, corrected_query: null });
});

test('matches a coverage by its current title and language, not by earlier ones', async () => {
  const [before, after, slug] = [newWord(), newWord(), `slug-${randomUUID()}`];
  const coverage_id = await createCoverage(context.service, 'live', { headline: `Of ${before}` });
  const was = await slugOf(coverage_id);
  await publish(coverage_id, contentOf(`Las inundaciones de ${after}`));
  const content = { headline: `Of ${after}`, slug, language: 'es' };
  await call(editor(), 'save_coverage', { coverage_id, version: 1, content });
  expect(await resultsFor(before)).toEqual([]);
  expect(await resultsFor(after)).toEqual([slug, `${slug}/1`]);
  // The next run of the job updates the vocabulary.
  await backend.sql('select private.update_vocabulary(1000)');
  // A former slug still selects the coverage.
  expect(await resultsFor(after, { coverage: was })).toEqual([`${slug}/1`]);
  expect(await resultsFor(`inundacion ${after}`)).toEqual([`${slug}/1`]);
});

describe('filters', () => {
  const word = newWord();
  const slugs: string[] = [];
  beforeAll(async () => {
    await call(context.service, 'save_topic', { slug: 'rivers', name: 'Rivers' });
    for (const topics of [['rivers'], []]) {
      const coverage_id = await createCoverage(context.service, 'live', {
        headline: `All of ${word}`,
        topics,
      });
      slugs.push(await slugOf(coverage_id));
      const items = ['2026-03-01T23:59:59Z', '2026-03-02T00:00:00Z', '2026-05-02T12:00:00Z'].map(
        (published_at) => ({
          id: randomUUID(),
          published_at,
          content: contentOf(`${word} here`),
        }),
      );
      await context.service.rpc('import_updates', { coverage_id, items }).throwOnError();
    }
  });

  test('restrict results to a coverage or topic', async () => {
    const [one, other] = slugs as [string, string];
    const own = (slug: string) => [3, 2, 1].map((number) => `${slug}/${number}`);
    expect(await resultsFor(word, { coverage: one })).toEqual(own(one));
    expect(await resultsFor(word, { topic: 'rivers' })).toEqual([one, ...own(one)]);
    expect((await resultsFor(word)).toSorted()).toEqual([one, ...own(one), other, ...own(other)].toSorted());
  });

  test('restrict results to days', async () => {
    const coverage = slugs[0] as string;
    const numbers = async (from?: string, to?: string) =>
      (await resultsFor(word, { coverage, ...(from && { from }), ...(to && { to }) })).map((name) =>
        Number(name.split('/')[1]),
      );
    expect(await numbers('2026-03-01', '2026-03-01')).toEqual([1]);
    expect(await numbers('2026-03-02', '2026-03-02')).toEqual([2]);
    expect(await numbers('2026-03-02')).toEqual([3, 2]);
    expect(await numbers(undefined, '2026-03-02')).toEqual([2, 1]);
    expect(await numbers(undefined, '2025-12-31')).toEqual([]);
    expect(await numbers('2026-02-20', '2026-04-30')).toEqual([2, 1]);
    expect(await numbers('2020-01-01', '2030-01-01')).toEqual([3, 2, 1]);
    expect(await numbers('2026-03-03', '2026-03-01')).toEqual([]);
  });

  test('find nothing for a coverage, topic or person that does not exist', async () => {
    for (const more of [{ coverage: 'nowhere' }, { topic: 'nowhere' }, { person: 'nobody' }]) {
      expect(await resultsFor(word, more)).toEqual([]);
    }
    const draft = await slugOf(await createCoverage(context.service, 'draft', { headline: word }));
    expect(await resultsFor(word, { coverage: draft })).toEqual([]);
  });
});

test("find a person's updates by byline only", async () => {
  const [coverage_id, word] = [await createCoverage(context.service), newWord()];
  const { reporter } = context.actors;
  await call(reporter.client, 'publish_update', {
    coverage_id,
    update_id: randomUUID(),
    content: contentOf(word),
  });
  await publish(coverage_id, contentOf(word));
  const { data } = await context.service
    .from('people')
    .select('handle')
    .eq('id', reporter.id)
    .single()
    .throwOnError();
  const slug = await slugOf(coverage_id);
  expect(await resultsFor(word, { person: data.handle })).toEqual([`${slug}/1`]);
});

test('snippets mark the matching words as they are written', async () => {
  const coverage_id = await createCoverage(context.service, 'live', { headline: 'Of Ñuble', language: 'es' });
  const text = `${'Antes de todo. '.repeat(60)}Las inundaciónes de Chillán: «El río Ñuble» crece.${' Después.'.repeat(60)}`;
  await publish(coverage_id, contentOf(text, { headline: 'Crece el río Ñuble' }));
  const { hits } = await search(visitor(), 'nuble chillan');
  expect(hits).toHaveLength(1);
  const [hit] = hits;
  expect(hit?.headline).toBe('Crece el río \u0002Ñuble\u0003');
  expect(hit?.snippet).toContain('de \u0002Chillán\u0003: «El río \u0002Ñuble\u0003» crece.');
  expect(hit?.snippet).toMatch(/^….*…$/);
  expect((hit?.snippet ?? '').length).toBeLessThan(230);
});

test('repeated words are searched once', async () => {
  const queryOf = async (typed: string) =>
    (
      await backend.sql<{ query: string }>(
        `select private.to_query(private.parse_query('${typed}'), array['pg_catalog.english_stem'::regdictionary]) as query`,
      )
    )[0]?.query;
  const once = await queryOf('"river road"');
  expect(once).toContain('<1>');
  expect(await queryOf('"river road" "River road" "river  road"')).toBe(once);
  expect(await queryOf('"river road" or "river road" or "river road" "river road"')).toBe(once);
});

test('pages continue without duplicates', async () => {
  const [coverage_id, word] = [await createCoverage(context.service), newWord()];
  const items = Array.from({ length: 45 }, (_, n) => ({
    id: randomUUID(),
    published_at: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(),
    content: contentOf(`${word} once more`),
  }));
  await context.service.rpc('import_updates', { coverage_id, items }).throwOnError();
  const pages = await Promise.all([1, 2, 3, 4].map((page) => search(visitor(), word, { page })));
  expect(pages.map(({ hits, more, total, page }) => [hits.length, more, total, page])).toEqual([
    [20, true, 45, 1],
    [20, true, 45, 2],
    [5, false, 45, 3],
    [0, false, 45, 4],
  ]);
  expect(pages.flatMap(({ hits }) => hits.map(({ number }) => number))).toEqual(items.map((_, n) => 45 - n));
});

test.each([
  [{}, 'query'],
  [{ query: 7 }, 'query'],
  [{ query: null }, 'query'],
  [{ query: 'river', page: 0 }, 'page'],
  [{ query: 'river', page: 11 }, 'page'],
  [{ query: 'river', page: 'two' }, 'page'],
  [{ query: 'river', from: 'yesterday' }, 'from'],
  [{ query: 'river', to: '2026-02-30' }, 'to'],
  [{ query: 'river', coverage: ['river'] }, 'coverage'],
  [{ query: 'river', order: 'new' }, 'order'],
  [['river'], 'content'],
  [null, 'content'],
])('%j is refused and its field named', async (filters, field) => {
  const { error, status } = await visitor().rpc('search', { filters });
  expect([status, error?.message]).toEqual([422, 'invalid']);
  expect(JSON.parse(error?.details ?? '')).toMatchObject({ field, reason: expect.any(String) });
});

test('the search tables cannot be read', async () => {
  for (const client of allClients()) {
    for (const name of ['search_index', 'vocabulary', 'vocabulary_queue']) {
      expect((await client.from(name).select('*')).status).toBe(404);
    }
  }
  expect(await tryCall(visitor(), 'update_vocabulary', { max_rows: 1 })).toMatchObject({ status: 404 });
});
