import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { serve } from '../bench/worker.ts';

/*
 * One attacker of each kind, each with an address of its own. An attacker sends ten requests a second and waits for at
 * most ten answers at once.
 */

type Task = {
  url: string;
  publishableKey: string;
  /** Access token of a reader's own account. */
  token: string;
  /** Slug of the coverage that readers follow. */
  slug: string;
};

/** Responses to the attackers. */
export type AttackResult = {
  /** Number of answers by attack and status. */
  answers: Record<string, number>;
  /** Number of answers by attack that show a fault: none, 500, or 504 (the attack held the database too long). */
  faults: Record<string, number>;
};

type Attempt = { method?: string; path: string; body?: string; asReader?: boolean };

const PERIOD_MS = 100;
const MAX_OPEN = 10;
const TIMEOUT_MS = 30_000;
const FAULTS = new Set(['500', '504', 'no answer']);

const agent = new Agent({ keepAlive: true });
let running = false;
let result: AttackResult = { answers: {}, faults: {} };
let ended: Promise<unknown> = Promise.resolve();

serve({
  start(task: Task) {
    running = true;
    result = { answers: {}, faults: {} };
    const senders = Object.entries(requestAttacks(task)).map(([name, next], n) =>
      sendAll(task, name, n, next),
    );
    ended = Promise.all([...senders, dripBodies(task), floodSockets(task)]);
  },
  async stop(): Promise<AttackResult> {
    running = false;
    await ended;
    return result;
  },
});

const secret = () => randomBytes(32).toString('base64url');
const list = (count: number, write: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => write(n)).join(',');
const take = <Item>(items: Item[], n: number) => items[n % items.length] as Item;

/** Attacks that are single requests: the n-th request of each. */
function requestAttacks({ slug }: Task): Record<string, (n: number) => Attempt> {
  const backtracking = encodeURIComponent('^(.+)(.+)(.+)(.+)(.+)(.+)\\1\\2\\3\\4\\5\\6$');
  const nested = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const json = (value: unknown) => JSON.stringify(value);
  const ways =
    (paths: string[], asReader = false) =>
    (n: number) => ({ path: `/rest/v1/${take(paths, n)}`, asReader });
  const queries = [
    `coverages?select=id&standfirst=not.match.${backtracking}`,
    `coverages?select=id&or=(headline.not.imatch.${backtracking},slug.eq.a)`,
    `updates?select=id&or=(${list(60, (n) => `body.wfts.z${n}`)})`,
    `updates?select=${list(480, (n) => `a${n}:body`)}`,
    `updates?select=id,${list(9, (n) => `c${n}:coverages!updates_coverage_id_fkey(id)`)}`,
    `updates?select=*&order=seq&limit=1000&offset=100000`,
  ];
  const calls = [
    'rpc/search?filters={"query":"river level report bridge water"}',
    'rpc/feed_updates',
    'rpc/list_corrections',
    'rpc/my_data',
    `rpc/resolve_slug?slug=${'a'.repeat(200)}`,
  ];
  return {
    'queries, visitor': ways(queries),
    'queries, reader': ways(queries, true),
    'functions of the database': ways(calls, true),
    'made-up secrets': (n) => ({
      path: take([`/tips/${secret()}`, `/unsubscribe/${secret()}`, `/invites/${secret()}`], n),
    }),
    'forms of following': () => ({ path: `/follow/live/${slug}` }),
    searches: (n) => ({ path: `/search?q=river+level+${n}` }),
    passwords: (n) => ({
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      body: json({ email: `person-${n}@example.com`, password: secret() }),
    }),
    'large and deep bodies': (n) => ({
      method: 'POST',
      path: take(
        [
          '/auth/v1/signup',
          '/rest/v1/rpc/search',
          '/functions/v1/submit-tip',
          '/storage/v1/object/list/photos',
        ],
        n,
      ),
      body: take([nested, json({ email: 'x'.repeat(240_000) })], n),
    }),
    uploads: (n) => ({
      method: 'POST',
      path: `/storage/v1/object/photos/${n}.jpg`,
      body: 'x'.repeat(100_000),
      asReader: true,
    }),
    'unknown pages': (n) => ({ path: `/live/${slug}/${n + 1_000_000}` }),
  };
}

