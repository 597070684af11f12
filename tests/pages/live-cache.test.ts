import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { type ChangesResult, createPoller } from '../../src/islands/live-feed/polling.ts';
import { anonClient } from '../support/backend.ts';
import type { Newsroom, Saved } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';
import { test } from '../support/test.ts';

/** How many hands write at once, how many times each of them does, and the longest pause between two, in milliseconds. */
const HANDS = 2;
const WRITES = 80;
const PAUSE_MS = 100;
/** For how long after a write was answered readers may be told what was before. In milliseconds. */
const UNDER_WAY_MS = 1_000;

/** What was written, and when whoever wrote it had the answer. */
type Ledger = { seq: number; withdrawn?: string; at: number }[];

/** What a reader knows of a coverage: the last change of each update by its number. */
type Known = Map<number, number>;

/** Writes as people do: publishes, comes back to what is there, and takes some of it away. */
async function write({ publish, revise, withdraw }: Newsroom, ledger: Ledger): Promise<void> {
  const standing: { update: Saved; headline: string }[] = [];
  const note = (seq: number, withdrawn?: string) => ledger.push({ seq, withdrawn, at: Date.now() });
  for (let n = 0; n < WRITES; n++) {
    await wait(Math.random() * PAUSE_MS);
    const last = standing.at(-1);
    if (last && n % 10 === 3) {
      last.update = await revise(last.update, { headline: last.headline });
      note(last.update.seq);
    } else if (last && n % 20 === 19) {
      standing.pop();
      note((await withdraw(last.update, 'Not ours to tell.')).seq, last.headline);
    } else {
      const headline = `Text ${crypto.randomUUID()}`;
      const update = await publish({ headline });
      standing.push({ update, headline });
      note(update.seq);
    }
  }
}

/** What an answer to a question that is asked now must know, and what it must not tell. */
function owed(ledger: Ledger) {
  const before = Date.now() - UNDER_WAY_MS;
  const past = ledger.filter(({ at }) => at < before);
  return {
    seq: Math.max(1, ...past.map(({ seq }) => seq)),
    gone: past.flatMap(({ withdrawn }) => withdrawn ?? []),
  };
}

const told = (html: string, { gone }: { gone: string[] }) =>
  gone.filter((headline) => html.includes(headline));

/** Loads the page again and again, and holds every copy against what was written. */
async function load(site: TestSite, slug: string, ledger: Ledger, isOver: () => boolean): Promise<number> {
  const states = new Map<string | null, string>();
  let loads = 0;
  for (; !isOver(); loads++) {
    const must = owed(ledger);
    const response = await fetch(`${site.url}/live/${slug}`);
    const html = await response.text();
    expect(response.status).toBe(200);
    const seq = /<main id="coverage"[^>]* data-seq="(\d+)"/.exec(html)?.[1] ?? '';
    expect(Number(seq), 'the page knows what was written a while ago').toBeGreaterThanOrEqual(must.seq);
    expect(told(html, must), 'what was taken away').toEqual([]);
    const etag = response.headers.get('etag');
    expect(states.get(etag) ?? seq, 'what one ETag stands for').toBe(seq);
    states.set(etag, seq);
    await wait(20);
  }
  return loads;
}

type Changes = ChangesResult & { known: [number: number, seq: number][] };

/** Asks what changed, and holds the answer against what was written. */
async function ask(site: TestSite, slug: string, ledger: Ledger, after: number, until = 0): Promise<Changes> {
  const must = owed(ledger);
  const query = `after=${after}${until > 0 ? `&until=${until}` : ''}`;
  const response = await fetch(`${site.url}/live/${slug}/changes?${query}`);
  const html = await response.text();
  expect(response.status, `${query}: ${html}`).toBe(200);
  const data = (name: string) => new RegExp(`<div data-changes[^>]* data-${name}="([^"]*)"`).exec(html)?.[1];
  const [through, more] = [Number(data('through')), data('more') === 'true'];
  // What comes in pieces is told to its end by the last one.
  if (!more) expect(through, query).toBeGreaterThanOrEqual(Math.max(until, must.seq));
  expect(told(html, must), 'what was taken away').toEqual([]);
  const articles = html.matchAll(/<article id="update-(\d+)"[^>]* data-seq="(\d+)"/g);
  const known = [...articles].map(([, number, seq]): [number, number] => [Number(number), Number(seq)]);
  const at = Date.parse(response.headers.get('date') ?? '');
  return { at, through, more, farBehind: data('reload') === 'true', interval: 300, known };
}

function openReader() {
  const known: Known = new Map();
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

/** Asks for changes one answer after the other. */
async function check(
  site: TestSite,
  slug: string,
  ledger: Ledger,
  isOver: (seq: number) => boolean,
): Promise<Reader> {
  const reader = openReader();
  while (!isOver(reader.seq)) {
    reader.take(await ask(site, slug, ledger, reader.seq));
    await wait(20);
  }
  return reader;
}

/** Follows by socket as an open page does, which asks for what it is told of. */
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

test('while people write, revise and withdraw, nobody is told less than the truth', {
  timeout: 60_000,
}, async ({ site, newsroom }) => {
  const { slug, id } = newsroom.coverage;
  const ledger: Ledger = [];
  let last: number | undefined;
  const listeners = [listen(site, newsroom, ledger), listen(site, newsroom, ledger)];
  const writing = Promise.all(Array.from({ length: HANDS }, () => write(newsroom, ledger))).then(() => {
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
