import { afterEach, expect, test } from 'vitest';
import { startBackend, type TestBackend } from '../../../support/backend.ts';
import { eventually } from '../../../support/eventually.ts';
import { startMailServer } from '../../../support/mail.ts';
import { PROBE_SCHEMA } from '../probe.ts';

const running: Pick<TestBackend, 'stop'>[] = [];
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
});

async function start(environment: Record<string, string> = {}): Promise<TestBackend> {
  const backend = await startBackend({ migrations: PROBE_SCHEMA, environment });
  running.push(backend);
  return backend;
}

const mailboxStatus = async ({ url }: TestBackend) => (await fetch(`${url}/mailbox`)).status;

test('a mailbox exists only if the demo asks for it', async () => {
  expect(await mailboxStatus(await start())).toBe(404);
  expect(await mailboxStatus(await start({ EMBEDDED_SUPABASE_MAILBOX: 'on' }))).toBe(200);
});

test('there is no mailbox with a mail server', async () => {
  const server = await startMailServer();
  const backend = await start({ ...server.environment, EMBEDDED_SUPABASE_MAILBOX: 'on' });
  expect(await mailboxStatus(backend)).toBe(404);
  expect(backend.errors()).toBe('');
  await server.stop();
});

test('an unusable mail server is reported without its password, and the backend starts', async () => {
  const server = await startMailServer();
  await server.stop();
  const backend = await start({
    SMTP_URL: `smtp://paper:hunter22@127.0.0.1:${server.port}`,
    MAIL_FROM: 'paper@example.com',
  });
  await eventually(() => {
    expect(backend.errors()).toBe(
      'No mail can be sent with this SMTP_URL: the mail server cannot be reached.\n',
    );
  });
  expect((await fetch(`${backend.url}/health`)).status).toBe(200);
});
