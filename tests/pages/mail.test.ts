import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SERVER } from '../../src/lib/i18n/cli.ts';
import { type MailServer, startMailServer } from '../support/mail.ts';
import { errorLines, startSite, type TestSite } from '../support/site.ts';

let server: MailServer;
let withoutServer: TestSite;
let withServer: TestSite;
beforeAll(async () => {
  server = await startMailServer();
  // Only the demo's launcher may set this variable; it is ignored here.
  withoutServer = await startSite({ environment: { STOPPRESS_MAILBOX: 'on' } });
  withServer = await startSite({ environment: server.environment });
});
afterAll(async () => {
  await withoutServer.stop();
  await withServer.stop();
  await server.stop();
});

/** Statuses of the mailbox on the website's port and on the backend's. */
async function mailboxStatuses({ url, data }: TestSite): Promise<number[]> {
  const backend = JSON.parse(await readFile(join(data, 'backend.json'), 'utf8')) as { url: string };
  const requests = [url, backend.url].map((origin) => fetch(`${origin}/mailbox`));
  return (await Promise.all(requests)).map(({ status }) => status);
}

test('warns at the start without a mail server, and shows no mails', async () => {
  expect(withoutServer.output()).toContain(SERVER.noMail);
  expect(await mailboxStatuses(withoutServer)).toEqual([404, 404]);
});

test('starts silently with a mail server, and shows no mails', async () => {
  expect(withServer.output()).not.toContain(SERVER.noMail);
  expect(errorLines(withServer)).toEqual([]);
  expect(await mailboxStatuses(withServer)).toEqual([404, 404]);
});
