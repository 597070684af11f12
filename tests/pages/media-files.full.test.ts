import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import { MAX_MEDIA_BYTES, mediaFileOf } from '../../src/lib/domain/media-files.ts';
import { reader as words } from '../../src/lib/i18n/en/reader.ts';
import { signInWithCookies } from '../support/http-client.ts';
import { addMedia, checkMedia, fileBlock, makeMedia, registerMedia, uploadMedia } from '../support/media.ts';
import { type Newsroom, paragraph } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';
import { dataOf } from '../support/structured-data.ts';
import { test } from '../support/test.ts';

const get = (site: TestSite, path: string, headers: Record<string, string> = {}) =>
  fetch(`${site.url}${path}`, { headers });
const pageOf = async (site: TestSite, { coverage }: Newsroom, rest = '') =>
  (await get(site, `/live/${coverage.slug}${rest}`)).text();

/** Time for an invalidation to arrive on a busy machine. */
const INVALIDATION_MS = 5_000;

test('is sent to readers in full and in ranges while a published update shows it', async ({
  site,
  newsroom,
}) => {
  const { path, bytes, block } = await addMedia(site, newsroom, { seconds: 94 });
  expect((await get(site, path)).status).toBe(404);
  const update = await newsroom.publish({ body: [paragraph('Look'), block] });

  const whole = await get(site, path);
  expect(whole.status).toBe(200);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    'content-type': 'video/mp4',
    'content-length': `${bytes.length}`,
    'accept-ranges': 'bytes',
    'cache-control': 'public, no-cache',
    'x-content-type-options': 'nosniff',
  });
  expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);

  const last = bytes.length - 1;
  for (const [range, start, end] of [
    ['bytes=0-99', 0, 99],
    ['bytes=100-', 100, last],
    ['bytes=-50', last - 49, last],
    [`bytes=0-${bytes.length * 2}`, 0, last],
  ] as const) {
    const part = await get(site, path, { range });
    expect(part.status, range).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes ${start}-${end}/${bytes.length}`);
    expect(part.headers.get('content-length')).toBe(`${end - start + 1}`);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(start, end + 1)), range).toBe(true);
  }
  for (const range of [`bytes=${bytes.length}-`, 'bytes=-0']) {
    const none = await get(site, path, { range });
    expect(none.status, range).toBe(416);
    expect(none.headers.get('content-range')).toBe(`bytes */${bytes.length}`);
  }
  for (const range of ['bytes=9-1', 'lines=0-1', 'bytes=0-1,4-5', 'bytes=-']) {
    expect((await get(site, path, { range })).status, range).toBe(200);
  }
  const etag = whole.headers.get('etag') ?? '';
  expect((await get(site, path, { 'if-none-match': etag })).status).toBe(304);
  expect((await get(site, path, { range: 'bytes=0-1', 'if-range': etag })).status).toBe(206);
  expect((await get(site, path, { range: 'bytes=0-1', 'if-range': '"x"' })).status).toBe(200);
  const head = await fetch(`${site.url}${path}`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, `${bytes.length}`]);

  expect((await get(site, path.replace('-94', ''))).status).toBe(404);
  expect((await get(site, path.replace('.mp4', '.webm'))).status).toBe(404);
  await newsroom.withdraw(update, 'Not true.');
  expect((await get(site, path, { range: 'bytes=0-1' })).status).toBe(404);
});

test('is text, a link and nothing else until it is pressed', async ({ site, newsroom }) => {
  const { path, block } = await addMedia(site, newsroom, { seconds: 94, bytes: makeMedia('mp4', 1_234_567) });
  await newsroom.publish({ body: [paragraph('Look'), block] });
  const file = mediaFileOf(path);
  if (!file) throw new Error('The path is that of a file.');
  for (const rest of ['', '/1', '/changes?after=0']) {
    await vi.waitFor(async () => expect(await pageOf(site, newsroom, rest)).toContain(path), INVALIDATION_MS);
    const html = await pageOf(site, newsroom, rest);
    expect(html).toContain(`<a href="${path}" data-file="video">${words.player.playFile(file)}</a>`);
    expect(html).toContain(`<a href="${path}">The bridge</a><span>It fell.</span><span>At noon.</span>`);
    expect(html).toContain(`<cite>${words.player.file(file)}</cite>`);
    expect(html).not.toMatch(/<(?:video|audio|source|iframe)\b|preload"/);
    // Every address of the file is a link or data.
    const addressed = html.split(path).length - 1;
    const links = html.split(`href="${path}"`).length - 1;
    const data = html.split(`contentUrl":"${site.url}${path}`).length - 1;
    expect(links + data, rest).toBe(addressed);
  }
  expect(words.player.playFile(file)).toBe('Play video, 1:34, 1.2 MB');
  const page = await get(site, `/live/${newsroom.coverage.slug}/1`);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
  expect(page.headers.get('content-security-policy')).not.toMatch(/frame-src|media-src/);
  expect(await pageOf(site, newsroom, '/embed')).toContain(`href="${path}"`);
  const data = dataOf(await pageOf(site, newsroom)).join();
  expect(data).toContain(`"contentUrl":"${site.url}${path}","encodingFormat":"video/mp4"`);
  expect(data).toContain('"duration":"PT94S"');
});

test('is an attachment of feeds, with its type, size and length', async ({ site, newsroom }) => {
  const { path, block, bytes } = await addMedia(site, newsroom, { format: 'mp3', seconds: 61 });
  await newsroom.publish({ body: [block] });
  const feed = `/live/${newsroom.coverage.slug}/feed`;
  const url = `${site.url}${path}`;
  await vi.waitFor(
    async () => expect(await (await get(site, `${feed}.json`)).text()).toContain(url),
    INVALIDATION_MS,
  );
  const { items } = (await (await get(site, `${feed}.json`)).json()) as { items: Record<string, unknown>[] };
  expect(items[0]).toMatchObject({
    attachments: [
      {
        url,
        mime_type: 'audio/mpeg',
        title: 'The bridge',
        size_in_bytes: bytes.length,
        duration_in_seconds: 61,
      },
    ],
    content_html: expect.stringContaining(`<a href="${url}">The bridge</a>`),
  });
  const atom = await (await get(site, `${feed}.atom`)).text();
  expect(atom).toContain(
    `<link rel="enclosure" type="audio/mpeg" length="${bytes.length}" title="The bridge" href="${url}"/>`,
  );
});

test('is refused when it is something else, and its object is deleted', async ({ site, newsroom }) => {
  const { people, coverage } = newsroom;
  const { client } = people.reporter;
  for (const [format, bytes, type] of [
    ['mp4', makeMedia('webm'), 'video/webm'],
    ['mp3', makeMedia('mp4'), 'video/mp4'],
    ['webm', makeMedia('m4a'), 'audio/mp4'],
  ] as const) {
    const id = await registerMedia(client, coverage.id, format);
    expect((await uploadMedia(client, id, bytes, type)).error).toBeNull();
    expect(await checkMedia(site, id)).toEqual({
      id,
      state: 'refused',
      refusal_code: 'unsupported_media',
      path: null,
    });
    expect((await get(site, `/media/${id}/${bytes.length}.${format}`)).status).toBe(404);
    expect((await site.service.storage.from('media').exists(id)).data).toBe(false);
    expect((await uploadMedia(client, id, makeMedia(format), type)).error).toMatchObject({ status: 400 });
  }
});

test('waits while it has not arrived, and unknown ids are not found', async ({ site, newsroom }) => {
  const { people, coverage } = newsroom;
  const id = await registerMedia(people.reporter.client, coverage.id);
  expect(await checkMedia(site, id)).toMatchObject({ state: 'uploading', path: null });
  const post = (file: string, origin = site.url) =>
    fetch(`${site.url}/api/media/${file}`, { method: 'POST', headers: { origin } });
  expect((await post(randomUUID())).status).toBe(404);
  expect((await post('x')).status).toBe(404);
  expect((await post(id, 'https://evil.example')).status).toBe(403);
});

test('is open to the staff of its desk before publication, and to nobody else', async ({
  site,
  newsroom,
}) => {
  const { path } = await addMedia(site, newsroom);
  const { people } = newsroom;
  expect((await get(site, `/desk${path}`)).status).toBe(401);
  const reader = await signInWithCookies(site.url, people.reader);
  expect((await reader.get(`/desk${path}`)).status).toBe(404);
  const editor = await signInWithCookies(site.url, people.editor);
  const part = await editor.get(`/desk${path}`, { range: 'bytes=0-9' });
  expect([part.status, part.headers.get('cache-control')]).toEqual([206, 'private, no-cache']);
  expect((await editor.get(path)).status).toBe(404);
});

type Upload = { bytes: Buffer; url?: string; length?: number };

const CHUNK_BYTES = 6 * 1024 * 1024;

/**
 * Sends the next part of a file by TUS, as the desk does; the first call creates the upload.
 * @returns its address, and how many bytes have arrived
 */
async function sendPart(site: TestSite, { people }: Newsroom, id: string, { bytes, url, length }: Upload) {
  const { data } = await people.reporter.client.auth.getSession();
  const headers = {
    apikey: site.publishableKey,
    authorization: `Bearer ${data.session?.access_token}`,
    'tus-resumable': '1.0.0',
  };
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  if (!url) {
    const created = await fetch(`${site.url}/storage/v1/upload/resumable`, {
      method: 'POST',
      headers: {
        ...headers,
        'upload-length': `${length ?? bytes.length}`,
        'upload-metadata': `bucketName ${base64('media')},objectName ${base64(id)},contentType ${base64('video/mp4')}`,
      },
    });
    const location = created.headers.get('location') ?? '';
    return { status: created.status, url: URL.parse(location, created.url)?.href, offset: 0 };
  }
  const asked = await fetch(url, { method: 'HEAD', headers });
  const offset = Number(asked.headers.get('upload-offset'));
  const part = await fetch(url, {
    method: 'PATCH',
    headers: { ...headers, 'upload-offset': `${offset}`, 'content-type': 'application/offset+octet-stream' },
    body: new Uint8Array(bytes.subarray(offset, offset + CHUNK_BYTES)),
  });
  return { status: part.status, url, offset: Number(part.headers.get('upload-offset')) };
}

test('continues an interrupted upload with the rest', async ({ site, newsroom }) => {
  const bytes = makeMedia('mp4', CHUNK_BYTES + 1_000_000);
  const id = await registerMedia(newsroom.people.reporter.client, newsroom.coverage.id);
  const { url } = await sendPart(site, newsroom, id, { bytes });
  expect(await sendPart(site, newsroom, id, { bytes, url })).toMatchObject({
    status: 204,
    offset: CHUNK_BYTES,
  });
  expect(await checkMedia(site, id)).toMatchObject({ state: 'uploading' });
  expect(await sendPart(site, newsroom, id, { bytes, url })).toMatchObject({ offset: bytes.length });
  const { path } = await checkMedia(site, id);
  await newsroom.publish({ body: [fileBlock(path ?? '')] });
  const stored = await get(site, path ?? '');
  expect(Buffer.from(await stored.arrayBuffer()).equals(bytes)).toBe(true);
});

test('larger than 100 MB is refused before a byte is sent', async ({ site, newsroom }) => {
  const id = await registerMedia(newsroom.people.reporter.client, newsroom.coverage.id);
  const length = MAX_MEDIA_BYTES + 1;
  expect(await sendPart(site, newsroom, id, { bytes: Buffer.alloc(0), length })).toMatchObject({
    status: 413,
  });
  expect(await checkMedia(site, id)).toMatchObject({ state: 'uploading' });
});
