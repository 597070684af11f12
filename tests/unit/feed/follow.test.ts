import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ChangesResult, createPoller } from '../../../src/islands/live-feed/polling.ts';

/** A site whose seq is in our hands, and a page that follows it; both keep a list of what happened. */
function scene(seq = 5) {
  const log: string[] = [];
  const site = {
    seq,
    /** What it answers instead of its changes. */
    instead: undefined as (() => Promise<ChangesResult | 'gone' | 'early'>) | undefined,
    per: 50,
    interval: 10,
  };
  const answer = (through: number): ChangesResult => ({
    at: Date.now(),
    through,
    more: through < site.seq,
    farBehind: false,
    interval: site.interval,
  });
  let chance = 0.5;
  const follower = createPoller({
    seq,
    interval: 10,
    async fetchChanges(after, until) {
      log.push(until ? `after ${after} until ${until}` : `after ${after}`);
      if (site.instead) return site.instead();
      if (site.seq < until) return 'early';
      return answer(Math.min(site.seq, after + site.per));
    },
    apply: ({ through }) => log.push(`took ${through}`),
    onUpToDate: () => log.push('settled'),
    onFailed: (times) => log.push(`failed ${times}`),
    onWithdrawn: () => log.push('gone'),
    random: () => chance,
    isSlow: () => false,
  });
  return {
    follower,
    site,
    answer,
    draw: (number: number) => {
      chance = number;
    },
    /** What has happened since the last time this was asked. */
    happened: () => log.splice(0),
    async after(seconds: number) {
      await vi.advanceTimersByTimeAsync(1000 * seconds);
      return log.splice(0);
    },
  };
}

/** One check with nothing new. */
const nothingNew = (seq: number) => [`after ${seq}`, `took ${seq}`, 'settled'];

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('asks nothing until it may, then at once and at each interval', async () => {
  const { follower, after } = scene();
  expect(await after(60)).toEqual([]);
  follower.setAllowed(true);
  expect(await after(0)).toEqual(nothingNew(5));
  expect(await after(9.9)).toEqual([]);
  expect(await after(0.1)).toEqual(nothingNew(5));
  follower.setAllowed(false);
  expect(await after(60)).toEqual([]);
});

test('told of a change, asks until it within the spread, and not before its part of it', async () => {
  const { follower, site, after } = scene();
  follower.setAllowed(true);
  follower.setListening(true);
  await after(1);
  site.seq = 6;
  follower.onChange({ seq: 6, spread: 4000 });
  expect(await after(1.9)).toEqual([]);
  expect(await after(0.1)).toEqual(['after 5 until 6', 'took 6', 'settled']);
});

test('one question answers for all that was told until it is asked', async () => {
  const { follower, site, after, draw } = scene();
  follower.setAllowed(true);
  follower.setListening(true);
  await after(1);
  site.seq = 8;
  follower.onChange({ seq: 6, spread: 2000 });
  draw(0);
  follower.onChange({ seq: 8, spread: 2000 });
  follower.onChange({ seq: 7, spread: 2000 });
  expect(await after(0.9)).toEqual([]);
  expect(await after(0.1)).toEqual(['after 5 until 8', 'took 8', 'settled']);
});

test('what is told while it asks is asked for afterwards, unless the answer knew it', async () => {
  const { follower, site, answer, after, happened } = scene();
  follower.setAllowed(true);
  follower.setListening(true);
  await after(1);
  const held = Promise.withResolvers<ChangesResult>();
  site.instead = () => held.promise;
  site.seq = 6;
  follower.onChange({ seq: 6, spread: 0 });
  await after(0);
  follower.onChange({ seq: 7, spread: 1000 });
  site.instead = undefined;
  held.resolve({ ...answer(6), more: false });
  site.seq = 7;
  expect(await after(0)).toEqual(['after 5 until 6', 'took 6', 'settled'].slice(1));
  expect(await after(0.5)).toEqual(['after 6 until 7', 'took 7', 'settled']);
  follower.onChange({ seq: 7, spread: 0 });
  await after(1);
  expect(happened()).toEqual([]);
});

test('what is told while it asks, and was in the answer already, keeps nothing from being heard later', async () => {
  const { follower, site, answer, after } = scene();
  follower.setAllowed(true);
  follower.setListening(true);
  await after(1);
  const held = Promise.withResolvers<ChangesResult>();
  site.instead = () => held.promise;
  site.seq = 7;
  follower.onChange({ seq: 6, spread: 0 });
  await after(0);
  follower.onChange({ seq: 7, spread: 1000 });
  held.resolve(answer(7));
  expect(await after(1)).toEqual(['took 7', 'settled']);
  site.instead = undefined;
  site.seq = 8;
  follower.onChange({ seq: 8, spread: 1000 });
  expect(await after(0.5)).toEqual(['after 7 until 8', 'took 8', 'settled']);
});

test('while a socket tells, a slow check goes on; when it tells no more, one comes within an interval', async () => {
  const { follower, after, draw } = scene();
  draw(0);
  follower.setAllowed(true);
  follower.setListening(true);
  await after(0);
  expect(await after(29.9)).toEqual([]);
  expect(await after(0.1)).toEqual(nothingNew(5));
  draw(0.3);
  follower.setListening(false);
  expect(await after(2.9)).toEqual([]);
  expect(await after(0.1)).toEqual(nothingNew(5));
  expect(await after(10)).toEqual(nothingNew(5));
});

