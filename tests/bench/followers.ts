import { Agent, get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type ChangesResult, createPoller, type Poller } from '../../src/islands/live-feed/polling.ts';
import { keepAlive } from './heartbeats.ts';
import { type LightSocket, openLightSocket } from './light-socket.ts';
import { heard, join, replyTo, socketUrl } from './phoenix.ts';
import { serve } from './worker.ts';

/*
 * Many readers of one coverage in one process. Each has a socket and a connection of its own, comes from an address of
 * its own, and decides when to ask by the very code that runs in a reader's page. Times are in ms since 1970.
 */

type Task = {
  url: string;
  publishableKey: string;
  coverage: { id: string; slug: string; seq: number };
  followers: number;
  /** Or by checks alone. */
  sockets: boolean;
};

/** When the followers knew of a change. */
export type Reached = {
  /** When each was told by its socket that there is something to ask for. */
  told: number[];
  /** When each had the answer that tells of it. */
  had: number[];
  /** How long each of them had waited by chance, since it was told and until it asked. */
  waited: number[];
  /** What they were told to spread over; 0 where nobody told them. */
  spread: number;
};

/** Opened at the same time. */
const AT_ONCE = 50;
const LOOK_MS = 50;

/** What an answer tells, and how the site wants to be followed. */
type Answer = ChangesResult & { follow: string };

type Reader = {
  through: number;
  /** Closes the socket, when the site wants to be asked instead. */
  leave?: () => void;
  /** When it was told of the change that is watched, and when it asked for the first time since. */
  told?: { seq: number; at: number; askedAt?: number };
};

let watched = Number.POSITIVE_INFINITY;
let reached: Reached = { told: [], had: [], waited: [], spread: 0 };
let everybody = 0;
const left: number[] = [];
let complete = Promise.withResolvers<void>();

serve({
  /** Has them all join, and catch up. */
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
  /** From now on each has yet to know of this change. */
  watch(seq: number) {
    watched = seq;
    reached = { told: [], had: [], waited: [], spread: 0 };
    complete = Promise.withResolvers();
  },
  /** Waits until all know of it, or for so many ms at most; then whoever does not is missing. */
  async reached(longest: number): Promise<Reached> {
    const late = setTimeout(() => complete.resolve(), longest);
    await complete.promise.finally(() => clearTimeout(late));
    return reached;
  },
  everybody: () => everybody,
  /** Waits until all have left their sockets, or for so many ms at most. Answers when each did. */
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
      // Asked again because the site did not know yet, it is the site that is waited for.
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
  // As those who came one after the other.
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
        const change = heard(message) as { seq?: number; spread: number } | undefined;
        if (!change) return;
        // Whoever tells of no change tells that the page is to be followed otherwise.
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

/** What a page reads of an answer, without a DOM. */
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
