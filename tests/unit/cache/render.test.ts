import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { createRenderer } from '../../../src/lib/server/render-pages.ts';

const render = (pages: RequestListener) =>
  createRenderer(pages, 'https://news.example')('/live/river?show=key');

test('requests a page at the configured URL as an anonymous visitor', async () => {
  const { status, headers, bodies } = await render((request, response) => {
    response.writeHead(201, { 'Content-Type': 'text/html', 'Cache-Tag': 'site' });
    response.write('a ');
    response.end(JSON.stringify([request.method, request.url, request.headers]));
  });
  expect(status).toBe(201);
  expect(headers).toMatchObject({ 'content-type': 'text/html', 'cache-tag': 'site' });
  const text = bodies.identity.toString();
  expect(text.slice(0, 2)).toBe('a ');
  expect(JSON.parse(text.slice(2))).toEqual([
    'GET',
    '/live/river?show=key',
    {
      host: 'news.example',
      'x-forwarded-host': 'news.example',
      'x-forwarded-proto': 'https',
      'user-agent': 'Stoppress',
    },
  ]);
});

test('rejects an incomplete page', async () => {
  const rendering = render((_request, response) => {
    response.writeHead(200, { 'Cache-Control': 'public, s-maxage=10' });
    response.write('half a page', () => response.destroy(new Error('The database is gone.')));
  });
  await expect(rendering).rejects.toThrow('The database is gone.');
});

test('sends the ETag of the stored page, and keeps the page on 304', async () => {
  const pages: RequestListener = (request, response) => {
    const isUnchanged = request.headers['if-none-match'] === 'W/"1"';
    response.writeHead(isUnchanged ? 304 : 200, { ETag: 'W/"1"', 'Cache-Tag': isUnchanged ? 'b' : 'a' });
    response.end(isUnchanged ? undefined : 'bytes');
  };
  const renderer = createRenderer(pages, 'https://news.example');
  const made = await renderer('/photos/x/480');
  const again = await renderer('/photos/x/480', made);
  expect(again).toMatchObject({ status: 200, headers: { 'cache-tag': 'b', etag: 'W/"1"' } });
  expect(again.headers['content-length']).toBe(made.headers['content-length']);
  expect(again.bodies.identity).toBe(made.bodies.identity);
  const other = await renderer('/photos/x/480', { ...made, headers: { etag: 'W/"0"' } });
  expect(other.bodies.identity.toString()).toBe('bytes');
});
