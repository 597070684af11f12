import { createECDH, randomBytes } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openEngine } from '../../packages/embedded-supabase/src/engine/open.ts';
import { allowPushService, createFollowers, type Sql } from '../support/alerts.ts';
import { serviceClient } from '../support/backend.ts';
import { siteSettings } from '../support/data-folders.ts';
import { call, createLiveCoverage, createUser, type People, type Person } from '../support/newsroom.ts';
import { findPostgres, startCluster } from '../support/postgres-cluster.ts';
import { startProcess } from '../support/processes.ts';
import type { Bench } from './bench.ts';
import { emptyDatabase } from './desk.ts';
import type { Endings } from './endings.ts';
import { type Finding, percentile } from './figures.ts';
import { client, newFolder, openNewsroom } from './newsroom.ts';
import { openLoad, type Times } from './paced-load.ts';
import type { Received } from './receivers.ts';
import { startWorker, type Worker } from './worker.ts';

const BY_PUSH = 5_000;
/** Followers with a second device. */
const TWO_DEVICES = 500;
const BY_MAIL = 5_000;
const EXPECTED: Received = { pushes: BY_PUSH + TWO_DEVICES, mails: BY_MAIL, twice: 0 };

const BEFORE_MS = 30_000;
const LOOK_MS = 500;
const LONGEST_MS = 15 * 60_000;
/** Updates at the start, enough for requests for changes. */
const UPDATES = 40;

/** How much slower other requests may become during a delivery. */
const AT_MOST = { p50: 1.25, p95: 1.5 };

const n = (count: number) => count.toLocaleString('en');

/** Delivery to ten thousand followers, and its effect on other requests. */
export const alerts: Bench = {
  head: 'ratio',
  about:
    `${n(BY_PUSH)} people follow a coverage by push (${n(TWO_DEVICES)} of them on two devices) and ${n(BY_MAIL)} by mail; the push service and the mail\n` +
    'server are a process of the bench’s own. One urgent update: each is told once, else the bench fails. Meanwhile readers and\n' +
    'an editor of another coverage keep their pace: ms of each, against the same for half a minute before and after it.',
  async run(endings) {
    const findings = await measure(endings, 'pglite');
    const bin = findPostgres();
    if (!bin) return { findings, notes: ['There is no PostgreSQL on this machine.'] };
    const cluster = endings.add(await startCluster(bin), (one) => one.end());
    return { findings: [...findings, ...(await measure(endings, 'postgres', cluster.url))] };
  },
};

type Scene = { followed: { id: string; slug: string }; quiet: { id: string; slug: string }; editor: Person };

async function measure(
  endings: Endings,
  engine: string,
  databaseUrl?: (database?: string) => string,
): Promise<Finding[]> {
  const receivers = endings.add(startWorker('receivers.ts'), (worker) => worker.stop());
  const { origin, mailPort } = await receivers.ask<{ origin: string; mailPort: number }>('listen');
  const data = await newFolder(endings);
  const place = {
    EMBEDDED_SUPABASE_DATA: data,
    ...(databaseUrl && { DATABASE_URL: await emptyDatabase(databaseUrl, basename(data)) }),
  };
  const scene = await setScene(place, origin);
  const newsroom = await openNewsroom(endings, {
    ...siteSettings(place),
    SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
    MAIL_FROM: 'paper@example.com',
  });
  const editor = client(newsroom.url, newsroom.publishableKey);
  const { error } = await editor.auth.signInWithPassword(scene.editor);
  if (error) throw error;
  const load = openLoad({
    url: newsroom.url,
    kept: `/live/${scene.followed.slug}`,
    coverage: scene.quiet,
    editor,
  });

  await load.until(wait(5_000));
  const before = await load.until(wait(BEFORE_MS));
  await call(editor, 'publish_update', {
    coverage_id: scene.followed.id,
    update_id: crypto.randomUUID(),
    content: {
      headline: 'The gate is open',
      urgency: 'urgent',
      body: [{ type: 'paragraph', runs: [{ text: 'Go up.' }] }],
    },
  });
  await until(receivers, ({ pushes, mails }) => pushes + mails > 0);
  const began = performance.now();
  const during = await load.until(
    until(receivers, ({ pushes, mails }) => pushes >= EXPECTED.pushes && mails >= EXPECTED.mails),
  );
  const seconds = (performance.now() - began) / 1000;
  const after = await load.until(wait(BEFORE_MS));
  const received = await receivers.ask<Received>('received');
  if (JSON.stringify(received) !== JSON.stringify(EXPECTED)) {
    throw new Error(`On ${engine} it was told ${JSON.stringify(received)}.`);
  }
  await endings.run();

  const kinds = Object.keys(before) as (keyof Times)[];
  return kinds.flatMap((kind) => {
    const [calm, busy] = [[...before[kind], ...after[kind]], during[kind]];
    const of = (share: number, atMost: number, name: string): Finding => ({
      what: `${engine}: ${kind}, ${name}`,
      value: percentile(busy, share) / percentile(calm, share),
      bound: { atMost },
      figures: {
        asked: busy.length,
        'ms before, after': percentile(calm, share),
        'ms meanwhile': percentile(busy, share),
        'told in s': seconds,
      },
    });
    return [of(0.5, AT_MOST.p50, 'p50'), of(0.95, AT_MOST.p95, 'p95')];
  });
}

/** A newsroom with two coverages. Ten thousand people follow one of them. */
async function setScene(
  place: { EMBEDDED_SUPABASE_DATA: string; DATABASE_URL?: string },
  origin: string,
): Promise<Scene> {
  const backend = await startProcess({
    ...place,
    EMBEDDED_SUPABASE_MIGRATIONS: resolve('supabase/migrations'),
  });
  const service = serviceClient(backend);
  const people = {} as People;
  for (const role of ['contributor', 'reporter', 'editor'] as const) {
    people[role] = await createUser({ ...backend, service }, role);
  }
  const { coverage: followed } = await createLiveCoverage(people);
  const { coverage: quiet, publish } = await createLiveCoverage(people);
  for (let written = 0; written < UPDATES; written++) await publish();
  await backend.stop();

  const engine = await openEngine(
    { data: place.EMBEDDED_SUPABASE_DATA, databaseUrl: place.DATABASE_URL },
    () => {},
  );
  const sql: Sql = async (query) => (await engine.transaction((session) => session.query(query))).rows;
  await allowPushService(sql, origin);
  const browsers = browsersOf(origin, EXPECTED.pushes);
  await createFollowers(sql, followed.id, [
    ...Array.from({ length: BY_PUSH }, (_, at) => ({
      browsers: browsers.slice(at, at + 1).concat(browsers.slice(BY_PUSH + at, BY_PUSH + at + 1)),
    })),
    ...Array.from({ length: BY_MAIL }, () => ({ mail: true })),
  ]);
  await engine.close();
  return { followed, quiet, editor: people.editor };
}

/** Browsers with a shared key pair, because creating key pairs takes longer than using them. */
function browsersOf(origin: string, count: number) {
  const ecdh = createECDH('prime256v1');
  const keys = { p256dh: ecdh.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') };
  return Array.from({ length: count }, (_, at) => ({
    subscription: { endpoint: `${origin}/push/${at}`, keys },
  }));
}

async function until(receivers: Worker, isSo: (received: Received) => boolean): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  while (!isSo(await receivers.ask<Received>('received'))) {
    if (performance.now() > end) throw new Error('Not everybody was told in a quarter of an hour.');
    await wait(LOOK_MS);
  }
}
