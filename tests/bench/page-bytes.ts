import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../support/chromium.ts';
import type { Exchange, LatencyProxy } from '../support/network-latency.ts';
import type { Bench } from './bench.ts';
import { denseFeed, mustBeDense } from './dense.ts';
import { bringInBoth, openFarNewsroom, openLineTo, untilQuiet } from './far-newsroom.ts';
import { type Finding, median } from './figures.ts';
import { GOOD, POOR } from './lines.ts';

const RUNS = 5;

const AT_MOST = { socket: 95_000, checks: 75_000 };

/** Wait for later requests of the browser. */
const IDLE_MS = 6_000;
/** The offline copy loads about ten seconds after the page. */
const LATER_MS = 15_000;

/** All bytes of a visit, counted on the connection. */
export const pageBytes: Bench = {
  head: 'value',
  about:
    'All bytes that Chromium receives, at the socket, from the visit of a live page until it is followed and nothing more\n' +
    `comes for a second; medians of ${RUNS} visits by turns of somebody who was never there. Poor: a round trip of ` +
    `${POOR.roundTrip} ms,\nor a reader who saves data. The goals are for what is received; what is sent stands beside it.`,
  async run(endings) {
    const { line, newsroom } = await openFarNewsroom(endings, GOOD);
    const { feed, note } = await denseFeed();
    const { bySocket, byChecks } = await bringInBoth(newsroom, feed);
    mustBeDense(await (await fetch(`${newsroom.url}/live/${bySocket.slug}`)).text());
    const poor = await openLineTo(endings, newsroom, POOR);
    const browser = endings.add(await launchChromium(), (chromium) => chromium.close());

    const visits: Record<'socket' | 'checks', Visit[]> = { socket: [], checks: [] };
    // The first run has a cold cache.
    for (let run = 0; run <= RUNS; run++) {
      const [socket, checks] = [
        () => visit(browser, line, `/live/${bySocket.slug}`, followedBySocket),
        () => visit(browser, line, `/live/${byChecks.slug}`, followedByChecks),
      ];
      const turns = { socket, checks };
      for (const turn of run % 2 === 0 ? (['socket', 'checks'] as const) : (['checks', 'socket'] as const)) {
        const made = await turns[turn]();
        if (run > 0) visits[turn].push(made);
      }
    }
    const slow = await visit(browser, poor, `/live/${bySocket.slug}`, letAlone);
    const saving = await visit(browser, line, `/live/${bySocket.slug}`, letAlone, saveData);
    const later = await visit(browser, line, `/live/${byChecks.slug}`, (page) => wait(LATER_MS, page));
    const findings: Finding[] = [
      findingOf('received on a good line, by socket', visits.socket, AT_MOST.socket),
      findingOf('received on a good line, by checks', visits.checks, AT_MOST.checks),
      shifts([...visits.socket, ...visits.checks, slow, saving]),
      scripts('poor line: requests for scripts', slow),
      scripts('saves data: requests for scripts', saving),
      {
        what: `received by checks, ${LATER_MS / 1000} s later`,
        value: later.down,
        figures: figuresOf(later),
      },
    ];
    const tables = Object.entries({ ...visits, later: [later] }).flatMap(([name, made]) => [
      '',
      `By ${name}:`,
      ...listed(made.at(-1)?.exchanges ?? []),
    ]);
    const moved = new Set(visits.socket.flatMap(({ shift }) => shift.moved));
    return { findings, notes: [note, ...[...moved].map((what) => `Moved by itself: ${what}`), ...tables] };
  },
};

type Visit = { up: number; down: number; shift: Shift; exchanges: Exchange[] };

/** A first visit, until the page is ready and the connection is idle. */
async function visit(
  browser: Browser,
  line: LatencyProxy,
  path: string,
  ready: (page: Page) => Promise<unknown>,
  prepare: (context: BrowserContext, page: Page) => Promise<unknown> = async () => {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(watchShift);
    await prepare(context, page);
    line.reset();
    const followed = ready(page);
    await page.goto(line.url + path);
    await followed;
    await untilQuiet(line);
    const shift = await page.evaluate(() => (window as unknown as Watching).shiftNow());
    return { ...line.bytes(), shift, exchanges: line.exchanges() };
  } finally {
    await context.close();
  }
}

const followedByChecks = (page: Page) => page.waitForResponse(/\/changes\?after=/);

async function followedBySocket(page: Page): Promise<void> {
  const joined = page.waitForEvent('websocket').then((socket) => socket.waitForEvent('framereceived'));
  await Promise.all([followedByChecks(page), joined]);
}

/** Leaves the page alone: requests that it then makes count as well. */
async function letAlone(page: Page): Promise<void> {
  await page.waitForEvent('load');
  await wait(IDLE_MS);
}

async function saveData(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setDataSaverOverride', { dataSaverEnabled: true });
}

/** Cumulative layout shift, and the elements that moved. */
type Shift = { value: number; moved: string[] };

/** What `watchShift` adds to a page. */
type Watching = { shiftNow(): Shift };

/** Runs before the page loads. Pending entries are read at the end. */
function watchShift(): void {
  type Entry = PerformanceEntry & { value: number; sources: { node: Node | null }[] };
  const nameOf = (node: Node | null) =>
    node instanceof Element ? `<${node.localName} id="${node.id}" class="${node.className}">` : 'a text';
  const shift: Shift = { value: 0, moved: [] };
  const count = (entries: PerformanceEntryList) => {
    for (const { value, sources, startTime } of entries as Entry[]) {
      shift.value += value;
      shift.moved.push(...sources.map(({ node }) => `${nameOf(node)} at ${Math.round(startTime)} ms`));
    }
  };
  const observer = new PerformanceObserver((list) => count(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  const shiftNow = () => {
    count(observer.takeRecords());
    return shift;
  };
  Object.assign(window, { shiftNow });
}

function findingOf(what: string, visits: Visit[], atMost: number): Finding {
  const middle = (figure: (visit: Visit) => number) => median(visits.map(figure));
  return {
    what,
    value: middle(({ down }) => down),
    bound: { atMost },
    figures: {
      sent: middle(({ up }) => up),
      'both ways': middle(({ up, down }) => up + down),
      requests: middle(({ exchanges }) => exchanges.length),
      scripts: middle(({ exchanges }) => scriptsOf(exchanges).length),
    },
  };
}

function shifts(visits: Visit[]): Finding {
  const value = Math.max(...visits.map(({ shift }) => shift.value));
  return { what: 'layout shift, the worst', value, bound: { atMost: 0 }, figures: {} };
}

function scripts(what: string, made: Visit): Finding {
  const value = scriptsOf(made.exchanges).length;
  return { what, value, bound: { atMost: 0 }, figures: { ...figuresOf(made), received: made.down } };
}

const figuresOf = ({ up, down, exchanges }: Visit) => ({
  sent: up,
  'both ways': up + down,
  requests: exchanges.length,
  scripts: scriptsOf(exchanges).length,
});

const scriptsOf = (exchanges: Exchange[]) => exchanges.filter(({ request }) => /\.js(\?|$)/.test(request));

const listed = (exchanges: Exchange[]): string[] =>
  exchanges.map(
    ({ request, connection, up, down, rounds }) =>
      `  ${request.slice(0, 70).padEnd(70)} ${String(up).padStart(6)} up ${String(down).padStart(7)} down, ` +
      `connection ${connection}, ${rounds.length} round trip${rounds.length === 1 ? '' : 's'}`,
  );
