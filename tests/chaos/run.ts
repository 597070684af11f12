import { setTimeout as wait } from 'node:timers/promises';
import { takeFolder } from '../../packages/embedded-supabase/src/data-folder.ts';
import { anonClient } from '../support/backend.ts';
import { startMailServer } from '../support/mail.ts';
import { call, createAccount, createNewsroom } from '../support/newsroom.ts';
import type { Hand } from './commands.ts';
import { newLedger } from './ledger.ts';
import { type EngineKind, type House, openHouse } from './newsroom-process.ts';
import { chanceOf } from './random.ts';
import { photograph, renew, signUps, tellTips } from './senders.ts';
import { openReader, type Reckoning, reckon } from './verification.ts';
import { administer, edit, report, type Work } from './writers.ts';

export type Rehearsal = Reckoning & {
  engine: EngineKind;
  /** Number of kills by victim. */
  kills: Record<string, number>;
  acknowledged: number;
  updates: number;
  tips: number;
  photos: number;
  mails: number;
  /** Sign-ups that were answered but got no mail. Their person can ask for another one. */
  unmailed: number;
  refused: string[];
  /** Mails that were sent twice. */
  twice: string[];
  /**
   * Longest time after a kill until a write was accepted, and until a page showed all acknowledged changes. In ms.
   */
  longestToWrite: number;
  longestToRead: number;
  seconds: number;
};

type Options = {
  times: number;
  seed?: number;
  /** Maximum ms between two kills. */
  between?: number;
  environment?: Record<string, string>;
  root?: string;
  /** Called for each kill. */
  say?: (sentence: string) => void;
};

/** Names of the reporters, each on its own device. */
const REPORTERS = ['Ada', 'Bo', 'Cy', 'Di', 'Ed', 'Fay'];

/** Maximum time for a restart of the newsroom. */
const LONGEST_MS = 90_000;
const LOOK_MS = 25;

/**
 * Kills processes of a newsroom repeatedly while people write through its port with the unmodified client. Then
 * compares the data with everything that was acknowledged.
 */
export async function rehearse(engine: EngineKind, options: Options): Promise<Rehearsal> {
  const { times, seed = 1, between = 1_200, say = () => {} } = options;
  const started = performance.now();
  const mails = await startMailServer();
  const house = await openHouse(engine, { ...mails.environment, ...options.environment }, options.root);
  try {
    await untilUp(house);
    const ledger = newLedger();
    const over = new AbortController();
    let begins = Number.POSITIVE_INFINITY;
    let accepted = Promise.withResolvers<number>();
    const hand: Hand = {
      ledger,
      signal: over.signal,
      acknowledged: (began) => {
        if (began >= begins) accepted.resolve(performance.now());
      },
    };
    const newsroom = await createNewsroom(house);
    const { people, coverage } = newsroom;
    const follower = people.reader.client;
    const wanted = { target: { coverage: coverage.slug }, scope: 'all', by_mail: true, by_push: false };
    await call(follower, 'save_follow', wanted);
    const changed = await createAccount(house);
    const renewing = anonClient(house);
    await renewing.auth.signInWithPassword(await createAccount(house, { name: 'renewing' }));

    let shift = true;
    const chance = chanceOf(seed);
    const work: Work = { hand, chance, isOver: () => !shift };
    const { reporter, editor, owner } = people;
    const working = Promise.all([
      ...REPORTERS.map((name) => report(work, name, reporter.client, coverage.id)),
      edit(work, editor.client, coverage.id),
      administer(work, owner.client, changed.id),
      tellTips(work, house),
      photograph(work, house, reporter.client, coverage.id),
      signUps(work, house),
      renew(work, renewing),
    ]);
    working.catch(() => {});

    const kills: Record<string, number> = {};
    let [longestToWrite, longestToRead] = [0, 0];
    try {
      for (let n = 1; n <= times; n++) {
        const before = ledger.acknowledged;
        await until(() => ledger.acknowledged > before + 2, 'Nobody writes', house);
        await wait(between * chance.next());
        // A quarter of the kills, and the first one, kill everything at once, as a machine failure does.
        const victim = n === 1 || chance.next() < 0.25 ? 'all' : chance.oneOf(house.victims());
        kills[victim] = (kills[victim] ?? 0) + 1;
        const known = ledger.seq;
        accepted = Promise.withResolvers();
        begins = Number.POSITIVE_INFINITY;
        const killedAt = performance.now();
        await house.kill(victim);
        begins = killedAt;
        const writes = await within(accepted.promise, `No write was accepted after ${victim}`, house);
        const reads = await untilShown(house, coverage.slug, known);
        longestToWrite = Math.max(longestToWrite, writes - killedAt);
        longestToRead = Math.max(longestToRead, reads - killedAt);
        say(
          `${engine} ${n}/${times} ${victim}: writes after ${ms(writes - killedAt)}, read after ${ms(reads - killedAt)}, ${ledger.acknowledged} acknowledged`,
        );
      }
      shift = false;
      await within(working, 'Somebody does not get an answer', house);
      await settle(house, ledger.scheduled, ledger.photos);
    } finally {
      shift = false;
      over.abort();
      await working.catch(() => {});
    }

    await untilShown(house, coverage.slug, ledger.seq);
    await house.halt();
    const giveBack = await takeWhenFree(house.data);
    // Sign-ups are answered before they are processed, so only those with a mail count.
    const promised = ledger.signUps;
    const mailed = new Set(mails.delivered.flatMap(({ to }) => to));
    ledger.signUps = new Set([...promised].filter((email) => mailed.has(email)));
    const reader = await openReader(house.data, house.databaseUrl);
    const reckoning = await reckon(reader, house.data, ledger).finally(() => reader.close());
    giveBack();
    return {
      engine,
      kills,
      ...reckoning,
      refused: ledger.refused,
      acknowledged: ledger.acknowledged,
      updates: ledger.numbers.size,
      tips: ledger.tips.size,
      photos: ledger.photos.size,
      mails: mails.delivered.length,
      unmailed: promised.size - ledger.signUps.size,
      twice: doubles(mails.delivered.map(({ mail }) => mail.messageId ?? '')),
      longestToWrite,
      longestToRead,
      seconds: (performance.now() - started) / 1000,
    };
  } finally {
    await house.end();
    await mails.stop();
  }
}

