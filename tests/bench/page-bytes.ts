import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../support/chromium.ts';
import type { Exchange, SlowLine } from '../support/slow-line.ts';
import type { Bench } from './bench.ts';
import { denseFeed } from './dense.ts';
import { openFarNewsroom, openLineTo, setCoverage, untilQuiet } from './far-newsroom.ts';
import { type Finding, median } from './figures.ts';
import { GOOD, POOR } from './lines.ts';
import { bringIn } from './newsroom.ts';

const RUNS = 5;

const AT_MOST = { socket: 95_000, checks: 75_000 };

/** A browser that is let alone may ask for something yet. */
const IDLE_MS = 6_000;
/** The offline copy comes about ten seconds after the rest. */
const LATER_MS = 15_000;

/** Everything that a visit costs its reader: counted where it leaves and reaches the browser. */
export const pageBytes: Bench = {
  head: 'value',
  about:
    'All bytes that reach Chromium, at the socket, from the visit of a live page until it is followed and nothing more\n' +
    `comes for a second; medians of ${RUNS} visits by turns of somebody who was never there. Poor: a round trip of ` +
    `${POOR.roundTrip} ms,\nor a reader who saves data.`,
  async run(endings) {
    const { line, newsroom } = await openFarNewsroom(endings, GOOD);
    const { feed, note } = await denseFeed();
    const bySocket = await bringIn(newsroom, feed, 'by-socket');
    const byChecks = await bringIn(newsroom, feed, 'by-checks');
    await setCoverage(newsroom, byChecks, { reader_follow: 'checks', reader_interval: 30 });
    const poor = await openLineTo(endings, newsroom, POOR);
    const browser = endings.add(await launchChromium(), (chromium) => chromium.close());

    const visits: Record<'socket' | 'checks', Visit[]> = { socket: [], checks: [] };
    // The first of each finds nothing ready at the site.
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
      judge('good line, by socket', visits.socket, AT_MOST.socket),
      judge('good line, by checks', visits.checks, AT_MOST.checks),
      shifts([...visits.socket, ...visits.checks, slow, saving]),
      scripts('poor line: requests for scripts', slow),
      scripts('saves data: requests for scripts', saving),
      { what: `by checks, ${LATER_MS / 1000} s later`, value: later.down, figures: figuresOf(later) },
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

/** A visit by somebody who was never there, until the page is ready and the line is quiet. */
async function visit(
  browser: Browser,
  line: SlowLine,
  path: string,
  ready: (page: Page) => Promise<unknown>,
  prepare: (context: BrowserContext, page: Page) => Promise<unknown> = async () => {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  try {
    const page = await context.newPage();
    await prepare(context, page);
    line.forget();
    const followed = ready(page);
    await page.goto(line.url + path);
    await followed;
    await untilQuiet(line);
    const shift = await page.evaluate(layoutShift);
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

async function letAlone(page: Page): Promise<void> {
  await page.waitForEvent('load');
  await wait(IDLE_MS);
}

async function saveData(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setDataSaverOverride', { dataSaverEnabled: true });
}

/** How far things have moved by themselves so far (Layout Instability), as a browser reckons it up, and which. */
type Shift = { value: number; moved: string[] };

function layoutShift(): Promise<Shift> {
  type Entry = PerformanceEntry & { value: number; sources: { node: Node | null }[] };
  const nameOf = (node: Node | null) =>
    node instanceof Element ? `<${node.localName} id="${node.id}" class="${node.className}">` : 'a text';
  return new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const entries = list.getEntries() as Entry[];
      resolve({
        value: entries.reduce((all, { value }) => all + value, 0),
        moved: entries.flatMap(({ sources, startTime }) =>
          sources.map(({ node }) => `${nameOf(node)} at ${Math.round(startTime)} ms`),
        ),
      });
    }).observe({ type: 'layout-shift', buffered: true });
    // Where nothing moved nobody is called.
    requestAnimationFrame(() => requestAnimationFrame(() => resolve({ value: 0, moved: [] })));
  });
}

function judge(what: string, visits: Visit[], atMost: number): Finding {
  const middle = (figure: (visit: Visit) => number) => median(visits.map(figure));
  return {
    what,
    value: middle(({ down }) => down),
    bound: { atMost },
    figures: {
      sent: middle(({ up }) => up),
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

const figuresOf = ({ up, exchanges }: Visit) => ({
  sent: up,
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
