import { once } from 'node:events';
import { createServer, get, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mailboxRoutes } from '../../../../packages/embedded-supabase/src/mail/mailbox-routes.ts';
import { type Mailbox, openMailbox } from '../../../../packages/embedded-supabase/src/mail/mailer.ts';
import type { MailMessage } from '../../../../packages/embedded-supabase/src/mail/message.ts';
import { mailboxOf } from '../../../support/mail.ts';

const LINK = 'http://127.0.0.1:4321/auth/confirm?token_hash=c0ffee&type=email';
const LETTER: MailMessage = {
  kind: 'confirmation',
  to: 'ada@example.com',
  subject: 'Confirm',
  text: `Confirm\n\nGo:\n${LINK}\n\n12345678\n`,
  html: '<p>Confirm</p>',
};

let mailbox: Mailbox;
let server: Server;
let url: string;
beforeEach(async () => {
  mailbox = openMailbox();
  const app = new Hono().route('/mailbox', mailboxRoutes(mailbox));
  server = createServer(getRequestListener(app.fetch)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => void server.close());

type Answer = { status: number; headers: IncomingHttpHeaders; body: string };

/** Sends a request with any Host header, which fetch does not allow. */
async function ask(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const request = get(url + path, { headers, agent: false });
  const [response] = await once(request, 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

test('lists mails newest first, and shows one with its link and code', async () => {
  expect((await ask('/mailbox')).body).toContain('No mail yet');
  await mailbox.send(LETTER);
  await mailbox.send({ ...LETTER, to: 'bob@example.com', subject: 'Another' });

  const { status, body } = await ask('/mailbox');
  expect(status).toBe(200);
  expect(body.indexOf('bob@example.com')).toBeLessThan(body.indexOf('ada@example.com'));
  expect(body).toContain('<a href="/mailbox/1">Confirm</a>');

  const mail = await ask('/mailbox/1');
  expect(mail.body).toContain(`<a href="${LINK.replaceAll('&', '&amp;')}">`);
  expect(mail.body).toContain('<dd class="code">12345678</dd>');
  expect(mail.body).toContain('<iframe sandbox ');
  const page = await ask('/mailbox/1/page');
  expect(page.body).toBe(LETTER.html);
  for (const path of ['/mailbox/3', '/mailbox/0', '/mailbox/x', '/mailbox/1/x', '/mailbox/3/page']) {
    expect((await ask(path)).status, path).toBe(404);
  }
});

test('keeps the last two hundred mails', async () => {
  for (let count = 0; count < 201; count += 1) await mailbox.send(LETTER);
  expect(mailbox.list()).toHaveLength(200);
  expect((await ask('/mailbox/1')).status).toBe(404);
  expect((await ask('/mailbox/201')).status).toBe(200);
});

test('returns each mail to tests once, in order', async () => {
  const mails = mailboxOf(url);
  await mailbox.send({ ...LETTER, subject: 'First' });
  await mailbox.send({ ...LETTER, to: 'bob@example.com' });
  await mailbox.send({ ...LETTER, subject: 'Second' });
  expect(await mails.next(LETTER.to)).toMatchObject({ subject: 'First', link: LINK, code: '12345678' });
  expect(await mails.next(LETTER.to)).toMatchObject({ subject: 'Second' });
  const third = mails.next(LETTER.to);
  await mailbox.send({ ...LETTER, subject: 'Third' });
  expect(await third).toMatchObject({ subject: 'Third' });
});

describe('is available on this machine only', () => {
  const PATHS = ['/mailbox', '/mailbox/1', '/mailbox/1/page', '/mailbox/style.css'];
  beforeEach(() => mailbox.send(LETTER));

  test.each(['127.0.0.1', 'localhost', '127.0.0.1:80', 'localhost:8000', '[::1]', '[::1]:8000'])(
    'for the name %s',
    async (host) => {
      for (const path of PATHS) expect((await ask(path, { host })).status, path).toBe(200);
    },
  );

  test.each([
    'evil.example',
    'evil.example:80',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '192.168.1.2:4321',
    '[::2]',
    '0.0.0.0',
  ])('not for the name %s, which another site could point here', async (host) => {
    for (const path of PATHS) {
      const { status, body } = await ask(path, { host });
      expect(status, path).toBe(404);
      expect(body).not.toContain('ada');
    }
    expect((await ask('/mailbox', { host, accept: 'application/json' })).status).toBe(404);
  });

  test.each(['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'])(
    'not through a proxy that sends %s',
    async (name) => {
      for (const path of PATHS) expect((await ask(path, { [name]: '127.0.0.1' })).status, path).toBe(404);
    },
  );

  test('cannot be read, framed or scripted by other origins', async () => {
    for (const path of PATHS) {
      const { headers } = await ask(path, { origin: 'https://evil.example' });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['content-security-policy']).toMatch(/^default-src 'none';/);
      expect(headers['content-security-policy']).not.toMatch(/script-src|frame-ancestors (?!'(none|self)')/);
    }
    expect((await ask('/mailbox/1/page')).headers['content-security-policy']).toMatch(/; sandbox$/);
  });
});

test('escapes the content of mails', async () => {
  const hostile = '"><script>alert(1)</script>';
  await mailbox.send({ ...LETTER, to: hostile, subject: hostile, text: hostile });
  for (const path of ['/mailbox', '/mailbox/1']) {
    const { body } = await ask(path);
    expect(body).not.toContain('<script');
    expect(body).toContain('&lt;script&gt;');
  }
});
