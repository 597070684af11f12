import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ChangesResult, createPoller } from '../../../src/islands/live-feed/polling.ts';

/** A site with a controlled seq, and a page that follows it. Both log their events. */
function startPolling(seq = 5) {
  const log: string[] = [];
  const site = {
    seq,
    /** Responses instead of the changes. */
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
  let randomValue = 0.5;
  const poller = createPoller({
    seq,
    interval: 10,
    async fetchChanges(after, until) {
      log.push(until ? `after ${after} until ${until}` : `after ${after}`);
      if (site.instead) return site.instead();
      if (site.seq < until) return 'early';
      return answer(Math.min(site.seq, after + site.per));
    },
    apply: ({ through }) => log.push(`applied ${through}`),
    onUpToDate: () => log.push('settled'),
    onFailed: (times) => log.push(`failed ${times}`),
    onWithdrawn: () => log.push('gone'),
    random: () => randomValue,
    isSlow: () => false,
  });
  return {
    poller,
    site,
    answer,
    setRandom: (number: number) => {
      randomValue = number;
    },
    /** The events since the last call. */
    happened: () => log.splice(0),
    async after(seconds: number) {
      await vi.advanceTimersByTimeAsync(1000 * seconds);
      return log.splice(0);
    },
  };
}

/** The events of a check without changes. */
const nothingNew = (seq: number) => [`after ${seq}`, `applied ${seq}`, 'settled'];

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('checks at once when it is allowed, and then at each interval', async () => {
  const { poller, after } = startPolling();
  expect(await after(60)).toEqual([]);
  poller.setAllowed(true);
  expect(await after(0)).toEqual(nothingNew(5));
  expect(await after(9.9)).toEqual([]);
  expect(await after(0.1)).toEqual(nothingNew(5));
  poller.setAllowed(false);
  expect(await after(60)).toEqual([]);
});

test('checks for a change within the spread, after a random delay', async () => {
  const { poller, site, after } = startPolling();
  poller.setAllowed(true);
  poller.setListening(true);
  await after(1);
  site.seq = 6;
  poller.onChange({ seq: 6, spread: 4000 });
  expect(await after(1.9)).toEqual([]);
  expect(await after(0.1)).toEqual(['after 5 until 6', 'applied 6', 'settled']);
});

test('one check covers all changes until then', async () => {
  const { poller, site, after, setRandom } = startPolling();
  poller.setAllowed(true);
  poller.setListening(true);
  await after(1);
  site.seq = 8;
  poller.onChange({ seq: 6, spread: 2000 });
  setRandom(0);
  poller.onChange({ seq: 8, spread: 2000 });
  poller.onChange({ seq: 7, spread: 2000 });
  expect(await after(0.9)).toEqual([]);
  expect(await after(0.1)).toEqual(['after 5 until 8', 'applied 8', 'settled']);
});

test('checks again for changes during a check, unless the response contained them', async () => {
  const { poller, site, answer, after, happened } = startPolling();
  poller.setAllowed(true);
  poller.setListening(true);
  await after(1);
  const pendingResponse = Promise.withResolvers<ChangesResult>();
  site.instead = () => pendingResponse.promise;
  site.seq = 6;
  poller.onChange({ seq: 6, spread: 0 });
  await after(0);
  poller.onChange({ seq: 7, spread: 1000 });
  site.instead = undefined;
  pendingResponse.resolve({ ...answer(6), more: false });
  site.seq = 7;
  expect(await after(0)).toEqual(['after 5 until 6', 'applied 6', 'settled'].slice(1));
  expect(await after(0.5)).toEqual(['after 6 until 7', 'applied 7', 'settled']);
  poller.onChange({ seq: 7, spread: 0 });
  await after(1);
  expect(happened()).toEqual([]);
});

test('hears later changes after one that the response contained already', async () => {
  const { poller, site, answer, after } = startPolling();
  poller.setAllowed(true);
  poller.setListening(true);
  await after(1);
  const pendingResponse = Promise.withResolvers<ChangesResult>();
  site.instead = () => pendingResponse.promise;
  site.seq = 7;
  poller.onChange({ seq: 6, spread: 0 });
  await after(0);
  poller.onChange({ seq: 7, spread: 1000 });
  pendingResponse.resolve(answer(7));
  expect(await after(1)).toEqual(['applied 7', 'settled']);
  site.instead = undefined;
  site.seq = 8;
  poller.onChange({ seq: 8, spread: 1000 });
  expect(await after(0.5)).toEqual(['after 7 until 8', 'applied 8', 'settled']);
});

test('keeps the fallback interval while the socket works, and checks within an interval after it is lost', async () => {
  const { poller, after, setRandom } = startPolling();
  setRandom(0);
  poller.setAllowed(true);
  poller.setListening(true);
  await after(0);
  expect(await after(29.9)).toEqual([]);
  expect(await after(0.1)).toEqual(nothingNew(5));
  setRandom(0.3);
  poller.setListening(false);
  expect(await after(2.9)).toEqual([]);
  expect(await after(0.1)).toEqual(nothingNew(5));
  expect(await after(10)).toEqual(nothingNew(5));
});

test('checks less often while the socket brings nothing, until a change', async () => {
  const { poller, site, after, setRandom } = startPolling();
  setRandom(0);
  poller.setAllowed(true);
  poller.setListening(true);
  await after(0);
  for (const seconds of [30, 60, 120, 240, 240]) {
    expect(await after(seconds - 0.1)).toEqual([]);
    expect(await after(0.1)).toEqual(nothingNew(5));
  }
  site.seq = 6;
  poller.onChange({ seq: 6, spread: 0 });
  expect(await after(0)).toEqual(['after 5 until 6', 'applied 6', 'settled']);
  expect(await after(30)).toEqual(nothingNew(6));
  site.seq = 7;
  expect(await after(60)).toEqual(['after 6', 'applied 7', 'settled']);
  expect(await after(30)).toEqual(nothingNew(7));
});

test('checks within the spread after a change of the follow mode, also after a running check', async () => {
  const { poller, site, answer, after } = startPolling();
  poller.setAllowed(true);
  poller.setListening(true);
  await after(1);
  poller.checkWithin(20_000);
  expect(await after(10.9)).toEqual([]);
  expect(await after(0.1)).toEqual(nothingNew(5));
  const pendingResponse = Promise.withResolvers<ChangesResult>();
  site.instead = () => pendingResponse.promise;
  await after(25);
  poller.checkWithin(0);
  site.instead = undefined;
  pendingResponse.resolve(answer(5));
  expect(await after(0)).toEqual(['applied 5', 'settled', ...nothingNew(5)]);
});

test('detects a lost message after the usual time if the site asks for rare checks', async () => {
  const { poller, site, after, setRandom } = startPolling();
  site.interval = 300;
  setRandom(0);
  poller.setAllowed(true);
  poller.setListening(true);
  await after(0);
  site.seq = 6;
  expect(await after(30)).toEqual(['after 5', 'applied 6', 'settled']);
});

test('checks when a socket has opened, also after a running check', async () => {
  const { poller, site, answer, after } = startPolling();
  poller.setAllowed(true);
  await after(1);
  poller.setListening(true);
  expect(await after(0)).toEqual(nothingNew(5));
  poller.setListening(false);
  const pendingResponse = Promise.withResolvers<ChangesResult>();
  site.instead = () => pendingResponse.promise;
  await after(10);
  poller.setListening(true);
  site.instead = undefined;
  pendingResponse.resolve(answer(5));
  expect(await after(0)).toEqual(['applied 5', 'settled', ...nothingNew(5)]);
});

test('checks again until there is no more', async () => {
  const { poller, site, after } = startPolling();
  site.per = 2;
  site.seq = 10;
  poller.setAllowed(true);
  expect(await after(0)).toEqual([
    'after 5',
    'applied 7',
    'after 7',
    'applied 9',
    'after 9',
    'applied 10',
    'settled',
  ]);
});

test('treats a response without progress as a failure', async () => {
  const { poller, site, answer, after } = startPolling();
  site.instead = async () => ({ ...answer(5), more: true });
  poller.setAllowed(true);
  expect(await after(0)).toEqual(['after 5', 'failed 1']);
  site.instead = async () => ({ ...answer(5), more: false });
  poller.onChange({ seq: 6, spread: 0 });
  expect(await after(0)).toEqual(['after 5 until 6', 'failed 2']);
});

test('reports failures and checks less often, until a success', async () => {
  const { poller, site, after, setRandom } = startPolling();
  setRandom(0);
  site.instead = () => Promise.reject(new Error('503'));
  poller.setAllowed(true);
  expect(await after(0)).toEqual(['after 5', 'failed 1']);
  expect(await after(19.9)).toEqual([]);
  expect(await after(0.1)).toEqual(['after 5', 'failed 2']);
  site.instead = undefined;
  expect(await after(40)).toEqual(nothingNew(5));
  expect(await after(10)).toEqual(nothingNew(5));
});

test('asks a site that does not know a change yet again soon, and then accepts what it knows', async () => {
  const { poller, site, after } = startPolling();
  poller.setAllowed(true);
  poller.setListening(true);
  await after(1);
  poller.onChange({ seq: 9, spread: 0 });
  expect(await after(0)).toEqual(['after 5 until 9', 'failed 1']);
  site.seq = 9;
  expect(await after(1.5)).toEqual(['after 5 until 9', 'applied 9', 'settled']);
  // The broadcast came from before a restore.
  poller.onChange({ seq: 90, spread: 0 });
  const tries = await after(7.5);
  expect(tries.filter((line) => line === 'after 9 until 90')).toHaveLength(5);
  expect(tries.slice(-3)).toEqual(nothingNew(9));
});

test('drops a response that arrives while updates are not allowed, and checks again', async () => {
  const { poller, site, answer, after } = startPolling();
  const pendingResponse = Promise.withResolvers<ChangesResult>();
  site.instead = () => pendingResponse.promise;
  poller.setAllowed(true);
  await after(0);
  poller.setAllowed(false);
  pendingResponse.resolve(answer(6));
  expect(await after(60)).toEqual([]);
  site.instead = undefined;
  poller.setAllowed(true);
  expect(await after(0)).toEqual(nothingNew(5));

  const second = Promise.withResolvers<ChangesResult>();
  site.instead = () => second.promise;
  await after(10);
  poller.setAllowed(false);
  poller.setAllowed(true);
  site.instead = undefined;
  second.resolve(answer(5));
  expect(await after(0)).toEqual(['applied 5', 'settled', ...nothingNew(5)]);
});

test('does not count a page as up to date that is too far behind to be updated', async () => {
  const { poller, site, answer, after } = startPolling();
  site.instead = async () => ({ ...answer(5), farBehind: true });
  poller.setAllowed(true);
  expect(await after(0)).toEqual(['after 5', 'applied 5']);
});

test('does not check after the coverage was withdrawn', async () => {
  const { poller, site, after } = startPolling();
  site.instead = async () => 'gone';
  poller.setAllowed(true);
  expect(await after(0)).toEqual(['after 5', 'gone']);
  poller.onChange({ seq: 7, spread: 0 });
  poller.setListening(true);
  expect(await after(600)).toEqual([]);
});
