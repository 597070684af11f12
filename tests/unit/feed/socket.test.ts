import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { coverageSocket } from '../../../src/islands/live-feed/socket.ts';

/** A WebSocket whose other end the test controls. */
class Line {
  static all: Line[] = [];
  static get last(): Line {
    const line = Line.all.at(-1);
    if (!line) throw new Error('The page opens a connection.');
    return line;
  }
  readonly url: string;
  readyState = 0;
  bufferedAmount = 0;
  sent: [joinRef: string, ref: string, topic: string, event: string, payload: object][] = [];
  onopen = () => {};
  onerror = (_event: object) => {};
  onclose = (_event: object) => {};
  onmessage = (_event: { data: string }) => {};

  constructor(url: string) {
    this.url = url;
    Line.all.push(this);
  }
  send(frame: string) {
    this.sent.push(JSON.parse(frame));
  }
  /** The other end is gone. */
  dead = false;
  /** Closing needs the other end, which takes some time. */
  close() {
    if (this.readyState >= 2) return;
    this.readyState = 2;
    if (!this.dead) setTimeout(() => this.end(1000), 100);
  }

  end(code: number) {
    this.readyState = 3;
    if (code === 1006) this.onerror({ type: 'error' });
    this.onclose({ code });
  }
  open() {
    this.readyState = 1;
    this.onopen();
  }
  /** Sends a message on the channel, as the server. */
  say(event: string, payload: object, reply = false) {
    const join = this.sent.findLast(([, , , event]) => event === 'phx_join');
    if (!join) throw new Error('The page joins a channel.');
    const [joinRef, ref, topic] = join;
    this.onmessage({ data: JSON.stringify([joinRef, reply ? ref : null, topic, event, payload]) });
  }
  answer(status: 'ok' | 'error') {
    const response = status === 'ok' ? { postgres_changes: [] } : { reason: 'Unauthorized' };
    this.say('phx_reply', { status, response }, true);
  }
  tell(payload: object, event = 'change') {
    this.say('broadcast', { type: 'broadcast', event, payload });
  }
}

