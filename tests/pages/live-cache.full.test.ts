import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { type ChangesResult, createPoller } from '../../src/islands/live-feed/polling.ts';
import { anonClient } from '../support/backend.ts';
import type { Newsroom, SavedUpdate } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';
import { test } from '../support/test.ts';

/** Number of concurrent writers, writes of each, and the longest pause between two writes in milliseconds. */
const WRITERS = 2;
const WRITES = 80;
const PAUSE_MS = 100;
/** Pause of a reader between two requests in milliseconds: the pace of the test, not a wait for something. */
const READ_EVERY_MS = 20;
/** Milliseconds after an acknowledged write in which readers may still get the earlier state. */
const PROPAGATION_MS = 1_000;

/** Acknowledged writes with the time of their acknowledgement. */
type Ledger = { seq: number; withdrawn?: string; at: number }[];

/** Last seq of each update that a reader received, by number. */
type KnownUpdates = Map<number, number>;

/** Publishes, revises and withdraws updates, as people do. */
async function write({ publish, revise, withdraw }: Newsroom, ledger: Ledger): Promise<void> {
  const published: { update: SavedUpdate; headline: string }[] = [];
  const note = (seq: number, withdrawn?: string) => ledger.push({ seq, withdrawn, at: Date.now() });
  for (let n = 0; n < WRITES; n++) {
    await wait(Math.random() * PAUSE_MS);
    const last = published.at(-1);
    if (last && n % 10 === 3) {
      last.update = await revise(last.update, { headline: last.headline });
      note(last.update.seq);
    } else if (last && n % 20 === 19) {
      published.pop();
      note((await withdraw(last.update, 'Not ours to tell.')).seq, last.headline);
    } else {
      const headline = `Text ${crypto.randomUUID()}`;
      const update = await publish({ headline });
      published.push({ update, headline });
      note(update.seq);
    }
  }
}

/** Expected content of a response now: the least seq, and the headlines that must be missing. */
function expectedState(ledger: Ledger) {
  const before = Date.now() - PROPAGATION_MS;
  const past = ledger.filter(({ at }) => at < before);
  return {
    seq: Math.max(1, ...past.map(({ seq }) => seq)),
    withdrawnHeadlines: past.flatMap(({ withdrawn }) => withdrawn ?? []),
  };
}

const leaked = (html: string, { withdrawnHeadlines }: { withdrawnHeadlines: string[] }) =>
  withdrawnHeadlines.filter((headline) => html.includes(headline));

/** Loads the page repeatedly and compares every response with the ledger. */
async function load(site: TestSite, slug: string, ledger: Ledger, isOver: () => boolean): Promise<number> {
  const states = new Map<string | null, string>();
  let loads = 0;
  for (; !isOver(); loads++) {
    const expected = expectedState(ledger);
    const response = await fetch(`${site.url}/live/${slug}`);
    const html = await response.text();
    expect(response.status).toBe(200);
    const seq = /<main id="coverage"[^>]* data-seq="(\d+)"/.exec(html)?.[1] ?? '';
    expect(Number(seq), 'the page contains acknowledged writes').toBeGreaterThanOrEqual(expected.seq);
    expect(leaked(html, expected), 'withdrawn headlines').toEqual([]);
    const etag = response.headers.get('etag');
    expect(states.get(etag) ?? seq, 'one seq per ETag').toBe(seq);
    states.set(etag, seq);
    await wait(READ_EVERY_MS);
  }
  return loads;
}

type Changes = ChangesResult & { known: [number: number, seq: number][] };

