import { resolve } from 'node:path';
import { type BackendProcess, startChild } from '../support/processes.ts';
import type { Bench } from './bench.ts';
import type { Arrival } from './crowd.ts';
import type { Endings } from './endings.ts';
import { type Finding, median } from './figures.ts';
import { BINARY, TEXT } from './frames.ts';
import { openLightSocket } from './light-socket.ts';
import { client, newFolder } from './newsroom.ts';
import { broadcast, join, replyTo, socketUrl } from './phoenix.ts';
import { cpuOf, rssOf } from './process.ts';
import { startWorker, type Worker } from './worker.ts';

const SOCKETS = 5_000;
const ROUNDS = 15;
const WARM_UP = 5;
const MESSAGE_BYTES = 600;
const AT_MOST = 1.5;

const PUBLIC = 'bench-public';
const PRIVATE = 'bench-private';

type Way = {
  what: string;
  /** The process with the listening sockets. */
  crowd: Worker;
  /** The serving process. */
  pid: number;
  /** Sends the message. Resolves when it is sent. */
  send(): unknown;
};

/** Time until the last of thousands of sockets has a message, compared with a plain loop over `ws`. */
export const fanout: Bench = {
  head: 'ratio',
  about:
    `A message of ${MESSAGE_BYTES} bytes to ${SOCKETS.toLocaleString('en')} sockets, in ms until the last one has it, ` +
    `beside a server that only loops over ws.send;\nmedians of ${ROUNDS} rounds by turns. CPU: ms that the serving ` +
    'process computes.',
  async run(endings) {
    const ours = await openBackend(endings);
    const bare = endings.add(startWorker('bare-sockets.ts'), (worker) => worker.stop());
    const bareUrl = await bare.ask<string>('listen');
    const crowds = [0, 1].map(() => endings.add(startWorker('crowd.ts'), (worker) => worker.stop()));
    const [here, there] = crowds as [Worker, Worker];

    const url = socketUrl(ours.url, ours.publishableKey);
    const channels = [
      { topic: PUBLIC, private: false },
      { topic: PRIVATE, private: true },
    ];
    const before = rssOf(ours.pid);
    const took = await here.ask<number>('open', {
      url,
      headers: ours.headers,
      sockets: SOCKETS,
      channels,
    });
    const each = (rssOf(ours.pid) - before) / SOCKETS;
    await there.ask('open', { url: bareUrl, sockets: SOCKETS, channels: [] });

    const message = { text: 'x'.repeat(MESSAGE_BYTES - '{"text":""}'.length) };
    const speaker = await openSpeaker(endings, url);
    const service = client(ours.url, ours.secretKey);
    const ways: Way[] = [
      {
        what: 'public channel, sent by a socket',
        crowd: here,
        pid: ours.pid,
        send: () => speaker.say(JSON.stringify(message)),
      },
      {
        what: 'private channel, sent by the database',
        crowd: here,
        pid: ours.pid,
        // The client sends when the promise is awaited.
        send: async () => void (await service.rpc('announce', { message }).throwOnError()),
      },
    ];
    // As many bytes as our message with names of channel and event.
    const { bytes } = await hear(ways[0] as Way);
    const shouter = await openLightSocket(bareUrl, { message: () => {}, lost: console.error });
    endings.add(shouter, () => shouter.close());
    const shout = {
      crowd: there,
      pid: bare.pid,
      what: 'bare',
      send: () => shouter.send('x'.repeat(bytes), TEXT),
    };
    const findings = await compare(ways, shout);
    const pace = Math.round(SOCKETS / (took / 1000));
    const notes = [
      `${pace} sockets a second opened and joined both channels; each took ${each.toFixed(1)} KB.`,
    ];
    return { findings, notes };
  },
};

type Ready = Pick<BackendProcess, 'url' | 'publishableKey' | 'secretKey' | 'headers'>;

/** The embedded backend with one policy. */
async function openBackend(endings: Endings) {
  const backend = await startChild<Ready>(resolve('packages/embedded-supabase/src/main.ts'), {
    EMBEDDED_SUPABASE_DATA: await newFolder(endings),
    EMBEDDED_SUPABASE_MIGRATIONS: resolve('tests/bench/schema'),
    EMBEDDED_SUPABASE_PUBLIC_CHANNELS: 'on',
  });
  endings.add(backend, () => backend.stop());
  return { ...backend.ready, pid: backend.pid };
}

/** A socket that sends to the public channel. */
async function openSpeaker(endings: Endings, url: string) {
  const joined = Promise.withResolvers<void>();
  const socket = await openLightSocket(url, {
    message: (message) => {
      if (replyTo('1', message)?.ok) joined.resolve();
    },
    lost: console.error,
  });
  endings.add(socket, () => socket.close());
  socket.send(join('1', PUBLIC, false));
  await joined.promise;
  return { say: (payload: string) => socket.send(broadcast('1', PUBLIC, 'change', payload), BINARY) };
}

async function compare(ways: Way[], bare: Way): Promise<Finding[]> {
  const rounds: { way: Way; ours: MessageTimes; bare: MessageTimes }[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    for (const way of ways) {
      const both = { way, bare: await hear(bare), ours: await hear(way) };
      if (round >= WARM_UP) rounds.push(both);
    }
  }
  return ways.map((way) => {
    const own = rounds.filter((round) => round.way === way);
    return {
      what: way.what,
      value: median(own.map(({ ours, bare }) => ours.last / bare.last)),
      bound: { atMost: AT_MOST },
      figures: {
        last: median(own.map(({ ours }) => ours.last)),
        half: median(own.map(({ ours }) => ours.half)),
        cpu: mean(own.map(({ ours }) => ours.cpu)),
        'bare last': median(own.map(({ bare }) => bare.last)),
        'bare half': median(own.map(({ bare }) => bare.half)),
        'bare cpu': mean(own.map(({ bare }) => bare.cpu)),
      },
    };
  });
}

/** Times of one message in ms since it was sent. */
type MessageTimes = { half: number; last: number; cpu: number; bytes: number };

async function hear({ crowd, pid, send }: Way): Promise<MessageTimes> {
  await crowd.ask('arm');
  const busy = cpuOf(pid);
  const begun = Number(process.hrtime.bigint()) / 1e6;
  const sent = send();
  const { half, last, bytes } = await crowd.ask<Arrival>('arrived');
  await sent;
  return { half: half - begun, last: last - begun, cpu: cpuOf(pid) - busy, bytes };
}

/** The mean of values that are counted in coarse steps. */
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
