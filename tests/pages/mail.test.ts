import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SERVER } from '../../src/lib/i18n/cli.ts';
import { type MailServer, startMailServer } from '../support/mail.ts';
import { startSite, type TestSite } from '../support/site.ts';

let server: MailServer;
let without: TestSite;
let withServer: TestSite;
beforeAll(async () => {
  server = await startMailServer();
  // What the launcher of a demo sets is not a person's to set.
  without = await startSite({ environment: { STOPPRESS_MAILBOX: 'on' } });
  withServer = await startSite({ environment: server.environment });
});
afterAll(async () => {
  await without.stop();
  await withServer.stop();
  await server.stop();
});

/** On the site's port and on the backend's own. */
async function mailboxStatuses({ url, data }: TestSite): Promise<number[]> {
  const backend = JSON.parse(await readFile(join(data, 'backend.json'), 'utf8')) as { url: string };
  const asked = [url, backend.url].map((origin) => fetch(`${origin}/mailbox`));
  return (await Promise.all(asked)).map(({ status }) => status);
}

test('a newsroom without a mail server says so when it starts, and shows no mail anywhere', async () => {
  expect(without.output()).toContain(SERVER.noMail);
  expect(await mailboxStatuses(without)).toEqual([404, 404]);
});

test('one with a mail server has nothing to say, and shows no mail either', async () => {
  expect(withServer.output()).not.toContain(SERVER.noMail);
  expect(withServer.errors()).toBe('');
  expect(await mailboxStatuses(withServer)).toEqual([404, 404]);
});
