import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ProxyCheck, rewriteHeaders } from '../../../src/lib/server/forwarding.ts';
import { RequestLimits } from '../../../src/lib/server/request-limits.ts';
import { RATES } from '../../../src/lib/server/route-limits.ts';
import { eventually } from '../../support/eventually.ts';

const SECRET = `/tips/${'a'.repeat(43)}`;
const { burst, perSecond } = RATES.personal;

/** A server of personal pages behind one proxy that names the client. */
async function open(page: (request: IncomingMessage, response: ServerResponse) => void, proxies = 1) {
  const clock = { now: 0 };
  const limits = new RequestLimits({ now: () => clock.now });
  const proxyCheck = new ProxyCheck({ proxies });
  const server = createServer((incoming, response) => {
    rewriteHeaders(incoming, { siteUrl: 'http://127.0.0.1', ownUrls: [], proxies, proxyCheck });
    void limits.render(incoming, response, () => page(incoming, response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  async function ask(client: string, { headers = {}, method = 'GET', path = SECRET } = {}) {
    const sent = request({
      port,
      path,
      method,
      agent: false,
      headers: { 'x-forwarded-for': client, ...headers },
    });
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
  }
  return { ask, clock };
}

const answerAtOnce = (_request: IncomingMessage, response: ServerResponse) => void response.end('page');

/** Uses up the limit of a client. */
async function exhaust(ask: Awaited<ReturnType<typeof open>>['ask'], client: string) {
  for (let n = 0; n < burst; n++) expect((await ask(client)).status).toBe(200);
}

describe('RequestLimits', () => {
  it('answers 429 to a client over its rate, without rendering, and lets it in again later', async () => {
    const page = vi.fn(answerAtOnce);
    const { ask, clock } = await open(page);
    await exhaust(ask, '192.0.2.1');
    const refused = await ask('192.0.2.1');
    expect([refused.status, refused.headers['retry-after'], refused.headers['cache-control']]).toEqual([
      429,
      '1',
      'no-store',
    ]);
    expect(page).toHaveBeenCalledTimes(burst);
    clock.now += 1_000;
    for (let n = 0; n < perSecond; n++) expect((await ask('192.0.2.1')).status).toBe(200);
    expect((await ask('192.0.2.1')).status).toBe(429);
  });

  it('counts the addresses of one IPv6 network as one client, and other clients for themselves', async () => {
    const { ask } = await open(answerAtOnce);
    await exhaust(ask, '2001:db8:1:2::1');
    expect((await ask('2001:db8:1:2:ffff::9')).status).toBe(429);
    expect((await ask('2001:db8:1:3::1')).status).toBe(200);
  });

  it.each([
    ['en', 'de, en;q=0.5', '<html lang="en">', 'Wait a second'],
    ['es', 'es-MX,es;q=0.9,en;q=0.8', '<html lang="es">', 'Espere un segundo'],
  ])('says why in %s on a small page', async (_language, languages, html, words) => {
    const { ask } = await open(answerAtOnce);
    await exhaust(ask, '192.0.2.1');
    const headers = { accept: 'text/html', 'accept-language': languages };
    const refused = await ask('192.0.2.1', { headers });
    expect(refused.text).toContain(html);
    expect(refused.text).toContain(words);
    expect(refused.text.length).toBeLessThan(500);
  });

  it('has no limit for single clients behind a proxy that the settings do not name', async () => {
    const { ask } = await open(answerAtOnce, 0);
    await exhaust(ask, '192.0.2.1');
    expect((await ask('192.0.2.1')).status).toBe(200);
  });

  it('renders few pages of one client at once, and those of another meanwhile', async () => {
    const rendering: ServerResponse[] = [];
    const { ask } = await open((_request, response) => void rendering.push(response));
    const many = Array.from({ length: 40 }, () => ask('192.0.2.1'));
    await eventually(() => expect(rendering).toHaveLength(3));
    const other = ask('192.0.2.2');
    await eventually(() => expect(rendering).toHaveLength(4));
    rendering.pop()?.end('other');
    expect((await other).text).toBe('other');
    expect(rendering).toHaveLength(3);
    const ending = setInterval(() => rendering.shift()?.end('page'), 1);
    onTestFinished(() => clearInterval(ending));
    expect((await Promise.all(many)).map(({ status }) => status)).toEqual(Array(40).fill(200));
  });

  it('takes the next page as soon as one begins to be sent, however slowly its client reads', async () => {
    const answers: ServerResponse[] = [];
    const { ask } = await open((_request, response) => {
      answers.push(response);
      response.writeHead(200).flushHeaders();
    });
    const slow = Array.from({ length: 5 }, () => ask('192.0.2.1'));
    await eventually(() => expect(answers).toHaveLength(5));
    for (const answer of answers) answer.end();
    await Promise.all(slow);
  });

  it('answers few forms of one client at once', async () => {
    const open_: ServerResponse[] = [];
    const { ask } = await open((_request, response) => void open_.push(response));
    const forms = Array.from({ length: 33 }, () => ask('192.0.2.1', { method: 'POST' }));
    expect((await Promise.race(forms)).status).toBe(429);
    for (const answer of open_) answer.end();
    const statuses = (await Promise.all(forms)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(32);
    const again = ask('192.0.2.1', { method: 'POST' });
    await eventually(() => expect(open_).toHaveLength(33));
    open_.at(-1)?.end();
    expect((await again).status).toBe(200);
  });
});
