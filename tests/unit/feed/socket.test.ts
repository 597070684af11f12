import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { coverageSocket } from '../../../src/islands/browser/socket.ts';

type Status = 'SUBSCRIBED' | 'CHANNEL_ERROR' | 'TIMED_OUT' | 'CLOSED';

/** What the client was asked to do, in order, and its one channel's callbacks, as the library would call them. */
const library = vi.hoisted(() => ({
  done: [] as string[],
  broken: false,
  told: (_message: { payload: object }) => {},
  status: (_status: string) => {},
  closed: () => {},
}));

vi.mock('@supabase/realtime-js', () => ({
  RealtimeClient: class {
    constructor(url: string, { params }: { params: { apikey: string } }) {
      if (library.broken) throw new Error('no sockets here');
      library.done.push(`client ${url} ${params.apikey}`);
    }
    channel(topic: string, { config }: { config: { private: boolean } }) {
      library.done.push(`channel ${topic} ${config.private}`);
      const channel = {
        on(_type: string, { event }: { event: string }, told: typeof library.told) {
          library.done.push(`on ${event}`);
          library.told = told;
          return channel;
        },
        subscribe(status: typeof library.status) {
          library.done.push('join');
          library.status = status;
          return channel;
        },
      };
      return channel;
    }
    connect() {
      library.done.push('connect');
    }
    disconnect() {
      library.done.push('disconnect');
      return new Promise<void>((resolve) => {
        library.closed = resolve;
      });
    }
  },
}));

function scene() {
  const heard: unknown[] = [];
  const socket = coverageSocket(
    'an-id',
    { publicUrl: '/', publishableKey: 'public' },
    { listens: (hears) => heard.push(hears), hear: (change) => heard.push(change) },
  );
  const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
  return {
    socket,
    settle,
    tell: (payload: object) => library.told({ payload }),
    async status(status: Status) {
      library.status(status);
      library.closed();
      await settle();
    },
    done: () => library.done.splice(0),
    heard: () => heard.splice(0),
  };
}

const OPENED = [
  'client wss://news.example/realtime/v1 public',
  'channel coverage:an-id true',
  'on change',
  'join',
];

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(1);
  vi.stubGlobal('window', { location: { origin: 'https://news.example' } });
  library.done.length = 0;
  library.broken = false;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test('nothing is loaded before it is wanted; then it listens to the coverage on its private channel', async () => {
  const { socket, settle, status, done, heard } = scene();
  await settle(60_000);
  expect(done()).toEqual([]);
  socket.want(true);
  await settle();
  expect(done()).toEqual(OPENED);
  expect(heard()).toEqual([]);
  await status('SUBSCRIBED');
  expect(heard()).toEqual([true]);
});

test('a change is heard with its spread, and what is no change is not', async () => {
  const { socket, settle, tell, heard } = scene();
  socket.want(true);
  await settle();
  tell({ seq: 7, spread: 1000, id: 'x' });
  tell({ seq: 8 });
  tell({ seq: 9, spread: 1e9 });
  tell({ seq: '10', spread: 0 });
  tell({});
  expect(heard()).toEqual([
    { seq: 7, spread: 1000 },
    { seq: 8, spread: 0 },
    { seq: 9, spread: 60_000 },
  ]);
});

test.each(['CHANNEL_ERROR', 'TIMED_OUT'] as const)(
  'lost by %s, it is closed and opened again later and later',
  async (loss) => {
    const { socket, settle, status, done, heard } = scene();
    socket.want(true);
    await settle();
    await status('SUBSCRIBED');
    done();
    await status(loss);
    expect(heard()).toEqual([true, false]);
    expect(done()).toEqual(['disconnect']);
    await settle(9_999);
    expect(done()).toEqual([]);
    await settle(1);
    expect(done()).toEqual(['connect']);
    await status(loss);
    await settle(19_999);
    expect(done()).toEqual(['disconnect']);
    await settle(1);
    expect(done()).toEqual(['connect']);
    await status('SUBSCRIBED');
    expect(heard()).toEqual([false, true]);
    await status(loss);
    await settle(10_000);
    expect(done()).toEqual(['disconnect', 'connect']);
  },
);

test('a channel that the server closed is asked for anew', async () => {
  const { socket, settle, status, done } = scene();
  socket.want(true);
  await settle();
  await status('SUBSCRIBED');
  done();
  await status('CLOSED');
  await settle(10_000);
  expect(done()).toEqual(['disconnect', ...OPENED.slice(1)]);
});

test('not wanted any more, it is closed and stays so; wanted again, it opens when the old one is closed', async () => {
  const { socket, settle, status, done, heard } = scene();
  socket.want(true);
  await settle();
  await status('SUBSCRIBED');
  done();
  socket.want(false);
  expect(heard()).toEqual([true, false]);
  expect(done()).toEqual(['disconnect']);
  // As the library does when the line is closed under a channel.
  library.status('CHANNEL_ERROR');
  socket.want(true);
  await settle();
  expect(done()).toEqual([]);
  library.closed();
  await settle();
  expect(done()).toEqual(['connect']);
  socket.want(false);
  await status('SUBSCRIBED');
  expect(heard()).not.toContain(true);
  await settle(600_000);
  expect(done()).toEqual(['disconnect']);
});

test('where there are no sockets, it tries again later and later', async () => {
  const { socket, settle, done, heard } = scene();
  library.broken = true;
  socket.want(true);
  await settle(29_999);
  library.broken = false;
  expect(heard()).toEqual([false, false]);
  await settle(1);
  expect(done()).toEqual(OPENED);
});
