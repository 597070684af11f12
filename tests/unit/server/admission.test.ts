import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { checkRequests } from '../../../src/lib/server/outer-server.ts';

const SITE = 'https://newsroom.example';

/** Whether a request reaches the pages. */
function isPassedOn(method: string, url: string, headers: Record<string, string>): boolean {
  let isPassed = false;
  const request = {
    method,
    url,
    headers: { host: 'newsroom.example', 'x-forwarded-proto': 'https', ...headers },
  };
  const response = { setHeader: () => response, writeHead: () => response, end: () => response };
  const check = checkRequests(() => {
    isPassed = true;
  });
  check(request as unknown as IncomingMessage, response as unknown as ServerResponse);
  return isPassed;
}

describe('checkRequests', () => {
  it.each([
    ['of this site', { origin: SITE }, true],
    ['of this site, named by the browser', { origin: SITE, 'sec-fetch-site': 'same-origin' }, true],
    ['of another site', { origin: 'https://evil.example' }, false],
    ['of another scheme', { origin: 'http://newsroom.example' }, false],
    ['of a sandboxed frame', { origin: 'null' }, false],
    ['without an origin', {}, false],
    ['of another site with a copied origin', { origin: SITE, 'sec-fetch-site': 'cross-site' }, false],
    ['of another host of the domain', { origin: SITE, 'sec-fetch-site': 'same-site' }, false],
  ])('decides about a form %s', (_from, headers, isAccepted) => {
    expect(isPassedOn('POST', '/sign-in', headers)).toBe(isAccepted);
  });

  it('accepts reads from everywhere', () => {
    expect(isPassedOn('GET', '/sign-in', { 'sec-fetch-site': 'cross-site' })).toBe(true);
  });

  it('refuses methods that a page does not have', () => {
    expect(isPassedOn('DELETE', '/sign-in', { origin: SITE })).toBe(false);
  });
});
