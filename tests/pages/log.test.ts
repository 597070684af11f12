import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { TestSite } from '../support/site.ts';
import { test as base } from '../support/test.ts';

const test = base.extend('environment', { STOPPRESS_LOG: 'json', STOPPRESS_LOG_LEVEL: 'debug' });

type Line = { level: string; msg: string; method?: string };

const outputLines = (site: TestSite) => `${site.output()}\n${site.errors()}`.split('\n').filter(Boolean);

/** Lines of the log. A line that is not JSON fails the test. */
const linesOf = (site: TestSite) => outputLines(site).map((line) => JSON.parse(line) as Line);

/**
 * Milliseconds that a client leaves a body unfinished before it closes the connection. The pause is part of the case:
 * website and backend must both be reading the body when the connection ends, and neither reports that it does.
 */
const STALL_MS = 500;

/** Sends the beginning of a body, and closes the connection while the server reads. */
async function abortBody(site: TestSite, path: string): Promise<void> {
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
  await wait(STALL_MS);
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
    await fetch(`${site.url}/functions/v1/submit-tip`, {
      method: 'POST',
      headers: { apikey: site.publishableKey },
    });
    await Promise.all(BODIES.map((path) => abortBody(site, path)));
    const requests = () => linesOf(site).filter(({ method }) => method === 'POST').length;
    await expect.poll(requests).toBeGreaterThan(BODIES.length);
    // The backend logs the aborted requests before it answers these.
    for (const path of ['/rest/v1/site', '/functions/v1/submit-tip'])
      await fetch(site.url + path, { method: 'POST', headers: { apikey: site.publishableKey } });
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
