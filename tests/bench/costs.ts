import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTestDatabase, SERVER } from '../support/database.ts';
import { longParagraph } from '../support/newsroom.ts';

/*
 * node tests/bench/costs.ts: what numbers of readers need of a hosted project and a CDN, which limits of plans they
 * reach, and what that costs. Costs of the product are the last figures beside this file, or are measured now.
 * Reading habits and prices are assumptions with their date.
 */

const PRICES = {
  asked: 'November 2026, from public pages that may have changed: look before you decide',
  plan: 25,
  /** A second server for the site, or a larger one: the price of a small rented server. */
  server: 10,
  compute: { '1,000': 0, '100,000': 15, '10,000,000': 110 } as Record<string, number>,
  egressGb: 0.09,
  diskGb: 0.125,
  fileGb: 0.021,
  mau: 0.00325,
  connections1000: 10,
  messagesMillion: 2.5,
  callsMillion: 2,
  cdnGb: 0.01,
  mails1000: 0.1,
};

/** Supabase's plans: price per month and included quantities. */
const PLANS = {
  free: { egressGb: 5, diskGb: 0.5, fileGb: 1, mau: 50_000, connections: 200, messages: 2e6, calls: 500_000 },
  pro: { egressGb: 250, diskGb: 8, fileGb: 100, mau: 100_000, connections: 500, messages: 5e6, calls: 2e6 },
};
type Resource = keyof (typeof PLANS)['pro'];

/** Assumed use of a newsroom in a month. */
const READING = {
  visits: 3,
  pages: 4,
  minutesFollowed: 10,
  /** Share of all readers who are online at the same time at most. */
  atOnce: 0.05,
  /** Shares of readers with an account, with mail alerts, with push alerts. */
  accounts: 0.01,
  byMail: 0.004,
  byPush: 0.006,
  alerts: 20,
  updates: 3_000,
  photos: 600,
  /** Total of three widths. */
  photoKb: 450,
  /** One of this many readers sees a photo of an update. */
  photosSeen: 3,
  printKb: 60,
  staff: 30,
  tips: 300,
  /** CDN locations with their own caches. */
  edges: 30,
};

const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8').split('## Last figures')[1] ?? '';
/** A figure of the table `Last figures`. */
function figure(line: string, nth = 0): number {
  const row = readme.split('\n').find((one) => one.startsWith(`| ${line}`)) ?? '';
  const told = row.split('|')[2]?.split(/[,;](?= )/)[nth] ?? '';
  const value = /[\d.,]+/.exec(told)?.[0].replaceAll(',', '');
  if (!value) throw new Error(`tests/bench/README.md has no figure of ${line}.`);
  return Number(value);
}

const MEASURED = {
  firstPage: figure('`page-bytes`: by socket', 1),
  check: figure('`check`'),
  idleHour: figure('`idle-hour`', 1),
  update: figure('`one-update`', 1),
};

/** Bytes in the database for an update of sixty words, with history and search words. */
async function bytesPerUpdate(): Promise<number> {
  const database = await openTestDatabase();
  const size = async () =>
    Number(
      (await database.rows<{ size: string }>('select pg_database_size(current_database())::text as size'))[0]
        ?.size,
    );
  const editor = await database.createUser('editor');
  const coverage_id = randomUUID();
  const content = {
    slug: 'sizes',
    headline: 'Sizes',
    time_zone: 'UTC',
    language: 'en',
    starts_at: '2026-01-01T00:00:00Z',
  };
  await database.call(editor, ['create_coverage', { coverage_id, content }]);
  await database.call(editor, ['set_coverage_state', { coverage_id, state: 'live' }]);
  const before = await size();
  for (let batch = 0; batch < BATCHES; batch++) {
    const items = Array.from({ length: BATCH }, (_, n) => ({
      id: randomUUID(),
      published_at: new Date(Date.UTC(2026, 1, 1) + (batch * BATCH + n) * 1000).toISOString(),
      content: { body: [longParagraph(`Report ${batch * BATCH + n}`)] },
    }));
    await database.call(SERVER, ['import_updates', { coverage_id, items }]);
    await database.rows('select private.update_vocabulary(2000)');
  }
  const after = await size();
  await database.close();
  return (after - before) / (BATCHES * BATCH);
}
const BATCH = 100;
const BATCHES = 20;

const perUpdate = await bytesPerUpdate();
const GB = 1e9;
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const some = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

