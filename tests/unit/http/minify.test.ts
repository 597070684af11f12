import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { accentStyle } from '../../../src/lib/domain/colours.ts';
import { minifyResponse } from '../../../src/lib/http/minify.ts';
import { scriptJson } from '../../../src/lib/publishing/structured-data.ts';

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const POLICY = `default-src 'self'; script-src 'self' ${hash('a()')} ${hash('b()')}; style-src 'self' ${hash('p{}')} ${hash('q{}')};`;

const page = (body: string, type = 'text/html') =>
  new Response(body, {
    status: 410,
    headers: { 'Content-Type': type, 'Content-Security-Policy': POLICY, ETag: 'W/"1"' },
  });

test("a policy allows the page's own scripts and styles of the site's list only", async () => {
  const html = '<style>p{}</style><script>a()</script><script type="module">slippedIn()</script>';
  const answer = await minifyResponse(page(html));
  expect(answer.headers.get('content-security-policy')).toBe(
    `default-src 'self'; script-src 'self' ${hash('a()')}; style-src 'self' ${hash('p{}')};`,
  );
  expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([410, 'W/"1"', html]);
});

test('text in attributes is neither start nor end of a script', async () => {
  const colours = accentStyle({ accent: '#0b5fa5', accent_dark: '#7ab8ff' });
  for (const words of [
    '<script>',
    '<style>',
    '</script><script>b()</script>',
    '<!--',
    "'>",
    `<style>${colours}</style>`,
  ]) {
    const html = `<meta content="${words}"><style>p{}</style><script data-said="${words}">a()</script><p title='"'>`;
    const policy = (await minifyResponse(page(html))).headers.get('content-security-policy');
    expect(policy, words).toBe(
      `default-src 'self'; script-src 'self' ${hash('a()')}; style-src 'self' ${hash('p{}')};`,
    );
  }
});

test("the policy allows the owner's colours, but no similar script", async () => {
  const colours = accentStyle({ accent: '#0b5fa5', accent_dark: '#7ab8ff' });
  const html = `<style>p{}</style><style>${colours}</style><style>${colours}p{}</style>`;
  const policy = async (html: string) =>
    (await minifyResponse(page(html))).headers.get('content-security-policy');
  expect(await policy(html)).toBe(
    `default-src 'self'; script-src 'self'; style-src 'self' ${hash(colours)} ${hash('p{}')};`,
  );
  expect(await policy(`<script>${colours}</script>`)).toBe(
    "default-src 'self'; script-src 'self'; style-src 'self';",
  );
});

test('decodes apostrophes, and keeps typed entities', async () => {
  const told = `<script type="application/ld+json">${scriptJson({ said: '&#x27;' })}</script>`;
  const answer = await minifyResponse(page(`<p title="It&#39;s">It&#x27;s &amp;#x27;</p>${told}`));
  const html = await answer.text();
  expect(html).toContain(`<p title="It's">It's &amp;#x27;</p>`);
  expect(JSON.parse(/json">(.*)<\/script>/.exec(html)?.[1] ?? '')).toEqual({ said: '&#x27;' });
});

test('leaves other content types unchanged', async () => {
  const picture = page('&#39;', 'image/svg+xml');
  expect(await minifyResponse(picture)).toBe(picture);
  const nothing = new Response(null, { status: 304, headers: { 'Content-Type': 'text/html' } });
  expect(await minifyResponse(nothing)).toBe(nothing);
});
