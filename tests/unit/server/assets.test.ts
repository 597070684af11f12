import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { serveAssets, storeBuild } from '../../../src/lib/server/assets.ts';

/** A build folder with one script, and a folder of stored builds. */
async function open() {
  const folder = await mkdtemp(join(tmpdir(), 'builds-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [dist, builds] = [join(folder, 'dist'), join(folder, 'builds')];
  return {
    dist,
    builds,
    /** Replaces the build. */
    async build(name: string) {
      await rm(dist, { recursive: true, force: true });
      await mkdir(dist);
      await writeFile(join(dist, `${name}.js`), name);
      await writeFile(join(dist, `${name}.js.br`), `${name} by brotli`);
    },
    /** Sets the last start of a stored build. */
    async age(name: string, hours: number) {
      const then = new Date(Date.now() - hours * 3_600_000);
      await utimes(join(builds, name), then, then);
    },
  };
}

async function serve(builds: string, own: string) {
  const server = createServer(serveAssets(builds, own, (_request, response) => void response.end('next')));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return async (path: string, headers = {}) => {
    const request = get({ port, path, headers, agent: false });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
  };
}

test('keeps scripts of earlier builds for open pages', async () => {
  const { dist, builds, build, age } = await open();
  await build('first');
  await storeBuild(builds, 'one', dist);
  const ask = await serve(builds, dist);
  for (const [hours, id, name] of [
    [3, 'one', 'first'],
    [2, 'two', 'second'],
    [1, 'three', 'third'],
  ] as const) {
    await build(name);
    await storeBuild(builds, id, dist);
    await age(id, hours);
    expect((await ask('/_astro/first.js')).body).toBe('first');
    expect((await ask(`/_astro/${name}.js`)).body).toBe(name);
  }
  // A running build has started to overwrite a file that a stored build has too.
  await writeFile(join(dist, 'third.js'), 'thi');
  expect((await ask('/_astro/third.js')).body).toBe('third');
  await mkdir(join(builds, '.partial-1-1'));
  await age('.partial-1-1', 2);
  await mkdir(join(builds, '.partial-2-2'));
  await writeFile(join(builds, '.partial-2-2', 'fourth.js'), 'fou');
  expect((await ask('/_astro/fourth.js')).status).toBe(404);
  await build('fourth');
  await storeBuild(builds, 'four', dist);
  expect((await readdir(builds)).sort()).toEqual(['.partial-2-2', 'four', 'three', 'two']);
  expect(await ask('/_astro/first.js')).toMatchObject({ status: 404, body: '' });
  // A restarted build counts as recent.
  await age('two', 9);
  await storeBuild(builds, 'two', dist);
  await build('fifth');
  await storeBuild(builds, 'five', dist);
  expect((await readdir(builds)).sort()).toEqual(['.partial-2-2', 'five', 'four', 'two']);
});

test('stores a build once with several processes', async () => {
  const { dist, builds, build } = await open();
  await build('first');
  await Promise.all([1, 2, 3].map(() => storeBuild(builds, 'one', dist)));
  expect(await readdir(builds)).toEqual(['one']);
  expect(await readdir(join(builds, 'one'))).toEqual(['first.js', 'first.js.br']);
});

test('serves scripts from the build if nothing can be stored, without partial files', async () => {
  const { dist, builds, build } = await open();
  await build('first');
  await writeFile(builds, 'no folder');
  await expect(storeBuild(builds, 'one', dist)).rejects.toThrow();
  const ask = await serve(builds, dist);
  expect((await ask('/_astro/first.js')).body).toBe('first');
  await rm(builds);
  await expect(storeBuild(builds, 'one', join(dist, 'missing'))).rejects.toThrow();
  expect(await readdir(builds)).toEqual([]);
});

test("serves scripts in the client's best encoding, with an unlimited lifetime", async () => {
  const { dist, builds, build } = await open();
  await build('first');
  const ask = await serve(builds, dist);
  const { headers, body } = await ask('/_astro/first.js', { 'accept-encoding': 'gzip, br' });
  expect(body).toBe('first by brotli');
  expect(headers).toEqual({
    'content-type': 'text/javascript',
    // For frames without an origin.
    'access-control-allow-origin': '*',
    'content-length': '15',
    'content-encoding': 'br',
    'cache-control': 'public,max-age=31536000,immutable',
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
    date: expect.any(String),
    connection: 'close',
  });
  const plain = await ask('/_astro/first.js?astro-retry=1', { 'accept-encoding': 'br;q=0' });
  expect([plain.body, plain.headers['content-encoding']]).toEqual(['first', undefined]);
});

test.each([
  '/_astro/',
  '/_astro/../dist/first.js',
  '/_astro/%2e%2e/first.js',
  '/_astro/.hidden.js',
  '/_astro/first.js.br',
  '/first.js',
])('does not serve %s', async (path) => {
  const { dist, builds, build } = await open();
  await build('first');
  await writeFile(join(dist, '.hidden.js'), 'hidden');
  const ask = await serve(builds, dist);
  expect((await ask(path)).body).toBe('next');
});