console.log(`Measured: a first page, followed and quiet, ${whole.format(MEASURED.firstPage)} bytes; a check ${MEASURED.check};
an hour without news ${whole.format(MEASURED.idleHour)}; an update that arrives ${MEASURED.update} (tests/bench/README.md).
10,000 updates take ${whole.format((perUpdate * 10_000) / 1e6)} MB of database (measured now, ${BATCH * BATCHES} updates).
Prices: ${PRICES.asked}.`);

for (const readers of [1_000, 100_000, 10_000_000]) {
  const { visits, pages, minutesFollowed, staff } = READING;
  const followedHours = (readers * visits * minutesFollowed) / 60;
  const views = readers * visits * pages;
  // Scripts and fonts load once per visit. Other pages are about a quarter of the first one.
  const pageGb = (readers * visits * MEASURED.firstPage * (1 + (pages - 1) / 4)) / GB;
  const photoGb = ((views / READING.photosSeen) * (READING.printKb * 1000)) / GB;
  const checkGb = (followedHours * MEASURED.idleHour * 3) / GB;
  const cdnGb = pageGb + photoGb + checkGb;
  const peak = readers * READING.atOnce;
  // Each open page checks every 10 s, during a surge once a minute.
  const checks = peak / 10;
  // `changes` lives for 2 s in each CDN location, pages for 10 s.
  const toOrigin = Math.min(checks, READING.edges / 2) + Math.min(peak / 60, (READING.edges * 5) / 10);
  const uses: Record<Resource, number> = {
    // What the site's server fetches for its cache, and renders for each CDN location.
    egressGb:
      (READING.updates * 40 * 30_000) / GB + (READING.photos * READING.photoKb * 1000 * READING.edges) / GB,
    diskGb: 0.06 + (perUpdate * READING.updates * 12) / GB + (readers * READING.accounts * 4_000) / GB,
    fileGb: (READING.photos * 12 * READING.photoKb * 1000) / GB,
    mau: readers * READING.accounts + staff,
    connections: staff + 4,
    messages: READING.updates * 3 * (staff / 2 + 2),
    // One call claims 200 deliveries (limits: delivery_batch).
    calls:
      READING.tips +
      (readers * (READING.byMail + READING.byPush) * READING.alerts) / 200 +
      READING.alerts * 12,
  };
  const mails = readers * READING.byMail * READING.alerts;
  const over = (resource: Resource) => Math.max(0, uses[resource] - PLANS.pro[resource]);
  const money = {
    plan: PRICES.plan,
    compute: PRICES.compute[whole.format(readers)] ?? 0,
    server: PRICES.server * (readers > 1_000_000 ? 4 : 1),
    egress: over('egressGb') * PRICES.egressGb,
    disk: over('diskGb') * PRICES.diskGb,
    files: over('fileGb') * PRICES.fileGb,
    accounts: over('mau') * PRICES.mau,
    realtime:
      (over('messages') / 1e6) * PRICES.messagesMillion +
      (over('connections') / 1000) * PRICES.connections1000,
    functions: (over('calls') / 1e6) * PRICES.callsMillion,
    cdn: cdnGb * PRICES.cdnGb,
    mails: (mails / 1000) * PRICES.mails1000,
  };
  console.log(
    `\n${whole.format(readers)} readers a month: ${whole.format(views)} page views, ${whole.format(peak)} at once at worst`,
  );
  console.log(
    `  CDN: ${some.format(cdnGb)} GB (pages ${some.format(pageGb)}, photos ${some.format(photoGb)}, checks ${some.format(checkGb)}); ${whole.format(checks)} checks a second, ${whole.format(checks / 6)} under surge, of which the site sees ${whole.format(toOrigin)}`,
  );
  for (const [resource, used] of Object.entries(uses) as [Resource, number][]) {
    const share = (plan: keyof typeof PLANS) =>
      `${some.format((100 * used) / PLANS[plan][resource])} % of ${plan}`;
    console.log(
      `  ${resource.padEnd(12)} ${some.format(used).padStart(10)}   ${share('free')}, ${share('pro')}`,
    );
  }
  console.log(
    `  mails        ${whole.format(mails).padStart(10)}   pushes ${whole.format(readers * READING.byPush * READING.alerts)}`,
  );
  console.log(
    `  by sockets instead of checks: ${whole.format(peak)} connections (${some.format((100 * peak) / PLANS.pro.connections)} % of pro), ${whole.format(peak)} messages an update`,
  );
  const parts = Object.entries(money).filter(([, sum]) => sum >= 0.5);
  const total = parts.reduce((sum, [, one]) => sum + one, 0);
  console.log(
    `  US$ ${whole.format(total)} a month: ${parts.map(([what, sum]) => `${what} ${whole.format(sum)}`).join(', ')}`,
  );
}
process.exit(0);
