import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { SMTPServerOptions } from 'smtp-server';
import { afterEach, beforeAll, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest';
import { readConfig } from '../../../../packages/embedded-supabase/src/config.ts';
import {
  MailError,
  type Mailer,
  openMailer,
  openSmtpTransport,
} from '../../../../packages/embedded-supabase/src/mail/mailer.ts';
import {
  type ComposeMail,
  type Mail,
  readTemplates,
} from '../../../../packages/embedded-supabase/src/mail/message.ts';
import type { SmtpSettings } from '../../../../packages/embedded-supabase/src/settings.ts';
import { type MailServer, startMailServer } from '../../../support/mail.ts';

const MAIL: Mail = {
  to: 'ada@example.com',
  email: 'ada@example.com',
  token: '12345678',
  tokenHash: 'c0ffee',
  data: {},
  redirectTo: 'https://news.example/desk',
};
const PASSWORD = 'a-pass%word';

let write: ComposeMail;
beforeAll(async () => {
  write = await readTemplates((await readConfig()).auth.email.template);
});

const ending: (() => unknown)[] = [];
let log: MockInstance<typeof console.error>;
beforeEach(() => {
  log = vi.spyOn(console, 'error').mockReturnValue();
});
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
  vi.restoreAllMocks();
});

const logged = () => log.mock.calls.flat().join('\n');

async function server(options: SMTPServerOptions = {}): Promise<MailServer> {
  const started = await startMailServer(options);
  ending.push(started.stop);
  return started;
}

function mailer(
  port: number,
  more: Partial<SmtpSettings> = {},
  timeouts?: Parameters<typeof openSmtpTransport>[1],
): Mailer {
  const from = { name: 'The Ostley Courier', address: 'paper@example.com' };
  const settings = { host: '127.0.0.1', port, secure: false, auth: undefined, from, ...more };
  const opened = openMailer(write, openSmtpTransport(settings, timeouts), 'https://news.example');
  ending.push(opened.close);
  return opened;
}

