import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { SMTPServerOptions } from 'smtp-server';
import { expect, onTestFinished, test } from 'vitest';
import type { Delivery } from '../../../supabase/functions/deliver-alerts/delivery.ts';
import { composeMail, mailAll } from '../../../supabase/functions/deliver-alerts/mail.ts';
import { openMailSender, ServerUnreachable } from '../../../supabase/functions/deliver-alerts/smtp.ts';
import { startMailServer } from '../../support/mail.ts';

const mailTo = (to: string): Delivery => ({
  id: crypto.randomUUID(),
  channel: 'mail',
  alert: crypto.randomUUID(),
  urgent: false,
  language: 'en',
  site: { name: 'The Ostley Courier' },
  coverage: { slug: 'river', headline: 'The river rises' },
  updates: [],
  total: 0,
  push: null,
  mail: { to, account: true, stop: 'S'.repeat(43), follow: { name: 'The river rises' } },
});

const UPDATE = {
  number: 1,
  headline: 'Higher',
  text: '',
  key_event: false,
  urgency: 'normal',
  photo: null,
};

/** Results of sending mails to a server. */
async function sendBy(port: number, count: number, more: object = {}, { until = 40_000, spoilt = -1 } = {}) {
  const settings = {
    host: '127.0.0.1',
    port,
    secure: false,
    auth: undefined,
    from: { name: '', address: 'paper@example.com' },
    ...more,
  };
  const post = openMailSender(settings, 'news.example');
  const group = Array.from({ length: count }, (_, at) => mailTo(`reader-${at}@example.com`));
  const [one] = group.slice(spoilt);
  if (spoilt >= 0 && one) one.updates.push({ ...UPDATE, published_at: 'never' });
  const mails = group.map((one) => ({
    id: one.id,
    to: one.mail?.to,
    compose: () => composeMail(one, 'https://news.example', settings.from),
  }));
  const { outcomes, unreachable: gone } = await mailAll(mails, performance.now() + until, post);
  post.close();
  return { outcomes: group.map(({ id }) => outcomes.get(id)), gone };
}

async function server(options: SMTPServerOptions = {}) {
  const started = await startMailServer(options);
  onTestFinished(() => started.stop());
  return started;
}

test('marks all mails for a retry when the server is unreachable or refuses the login', async () => {
  const { port, stop } = await startMailServer();
  await stop();
  const away = await sendBy(port, 5);
  expect(away.gone).toBe('the mail server cannot be reached');
  expect(away.outcomes).toEqual(Array(5).fill({ outcome: 'again', error: away.gone }));

  const picky = await server({
    disabledCommands: ['STARTTLS'],
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(new Error('No')),
  });
  const locked = await sendBy(picky.port, 2, { auth: { user: 'paper', pass: 'wrong' } });
  expect(locked.gone).toBe('the mail server refuses the user name or the password');
  expect(locked.outcomes.map((outcome) => outcome?.outcome)).toEqual(['again', 'again']);
});

test('opens another connection when a server limits mails per connection, and sends each mail once', async () => {
  const counts = new Map<string, number>();
  const { port, delivered } = await server({
    onMailFrom(_address, session, go) {
      const count = (counts.get(session.id) ?? 0) + 1;
      counts.set(session.id, count);
      go(count > 2 ? Object.assign(new Error('Enough'), { responseCode: 421 }) : null);
    },
  });
  const { outcomes, gone } = await sendBy(port, 11);
  expect(gone).toBeUndefined();
  expect(outcomes).toEqual(Array(11).fill({ outcome: 'sent' }));
  expect(new Set(delivered.flatMap(({ to }) => to)).size).toBe(11);
  expect(delivered).toHaveLength(11);
  expect(counts.size).toBeGreaterThan(3);
});

test('marks a mail as unclear if it may have been accepted, and sends the others', async () => {
  let connections = 0;
  let mails = 0;
  const talk = (socket: Socket) => {
    const isFirst = connections++ === 0;
    let isData = false;
    socket.on('error', () => {});
    socket.write('220 here\r\n');
    socket.on('data', (chunk) => {
      const said = chunk.toString();
      if (isData && said.endsWith('\r\n.\r\n')) {
        // The server has received everything, and dies.
        if (isFirst) return void socket.destroy();
        isData = false;
        mails += 1;
        return void socket.write('250 accepted\r\n');
      }
      if (isData) return;
      for (const line of said.split('\r\n').filter(Boolean)) {
        isData ||= line === 'DATA';
        socket.write(line === 'DATA' ? '354 go on\r\n' : '250 ok\r\n');
      }
    });
  };
  const listening = createServer(talk).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  onTestFinished(() => void listening.close());
  const { outcomes, gone } = await sendBy((listening.address() as AddressInfo).port, 7);
  expect(gone).toBeUndefined();
  expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome?.outcome === 'sent')).toHaveLength(6);
  expect(mails).toBe(6);
});

test('gives up a mail that cannot be written, without naming its receiver', async () => {
  const { port, delivered } = await server();
  const { outcomes } = await sendBy(port, 5, {}, { spoilt: 1 });
  expect(outcomes.map((outcome) => outcome?.outcome)).toEqual(['sent', 'refused', 'sent', 'sent', 'sent']);
  expect(outcomes[1]?.error).toBe('not written (RangeError)');
  expect(delivered).toHaveLength(4);
});

test('starts no mail that could exceed the lease of its group', async () => {
  const { port, delivered } = await server();
  const { outcomes, gone } = await sendBy(port, 4, {}, { until: 19_999 });
  expect(gone).toBeUndefined();
  expect(outcomes).toEqual(Array(4).fill({ outcome: 'again', error: 'no time left' }));
  expect(delivered).toEqual([]);
});

test('limits the time of a mail at each step, on a reused connection too', async () => {
  const silent = { greeting: true, receiver: true };
  const { port } = await server({
    onConnect: (_session, go) => void (silent.greeting || go()),
    onRcptTo: (_address, _session, go) => void (silent.receiver || go()),
  });
  const from = { name: '', address: 'paper@example.com' };
  const settings = { host: '127.0.0.1', port, secure: false, auth: undefined, from };
  const timeouts = { keepAliveMs: 5_000, timeoutMs: 1_000, sendingMs: 500 };
  const post = openMailSender(settings, 'news.example', timeouts);
  onTestFinished(() => post.close());
  async function sent() {
    const one = mailTo('reader@example.com');
    const start = performance.now();
    const letter = composeMail(one, 'https://news.example', from);
    const outcome = await post.send('reader@example.com', letter).catch((error: unknown) => error);
    return { outcome, took: performance.now() - start };
  }
  const greeted = await sent();
  expect(greeted.outcome).toBeInstanceOf(ServerUnreachable);
  expect(greeted.took).toBeLessThan(1_000);
  silent.greeting = false;
  const unanswered = await sent();
  expect(unanswered.outcome).toBeInstanceOf(ServerUnreachable);
  expect(unanswered.took).toBeLessThan(1_900);
  silent.receiver = false;
  expect((await sent()).outcome).toEqual({ outcome: 'sent' });
  silent.receiver = true;
  const kept = await sent();
  expect(kept.outcome).toBeInstanceOf(ServerUnreachable);
  expect(kept.took).toBeLessThan(1_900);
});
