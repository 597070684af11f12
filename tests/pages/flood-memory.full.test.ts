import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { getAs, startFlood } from '../support/http-load.ts';
import type { TestSite } from '../support/site.ts';
import { test as base } from '../support/test.ts';

const METRICS_TOKEN = 'metrics-token-of-the-test';

// Started like `npm start`, with the memory flags of the website process.
const test = base
  .extend('environment', { STOPPRESS_PROXIES: '1', STOPPRESS_METRICS_TOKEN: METRICS_TOKEN })
  .extend('program', 'supervisor/main');

/** Factor by which the memory of the website process may have grown after a flood. */
const GROWTH = 1.2;
/** Responses of the flood: those of about 25 seconds on a busy machine. */
const FLOOD_RESPONSES = 6_000;

const secret = () => randomBytes(32).toString('base64url');

/** Memory of the website process in bytes. */
async function residentBytes(site: TestSite): Promise<number> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const text = await (await fetch(`${site.url}/metrics`, { headers })).text();
  return Number(/^stoppress_site_resident_bytes (\S+)$/m.exec(text)?.[1]);
}

test('returns the memory of a flood', { timeout: 240_000 }, async ({ site, newsroom }) => {
  const { slug } = newsroom.coverage;
  const paths = [() => `/tips/${secret()}`, () => `/follow/live/${slug}`, () => `/unsubscribe/${secret()}`];
  // The first requests allocate memory that each page needs once.
  for (let n = 0; n < 100; n++) for (const path of paths) await getAs(site.url, path(), `198.51.100.${n}`);
  const before = await residentBytes(site);
  const floods = paths.map((path) => startFlood(site.url, '192.0.2.66', path));
  const responses = () =>
    floods.flatMap(({ statuses }) => Object.values(statuses)).reduce((a, b) => a + b, 0);
  await expect.poll(responses, { timeout: 120_000, interval: 100 }).toBeGreaterThan(FLOOD_RESPONSES);
  await Promise.all(floods.map(({ stop }) => stop()));
  await expect
    .poll(() => residentBytes(site), { timeout: 150_000, interval: 1_000 })
    .toBeLessThan(before * GROWTH);
});