async function sendAll(
  task: Task,
  name: string,
  attacker: number,
  next: (n: number) => Attempt,
): Promise<void> {
  let open = 0;
  for (let n = 0; running; await wait(PERIOD_MS)) {
    if (open >= MAX_OPEN) continue;
    open++;
    void send(task, next(n++), attacker).then((status) => {
      open--;
      record(name, status);
    });
  }
  while (open > 0) await wait(PERIOD_MS);
}

function record(name: string, status: string): void {
  const key = `${name}: ${status}`;
  result.answers[key] = (result.answers[key] ?? 0) + 1;
  if (FAULTS.has(status)) result.faults[key] = (result.faults[key] ?? 0) + 1;
}

const headersOf = ({ publishableKey, token }: Task, attacker: number, asReader = false) => ({
  apikey: publishableKey,
  'x-forwarded-for': `198.51.100.${attacker}`,
  ...(asReader && { authorization: `Bearer ${token}` }),
});

/** Sends one request. @returns its status, or `no answer` */
function send(
  task: Task,
  { method = 'GET', path, body, asReader }: Attempt,
  attacker: number,
): Promise<string> {
  const headers = {
    ...headersOf(task, attacker, asReader),
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }),
  };
  return new Promise((resolve) => {
    const call = request(task.url + path, { method, agent, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(String(response.statusCode)));
      // A server may close the connection of a body that it refuses.
      response.on('error', () => resolve(String(response.statusCode)));
    });
    call.setTimeout(TIMEOUT_MS, () => call.destroy(new Error('timeout')));
    call.on('error', (error) => resolve(error.message === 'timeout' ? 'no answer' : 'closed'));
    call.end(body);
  });
}

const DRIPPED = ['/tips', '/rest/v1/rpc/search', '/auth/v1/signup', '/storage/v1/object/sign/photos'];

/** Keeps ten forms and calls open by sending a byte of each every second. */
async function dripBodies(task: Task): Promise<void> {
  const drip = async (n: number) => {
    while (running) {
      const headers = {
        ...headersOf(task, 200),
        origin: task.url,
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': 100_000,
      };
      const call = request(task.url + take(DRIPPED, n), { method: 'POST', agent: false, headers });
      const closed = new Promise<void>((resolve) => call.once('close', resolve));
      let status = 'closed';
      call.on('response', (response) => {
        status = String(response.statusCode);
        response.resume();
      });
      call.on('error', () => {});
      while (running && !call.destroyed && status === 'closed') {
        call.write('a');
        await Promise.race([closed, wait(1_000)]);
      }
      call.destroy();
      record('dripping bodies', status);
      await wait(PERIOD_MS);
    }
  };
  await Promise.all(Array.from({ length: MAX_OPEN }, (_, n) => drip(n)));
}

/** Opens sockets that join desks and unknown channels, send what is no message, and leave. */
async function floodSockets({ url, publishableKey }: Task): Promise<void> {
  const address = `${url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${publishableKey}&vsn=1.0.0`;
  for (let n = 0; running; n++) {
    const socket = new WebSocket(address, { headers: { 'x-forwarded-for': '198.51.100.201' } });
    socket.on('error', () => {});
    socket.on('open', () => {
      for (let channel = 0; channel < 50; channel++) {
        const payload = { config: { private: channel % 2 === 0, broadcast: {}, presence: {} } };
        socket.send(
          JSON.stringify({
            topic: `realtime:desk:${n}-${channel}`,
            event: 'phx_join',
            payload,
            ref: `${channel}`,
          }),
        );
      }
      socket.send('{"no":"message"}');
      socket.send('x'.repeat(10_000));
    });
    await wait(PERIOD_MS);
    record('sockets', socket.readyState === WebSocket.OPEN ? 'open' : 'closed');
    if (n % 2 === 0) socket.terminate();
    else socket.close();
  }
}
