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
  /** Of each victim, how often it was killed. */
  kills: Record<string, number>;
  acknowledged: number;
  updates: number;
  tips: number;
  photos: number;
  mails: number;
  /** Sign-ups that were answered and never got a mail: whoever waits for it asks again. */
  unmailed: number;
  refused: string[];
  /** Mails that somebody got twice. */
  twice: string[];
  /** After a kill: the longest until a write was accepted, and until a page showed all that had been acknowledged. In ms. */
  longestToWrite: number;
  longestToRead: number;
  seconds: number;
};

type Options = {
  times: number;
  seed?: number;
  /** Milliseconds of work between two kills, at most. */
  between?: number;
  environment?: Record<string, string>;
  root?: string;
  /** Hears of each kill. */
  say?: (sentence: string) => void;
};

/** What they sign with, each on a device of their own. */
const REPORTERS = ['Ada', 'Bo', 'Cy', 'Di', 'Ed', 'Fay'];

/** Nobody waits longer for a newsroom to come back: then something is wrong. */
const LONGEST_MS = 90_000;
const LOOK_MS = 25;

/**
 * Kills a newsroom again and again while everybody writes, through its own port and with the unmodified client; in the end
 * holds everything that anybody was told against what is there.
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
        // Everything at once is what a machine does that fails: a fourth of all, and the first of all.
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
    // A sign-up is answered before it is done, so that nobody learns who has an account: kept is one whose mail went out.
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

/** Until a reader's page is as new as what was acknowledged before. */
async function untilShown(house: House, slug: string, seq: number): Promise<number> {
  const shown = async () => Number(/data-seq="(\d+)"/.exec(await page(house, `/live/${slug}`))?.[1] ?? -1);
  await until(async () => (await shown()) >= seq, `Readers are not shown change ${seq}`, house);
  return performance.now();
}

/** Until what happens by itself has happened: what was scheduled is out, photos are ready. */
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
  // As their devices do.
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

/** Those who were left behind by a process that was killed stop by themselves. */
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
