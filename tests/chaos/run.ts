import { setTimeout as wait } from 'node:timers/promises';
import { lockFolder } from '../../packages/embedded-supabase/src/data-folder.ts';
import { anonClient } from '../support/backend.ts';
import { startMailServer } from '../support/mail.ts';
import { call, createAccount, createNewsroom } from '../support/newsroom.ts';
import { seededRandom } from '../support/random.ts';
import type { CommandRunner } from './commands.ts';
import { newLedger } from './ledger.ts';
import { type EngineKind, type SupervisedSite, startSupervisedSite } from './newsroom-process.ts';
import { createAccounts, publishPhotos, renewSession, sendTips } from './senders.ts';
import { checkData, type Findings, openDataReader } from './verification.ts';
import { runEditor, runOwner, runReporter, type WriterContext } from './writers.ts';

export type ChaosResult = Findings & {
  engine: EngineKind;
  /** Number of kills by target. */
  kills: Record<string, number>;
  acknowledged: number;
  updates: number;
  tips: number;
  photos: number;
  mails: number;
  /** Answered sign-ups that never got a mail. A person would request another. */
  withoutMail: number;
  refused: string[];
  /** Message ids of repeated mails. */
  repeatedMails: string[];
  /** Longest time after a kill until a write was accepted, and until a page showed all acknowledged changes. In ms. */
  longestToWrite: number;
  longestToRead: number;
  seconds: number;
};

type Options = {
  times: number;
  seed?: number;
  /** Longest time of work between two kills, in milliseconds. */
  between?: number;
  environment?: Record<string, string>;
  root?: string;
  /** Receives a line about each kill. */
  log?: (sentence: string) => void;
};

/** Names of the reporters, each on a separate device. */
const REPORTERS = ['Ada', 'Bo', 'Cy', 'Di', 'Ed', 'Fay'];

/** Longest wait for a recovery, in milliseconds. */
const LONGEST_MS = 90_000;
const POLL_MS = 25;

/**
 * Kills a site repeatedly while many people write through its port with the unmodified client.
 * In the end it compares all acknowledged results with the data.
 */
export async function runChaos(engine: EngineKind, options: Options): Promise<ChaosResult> {
  const { times, seed = 1, between = 1_200, log = () => {} } = options;
  const started = performance.now();
  const mails = await startMailServer();
  const site = await startSupervisedSite(
    engine,
    { ...mails.environment, ...options.environment },
    options.root,
  );
  try {
    await waitUntilStarted(site);
    const ledger = newLedger();
    const stopSignal = new AbortController();
    let countFrom = Number.POSITIVE_INFINITY;
    let accepted = Promise.withResolvers<number>();
    const runner: CommandRunner = {
      ledger,
      signal: stopSignal.signal,
      acknowledged: (startedAt) => {
        if (startedAt >= countFrom) accepted.resolve(performance.now());
      },
    };
    const newsroom = await createNewsroom(site);
    const { people, coverage } = newsroom;
    const follower = people.reader.client;
    const follow = { target: { coverage: coverage.slug }, scope: 'all', by_mail: true, by_push: false };
    await call(follower, 'save_follow', follow);
    const roleHolder = await createAccount(site);
    const sessionClient = anonClient(site);
    await sessionClient.auth.signInWithPassword(await createAccount(site, { name: 'renewing' }));

    let isWorking = true;
    const random = seededRandom(seed);
    const context: WriterContext = { runner, random, isOver: () => !isWorking };
    const { reporter, editor, owner } = people;
    const writers = Promise.all([
      ...REPORTERS.map((name) => runReporter(context, name, reporter.client, coverage.id)),
      runEditor(context, editor.client, coverage.id),
      runOwner(context, owner.client, roleHolder.id),
      sendTips(context, site),
      publishPhotos(context, site, reporter.client, coverage.id),
      createAccounts(context, site),
      renewSession(context, sessionClient),
    ]);
    writers.catch(() => {});

    const kills: Record<string, number> = {};
    let [longestToWrite, longestToRead] = [0, 0];
    try {
      for (let n = 1; n <= times; n++) {
        const before = ledger.acknowledged;
        await waitUntil(() => ledger.acknowledged > before + 2, 'No write was acknowledged', site);
        await wait(between * random.next());
        // The first kill, and a quarter of the others, end every process at once, as when a machine fails.
        const target = n === 1 || random.next() < 0.25 ? 'all' : random.pick(site.killTargets());
        kills[target] = (kills[target] ?? 0) + 1;
        const known = ledger.seq;
        accepted = Promise.withResolvers();
        countFrom = Number.POSITIVE_INFINITY;
        const killedAt = performance.now();
        await site.kill(target);
        countFrom = killedAt;
        const writes = await withTimeout(accepted.promise, `No write was accepted after ${target}`, site);
        const reads = await waitUntilShown(site, coverage.slug, known);
        longestToWrite = Math.max(longestToWrite, writes - killedAt);
        longestToRead = Math.max(longestToRead, reads - killedAt);
        log(
          `${engine} ${n}/${times} ${target}: writes after ${ms(writes - killedAt)}, read after ${ms(reads - killedAt)}, ${ledger.acknowledged} acknowledged`,
        );
      }
      isWorking = false;
      await withTimeout(writers, 'A command was not answered', site);
      await settle(site, ledger.scheduled, ledger.photos);
    } finally {
      isWorking = false;
      stopSignal.abort();
      await writers.catch(() => {});
    }

    await waitUntilShown(site, coverage.slug, ledger.seq);
    await site.halt();
    const releaseFolder = await takeFolderWhenFree(site.data);
    const mailed = new Set(mails.delivered.flatMap(({ to }) => to));
    const reader = await openDataReader(site.data, site.databaseUrl);
    const findings = await checkData(reader, site.data, ledger).finally(() => reader.close());
    releaseFolder();
    return {
      engine,
      kills,
      ...findings,
      refused: ledger.refused,
      acknowledged: ledger.acknowledged,
      updates: ledger.numbers.size,
      tips: ledger.tips.size,
      photos: ledger.photos.size,
      mails: mails.delivered.length,
      withoutMail: [...ledger.signUps].filter((email) => !mailed.has(email)).length,
      repeatedMails: repeated(mails.delivered.map(({ mail }) => mail.messageId ?? '')),
      longestToWrite,
      longestToRead,
      seconds: (performance.now() - started) / 1000,
    };
  } finally {
    await site.end();
    await mails.stop();
  }
}

