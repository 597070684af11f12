import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBackend, type TestBackend } from '../../support/backend.ts';
import { removeData } from '../../support/data-folders.ts';
import { type LargeNewsroom, newLargeDataFolder } from '../../support/rows/seed.ts';

/** Bytes of an answer in the flood: 100 updates of 10,000 characters. */
const LONGEST_ANSWER = 1_400_000;
const ANSWERS_AT_ONCE = 30;

let newsroom: LargeNewsroom & { data: string };
let backend: TestBackend;

beforeAll(async () => {
  newsroom = await newLargeDataFolder();
  backend = await startBackend({ data: newsroom.data });
}, 120_000);
afterAll(async () => {
  await backend?.stop();
  if (newsroom) await removeData(newsroom.data);
});

/** Memory of the backend's process in bytes. */
function memory() {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${backend.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** Asks for answers above the limit at once, each from another address. @returns their statuses */
const flood = (round: number) =>
  Promise.all(
    Array.from({ length: ANSWERS_AT_ONCE }, async (_, n) => {
      const query = `updates?select=id,number,body&coverage_id=eq.${newsroom.wordy.id}&order=number&limit=100`;
      const response = await fetch(`${backend.url}/rest/v1/${query}`, {
        headers: {
          ...backend.headers,
          apikey: backend.publishableKey,
          'x-forwarded-for': `203.0.${round}.${n}`,
        },
      });
      await response.arrayBuffer();
      return response.status;
    }),
  );

it('answers that are too large do not grow the memory of the process', async () => {
  let round = 0;
  // The first rounds grow the memory of engine and compiler.
  while (round < 3) await flood(round++);
  const before = memory();
  const refused: number[] = [];
  // A leak grows with the number of rounds; the growth that the engine collects later does not.
  while (round < 9) refused.push(...(await flood(round++)));
  expect(new Set(refused)).toEqual(new Set([413]));
  expect((memory() - before) / (refused.length * LONGEST_ANSWER)).toBeLessThan(0.4);
});
