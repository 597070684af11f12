import { expect } from 'vitest';
import type { Block } from '../../src/lib/domain/body/blocks.ts';
import { reader as words } from '../../src/lib/i18n/en/reader.ts';
import { paragraph } from '../support/newsroom.ts';
import { test } from '../support/test.ts';
import { ask, live } from './reading-context.ts';

const YOUTUBE: Block = {
  type: 'media',
  url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
  title: 'The bridge <b>',
  description: 'It fell.',
};
const VIMEO: Block = { type: 'media', url: 'https://vimeo.com/1', title: 'The quay' };

const framesOf = (response: Response) =>
  /frame-src ([^;]*)/.exec(response.headers.get('content-security-policy') ?? '')?.[1];

/** Addresses that a browser requests when it reads the page. */
const requestedBy = (html: string) =>
  [
    ...html.matchAll(
      /<(?!a |meta |link rel="(?:canonical|alternate|prev|next)")[a-z][^>]*(?:src|href|srcset|data|poster)="([^"]*)"/g,
    ),
  ]
    .flatMap(([tag, url = '']) => (/ data-player="/.test(tag) ? [] : [url]))
    .filter((url) => /^(?:https?:)?\/\//.test(url));

test('allows the players of a page and no others, and requests nothing from their hosts', async ({
  site,
  newsroom,
}) => {
  await newsroom.publish({ body: [paragraph('No player')] });
  const plain = await ask(site, live(newsroom));
  expect(framesOf(plain)).toBeUndefined();
  expect(await plain.text()).not.toContain('data-player');

  await newsroom.publish({ body: [paragraph('Look'), YOUTUBE] });
  await expect
    .poll(async () => framesOf(await ask(site, live(newsroom))))
    .toBe('https://www.youtube-nocookie.com');
  const page = await ask(site, live(newsroom));
  const html = await page.text();
  expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
  expect(html).not.toContain('<iframe');
  expect(requestedBy(html)).toEqual([]);
  expect(html).toContain(words.player.play('youtube-nocookie.com'));
  expect(html).toContain('<a href="https://www.youtube.com/watch?v=dQw4w9WgXcQ">The bridge &lt;b&gt;</a>');

  expect(framesOf(await ask(site, live(newsroom, '/1')))).toBeUndefined();
  expect(framesOf(await ask(site, live(newsroom, '/2')))).toBe('https://www.youtube-nocookie.com');
  // A frame of another site has a policy of its own, with which no player loads.
  expect(framesOf(await ask(site, live(newsroom, '/embed')))).toBeUndefined();
  // From the cache.
  expect(framesOf(await ask(site, live(newsroom, '/2')))).toBe('https://www.youtube-nocookie.com');
  expect(framesOf(await ask(site, '/'))).toBeUndefined();
});

test('names the players of updates, summary and folded texts, each once', async ({ site, newsroom }) => {
  await newsroom.publish({ body: [paragraph('word '.repeat(350)), YOUTUBE, YOUTUBE] });
  await newsroom.setSummary([VIMEO]);
  await expect
    .poll(async () => framesOf(await ask(site, live(newsroom))))
    .toBe('https://player.vimeo.com https://www.youtube-nocookie.com');
  expect(framesOf(await ask(site, live(newsroom, '?show=key')))).toBe('https://player.vimeo.com');
});
