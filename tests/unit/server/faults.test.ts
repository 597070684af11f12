import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { SERVER } from '../../../src/lib/i18n/cli.ts';

/** A process with an unhandled rejection, and a silent listener like Astro's. */
async function run(body: string) {
  const program = `
    import { createServer } from 'node:http';
    import { handleRequest, handleUncaughtErrors } from './src/lib/server/errors.ts';
    const seen = new Promise((resolve) => process.on('unhandledRejection', resolve));
    handleUncaughtErrors();
    const forgotten = () => void Promise.reject(new Error('forgotten'));
    ${body}`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program]);
  const said = text(child.stderr);
  const [code] = await once(child, 'close');
  return { code, said: await said };
}

test('a fault outside of requests ends the process and is logged', async () => {
  const { code, said } = await run('forgotten(); setTimeout(() => process.exit(0), 1000);');
  expect(code).toBe(1);
  expect(said).toContain(SERVER.fault);
  expect(said).toContain('forgotten');
});

test('a fault of one request is logged, and the next one is answered', async () => {
  const { code, said } = await run(`
    const server = createServer((request, response) =>
      handleRequest(request, response, async () => { setImmediate(forgotten); response.end('well'); }));
    server.listen(0, '127.0.0.1', async () => {
      const url = 'http://127.0.0.1:' + server.address().port;
      await fetch(url);
      await seen;
      process.exit((await (await fetch(url)).text()) === 'well' ? 0 : 2);
    });`);
  expect(said).toContain('forgotten');
  expect(code).toBe(0);
});
