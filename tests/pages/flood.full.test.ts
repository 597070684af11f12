import { randomBytes } from 'node:crypto';
import { describe, expect } from 'vitest';
import { costOf, RATES } from '../../src/lib/server/route-limits.ts';
import { getAs, startFlood, type TimedResponse } from '../support/http-load.ts';
import { test as base } from '../support/test.ts';

const test = base.extend('environment', { STOPPRESS_PROXIES: '1' });

/** Shortest duration of a flood, and longest wait for a refusal, in milliseconds. */
const FLOOD_MS = { least: 4_000, most: 20_000 };
/** Longest wait of another client for a page that has to be rendered, in milliseconds. */
const LONGEST_MS = 3_000;

const ATTACKER = '192.0.2.66';
const secret = () => randomBytes(32).toString('base64url');
const number = () => 1 + Math.floor(Math.random() * 1e8);

/** Addresses that a client can make up without end. */
const MADE_UP: Record<string, (slug: string) => string> = {
  'receipts of tips': () => `/tips/${secret()}`,
  'links of mails': () => `/unsubscribe/${secret()}`,
  'follow pages': (slug) => `/follow/live/${slug}?x=${number()}`,
  invitations: () => `/invites/${secret()}`,
  'sign-in pages': () => `/sign-in?x=${number()}`,
  people: () => `/people/p${number()}`,
  'numbers of updates': (slug) => `/live/${slug}/${number()}`,
  changes: (slug) => `/live/${slug}/changes?after=${number()}`,
  'earlier pages': (slug) => `/live/${slug}?before=${number()}`,
  searches: () => `/search?q=w${number()}`,
};

describe('flood of made-up addresses from one client', () => {
  for (const [kind, address] of Object.entries(MADE_UP)) {
    test(`limits the client (${kind}) and serves pages to others in time`, async ({ site, newsroom }) => {
      const { slug } = newsroom.coverage;
      await newsroom.publish();
      await newsroom.publish();
      await getAs(site.url, '/about', '198.51.100.1');
      const { statuses, stop } = startFlood(site.url, ATTACKER, () => address(slug));
      const startedAt = performance.now();
      const answers: Record<string, TimedResponse> = {};
      const isFlooding = () => {
        const ms = performance.now() - startedAt;
        return ms < FLOOD_MS.least || (!statuses[429] && ms < FLOOD_MS.most);
      };
      for (let n = 1; isFlooding(); n++) {
        // The new update invalidates the live page, so it is never cached.
        await newsroom.publish();
        answers[`live page ${n}`] = await getAs(site.url, `/live/${slug}`, `198.51.100.${n}`);
        answers[`update ${n}`] = await getAs(site.url, `/live/${slug}/${n}`, `198.51.100.${n}`);
        answers[`cached page ${n}`] = await getAs(site.url, '/about', ATTACKER);
      }
      await stop();
      const seconds = (performance.now() - startedAt) / 1000;
      const late = Object.entries(answers).filter(([, { status, ms }]) => status !== 200 || ms > LONGEST_MS);
      expect(late).toEqual([]);
      // A slow machine may answer so few requests that it never has to refuse one.
      const cost = costOf(address(slug));
      if (cost === 'file') throw new Error(`${kind} have no limit`);
      const { burst, perSecond } = RATES[cost];
      const { 429: _refused, ...answered } = statuses;
      const count = Object.values(answered).reduce((sum, n) => sum + n, 0);
      expect(count, JSON.stringify(statuses)).toBeLessThanOrEqual(burst + Math.ceil(perSecond * seconds));
      expect(Object.keys(statuses).filter((status) => Number(status) >= 500)).toEqual([]);
    });
  }
});