const ms = (time: number) => `${Math.round(time)} ms`;

const doubles = (ids: string[]) => ids.filter((id, n) => ids.indexOf(id) !== n);

async function until(
  holds: () => boolean | Promise<boolean>,
  otherwise: string,
  house: House,
): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`${otherwise}. It said:\n${house.errors()}`);
    await wait(LOOK_MS);
  }
}

function within<Result>(promise: Promise<Result>, otherwise: string, house: House): Promise<Result> {
  const late = new AbortController();
  const never = wait(LONGEST_MS, undefined, { signal: late.signal }).then(() => {
    throw new Error(`${otherwise}. It said:\n${house.errors()}`);
  });
  return Promise.race([promise, never]).finally(() => {
    never.catch(() => {});
    late.abort();
  });
}

async function page(house: House, path: string): Promise<string> {
  try {
    const answer = await fetch(house.url + path, { signal: AbortSignal.timeout(30_000) });
    return answer.ok ? await answer.text() : '';
  } catch {
    return '';
  }
}

const untilUp = (house: House) =>
  until(async () => (await page(house, '/')) !== '', 'It did not start', house);

/** Waits until a page shows an acknowledged seq. */
async function untilShown(house: House, slug: string, seq: number): Promise<number> {
  const shown = async () => Number(/data-seq="(\d+)"/.exec(await page(house, `/live/${slug}`))?.[1] ?? -1);
  await until(async () => (await shown()) >= seq, `Readers are not shown change ${seq}`, house);
  return performance.now();
}

/** Waits until scheduled updates are published and photos are processed. */
async function settle(house: House, scheduled: Set<string>, photos: Set<string>): Promise<void> {
  const count = async (table: string, ids: Set<string>, state: string) => {
    const { data } = await house.service.from(table).select('id').eq('state', state);
    return (data ?? []).filter(({ id }) => ids.has(id)).length;
  };
  await until(
    async () => (await count('updates', scheduled, 'scheduled')) === 0,
    'Something stays on the schedule',
    house,
  );
  // As the sending devices do.
  for (const id of photos) {
    const asked = { method: 'POST', headers: { origin: house.url } };
    await fetch(`${house.url}/api/photos/${id}`, asked).catch(() => undefined);
  }
  await until(
    async () => (await count('photos', photos, 'uploading')) === 0,
    'A photo that was uploaded does not become ready',
    house,
  );
}

/** Waits until processes with a killed parent have stopped. */
async function takeWhenFree(data: string): Promise<() => void> {
  const end = performance.now() + LONGEST_MS;
  for (;;) {
    try {
      return takeFolder(data);
    } catch (error) {
      if (performance.now() > end) throw error;
      await wait(LOOK_MS);
    }
  }
}
