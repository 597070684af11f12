import { once } from 'node:events';
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tips } from '../../../src/lib/i18n/en/tips.ts';
import { ProxyCheck } from '../../../src/lib/server/forwarding.ts';
import { close } from '../../../src/lib/server/listening.ts';
import { openPort, serveRequests } from '../../../src/lib/server/outer-server.ts';
import { createBackendProxy } from '../../../src/lib/server/proxy.ts';
import {
  BODY_LIMITS,
  limitBodyTime,
  limitForms,
  MAX_FORM_BYTES,
  MAX_PHOTO_FORM_BYTES,
  MAX_PHOTO_FORMS,
  MAX_PHOTO_FORMS_PER_CLIENT,
} from '../../../src/lib/server/request-bodies.ts';
import { eventually } from '../../support/eventually.ts';

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer({ requestTimeout: 0 }, listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The outer server in front of a site and perhaps a backend. */
async function open(site: RequestListener, backendUrl?: string, proxies = 0): Promise<string> {
  const listening = await openPort('127.0.0.1', 0);
  const backend = backendUrl === undefined ? undefined : createBackendProxy(backendUrl);
  const siteUrl = 'https://news.example';
  const proxyCheck = new ProxyCheck({ proxies, siteUrl });
  serveRequests(listening, Promise.resolve({ site, backend }), { siteUrl, proxies, proxyCheck });
  onTestFinished(() => {
    listening.server.closeAllConnections();
    return close(listening);
  });
  return listening.url;
}

/** Sends only the headers of a request. */
function begin(url: string, headers: Record<string, string | number> = {}): ClientRequest {
  const sending = request(url, {
    method: 'POST',
    headers: { connection: 'keep-alive', ...headers },
    agent: false,
  });
  sending.on('error', () => sending.destroy());
  onTestFinished(() => void sending.destroy());
  sending.flushHeaders();
  return sending;
}

async function answerTo(sending: ClientRequest) {
  const [answer] = (await once(sending, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, text: await text(answer).catch(() => 'cut off') };
}

test('ends a request whose body drips, but for a file that arrives at the minimum rate', async () => {
  const limits = { wholeMs: 400, windowMs: 400, bytesPerSecond: 1_000, answeredMs: 400 };
  const url = await listen(async (request, response) => {
    limitBodyTime(request, response, request.url !== '/form', limits);
    if (request.url === '/answered') return void response.end('early');
    response.end(await text(request).catch(() => ''));
  });
  const drip = (path: string, piece = 'x'.repeat(100), pieces = Number.POSITIVE_INFINITY) => {
    const sending = begin(url + path, { 'transfer-encoding': 'chunked' });
    const closed = new Promise((resolve) => sending.once('close', resolve));
    let sent = 0;
    const sender = setInterval(() => {
      if (sent++ < pieces) sending.write(piece);
      else sending.end();
    }, 20);
    sending.once('close', () => clearInterval(sender));
    return { sending, closed };
  };
  const answered = drip('/answered');
  const [form, file, slow, early] = await Promise.all([
    answerTo(drip('/form').sending),
    answerTo(drip('/file', 'x'.repeat(100), 50).sending),
    answerTo(drip('/file', 'x').sending),
    answerTo(answered.sending),
  ]);
  expect(form.status).toBe(408);
  expect(slow.status).toBe(408);
  expect(file).toEqual({ status: 200, text: 'x'.repeat(5_000) });
  expect(early).toEqual({ status: 200, text: 'early' });
  await answered.closed;
});

test('allows large forms with photos only, a few at a time', async () => {
  const waiting = new Set<() => void>();
  const url = await open(
    (_request, response) => void waiting.add(() => response.end('accepted')),
    undefined,
    1,
  );
  const post = (path: string, length: number, from = '192.0.2.99') =>
    begin(url + path, { 'content-length': length, 'x-forwarded-for': from });
  for (const [path, length] of [
    ['/sign-in', MAX_FORM_BYTES + 1],
    ['/tips/x', MAX_FORM_BYTES + 1],
    ['/tips', MAX_PHOTO_FORM_BYTES + 1],
  ] as const) {
    const [refused] = (await once(post(path, length), 'response')) as [IncomingMessage];
    // The body is read, because a browser reads no response before it has sent everything.
    expect([refused.statusCode, refused.headers.connection], path).toEqual([413, 'keep-alive']);
    // The page for tips says how to return to the text.
    const type = path === '/tips' ? 'text/html' : 'text/plain';
    expect(refused.headers['content-type'], path).toContain(type);
  }
  const household = (n: number) => answerTo(post('/tips', MAX_PHOTO_FORM_BYTES, `2001:db8:1:2::${n}`));
  const large = Array.from({ length: MAX_PHOTO_FORMS_PER_CLIENT }, (_, n) => household(n));
  await eventually(() => expect(waiting.size).toBe(MAX_PHOTO_FORMS_PER_CLIENT));
  expect(await household(9), 'one network').toMatchObject({ status: 503 });
  for (let n = MAX_PHOTO_FORMS_PER_CLIENT; n < MAX_PHOTO_FORMS; n++) {
    large.push(answerTo(post('/tips?x', MAX_PHOTO_FORM_BYTES, `192.0.2.${n}`)));
  }
  await eventually(() => expect(waiting.size).toBe(MAX_PHOTO_FORMS));
  expect(await answerTo(post('/tips', MAX_PHOTO_FORM_BYTES))).toMatchObject({
    status: 503,
    text: expect.stringContaining(`<p>${tips.plain.unavailable.say}</p>`),
  });
  post('/tips', 10);
  await eventually(() => expect(waiting.size).toBe(MAX_PHOTO_FORMS + 1));
  for (const answer of waiting) answer();
  expect((await Promise.all(large)).map(({ status }) => status)).toEqual(Array(MAX_PHOTO_FORMS).fill(200));
  waiting.clear();
  post('/tips', MAX_PHOTO_FORM_BYTES);
  await eventually(() => expect(waiting.size).toBe(1));
});

test('gives up a form with a photo that does not end', async () => {
  const admits = limitForms(200);
  const url = await listen((request, response) => void admits(request, response));
  const sending = begin(`${url}/tips`, { 'content-length': MAX_PHOTO_FORM_BYTES });
  const dribbling = setInterval(() => sending.write('x'), 20);
  await new Promise((resolve) => sending.once('close', resolve));
  clearInterval(dribbling);
});

test('reads a body without a length up to the limit', async () => {
  const url = await open(async (incoming, response) => {
    const { body } = incoming as IncomingMessage & { body: AsyncIterable<Buffer> };
    response.end(
      await text(body).then(
        ({ length }) => `${length} bytes`,
        ({ message }) => message,
      ),
    );
  });
  const send = (bytes: number) => {
    const sending = begin(`${url}/tips`, { 'transfer-encoding': 'chunked' });
    sending.end(Buffer.alloc(bytes));
    return answerTo(sending);
  };
  expect((await send(MAX_FORM_BYTES)).text).toBe(`${MAX_FORM_BYTES} bytes`);
  expect((await send(MAX_FORM_BYTES + 1)).text).toMatch(/^Body size limit exceeded/);
});

test('streams a file, and passes an abort on in both directions', async () => {
  const arrived = Promise.withResolvers<IncomingMessage>();
  const url = await open(
    () => {},
    await listen((incoming) => {
      incoming.on('error', () => {});
      arrived.resolve(incoming);
    }),
  );
  const path = `${url}/storage/v1/upload/resumable`;
  const headers = { 'content-length': 1_000_000 };
  const first = begin(path, headers);
  first.write('beginning');
  const incoming = await arrived.promise;
  const [piece] = await once(incoming, 'data');
  expect(String(piece)).toBe('beginning');
  const ended = new Promise((resolve) => incoming.once('close', resolve));
  first.destroy();
  await ended;
  expect(incoming.complete).toBe(false);

  const deadUrl = await open(
    () => {},
    await listen((incoming) => void incoming.once('data', () => incoming.socket.resetAndDestroy())),
  );
  const second = begin(`${deadUrl}/storage/v1/upload/resumable`, headers);
  const closed = once(second, 'close');
  second.write('beginning');
  expect((await answerTo(second)).status).toBe(503);
  // The client learns it without sending the rest.
  await closed;
});

test('counts photo forms together where clients cannot be distinguished', async () => {
  const waiting = new Set<() => void>();
  const site: RequestListener = (_request, response) => void waiting.add(() => response.end('accepted'));
  // Behind a proxy that is not declared, all clients have its address.
  const url = await open(site);
  const forms = Array.from({ length: MAX_PHOTO_FORMS }, () =>
    answerTo(
      begin(`${url}/tips`, { 'content-length': MAX_PHOTO_FORM_BYTES, 'x-forwarded-for': '192.0.2.1' }),
    ),
  );
  await eventually(() => expect(waiting.size).toBe(MAX_PHOTO_FORMS));
  for (const answer of waiting) answer();
  expect((await Promise.all(forms)).map(({ status }) => status)).toEqual(forms.map(() => 200));
});

test('stops watching the body of a client that left after its answer', async () => {
  const set = vi.spyOn(globalThis, 'setInterval');
  const clear = vi.spyOn(globalThis, 'clearInterval');
  onTestFinished(() => void vi.restoreAllMocks());
  const url = await listen((request, response) => {
    limitBodyTime(request, response, true, { ...BODY_LIMITS, windowMs: 12_345 });
    response.end('early');
  });
  const sending = begin(url, { 'content-length': 10 });
  expect(await answerTo(sending)).toEqual({ status: 200, text: 'early' });
  const call = set.mock.calls.findIndex(([, milliseconds]) => milliseconds === 12_345);
  sending.destroy();
  await vi.waitFor(() => expect(clear).toHaveBeenCalledWith(set.mock.results[call]?.value));
});
