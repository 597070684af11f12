import { Agent, get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { serve } from '../bench/worker.ts';
import { madeUp, nextKnown, nextVisit, type Readable, type Visit } from './visits.ts';

/* Readers who arrive at a constant rate, whatever the site does. Times start when a reader wants the page. */

type Task = {
  url: string;
  readable: Readable;
  perSecond: number;
  /**
   * Number of additional clients that request made-up URLs, each after its last response. Readers then use common
   * pages.
   */
  flooding?: number;
};

/** Results of readers: times of visits in ms, and counts of problems. */
export type Met = {
  times: number[];
  wrong: Record<string, number>;
  /** Responses to the flood by status. */
  flood: Record<string, number>;
};

const STEP_MS = 20;
/** Ms after which a reader gives up. */
const LONGEST_MS = 20_000;
/** One of this many visits uses a new connection. */
const NEW_EACH = 5;

const kept = new Agent({ keepAlive: true, maxSockets: 50 });
const ofFlood = new Agent({ keepAlive: true });
let going = false;
let open = 0;
let met: Met = { times: [], wrong: {}, flood: {} };
let over: Promise<unknown> = Promise.resolve();

serve({
  start(task: Task) {
    going = true;
    met = { times: [], wrong: {}, flood: {} };
    over = Promise.all([come(task), ...Array.from({ length: task.flooding ?? 0 }, (_, n) => flood(task, n))]);
  },
  /** Stops new visits, waits for running ones, and returns the results. */
  async stop(): Promise<Met> {
    going = false;
    await over;
    return met;
  },
});

async function come({ url, readable, perSecond, flooding }: Task): Promise<void> {
  const next = flooding ? nextKnown : nextVisit;
  const began = performance.now();
  for (let came = 0; going; await wait(STEP_MS)) {
    const due = ((performance.now() - began) / 1000) * perSecond;
    for (; came < due; came++) void visit(url, next(readable), came);
  }
  while (open > 0) await wait(STEP_MS);
}

async function visit(url: string, { path, status }: Visit, n: number): Promise<void> {
  const began = performance.now();
  open++;
  const answered = await statusOf(url + path, n % NEW_EACH === 0 ? false : kept, n);
  open--;
  met.times.push(performance.now() - began);
  if (answered !== status) count(met.wrong, `${answered} ${path}`);
}

async function flood({ url, readable }: Task, n: number): Promise<void> {
  while (going) {
    const path = madeUp(readable);
    const answered = await statusOf(url + path, ofFlood, n);
    count(met.flood, String(answered));
    // Errors and missing responses are wrong for anyone.
    if (answered === 500 || typeof answered === 'string') count(met.wrong, `${answered} ${path}`);
  }
}

/** Status of a complete response, or a description of the failure. */
function statusOf(url: string, agent: Agent | false, n: number): Promise<number | string> {
  const headers = {
    'accept-encoding': 'br, gzip',
    'x-forwarded-for': `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`,
  };
  return new Promise((resolve) => {
    const request = get(url, { agent, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', (error) => resolve(error.message));
    });
    request.setTimeout(LONGEST_MS, () => request.destroy(new Error('no answer')));
    request.on('error', (error) => resolve(error.message));
  });
}

function count(of: Record<string, number>, what: string): void {
  of[what] = (of[what] ?? 0) + 1;
}
