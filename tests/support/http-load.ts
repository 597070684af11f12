import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import { paragraph } from './newsroom.ts';

/** Connections of the flooding client. */
const CONNECTIONS = 64;

export type TimedResponse = { status: number; ms: number };

/** Requests a page with a client address in X-Forwarded-For. */
export async function getAs(
  url: string,
  path: string,
  client: string,
  agent?: Agent,
): Promise<TimedResponse> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { 'x-forwarded-for': client, accept: 'text/html' };
    const sent = request(url + path, { agent, headers }, (answer) => {
      answer.resume().on('end', () => {
        resolve({ status: answer.statusCode ?? 0, ms: performance.now() - began });
      });
    });
    sent.on('error', reject).end();
  });
}

/** Sends requests over many connections until it is stopped. Counts responses by status. */
export function startFlood(url: string, client: string, path: () => string) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const statuses: Record<number, number> = {};
  let isOver = false;
  const clients = Array.from({ length: CONNECTIONS }, async () => {
    while (!isOver) {
      const { status } = await getAs(url, path(), client, agent).catch(() => ({ status: 0 }));
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  });
  const stop = async () => {
    isOver = true;
    await Promise.all(clients);
    agent.destroy();
  };
  return { statuses, stop };
}

/** Counts successful requests, and describes the failed ones. */
export type ReaderLoad = {
  answered(): number;
  /**
   * Requests that were sent again because the server had just closed an idle connection (RFC 9112, section 9.3.1).
   */
  retried(): number;
  failures: string[];
  stop(): Promise<void>;
};

/** Starts readers that request these paths continuously. Half of them reuse connections if `keepAlive` is set. */
export function startReaders(
  url: string,
  paths: string[],
  { readers = 8, keepAlive = true } = {},
): ReaderLoad {
  const kept = new Agent({ keepAlive: true });
  const failures: string[] = [];
  let [answered, retried, going] = [0, 0, true];

  async function read(path: string, agent: Agent | false, first = true): Promise<void> {
    const asked = request(url + path, { agent });
    try {
      asked.end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      answer.resume();
      await once(answer, 'end');
      if (answer.statusCode === 200) answered += 1;
      else failures.push(`${path}: ${answer.statusCode}`);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (!(first && asked.reusedSocket && code === 'ECONNRESET')) failures.push(`${path}: ${code}`);
      else {
        retried += 1;
        await read(path, agent, false);
      }
    }
  }

  const all = Array.from({ length: readers }, async (_, n) => {
    for (let turn = n; going; turn++) {
      await read(paths[turn % paths.length] as string, keepAlive && n % 2 === 0 && kept);
      // Leaves processor time for the site that starts meanwhile.
      await wait(5);
    }
  });
  return {
    answered: () => answered,
    retried: () => retried,
    failures,
    async stop() {
      going = false;
      await Promise.all(all);
      kept.destroy();
    },
  };
}

/** Starts a reporter who repeats each command with the same idempotency key until it is acknowledged. */
export function startReporter(client: SupabaseClient, coverage_id: string) {
  /** Ids of acknowledged updates, and the errors before them. */
  const filed: string[] = [];
  const refusals: string[] = [];
  let going = true;

  async function file(): Promise<void> {
    const update_id = randomUUID();
    const command = {
      idempotency_key: randomUUID(),
      coverage_id,
      update_id,
      content: { body: [paragraph(update_id)] },
    };
    for (;;) {
      // Each command has its own connection. A server that hands over may close an idle connection while a request
      // arrives (RFC 9112, section 9.3.1).
      const sent = client.rpc('publish_update', command).setHeader('connection', 'close');
      const { error, status } = await sent;
      if (!error) return void filed.push(update_id);
      refusals.push([status, error.code, error.message, error.details].join(' '));
      await wait(50);
    }
  }

  const done = (async () => {
    while (going) {
      await file();
      await wait(20);
    }
  })();
  return {
    filed,
    refusals,
    async stop() {
      going = false;
      await done;
    },
  };
}
