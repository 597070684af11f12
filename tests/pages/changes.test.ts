import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'vitest';
import { RELOAD } from '../support/http-client.ts';
import { call, type Newsroom, paragraph, publishUrgent } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';
import { test } from '../support/test.ts';

const ask = (site: TestSite, newsroom: Newsroom, query: string) =>
  fetch(`${site.url}/live/${newsroom.coverage.slug}/changes?${query}`, { redirect: 'manual' });

/** Head of the response to a request in the given version of HTTP. */
async function headOf(url: string, version: '1.0' | '1.1'): Promise<string> {
  const { hostname, port, pathname, search } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `GET ${pathname}${search} HTTP/${version}\r\nHost: ${hostname}:${port}\r\nConnection: keep-alive\r\n\r\n`,
  );
  const [head] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return head.toString('latin1').split('\r\n\r\n')[0] ?? '';
}

/** The numbers of the articles in a response, in order, and the data of its wrapper. */
async function read(response: Response) {
  const html = await response.text();
  const data = (name: string) => new RegExp(`<div data-changes[^>]* data-${name}="([^"]*)"`).exec(html)?.[1];
  return {
    html,
    through: Number(data('through')),
    seq: Number(data('seq')),
    more: data('more'),
    reload: data('reload'),
    settings: data('settings'),
    state: data('state'),
    follow: data('follow'),
    interval: data('interval'),
    backend: data('backend'),
    key: data('key'),
    build: data('build'),
    numbers: [...html.matchAll(/<article id="update-(\d+)"/g)].map(([, number]) => Number(number)),
    sections: [...html.matchAll(/<section id="([^"]+)"/g)].map(([, id]) => id),
  };
}

const changesSince = async (site: TestSite, newsroom: Newsroom, after: number) =>
  read(await ask(site, newsroom, `after=${after}`));

test('answers with a few bytes when nothing changed', async ({ site, newsroom }) => {
  const response = await ask(site, newsroom, 'after=1');
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('max-age=0, s-maxage=2');
  // It expires before an invalidation could reach it.
  expect(response.headers.get('cache-tag')).toBeNull();
  expect(response.headers.get('content-security-policy')).toBe('sandbox');
  const etag = response.headers.get('etag') ?? '';
  expect(etag).toMatch(/^W\/"[\w-]{8}"$/);
  const again = await fetch(response.url, { headers: { 'if-none-match': etag } });
  expect([again.status, [...again.headers.keys()].filter((name) => name !== 'age').sort()]).toEqual([
    304,
    ['cache-control', 'date', 'etag'],
  ]);
  expect(response.headers.get('set-cookie')).toBeNull();
  const answer = await read(response);
  expect(answer).toMatchObject({
    through: 1,
    seq: 1,
    state: 'live',
    interval: '10',
    numbers: [],
    sections: [],
  });
  expect(answer.build).toBeTruthy();
  // HTTP/1.1 keeps connections open by default; HTTP/1.0 needs the header.
  expect(await headOf(response.url, '1.1')).not.toMatch(/^connection/im);
  expect(await headOf(response.url, '1.0')).toMatch(/^connection: keep-alive/im);
  expect(answer.html.length).toBeLessThan(300);
});