/** Waits for a mail that must fail. @returns the message of its error */
async function failure(sending: Promise<void>): Promise<string> {
  const error = await sending.then(
    () => new Error('It was sent.'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(MailError);
  return (error as MailError).message;
}

describe('a sent mail', () => {
  test('has two parts, one receiver, and no request for automatic replies', async () => {
    const { port, delivered, next } = await server();
    await mailer(port).send('magic_link', MAIL);

    expect(delivered).toHaveLength(1);
    expect(delivered[0]?.to).toEqual(['ada@example.com']);
    expect(delivered[0]?.mail).toMatchObject({
      from: { name: 'The Ostley Courier', address: 'paper@example.com' },
      to: [{ address: 'ada@example.com' }],
      subject: 'Your link to sign in',
    });
    const header = delivered[0]?.mail.headers.find(({ key }) => key === 'auto-submitted');
    expect(header?.value).toBe('auto-generated');
    const opened = await next('ada@example.com');
    expect(opened.code).toBe('12345678');
    expect(opened.link).toBe(
      'https://news.example/auth/confirm?token_hash=c0ffee&type=email&next=https%3A%2F%2Fnews.example%2Fdesk',
    );
    expect(opened.html).toContain('1234<span>5678</span>');
    expect(logged()).toBe('');
  });

  test('leads to the site itself by default', async () => {
    const { port, next } = await server();
    await mailer(port).send('confirmation', { ...MAIL, redirectTo: undefined });
    const { searchParams } = new URL((await next('ada@example.com')).link);
    expect(searchParams.get('next')).toBe('https://news.example');
  });

  test('reuses the connection', async () => {
    const connections: string[] = [];
    const { port, delivered } = await server({
      onConnect(session, go) {
        connections.push(session.id);
        go();
      },
    });
    const sender = mailer(port);
    await sender.send('recovery', MAIL);
    await sender.send('recovery', MAIL);
    expect(delivered).toHaveLength(2);
    expect(connections).toHaveLength(1);
  });

  test('is finished when the backend stops', async () => {
    const { promise: uploading, resolve: arrived } = Promise.withResolvers<() => void>();
    const { port, delivered } = await server({
      onRcptTo: (_address, _session, go) => arrived(() => go()),
    });
    const sender = mailer(port);
    const sent = sender.send('invite', MAIL);
    const accept = await uploading;
    const closed = sender.close();
    accept();
    await closed;
    expect(delivered).toHaveLength(1);
    await sent;
  });
});

describe('a failed mail reports the reason without names, tokens and passwords', () => {
  const quiet = () => {
    for (const secret of ['12345678', 'c0ffee', 'ada@', PASSWORD]) expect(logged()).not.toContain(secret);
  };

  test('when the server refuses it', async () => {
    const { port } = await server({
      onRcptTo({ address }, _session, go) {
        go(Object.assign(new Error(`No ${address} here`), { responseCode: 550 }));
      },
    });
    expect(await failure(mailer(port).send('confirmation', MAIL))).toBe('the mail server refused it (550)');
    expect(logged()).toBe('A confirmation mail was not sent: the mail server refused it (550).');
  });

  const asksWho: SMTPServerOptions = {
    disabledCommands: ['STARTTLS'],
    authOptional: false,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      if (username === 'paper' && password === PASSWORD) done(null, { user: username });
      else done(new Error('No'));
    },
  };

  test('when the password is wrong', async () => {
    const { port, delivered } = await server(asksWho);
    const wrong = mailer(port, { auth: { user: 'paper', pass: `${PASSWORD}!` } });
    expect(await failure(wrong.send('recovery', MAIL))).toBe(
      'the mail server refused the user name or the password',
    );
    quiet();
    await mailer(port, { auth: { user: 'paper', pass: PASSWORD } }).send('recovery', MAIL);
    expect(delivered).toHaveLength(1);
  });

  test('when the server is unreachable', async () => {
    const { port, stop } = await startMailServer();
    await stop();
    expect(await failure(mailer(port).send('recovery', MAIL))).toBe('the mail server cannot be reached');
    quiet();
  });

  const replying = (lines: string[]) => (socket: Socket) => {
    const [greeting, ...answers] = lines;
    if (greeting) socket.write(`${greeting}\r\n`);
    socket.on('data', () => socket.write(`${answers.shift() ?? ''}\r\n`));
  };

  const trickle = (socket: Socket) => {
    socket.write('220 here\r\n');
    socket.once('data', () => {
      const more = setInterval(() => socket.write('250-and\r\n'), 50);
      socket.on('close', () => clearInterval(more));
    });
  };

  test.each([
    ['says nothing', replying([])],
    ['greets, and then says nothing', (socket: Socket) => void socket.write('220 here\r\n')],
    ['never comes to the end of what it can do', trickle],
    ['takes the mail without a word', replying(['220 here', '250 here', '250 ok', '250 ok', '354 go on'])],
  ])('when a server %s', async (_, behave) => {
    const silent = await listen(behave);
    const { port } = silent.address() as AddressInfo;
    const sender = mailer(port, {}, { connectMs: 300, totalMs: 600 });
    expect(await failure(sender.send('recovery', MAIL))).toBe('the mail server did not answer in time');
    quiet();
  });

  async function listen(behave: (socket: Socket) => void): Promise<Server> {
    const sockets: Socket[] = [];
    const listening = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      behave(socket);
    }).listen(0, '127.0.0.1');
    await once(listening, 'listening');
    ending.push(() => {
      for (const socket of sockets) socket.destroy();
      listening.close();
    });
    return listening;
  }

  test.each([
    ['offers no encryption', ['STARTTLS']],
    ['shows a certificate that nobody vouches for', []],
  ])('does not send name or mail to a remote server that %s', async (_, disabledCommands) => {
    const received: string[] = [];
    const note = (what: string) => (_address: unknown, _session: unknown, go: () => void) => {
      received.push(what);
      go();
    };
    const { port } = await server({
      ...asksWho,
      disabledCommands,
      onAuth: (_auth, _session, done) => {
        received.push('auth');
        done(null, { user: 'paper' });
      },
      onMailFrom: note('mail'),
    });
    // A name of this machine that does not look local.
    const sender = mailer(port, { host: '::ffff:7f00:1', auth: { user: 'paper', pass: PASSWORD } });
    expect(await failure(sender.send('recovery', MAIL))).toBe(
      'the mail server offers no encrypted connection that can be trusted',
    );
    expect(received).toEqual([]);
    quiet();
  });
});

test.each([
  'ada@example.com\r\nBcc: eve@example.com',
  'ada@example.com\nX: y',
  'ada@example.com, eve@example.com',
  'ada@example.com;eve@example.com',
  'Ada <ada@example.com>',
  'team: ada@example.com, eve@example.com;',
  '"a\r\nb"@example.com',
  'ada@example.com>\r\nRCPT TO:<eve@example.com',
  'ada',
  '',
])('refuses a value that is more than one address: %j', async (to) => {
  const { port, delivered } = await server();
  const sender = mailer(port);
  expect(await failure(sender.send('recovery', { ...MAIL, to }))).toBe('its address cannot be written to');
  await sender.send('recovery', MAIL);
  expect(delivered.map((each) => each.to)).toEqual([['ada@example.com']]);
});