function scene(publicUrl = '/') {
  const received: unknown[] = [];
  const socket = coverageSocket(
    'an-id',
    { publicUrl, publishableKey: 'public' },
    {
      setListening: (hears) => received.push(hears),
      onChange: (change) => received.push(change),
      checkWithin: (spread) => received.push({ askWithin: spread }),
    },
  );
  const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
  return {
    socket,
    settle,
    async join() {
      socket.setOpen(true);
      await settle();
      Line.last.open();
      Line.last.answer('ok');
      received.length = 0;
    },
    /** The events since the last call. */
    received: () => received.splice(0),
    isOpen: () => Line.last.readyState < 2,
  };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(1);
  vi.stubGlobal('window', { location: { origin: 'https://news.example' } });
  vi.stubGlobal('WebSocket', Line);
  Line.all = [];
});
afterEach(() => {
  // First, because a stub of setTimeout gives back the fake one that it replaced.
  vi.unstubAllGlobals();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('opens no socket before it is allowed, then joins the private channel of the coverage', async () => {
  const { socket, settle, received } = scene();
  await settle(60_000);
  expect(Line.all).toEqual([]);
  socket.setOpen(true);
  await settle();
  expect(Line.last.url).toBe('wss://news.example/realtime/v1/websocket?apikey=public&vsn=2.0.0');
  Line.last.open();
  expect(Line.last.sent).toMatchObject([
    [{}, {}, 'realtime:coverage:an-id', 'phx_join', { config: { private: true } }].map((part) =>
      typeof part === 'object' && Object.keys(part).length === 0 ? expect.any(String) : part,
    ),
  ]);
  expect(received()).toEqual([]);
  Line.last.answer('ok');
  expect(received()).toEqual([true]);
});

test('connects to a separate backend at its own URL', async () => {
  const { socket, settle } = scene('http://project.example:8000');
  socket.setOpen(true);
  await settle();
  expect(Line.last.url).toMatch(/^ws:\/\/project\.example:8000\/realtime\/v1\/websocket\?/);
});

test('reports a change with its spread, and ignores other messages', async () => {
  const { join, received } = scene();
  await join();
  for (const message of [
    { seq: 7, spread: 1000, id: 'x' },
    { seq: 8 },
    { seq: 9, spread: 1e9 },
    { seq: '10', spread: 0 },
    {},
  ]) {
    Line.last.tell(message);
  }
  Line.last.tell({ spread: 20_000, id: 'x' }, 'follow');
  Line.last.tell({ spread: -1 }, 'follow');
  expect(received()).toEqual([
    { seq: 7, spread: 1000 },
    { seq: 8, spread: 0 },
    { seq: 9, spread: 60_000 },
    { askWithin: 20_000 },
    { askWithin: 0 },
  ]);
});

test('reopens a broken connection at growing intervals', async () => {
  const { join, settle, received } = scene();
  await join();
  Line.last.end(1006);
  expect(received()).toEqual([false]);
  for (const [tries, seconds] of [10, 20, 40, 80].entries()) {
    await settle(1000 * seconds - 1);
    expect(Line.all).toHaveLength(tries + 1);
    // The library waits a moment for the close.
    await settle(151);
    expect(Line.all).toHaveLength(tries + 2);
    Line.last.end(1006);
  }
  await settle(160_150);
  Line.last.open();
  Line.last.answer('ok');
  expect(received()).toEqual([true]);
  Line.last.tell({ seq: 3, spread: 0 });
  expect(received()).toEqual([{ seq: 3, spread: 0 }]);
  Line.last.end(1006);
  await settle(10_150);
  expect(Line.all).toHaveLength(7);
});

test.each(['refused', 'not answered', 'closed'])(
  'a channel that is %s is asked for later and later',
  async (end) => {
    const { socket, settle, received, isOpen } = scene();
    socket.setOpen(true);
    await settle();
    for (const [tries, seconds] of [10, 20, 40].entries()) {
      Line.last.open();
      if (end === 'refused') Line.last.answer('error');
      else if (end === 'closed') Line.last.say('phx_close', {});
      else await settle(10_000);
      expect(isOpen()).toBe(false);
      await settle(1000 * seconds - 1);
      expect(Line.all).toHaveLength(tries + 1);
      await settle(1);
      expect(Line.all).toHaveLength(tries + 2);
    }
    expect(received()).not.toContain(true);
    Line.last.open();
    Line.last.answer('ok');
    expect(received().at(-1)).toBe(true);
  },
);

test.each([
  ['together', 1, 1],
  ['the library first', 1, 0],
  ['the page first', 0, 1],
])('a silent connection is reopened once: %s', async (_who, page, library) => {
  const { join, settle, received } = scene();
  await join();
  vi.mocked(Math.random).mockReturnValueOnce(page).mockReturnValue(library);
  await settle(50_000);
  expect(new Set(received())).toEqual(new Set([false]));
  await settle(1000 + 9000 * Math.min(page, library) + 500);
  expect(Line.all).toHaveLength(2);
  Line.last.open();
  Line.last.answer('ok');
  expect(received().at(-1)).toBe(true);
  await settle(20_000);
  expect(Line.all).toHaveLength(2);
});

test('stays closed when it is no longer allowed', async () => {
  const { join, socket, settle, received, isOpen } = scene();
  await join();
  socket.setOpen(false);
  expect(isOpen()).toBe(false);
  expect(new Set(received())).toEqual(new Set([false]));
  await settle(600_000);
  expect(Line.all).toHaveLength(1);

  socket.setOpen(true);
  await settle();
  Line.last.open();
  socket.setOpen(false);
  Line.last.answer('ok');
  await settle(600_000);
  expect(received()).not.toContain(true);
  expect(Line.all).toHaveLength(2);
});

test('reopens as soon as it has closed', async () => {
  const { join, socket, settle, received } = scene();
  await join();
  for (let n = 1; n <= 3; n++) {
    socket.setOpen(false);
    socket.setOpen(true);
  }
  await settle(1000);
  expect(Line.all).toHaveLength(2);
  Line.last.open();
  Line.last.answer('ok');
  expect(received().at(-1)).toBe(true);
});

test('opens another connection if the close is not confirmed', async () => {
  const { join, socket, settle, received } = scene();
  await join();
  Line.last.dead = true;
  socket.setOpen(false);
  await settle(60_000);
  socket.setOpen(true);
  await settle();
  expect(Line.all).toHaveLength(2);
  Line.last.open();
  Line.last.answer('ok');
  expect(received().at(-1)).toBe(true);
  Line.last.tell({ seq: 3, spread: 0 });
  expect(received()).toEqual([{ seq: 3, spread: 0 }]);
});

test('reopens on a page with little time to close', async () => {
  const { join, socket, settle, received } = scene();
  await join();
  Line.last.dead = true;
  const inTime = setTimeout;
  vi.stubGlobal('setTimeout', (then: () => void, ms = 0) => inTime(then, Math.ceil(ms / 60_000) * 60_000));
  socket.setOpen(false);
  await settle(120_000);
  vi.stubGlobal('setTimeout', inTime);
  socket.setOpen(true);
  await settle(120_000);
  expect(Line.all).toHaveLength(2);
  Line.last.open();
  Line.last.answer('ok');
  expect(received().at(-1)).toBe(true);
});

test('closes a connection that opens after it was forbidden', async () => {
  const { join, socket, settle, received, isOpen } = scene();
  await join();
  // It sends a heartbeat.
  await settle(30_000);
  Line.last.dead = true;
  socket.setOpen(false);
  received();
  await settle(120_000);
  expect(Line.all).toHaveLength(2);
  Line.last.open();
  Line.last.answer('ok');
  await settle(600_000);
  expect(isOpen()).toBe(false);
  expect(received()).not.toContain(true);
});

test('retries at growing intervals without WebSockets', async () => {
  const { socket, settle, received } = scene();
  vi.stubGlobal('WebSocket', () => {
    throw new Error('no sockets here');
  });
  socket.setOpen(true);
  await settle(29_999);
  vi.stubGlobal('WebSocket', Line);
  expect(Line.all).toEqual([]);
  await settle(1);
  Line.last.open();
  Line.last.answer('ok');
  expect(received().at(-1)).toBe(true);
});
