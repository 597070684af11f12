import { expect, test } from 'vitest';
import { readSettings } from '../../../../packages/embedded-supabase/src/settings.ts';
import { StartError } from '../../../../packages/embedded-supabase/src/start-error.ts';

const read = (environment: Record<string, string>) =>
  readSettings({ EMBEDDED_SUPABASE_DATA: '/data', ...environment });

const MAIL_FROM = 'The Ostley Courier <paper@example.com>';

test('there is no mail server without SMTP_URL', () => {
  expect(read({})).toMatchObject({ smtp: undefined, mailbox: false });
  expect(read({ MAIL_FROM, SMTP_URL: ' ' }).smtp).toBeUndefined();
});

test('reads host, port, name and password from a URL', () => {
  expect(read({ SMTP_URL: 'smtp://paper%40example.com:a%25b%3Ac@mail.example', MAIL_FROM }).smtp).toEqual({
    host: 'mail.example',
    port: undefined,
    secure: false,
    auth: { user: 'paper@example.com', pass: 'a%b:c' },
    from: { name: 'The Ostley Courier', address: 'paper@example.com' },
  });
  expect(read({ SMTP_URL: 'smtps://[::1]:2465/', MAIL_FROM: 'paper@example.com' }).smtp).toEqual({
    host: '::1',
    port: 2465,
    secure: true,
    auth: undefined,
    from: { name: '', address: 'paper@example.com' },
  });
});

const SMTP_URL = 'smtp://paper:hunter22@mail.example';

test.each([
  [{ SMTP_URL: 'mail.example' }, 'SMTP_URL must be'],
  [{ SMTP_URL: 'https://paper:hunter22@mail.example' }, 'SMTP_URL must be'],
  [{ SMTP_URL: 'smtp://' }, 'SMTP_URL must be'],
  [{ SMTP_URL: `${SMTP_URL}?requireTLS=false` }, 'SMTP_URL must be'],
  [{ SMTP_URL: `${SMTP_URL}#x` }, 'SMTP_URL must be'],
  [{ SMTP_URL: `${SMTP_URL}/x` }, 'SMTP_URL must be'],
  [{ SMTP_URL: 'smtp://paper:hunter22%@mail.example' }, 'write a % of the user or password as %25'],
  [{ MAIL_FROM: '' }, 'set MAIL_FROM'],
  [{ MAIL_FROM: 'The Ostley Courier' }, 'set MAIL_FROM'],
  [{ MAIL_FROM: 'a@example.com, b@example.com' }, 'set MAIL_FROM'],
  [{ MAIL_FROM: 'team: a@example.com, b@example.com;' }, 'set MAIL_FROM'],
  [{ MAIL_FROM: 'a@example.com\nBcc: b@example.com' }, 'set MAIL_FROM'],
  [{ MAIL_FROM: 'A\r\nBcc: b@example.com <a@example.com>' }, 'set MAIL_FROM'],
])('names an invalid setting without its value: %j', (wrong, sentence) => {
  const reading = () => read({ SMTP_URL, MAIL_FROM, ...(wrong as Record<string, string>) });
  expect(reading).toThrow(StartError);
  expect(reading).toThrow(sentence);
  expect(reading).not.toThrow(/hunter22|b@example/);
});
