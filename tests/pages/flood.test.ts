import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { describe, expect } from 'vitest';
import { test as base } from '../support/test.ts';

const test = base.override('environment', { STOPPRESS_PROXIES: '1' });

/** Connections of the flooding client, and for how long it floods before it has been refused, in milliseconds. */
const CONNECTIONS = 64;
const FLOOD_MS = { least: 4_000, most: 30_000 };
/** The longest that another client may wait for a page that has to be rendered, in milliseconds. */
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

type Answer = { status: number; ms: number };

async function get(url: string, path: string, client: string, agent?: Agent): Promise<Answer> {
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
function flood(url: string, path: () => string) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const statuses: Record<number, number> = {};
  let isOver = false;
  const clients = Array.from({ length: CONNECTIONS }, async () => {
    while (!isOver) {
      const { status } = await get(url, path(), ATTACKER, agent).catch(() => ({ status: 0 }));
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

describe('a flood of made-up addresses by one client', () => {
  for (const [kind, address] of Object.entries(MADE_UP)) {
    test(`is limited (${kind}), and other clients get pages in time`, async ({ site, newsroom }) => {
      const { slug } = newsroom.coverage;
      await newsroom.publish();
      await newsroom.publish();
      await get(site.url, '/about', '198.51.100.1');
      const { statuses, stop } = flood(site.url, () => address(slug));
      const began = performance.now();
      const answers: Record<string, Answer> = {};
      const goesOn = () => {
        const ms = performance.now() - began;
        return ms < FLOOD_MS.least || (!statuses[429] && ms < FLOOD_MS.most);
      };
      for (let n = 1; goesOn(); n++) {
        // A page that is never in the cache: what it shows has just changed.
        await newsroom.publish();
        answers[`live page ${n}`] = await get(site.url, `/live/${slug}`, `198.51.100.${n}`);
        answers[`update ${n}`] = await get(site.url, `/live/${slug}/${n}`, `198.51.100.${n}`);
        answers[`cached page ${n}`] = await get(site.url, '/about', ATTACKER);
      }
      await stop();
      const late = Object.entries(answers).filter(([, { status, ms }]) => status !== 200 || ms > LONGEST_MS);
      expect(late).toEqual([]);
      expect(statuses[429], JSON.stringify(statuses)).toBeGreaterThan(0);
      expect(Object.keys(statuses).filter((status) => Number(status) >= 500)).toEqual([]);
    });
  }
});
