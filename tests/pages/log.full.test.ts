import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { TestSite } from '../support/site.ts';
import { test as base } from '../support/test.ts';

const test = base.extend('environment', { STOPPRESS_LOG: 'json', STOPPRESS_LOG_LEVEL: 'debug' });

type Line = { level: string; msg: string; method?: string };

const outputLines = (site: TestSite) => `${site.output()}\n${site.errors()}`.split('\n').filter(Boolean);

/** Lines of the log. A line that is not JSON fails the test. */
const linesOf = (site: TestSite) => outputLines(site).map((line) => JSON.parse(line) as Line);

const post = (site: TestSite, path: string) =>
  fetch(site.url + path, { method: 'POST', headers: { apikey: site.publishableKey } });

/** Sends the beginning of a body. @returns its connection */
async function beginBody(site: TestSite, path: string): Promise<Socket> {
  const { host, port } = new URL(site.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    `Origin: ${site.url}`,
    `apikey: ${site.publishableKey}`,
    'Content-Type: application/json',
    'Content-Length: 5000',
  ];
  await new Promise((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\n{"slug":`, resolve));
  return socket;
}

async function abort(socket: Socket): Promise<void> {
  socket.resetAndDestroy();
  await once(socket, 'close');
}

const BODIES = [
  '/rest/v1/rpc/resolve_slug',
  '/auth/v1/token?grant_type=password',
  '/storage/v1/object/photos/x',
  '/functions/v1/submit-tip',
  '/sign-in',
];

describe('log', () => {
  test('contains no error of the server when a client aborts a body', async ({ site }) => {
    // The first request starts the function.
    await post(site, '/functions/v1/submit-tip');
    const sockets = await Promise.all(BODIES.map((path) => beginBody(site, path)));
    // Both servers accept requests in order: once they answer these, they are reading the bodies.
    for (const path of ['/rest/v1/site', '/functions/v1/submit-tip']) await post(site, path);
    await Promise.all(sockets.map(abort));
    const requests = () => linesOf(site).filter(({ method }) => method === 'POST').length;
    await expect.poll(requests).toBeGreaterThan(BODIES.length + 2);
    // The backend logs the aborted requests before it answers these.
    for (const path of ['/rest/v1/site', '/functions/v1/submit-tip']) await post(site, path);
    expect(linesOf(site).filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('contains only JSON lines, also when pages fail', async ({ site }) => {
    const { pid } = JSON.parse(await readFile(join(site.data, 'backend.json'), 'utf8')) as { pid: number };
    process.kill(pid, 'SIGSTOP');
    try {
      const paths = ['/people/ada', `/tips/${'x'.repeat(43)}`, '/desk', '/live/river', '/sign-in'];
      const answers = await Promise.all(paths.map((path) => fetch(site.url + path)));
      expect(answers.map(({ status }) => status)).toContain(503);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    expect(linesOf(site).length).toBeGreaterThan(5);
  });
});