test('gives the follow mode of the coverage or the site on the page and in every response', async ({
  site,
  newsroom,
  people,
}) => {
  const { client } = people.editor;
  const coverage_id = newsroom.coverage.id;
  const set = async (content: object) => {
    const { data } = await client.from('coverages').select('version').eq('id', coverage_id).single();
    await call(client, 'save_coverage', { coverage_id, version: data?.version, content });
  };
  const followAttributes = async () => {
    const answer = await (await ask(site, newsroom, 'after=1')).text();
    const page = await (
      await fetch(`${site.url}/live/${newsroom.coverage.slug}`, { headers: RELOAD })
    ).text();
    const tags = [/<div data-changes[^>]*>/, /<main id="coverage"[^>]*>/].map(
      (tag) => tag.exec(answer + page)?.[0],
    );
    return tags.map((tag) => tag?.match(/data-(follow|interval|backend|key)="[^"]*"/g)?.join(' '));
  };
  const both = async (...attributes: string[]) =>
    expect.poll(followAttributes, { timeout: 10_000 }).toEqual([attributes.join(' '), attributes.join(' ')]);
  const backend = ['data-backend="/"', `data-key="${site.publishableKey}"`];
  await set({ reader_follow_mode: 'checks' });
  await both('data-follow="checks"', 'data-interval="10"');
  await set({ check_interval_seconds: 60 });
  await both('data-follow="checks"', 'data-interval="60"');
  await set({ reader_follow_mode: 'sockets' });
  await both('data-follow="sockets"', 'data-interval="60"', ...backend);
  await set({ reader_follow_mode: null, check_interval_seconds: null });
  await both('data-follow="sockets"', 'data-interval="10"', ...backend);
});

test('contains an update once, in its current version, however often it changed', async ({
  site,
  newsroom,
}) => {
  const first = await newsroom.publish({ headline: 'As it was' });
  await newsroom.publish({ headline: 'Another' });
  const revised = await newsroom.revise(first, { headline: 'As it is' });
  await newsroom.correct(revised, { headline: 'As it is' }, 'It was otherwise.');
  const answer = await changesSince(site, newsroom, 1);
  expect(answer).toMatchObject({ through: 5, seq: 5, numbers: [2, 1] });
  expect(answer.html).toContain('As it is');
  expect(answer.html).toContain('It was otherwise.');
  expect(answer.html).not.toContain('As it was');
  expect(await changesSince(site, newsroom, 4)).toMatchObject({ numbers: [1] });
});

test('contains the tombstone of a withdrawn update', async ({ site, newsroom }) => {
  const update = await newsroom.publish({ headline: 'A secret', body: [paragraph('Nobody may read this.')] });
  await newsroom.withdraw(update, 'It was not ours to tell.');
  const answer = await changesSince(site, newsroom, 1);
  expect(answer.numbers).toEqual([1]);
  expect(answer.html).toContain('It was not ours to tell.');
  expect(answer.html).not.toMatch(/A secret|Nobody may read/);
});

test('does not contain drafts', async ({ site, newsroom, people }) => {
  await call(people.reporter.client, 'save_update', {
    coverage_id: newsroom.coverage.id,
    update_id: randomUUID(),
    content: { body: [paragraph('Not yet.')] },
  });
  const answer = await changesSince(site, newsroom, 1);
  expect(answer).toMatchObject({ seq: 1, numbers: [] });
  expect(answer.html).not.toContain('Not yet.');
});

test('contains the parts of the page that changed, and no others', async ({ site, newsroom }) => {
  const update = await newsroom.publish();
  const top = ['urgent', 'newest'];
  expect((await changesSince(site, newsroom, 1)).sections).toEqual(top);
  await newsroom.setSummary([paragraph('All is well.')]);
  expect(await changesSince(site, newsroom, update.seq)).toMatchObject({
    numbers: [],
    sections: ['summary'],
  });
  await newsroom.pin(update);
  expect((await changesSince(site, newsroom, 3)).sections).toEqual(['pinned']);
  const event = await newsroom.publish({ key_event: true });
  expect(await changesSince(site, newsroom, 4)).toMatchObject({
    numbers: [2],
    sections: [...top, 'key-events', 'lead-photo'],
  });
  await newsroom.revise(event, { key_event: false });
  const ended = await changesSince(site, newsroom, event.seq);
  expect(ended.sections).toEqual([...top, 'key-events', 'lead-photo']);
  expect(ended.html).toMatch(/<section id="key-events"[^>]* hidden/);
  await newsroom.withdraw(update, 'No longer so.');
  const withdrawn = await changesSince(site, newsroom, event.seq + 1);
  expect(withdrawn.sections).toEqual([...top, 'pinned', 'key-events', 'lead-photo']);
  expect(withdrawn.html).toMatch(/<section id="pinned"[^>]* hidden/);
});

test('contains the urgent banner after its update was published, unmarked or withdrawn, and after the end', async ({
  site,
  newsroom,
  people,
}) => {
  const banner = async (after: number) => {
    const { html } = await changesSince(site, newsroom, after);
    return /<section id="urgent"[^>]*?(?: data-number="(\d+)")?( hidden)?>/.exec(html)?.slice(1);
  };
  const text = 'Leave Quay Street now.';
  const publish = () => publishUrgent(newsroom, text);
  const [first, second] = [await publish(), await publish()];
  expect(await banner(first.seq - 1)).toEqual(['2', undefined]);
  await call(people.editor.client, 'revise_update', {
    update_id: second.id,
    version: second.version,
    content: { body: [paragraph(text)], urgency: 'important' },
  });
  expect(await banner(second.seq)).toEqual(['1', undefined]);
  const withdrawn = await newsroom.publish();
  await call(people.editor.client, 'withdraw_update', { update_id: first.id, reason: 'It is over.' });
  expect(await banner(withdrawn.seq)).toEqual([undefined, ' hidden']);

  const third = await publish();
  await newsroom.setState('ended');
  expect(await banner(third.seq)).toEqual([undefined, ' hidden']);
});

test('reports a new state or headline of the coverage', async ({ site, newsroom, people }) => {
  await newsroom.setState('paused');
  expect(await changesSince(site, newsroom, 1)).toMatchObject({ state: 'paused', settings: undefined });
  await call(people.editor.client, 'save_coverage', {
    coverage_id: newsroom.coverage.id,
    version: 1,
    content: { headline: 'The river falls' },
  });
  expect(await changesSince(site, newsroom, 2)).toMatchObject({ settings: 'true' });
});

test('returns fifty changes at a time', async ({ site, newsroom }) => {
  for (let n = 1; n <= 60; n++) await newsroom.publish({ body: [paragraph(`Number ${n}.`)] });
  const first = await changesSince(site, newsroom, 1);
  expect(first).toMatchObject({ through: 51, seq: 61, more: 'true' });
  expect(first.numbers).toEqual(Array.from({ length: 50 }, (_, n) => 50 - n));
  const rest = await changesSince(site, newsroom, first.through);
  expect(rest).toMatchObject({ through: 61, seq: 61, more: undefined });
  expect(rest.numbers).toEqual(Array.from({ length: 10 }, (_, n) => 60 - n));
});

test('misses no change while reporters write', async ({ site, newsroom }) => {
  let finished = false;
  const writing = Promise.all(Array.from({ length: 30 }, () => newsroom.publish())).then(() => {
    finished = true;
  });
  const received = new Set<number>();
  let after = 1;
  for (let wasFinished = false; !wasFinished; ) {
    wasFinished = finished;
    const { through, seq, numbers } = await changesSince(site, newsroom, after);
    expect(through).toBeLessThanOrEqual(seq);
    for (const number of numbers) received.add(number);
    after = through;
  }
  await writing;
  expect(after).toBe(31);
  expect([...received].sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
});

test('requests a reload more than a hundred changes behind, or ahead of the coverage', async ({
  site,
  newsroom,
}) => {
  const items = Array.from({ length: 101 }, (_, n) => ({
    id: randomUUID(),
    published_at: new Date().toISOString(),
    content: { body: [paragraph(`Number ${n}.`)] },
  }));
  const { error } = await site.service.rpc('import_updates', { coverage_id: newsroom.coverage.id, items });
  expect(error).toBeNull();
  expect(await changesSince(site, newsroom, 1)).toMatchObject({ seq: 102, reload: 'true', numbers: [] });
  expect(await changesSince(site, newsroom, 2)).toMatchObject({ through: 52, reload: undefined });
  expect(await changesSince(site, newsroom, 103)).toMatchObject({ reload: 'true' });
});

test('answers 503 until the requested change is known', async ({ site, newsroom }) => {
  const early = await ask(site, newsroom, 'after=1&until=2');
  expect(early.status).toBe(503);
  expect(early.headers.get('retry-after')).toBe('1');
  expect(early.headers.get('cache-control')).toMatch(/no-store/);
  await newsroom.publish();
  // The message of the publication may arrive after its response.
  await expect
    .poll(async () => read(await ask(site, newsroom, 'after=1&until=2')))
    .toMatchObject({ through: 2, numbers: [1] });
});

test.for([
  '',
  'after=',
  'after=-1',
  'after=1.5',
  'after=one',
  'after=01',
  'after=1e3',
  'after=1&until=x',
  'until=1',
])('rejects the query "%s"', async (query, { site, newsroom }) => {
  const response = await ask(site, newsroom, query);
  expect(response.status).toBe(422);
  expect(response.headers.get('cache-control')).toMatch(/no-store/);
  expect(await response.json()).toMatchObject({ error: { code: 'invalid', field: 'after' } });
});

test('answers 404, 301 or 410 for an unknown, draft, renamed or withdrawn coverage', async ({
  site,
  newsroom,
  people,
}) => {
  const editor = people.editor.client;
  const { id, slug } = newsroom.coverage;
  const at = (name: string) => fetch(`${site.url}/live/${name}/changes?after=0`, { redirect: 'manual' });
  expect((await at('never-was')).status).toBe(404);

  const draft = `draft-${randomUUID().slice(0, 8)}`;
  await call(editor, 'create_coverage', {
    coverage_id: randomUUID(),
    content: { slug: draft, headline: 'Draft' },
  });
  expect((await at(draft)).status).toBe(404);

  await call(editor, 'save_coverage', { coverage_id: id, version: 1, content: { slug: `${slug}-moved` } });
  const moved = await at(slug);
  expect(moved.status).toBe(301);
  expect(moved.headers.get('location')).toBe(`/live/${slug}-moved/changes?after=0`);

  await newsroom.publish({ headline: 'Soon gone' });
  await newsroom.setState('withdrawn');
  const gone = await at(`${slug}-moved`);
  expect(gone.status).toBe(410);
  expect(await gone.text()).not.toContain('Soon gone');
});
