import { Agent, request } from 'node:http';

/** Connections of the flooding client. */
const CONNECTIONS = 64;

export type Answer = { status: number; ms: number };

/** Reads a page as a client behind the site's own proxy. */
export async function get(url: string, path: string, client: string, agent?: Agent): Promise<Answer> {
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

/** Sends requests over many connections until it is stopped, and counts the answers by status. */
export function flood(url: string, client: string, path: () => string) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const statuses: Record<number, number> = {};
  let isOver = false;
  const clients = Array.from({ length: CONNECTIONS }, async () => {
    while (!isOver) {
      const { status } = await get(url, path(), client, agent).catch(() => ({ status: 0 }));
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