test('while a socket tells of nothing checks become rare, until something is told or found', async () => {
  const { follower, site, after, draw } = scene();
  draw(0);
  follower.setAllowed(true);
  follower.setListening(true);
  await after(0);
  for (const seconds of [30, 60, 120, 240, 240]) {
    expect(await after(seconds - 0.1)).toEqual([]);
    expect(await after(0.1)).toEqual(nothingNew(5));
  }
  site.seq = 6;
  follower.onChange({ seq: 6, spread: 0 });
  expect(await after(0)).toEqual(['after 5 until 6', 'took 6', 'settled']);
  expect(await after(30)).toEqual(nothingNew(6));
  site.seq = 7;
  expect(await after(60)).toEqual(['after 6', 'took 7', 'settled']);
  expect(await after(30)).toEqual(nothingNew(7));
});

test('told to follow otherwise, asks within the spread but not at once, even after a question under way', async () => {
  const { follower, site, answer, after } = scene();
  follower.setAllowed(true);
  follower.setListening(true);
  await after(1);
  follower.checkWithin(20_000);
  expect(await after(10.9)).toEqual([]);
  expect(await after(0.1)).toEqual(nothingNew(5));
  const held = Promise.withResolvers<ChangesResult>();
  site.instead = () => held.promise;
  await after(25);
  follower.checkWithin(0);
  site.instead = undefined;
  held.resolve(answer(5));
  expect(await after(0)).toEqual(['took 5', 'settled', ...nothingNew(5)]);
});

test('while a socket tells, a lost message costs no more where the site asks for rare checks', async () => {
  const { follower, site, after, draw } = scene();
  site.interval = 300;
  draw(0);
  follower.setAllowed(true);
  follower.setListening(true);
  await after(0);
  site.seq = 6;
  expect(await after(30)).toEqual(['after 5', 'took 6', 'settled']);
});

test('a socket that has just begun to tell is told nothing of before: so it asks, even after a question under way', async () => {
  const { follower, site, answer, after } = scene();
  follower.setAllowed(true);
  await after(1);
  follower.setListening(true);
  expect(await after(0)).toEqual(nothingNew(5));
  follower.setListening(false);
  const held = Promise.withResolvers<ChangesResult>();
  site.instead = () => held.promise;
  await after(10);
  follower.setListening(true);
  site.instead = undefined;
  held.resolve(answer(5));
  expect(await after(0)).toEqual(['took 5', 'settled', ...nothingNew(5)]);
});

test('asks again until there is no more', async () => {
  const { follower, site, after } = scene();
  site.per = 2;
  site.seq = 10;
  follower.setAllowed(true);
  expect(await after(0)).toEqual(['after 5', 'took 7', 'after 7', 'took 9', 'after 9', 'took 10', 'settled']);
});

test('an answer that leads nowhere is a failure', async () => {
  const { follower, site, answer, after } = scene();
  site.instead = async () => ({ ...answer(5), more: true });
  follower.setAllowed(true);
  expect(await after(0)).toEqual(['after 5', 'failed 1']);
  site.instead = async () => ({ ...answer(5), more: false });
  follower.onChange({ seq: 6, spread: 0 });
  expect(await after(0)).toEqual(['after 5 until 6', 'failed 2']);
});

test('failures are told and checks become rare, until one succeeds', async () => {
  const { follower, site, after, draw } = scene();
  draw(0);
  site.instead = () => Promise.reject(new Error('503'));
  follower.setAllowed(true);
  expect(await after(0)).toEqual(['after 5', 'failed 1']);
  expect(await after(19.9)).toEqual([]);
  expect(await after(0.1)).toEqual(['after 5', 'failed 2']);
  site.instead = undefined;
  expect(await after(40)).toEqual(nothingNew(5));
  expect(await after(10)).toEqual(nothingNew(5));
});

test('a site that does not know the change yet is asked again soon, and then for whatever it knows', async () => {
  const { follower, site, after } = scene();
  follower.setAllowed(true);
  follower.setListening(true);
  await after(1);
  follower.onChange({ seq: 9, spread: 0 });
  expect(await after(0)).toEqual(['after 5 until 9', 'failed 1']);
  site.seq = 9;
  expect(await after(1.5)).toEqual(['after 5 until 9', 'took 9', 'settled']);
  // Told by the database before a backup was put back.
  follower.onChange({ seq: 90, spread: 0 });
  const tries = await after(7.5);
  expect(tries.filter((line) => line === 'after 9 until 90')).toHaveLength(5);
  expect(tries.slice(-3)).toEqual(nothingNew(9));
});

test('what it may not show any more is not taken, and what was asked before is asked anew', async () => {
  const { follower, site, answer, after } = scene();
  const held = Promise.withResolvers<ChangesResult>();
  site.instead = () => held.promise;
  follower.setAllowed(true);
  await after(0);
  follower.setAllowed(false);
  held.resolve(answer(6));
  expect(await after(60)).toEqual([]);
  site.instead = undefined;
  follower.setAllowed(true);
  expect(await after(0)).toEqual(nothingNew(5));

  const second = Promise.withResolvers<ChangesResult>();
  site.instead = () => second.promise;
  await after(10);
  follower.setAllowed(false);
  follower.setAllowed(true);
  site.instead = undefined;
  second.resolve(answer(5));
  expect(await after(0)).toEqual(['took 5', 'settled', ...nothingNew(5)]);
});

test('after the coverage was withdrawn nothing is asked', async () => {
  const { follower, site, after } = scene();
  site.instead = async () => 'gone';
  follower.setAllowed(true);
  expect(await after(0)).toEqual(['after 5', 'gone']);
  follower.onChange({ seq: 7, spread: 0 });
  follower.setListening(true);
  expect(await after(600)).toEqual([]);
});