/** Requests changes and compares the response with the ledger. */
async function ask(site: TestSite, slug: string, ledger: Ledger, after: number, until = 0): Promise<Changes> {
  const expected = expectedState(ledger);
  const query = `after=${after}${until > 0 ? `&until=${until}` : ''}`;
  const response = await fetch(`${site.url}/live/${slug}/changes?${query}`);
  const html = await response.text();
  expect(response.status, `${query}: ${html}`).toBe(200);
  const data = (name: string) => new RegExp(`<div data-changes[^>]* data-${name}="([^"]*)"`).exec(html)?.[1];
  const [through, more] = [Number(data('through')), data('more') === 'true'];
  // A response in parts is complete with its last part.
  if (!more) expect(through, query).toBeGreaterThanOrEqual(Math.max(until, expected.seq));
  expect(leaked(html, expected), 'withdrawn headlines').toEqual([]);
  const articles = html.matchAll(/<article id="update-(\d+)"[^>]* data-seq="(\d+)"/g);
  const known = [...articles].map(([, number, seq]): [number, number] => [Number(number), Number(seq)]);
  const at = Date.parse(response.headers.get('date') ?? '');
  return { at, through, more, farBehind: data('reload') === 'true', interval: 300, known };
}

function openReader() {
  const known: KnownUpdates = new Map();
  return {
    known,
    seq: 1,
    take({ farBehind, known: some, through }: Changes) {
      expect(farBehind).toBe(false);
      for (const [number, seq] of some) known.set(number, Math.max(seq, known.get(number) ?? 0));
      this.seq = Math.max(this.seq, through);
    },
  };
}

type Reader = ReturnType<typeof openReader>;

/** Polls for changes, one request at a time. */
async function check(
  site: TestSite,
  slug: string,
  ledger: Ledger,
  isOver: (seq: number) => boolean,
): Promise<Reader> {
  const reader = openReader();
  while (!isOver(reader.seq)) {
    reader.take(await ask(site, slug, ledger, reader.seq));
    await wait(READ_EVERY_MS);
  }
  return reader;
}

/** Follows by socket, as an open page does, and requests the announced changes. */
function listen(site: TestSite, { coverage }: Newsroom, ledger: Ledger) {
  const reader = openReader();
  const faults: unknown[] = [];
  const follower = createPoller<Changes>({
    seq: reader.seq,
    interval: 300,
    fetchChanges: (after, until) =>
      ask(site, coverage.slug, ledger, after, until).catch((fault) => {
        faults.push(fault);
        throw fault;
      }),
    apply: (answer) => reader.take(answer),
    onUpToDate: () => {},
    onFailed: () => {},
    onWithdrawn: () => {},
    random: () => 0,
    isSlow: () => false,
  });
  const client = anonClient(site);
  client
    .channel(`coverage:${coverage.id}`, { config: { private: true } })
    .on('broadcast', { event: 'change' }, ({ payload }) => follower.onChange({ ...payload, spread: 0 }))
    .subscribe((status) => follower.setListening(status === 'SUBSCRIBED'));
  follower.setAllowed(true);
  return {
    reader,
    faults,
    stop() {
      follower.setAllowed(false);
      return client.realtime.disconnect();
    },
  };
}

test('never serves pages or changes that lack writes acknowledged a second earlier', {
  timeout: 60_000,
}, async ({ site, newsroom }) => {
  const { slug, id } = newsroom.coverage;
  const ledger: Ledger = [];
  let last: number | undefined;
  const listeners = [listen(site, newsroom, ledger), listen(site, newsroom, ledger)];
  const writing = Promise.all(Array.from({ length: WRITERS }, () => write(newsroom, ledger))).then(() => {
    last = Math.max(...ledger.map(({ seq }) => seq));
  });
  const isOver = () => last !== undefined;
  const [loads, ...checked] = await Promise.all([
    load(site, slug, ledger, isOver),
    check(site, slug, ledger, (seq) => seq === last),
    check(site, slug, ledger, (seq) => seq === last),
    load(site, slug, ledger, isOver),
    writing,
  ]).then(([some, one, another, more]) => [some + more, one, another] as const);
  expect(loads).toBeGreaterThan(10);
  await expect
    .poll(() => listeners.map(({ reader, faults }) => [reader.seq, faults]), { timeout: 10_000 })
    .toEqual([
      [last, []],
      [last, []],
    ]);
  await Promise.all(listeners.map(({ stop }) => stop()));

  const { data } = await site.service.from('updates').select('number, seq').eq('coverage_id', id);
  const all = new Map((data ?? []).map(({ number, seq }) => [number, seq]));
  for (const { known } of [...checked, ...listeners.map(({ reader }) => reader)]) expect(known).toEqual(all);
});