const ms = (time: number) => `${Math.round(time)} ms`;

const repeated = (ids: string[]) => ids.filter((id, n) => ids.indexOf(id) !== n);

async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  message: string,
  site: SupervisedSite,
): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`${message}. Its stderr:\n${site.errors()}`);
    await wait(POLL_MS);
  }
}

function withTimeout<Result>(
  promise: Promise<Result>,
  message: string,
  site: SupervisedSite,
): Promise<Result> {
  const late = new AbortController();
  const never = wait(LONGEST_MS, undefined, { signal: late.signal }).then(() => {
    throw new Error(`${message}. Its stderr:\n${site.errors()}`);
  });
  return Promise.race([promise, never]).finally(() => {
    never.catch(() => {});
    late.abort();
  });
}

async function page(site: SupervisedSite, path: string): Promise<string> {
  try {
    const answer = await fetch(site.url + path, { signal: AbortSignal.timeout(30_000) });
    return answer.ok ? await answer.text() : '';
  } catch {
    return '';
  }
}

const waitUntilStarted = (site: SupervisedSite) =>
  waitUntil(async () => (await page(site, '/')) !== '', 'The site did not start', site);

/** Waits until a reader's page contains the given change. */
async function waitUntilShown(site: SupervisedSite, slug: string, seq: number): Promise<number> {
  const shown = async () => Number(/data-seq="(\d+)"/.exec(await page(site, `/live/${slug}`))?.[1] ?? -1);
  await waitUntil(async () => (await shown()) >= seq, `No page shows change ${seq}`, site);
  return performance.now();
}

/** Waits until scheduled updates are published and photos are ready. */
async function settle(site: SupervisedSite, scheduled: Set<string>, photos: Set<string>): Promise<void> {
  const count = async (table: string, ids: Set<string>, state: string) => {
    const { data, error } = await site.service.from(table).select('id').eq('state', state);
    // A server that has just restarted may refuse the query. The count is then unknown, so the wait continues.
    return error ? Number.POSITIVE_INFINITY : data.filter(({ id }) => ids.has(id)).length;
  };
  await waitUntil(
    async () => (await count('updates', scheduled, 'scheduled')) === 0,
    'An update stays scheduled',
    site,
  );
  // The reporters' devices send this request too.
  for (const id of photos) {
    const request = { method: 'POST', headers: { origin: site.url } };
    await fetch(`${site.url}/api/photos/${id}`, request).catch(() => undefined);
  }
  await waitUntil(
    async () => (await count('photos', photos, 'uploading')) === 0,
    'A photo that was uploaded does not become ready',
    site,
  );
}

/**
 * Locks the data folder as soon as it is free. Processes that a killed parent left behind may still hold it. They end
 * without a signal.
 * @returns a function that releases the folder
 */
async function takeFolderWhenFree(data: string): Promise<() => void> {
  const end = performance.now() + LONGEST_MS;
  for (;;) {
    try {
      return lockFolder(data);
    } catch (error) {
      if (performance.now() > end) throw error;
      await wait(POLL_MS);
    }
  }
}
