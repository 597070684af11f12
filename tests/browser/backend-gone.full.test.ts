import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test as base } from '../support/browser.ts';
import { openLivePage } from '../support/live-page.ts';
import { call } from '../support/newsroom.ts';

const test = base.extend('ownSite', true);

/** Time for a restart of the backend on a busy machine. */
const RECOVERY = { timeout: 40_000 };

test('shows that a page is behind while the backend is gone, keeps its text, and catches up automatically', {
  timeout: 120_000,
}, async ({ site, newsroom, visit }) => {
  const { coverage, people, publish } = newsroom;
  await call(people.editor.client, 'save_coverage', {
    coverage_id: coverage.id,
    version: 1,
    content: { reader_follow_mode: 'sockets', check_interval_seconds: 10 },
  });
  const { page, expectError } = await visit();
  // The browser logs failed responses and sockets.
  expectError(/status of 503|WebSocket connection to/);
  let joins = 0;
  let lost = 0;
  page.on('websocket', (socket) => {
    socket.on('close', () => lost++);
    socket.on('framereceived', ({ payload }) => {
      if (/"realtime:coverage:.*"status":"ok"/.test(String(payload))) joins++;
    });
  });
  const reader = await openLivePage(page, coverage.slug);
  await expect.poll(() => joins).toBe(1);
  await publish({ headline: 'Before the fall' });
  await expect.poll(reader.numbers).toEqual([1]);
  await expect.poll(reader.status).toMatch(/^Live/);
  const words = await reader.text(1);

  const { pid } = JSON.parse(await readFile(join(site.data, 'backend.json'), 'utf8')) as { pid: number };
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => lost).toBe(1);
  // The next poll would come within an interval, when the backend may be back: it is triggered now.
  await reader.nextCheck();
  await expect.poll(reader.status).toMatch(/^Out of date · since \d\d:\d\d/);
  expect(await reader.text(1)).toBe(words);

  await expect
    .poll(async () => (await fetch(`${site.url}/live/${coverage.slug}/changes?after=0`)).status, RECOVERY)
    .toBe(200);
  await publish({ headline: 'After the fall' });
  await page.clock.fastForward(20_500);
  await expect.poll(reader.numbers, RECOVERY).toEqual([2, 1]);
  await expect.poll(reader.status).toMatch(/^Live/);
  expect(await reader.text(1)).toBe(words);
  await expect.poll(() => joins, RECOVERY).toBe(2);
});
