import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { test as base } from '../support/test.ts';

const SITE = 'https://news.example';
const test = base.extend('environment', { SITE_URL: SITE });

/** Requests a page under another host name. */
async function requestAs(host: string, url: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{ html: string; headers: Headers }>();
  request(
    url,
    { headers: { Host: host, 'X-Forwarded-Host': host, 'X-Forwarded-Proto': 'http' } },
    (answer) => {
      text(answer).then(
        (html) => resolve({ html, headers: new Headers(answer.headers as Record<string, string>) }),
        reject,
      );
    },
  )
    .on('error', reject)
    .end();
  return promise;
}

test('writes the configured site address, whatever host a request names', async ({ site, newsroom }) => {
  await newsroom.publish({ headline: 'A headline' });
  const path = `/live/${newsroom.coverage.slug}`;
  for (const page of ['/', path, `${path}/1`]) {
    const { html, headers } = await requestAs('evil.example', `${site.url}${page}`);
    expect(html).toContain(`<link rel="canonical" href="${SITE}${page}">`);
    expect(html).toContain(`<meta property="og:url" content="${SITE}${page}">`);
    expect(html).not.toContain('evil.example');
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  }
});
