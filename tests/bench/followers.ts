import { Agent, get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type ChangesResult, createPoller, type Poller } from '../../src/islands/live-feed/polling.ts';
import { keepAlive } from './heartbeats.ts';
import { type LightSocket, openLightSocket } from './light-socket.ts';
import { broadcastOf, join, replyTo, socketUrl } from './phoenix.ts';
import { serve } from './worker.ts';

/*
 * Many followers of one coverage in one process. Each has its own socket, connection and client address, and uses
 * the code of an open page. Times are in ms since 1970.
 */

type Task = {
  url: string;
  publishableKey: string;
  coverage: { id: string; slug: string; seq: number };
  followers: number;
  /** False for checks only. */
  sockets: boolean;
};

/** Times when followers knew of a change. */
export type Reached = {
  /** When the socket announced it. */
  told: number[];
  /** When the response contained it. */
  had: number[];
  /** Random delay between announcement and request. */
  waited: number[];
  /** The spread of the announcement, or 0. */
  spread: number;
};

/** Concurrent handshakes. */
const AT_ONCE = 50;
const LOOK_MS = 50;

/** A response to changes with the follow mode. */
type Answer = ChangesResult & { follow: string };

type Reader = {
  through: number;
  /** Closes the socket when the follow mode changes to checks. */
  leave?: () => void;
  /** When the watched change was announced, and when the first request after it was sent. */
  told?: { seq: number; at: number; askedAt?: number };
};

let watched = Number.POSITIVE_INFINITY;
let reached: Reached = { told: [], had: [], waited: [], spread: 0 };
let everybody = 0;
const left: number[] = [];
let complete = Promise.withResolvers<void>();

serve({
  /** Opens all followers and waits until they are current. */
  async start(task: Task) {
    const sockets: LightSocket[] = [];
    for (; everybody < task.followers; everybody += AT_ONCE) {
      const some = Math.min(AT_ONCE, task.followers - everybody);
      const joined = Array.from({ length: some }, (_, n) => enter(task, everybody + n));
      for (const socket of await Promise.all(joined)) if (socket) sockets.push(socket);
    }
    everybody = task.followers;
    keepAlive(sockets);
  },
  /** Starts waiting for this change on every follower. */
  watch(seq: number) {
    watched = seq;
    reached = { told: [], had: [], waited: [], spread: 0 };
    complete = Promise.withResolvers();
  },
  /** Resolves when all followers know of it, or after a maximum of ms. */
  async reached(longest: number): Promise<Reached> {
    const late = setTimeout(() => complete.resolve(), longest);
    await complete.promise.finally(() => clearTimeout(late));
    return reached;
  },
  everybody: () => everybody,
  /** Resolves when all followers have left their sockets, or after a maximum of ms. @returns the times */
  async left(longest: number): Promise<number[]> {
    const late = performance.now() + longest;
    while (left.length < everybody && performance.now() < late) await wait(LOOK_MS);
    return left;
  },
});

async function enter(task: Task, n: number): Promise<LightSocket | undefined> {
  const { id, slug, seq } = task.coverage;
  const address = `10.0.${n >> 8}.${n & 255}`;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const reader: Reader = { through: seq };
  const follower = createPoller<Answer>({
    seq,
    interval: 10,
    fetchChanges(after, until) {
      // Repeated requests wait for the site, so only the first one counts.
      if (reader.told) reader.told.askedAt ??= Date.now();
      return ask(
        `${task.url}/live/${slug}/changes?after=${after}${until ? `&until=${until}` : ''}`,
        agent,
        address,
      );
    },
    apply({ through, follow }) {
      know(reader, through);
      if (follow === 'checks') reader.leave?.();
    },
    onUpToDate: () => {},
    onFailed: () => {},
    onWithdrawn: () => {},
    random: Math.random,
    isSlow: () => false,
  });
  if (task.sockets) return listen(task, id, address, follower, reader);
  // Readers arrive over ten seconds.
  setTimeout(() => follower.setAllowed(true), Math.random() * 10_000);
  return undefined;
}

function listen(
  { url, publishableKey }: Task,
  id: string,
  address: string,
  follower: Poller,
  reader: Reader,
): Promise<LightSocket> {
  const joined = Promise.withResolvers<LightSocket>();
  const opening = openLightSocket(
    socketUrl(url, publishableKey),
    {
      message(message) {
        const reply = replyTo('1', message);
        if (reply?.ok) opening.then(joined.resolve);
        else if (reply) joined.reject(new Error(reply.said));
        const change = broadcastOf(message) as { seq?: number; spread: number } | undefined;
        if (!change) return;
        // A message without a change announces another follow mode.
        if (change.seq === undefined) return follower.checkWithin(change.spread);
        if (change.seq === watched) {
          reader.told = { seq: watched, at: Date.now() };
          reached.told.push(reader.told.at);
          reached.spread = change.spread;
        }
        follower.onChange({ seq: change.seq, spread: change.spread });
      },
      lost(why) {
        joined.reject(new Error(why));
        complete.reject(new Error(why));
      },
    },
    { 'X-Forwarded-For': address },
  );
  opening.then((socket) => {
    socket.send(join('1', `coverage:${id}`, true));
    reader.leave = () => {
      reader.leave = undefined;
      left.push(Date.now());
      socket.close();
      follower.setListening(false);
    };
  }, joined.reject);
  follower.setListening(true);
  follower.setAllowed(true);
  return joined.promise;
}

function know(reader: Reader, through: number): void {
  const knew = reader.through;
  reader.through = Math.max(knew, through);
  if (knew >= watched || through < watched) return;
  reached.had.push(Date.now());
  const { told } = reader;
  reached.waited.push(told?.seq === watched ? (told.askedAt ?? told.at) - told.at : 0);
  if (reached.had.length === everybody) complete.resolve();
}

/** Reads what a page needs of a response, without a DOM. */
async function ask(url: string, agent: Agent, address: string): Promise<Answer | 'gone' | 'early'> {
  const { status, text } = await fetchText(url, agent, address);
  if (status === 410) return 'gone';
  if (status === 503) return 'early';
  const [head = ''] = /<div data-changes[^>]*>/.exec(text) ?? [];
  const data = (name: string) => new RegExp(` data-${name}="(\\w+)"`).exec(head)?.[1];
  if (status !== 200 || !head) throw new Error(`${url} answers ${status}.`);
  return {
    at: Date.now(),
    through: Number(data('through')),
    more: data('more') === 'true',
    farBehind: data('reload') === 'true',
    interval: Number(data('interval')),
    follow: data('follow') ?? '',
  };
}

function fetchText(url: string, agent: Agent, address: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { 'x-forwarded-for': address } }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    }).on('error', reject);
  });
}
