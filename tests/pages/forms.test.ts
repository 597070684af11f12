import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { desk } from '../../src/lib/i18n/en/desk.ts';
import { errors } from '../../src/lib/i18n/en/errors.ts';
import { settings } from '../../src/lib/i18n/en/settings.ts';
import { tips } from '../../src/lib/i18n/en/tips.ts';
import { MAX_FORM_BYTES } from '../../src/lib/server/request-bodies.ts';
import { cookieJar, seenField, withoutTimes } from '../support/http-client.ts';
import { call, callServer } from '../support/newsroom.ts';
import { test } from '../support/test.ts';

test('keeps the typed text when the session ended, and accepts it after signing in', async ({
  site,
  people,
}) => {
  const { email, password } = people.editor;
  const jar = cookieJar(site.url);
  const typed = {
    headline: 'The river rises',
    slug: 'the-river-rises',
    time_zone: 'Europe/Dublin',
    language: 'en',
  };
  const refused = await jar.post('/desk/new', typed);
  expect(refused.status).toBe(401);
  const page = await refused.text();
  expect(page).toContain(desk.make.signedOut);
  expect(page).toContain('value="The river rises"');
  expect(page).toContain('href="/sign-in"');
  const hidden = [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  expect(hidden).toHaveLength(2);

  await jar.post('/sign-in', { email, password });
  const ids = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
  const created = await jar.post('/desk/new', { ...typed, ...ids });
  expect([created.status, created.headers.get('location')]).toEqual([303, '/desk/the-river-rises']);
});

test('keeps the texts and the note of a photo when the session ended', async ({ site }) => {
  const path = `/desk/photos/${randomUUID()}`;
  const typed = { alt: 'The lower quay', caption: 'At noon', credit: 'A. Reporter', seen: '{"alt":"Quay"}' };
  const forms: Record<string, string>[] = [
    { act: 'words' },
    { act: 'replace', tell: 'correction', note: 'Another quay.', arrived: randomUUID() },
    { act: 'remove', tell: 'revision', note: 'Not ours to show.' },
  ];
  for (const { act = '', ...more } of forms) {
    const refused = await cookieJar(site.url).post(path, { ...typed, act, ...more });
    const page = await refused.text();
    expect(refused.status, act).toBe(401);
    expect(page).toContain(settings.signedOut);
    expect(page).toContain('href="/sign-in"');
    expect(page).toContain(`name="act" value="${act}"`);
    if (act !== 'remove') {
      expect(page).toContain('The lower quay</textarea>');
      expect(page).toContain('At noon</textarea>');
      expect(page).toContain('value="A. Reporter"');
      expect(seenField(page)).toBe(typed.seen);
    }
    for (const value of Object.values(more)) expect(page).toContain(value);
  }
  expect((await cookieJar(site.url).get(path)).status).toBe(303);
});

test('keeps a typed invitation when the session ended', async ({ site }) => {
  const typed = {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    role: 'contributor',
    coverage: randomUUID(),
    days: '12',
    by: 'link',
  };
  const jar = cookieJar(site.url);
  const refused = await jar.post('/desk/people/invite', typed);
  const page = await refused.text();
  expect(refused.status).toBe(401);
  expect(page).toContain(settings.signedOut);
  expect(page).toContain('href="/sign-in"');
  expect(page).toContain('<option value="contributor" selected>');
  for (const name of ['name', 'email', 'coverage', 'days', 'by'] as const)
    expect(page, name).toMatch(new RegExp(`name="${name}"[^>]* value="${typed[name]}"`));
  expect((await jar.get('/desk/people/invite')).status).toBe(303);
});

test('keeps the chosen order of the front page when the session ended', async ({ site, newsroom }) => {
  const field = `position-${newsroom.coverage.id}`;
  const refused = await cookieJar(site.url).post('/desk/site/front-page', { [field]: '4' });
  const page = await refused.text();
  expect(refused.status).toBe(401);
  expect(page).toContain(settings.signedOut);
  expect(page).toMatch(new RegExp(`name="${field}"[^>]*>.*?<option value="4" selected>`, 's'));
});

test('rejects malformed and oversized forms with an explanation and all headers of the site', async ({
  site,
}) => {
  const { host, port } = new URL(site.url);
  const post = async (type: string, body: string) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `POST /sign-in HTTP/1.1\r\nhost: ${host}\r\norigin: ${site.url}\r\ncontent-type: ${type}\r\n` +
        `transfer-encoding: chunked\r\nconnection: close\r\n\r\n`,
    );
    // Without a declared length, so that the server has to read the body to learn it.
    socket.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    return text(socket);
  };
  const broken = await post('multipart/form-data; boundary=x', 'no parts');
  expect(broken).toMatch(/^HTTP\/1.1 422 /);
  expect(broken).toContain(errors.invalid);
  const large = await post('application/x-www-form-urlencoded', `email=${'a'.repeat(MAX_FORM_BYTES)}`);
  expect(large).toMatch(/^HTTP\/1.1 413 /);
  expect(large).toContain(errors.too_large);
  for (const answer of [broken, large]) {
    expect(answer.toLowerCase()).toContain('content-security-policy:');
    expect(answer.toLowerCase()).toContain('cache-control: no-store');
  }
  expect(site.errors()).not.toContain('Could not render');
});

test('shows the state of a tip only for its exact receipt, and never a reason for declining', async ({
  site,
  people,
}) => {
  const form = new FormData();
  const typed = {
    body: 'The lower gate is shut.',
    name: 'Ada',
    may_be_named: 'on',
    website: 'https://x.example',
  };
  for (const [name, value] of Object.entries(typed)) form.set(name, value);
  const sent = await cookieJar(site.url).post('/tips', form);
  expect(sent.status).toBe(303);
  const path = sent.headers.get('location') ?? '';
  const tipStatus = async () => {
    const answer = await fetch(`${site.url}${path}/state`);
    expect(answer.headers.get('cache-control')).toContain('no-store');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('x-robots-tag')).toBe('noindex');
    return answer.json();
  };
  expect(await tipStatus()).toEqual({ state: 'new', used_in: null });

  // The honeypot field is invisible and unreachable for people.
  const { client } = people.moderator;
  const [tip] = await callServer<{ id: string; version: number }[]>(client, 'tip_queue', {
    filters: { view: 'held' },
  });
  expect(tip).toMatchObject({ name: 'Ada', may_be_named: true, suspicion: 'honeypot', state: 'new' });
  await call(client, 'close_tip', { tip_id: tip?.id, version: tip?.version, state: 'spam' });
  expect(await tipStatus()).toEqual({ state: 'declined', used_in: null });
  const page = await (await fetch(site.url + path)).text();
  expect(page).toContain(tips.receipt.states.declined);
  expect(page).not.toMatch(/spam/i);

  const receipt = path.slice('/tips/'.length);
  const others = [receipt.toLowerCase(), receipt.slice(1), `${receipt}x`, 'a1b2'.repeat(10)];
  const answers = await Promise.all(
    others.flatMap((other) =>
      ['', '/state'].map(async (rest) => {
        const answer = await fetch(`${site.url}/tips/${other}${rest}`);
        expect(answer.status).toBe(404);
        return withoutTimes(await answer.text());
      }),
    ),
  );
  expect(new Set(answers).size).toBe(2);
  // No page is rendered for a value that cannot be a receipt.
  expect((await fetch(`${site.url}/tips/x`)).headers.get('cache-control')).toContain('s-maxage');
});
