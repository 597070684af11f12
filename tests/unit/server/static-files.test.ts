import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { staticFiles } from '../../../src/lib/server/assets.ts';

async function serveFolder(files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'static-'));
  for (const [name, words] of Object.entries(files)) await writeFile(join(folder, name), words);
  const server = createServer(staticFiles(folder, (_request, response) => response.end('page')));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await rm(folder, { recursive: true });
  });
  return { folder, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('a file deleted since the start breaks one response, but not the server', async () => {
  const { folder, url } = await serveFolder({ 'old.js': 'old', 'new.js': 'new' });
  await rm(join(folder, 'old.js'));
  await expect(fetch(`${url}/old.js`).then((answer) => answer.text())).rejects.toThrow();
  expect(await (await fetch(`${url}/new.js`)).text()).toBe('new');
});

test.each(['bytes=5-1', 'bytes=-1', 'bytes=99-', 'lines=1'])(
  'asked for %s, a file comes whole',
  async (range) => {
    const { url } = await serveFolder({ 'words.txt': 'words' });
    const answer = await fetch(`${url}/words.txt`, {
      headers: { range },
      signal: AbortSignal.timeout(5_000),
    });
    expect([answer.status, await answer.text()]).toEqual([200, 'words']);
  },
);
