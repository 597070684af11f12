import { afterEach, expect, test, vi } from 'vitest';
import { startBackend, type TestBackend } from '../../../support/backend.ts';
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

test('a mailbox is there when the launcher of a demo asks for it, and else not', async () => {
  expect(await mailboxStatus(await start())).toBe(404);
  expect(await mailboxStatus(await start({ EMBEDDED_SUPABASE_MAILBOX: 'on' }))).toBe(200);
});

test('with a mail server there is no mailbox, whoever asks', async () => {
  const server = await startMailServer();
  const backend = await start({ ...server.environment, EMBEDDED_SUPABASE_MAILBOX: 'on' });
  expect(await mailboxStatus(backend)).toBe(404);
  expect(backend.errors()).toBe('');
  await server.stop();
});

test('a mail server that cannot be used is named at the start, without its password, and the backend runs', async () => {
  const server = await startMailServer();
  await server.stop();
  const backend = await start({
    SMTP_URL: `smtp://paper:hunter22@127.0.0.1:${server.port}`,
    MAIL_FROM: 'paper@example.com',
  });
  await vi.waitFor(() => {
    expect(backend.errors()).toBe(
      'No mail can be sent as SMTP_URL is set: the mail server cannot be reached.\n',
    );
  });
  expect((await fetch(`${backend.url}/health`)).status).toBe(200);
});
