import { expect, onTestFinished, test, vi } from 'vitest';
import { pasted } from '../../../src/islands/editor/typing.ts';
import { readFeed } from '../../../src/lib/cli/import/read-feed.ts';
import { ContentLongError, textFromWordPress } from '../../../src/lib/cli/import/wordpress-body.ts';
import { addAttachment, noAttachments } from '../../../src/lib/cli/import/wordpress-pictures.ts';
import { describeUserAgent } from '../../../src/lib/data/people.ts';
import { parseBody } from '../../../src/lib/domain/body/source.ts';
import { cleanSvg } from '../../../src/lib/publishing/clean-svg.ts';
import { requestPage } from '../../../supabase/functions/_shared/http-client.ts';
import { connectionTarget, type TcpConnection } from '../../../supabase/functions/_shared/network.ts';

/* Texts that make parsers slow. Before they were limited, each took from half a minute to hours. */

/** Processor time on a busy machine. */
const MOST_CPU_MS = 3_000;

const logo = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 1">${inside}</svg>`;

const feed = (inside: string) =>
  `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">${inside}</feed>`;

/** A connection that has already received this text. */
function receivedConnection(text: string): TcpConnection {
  const readable = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
  return { readable, writable: new WritableStream<Uint8Array>(), close() {} };
}

const page = (...headers: string[]) => `HTTP/1.1 200 OK\r\n${headers.join('\r\n')}\r\n\r\n`;

/** Repeats a text up to a length. */
const long = (text: string, length: number) => text.repeat(length / text.length);

/** A WordPress text that shows a picture with a long caption many times. */
function readGalleries() {
  const attachments = noAttachments();
  const url = 'https://old.example/a.jpg';
  addAttachment(attachments, { id: '1', url, alt: 'A', caption: long('c', 2_000), credit: '' });
  return textFromWordPress(long('[gallery ids=1]', 45_000), undefined, '2026-01-01T00:00:00Z', attachments);
}

test.for<[string, () => unknown]>([
  ['a WordPress text of galleries', readGalleries],
  ['a User-Agent', () => describeUserAgent(long('/Version/!', 16_000))],
  [
    'a header of a page that is looked at',
    () =>
      requestPage(
        connectionTarget('http://news.example/'),
        receivedConnection(page(`a:${long(' ', 15_000)}\rb`, 'c: d')),
        1_000,
        'text/html',
      ),
  ],
  ['a number of a logo', () => cleanSvg(logo(`<rect x="${long('1', 65_000)}X"/>`))],
  ['transforms of a logo', () => cleanSvg(logo(long(`<g transform="${long('scale(1) ', 180)}X"/>`, 60_000)))],
  ['an attribute of a feed', () => readFeed(feed(`<title a="${long('<!--', 400_000)}">t</title>`))],
  ['elements within elements of a feed', () => readFeed(feed(long('<a>', 300_000) + long('</a>', 400_000)))],
  [
    'attributes of a feed',
    () => readFeed(feed(`<title ${Array.from({ length: 20_000 }, (_, n) => `a${n}=""`).join(' ')}/>`)),
  ],
  [
    'lists within lists of a JSON Feed',
    () => readFeed(`{"items":${long('[', 1_000_000)}${long(']', 1_000_000)}}`),
  ],
  ...['*a_ ', '>', '> ', '[a](', '![', '**a *a ', '[a]: <b\n', '`a``'].map(
    (marks): [string, () => unknown] => [
      `Markdown of nothing but ${marks.trim()}`,
      () => parseBody(long(marks, 100_000)),
    ],
  ),
])('%s takes limited time', async ([, read]) => {
  const before = process.cpuUsage();
  await Promise.resolve()
    .then(read)
    .catch(() => {});
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(MOST_CPU_MS);
});

test('refuses a WordPress text that its galleries make too long', () => {
  expect(readGalleries).toThrow(ContentLongError);
});

test('limited inputs keep their content', async () => {
  const { headers } = await requestPage(
    connectionTarget('http://news.example/'),
    receivedConnection(
      page('A:\t b c \t', 'no header', ': none', `d:${long(' ', 1_000)}g\re`, 'f: \0', 'Content-Length: 0'),
    ),
    1_000,
    'text/html',
  );
  expect(Object.fromEntries(headers)).toEqual({ a: 'b c', 'content-length': '0' });
  expect(parseBody(long('*a_ b\n', 60_000))).toHaveLength(10_000);
  const links = Array.from({ length: 40 }, (_, n) => `[w](https://example.org/${n}/${long('a_b', 1_500)})`);
  expect(parseBody(links.join('\n'))[39]).toMatchObject({
    runs: [{ text: 'w', link: expect.stringContaining('/39/') }],
  });
});

/** The part of pasted HTML that the browser parses. */
function readOf(html: string): string {
  let read = '';
  vi.stubGlobal(
    'DOMParser',
    class {
      parseFromString(given: string) {
        read = given;
        return { body: { childNodes: [] } };
      }
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const data = { getData: (type: string) => (type === 'text/html' ? html : ''), files: [] };
  pasted(data as unknown as DataTransfer, { text: '', from: 0, to: 0 });
  return read;
}

test('pasted HTML is parsed quickly, without styles', () => {
  expect(readOf('<style>p{}</style ><p style="x" title="style=">a</p><STYLE>q{}</STYLE>b')).toBe(
    '<p data-look="x" title="style=">a</p>b',
  );
  for (const bomb of ['<style', '<a', '<a style=', '</style>']) {
    const before = process.cpuUsage();
    readOf(long(bomb, 4_000_000));
    expect(process.cpuUsage(before).user / 1_000, bomb).toBeLessThan(MOST_CPU_MS);
  }
});
