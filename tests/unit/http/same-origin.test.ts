import { expect, test } from 'vitest';
import { isSameOrigin } from '../../../src/lib/http/request.ts';

const HERE = 'https://news.example';
const request = (method: string, headers: Record<string, string>) =>
  new Request(`${HERE}/api`, { method, headers });

test.each([
  ['a page of this site', 'POST', { 'sec-fetch-site': 'same-origin', origin: HERE }, true],
  ['a page of another', 'POST', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, false],
  ['a page of a sibling', 'GET', { 'sec-fetch-site': 'same-site' }, false],
  ['an old browser, from here', 'POST', { origin: HERE }, true],
  ['an old browser, from elsewhere', 'POST', { origin: 'https://evil.example' }, false],
  ['nobody says', 'POST', {}, false],
  ['an old browser that reads', 'GET', {}, true],
])('checks the origin of %s', (_who, method, headers, same) => {
  expect(isSameOrigin(request(method, headers as Record<string, string>), HERE)).toBe(same);
});
