import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { LARGEST_FORM_BYTES } from '../../src/lib/server/bounds.ts';
import { desk } from '../../src/lib/text/desk.ts';
import { errors } from '../../src/lib/text/errors.ts';
import { cookieJar } from '../support/cookies.ts';
import { test } from '../support/test.ts';

test('a form that is sent after its session has ended keeps its words, and counts once somebody has signed in', async ({
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
  const kept = await jar.post('/desk/new', typed);
  expect(kept.status).toBe(401);
  const page = await kept.text();
  expect(page).toContain(desk.make.signedOut);
  expect(page).toContain('value="The river rises"');
  expect(page).toContain('href="/sign-in"');
  const hidden = [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  expect(hidden).toHaveLength(2);

  await jar.post('/sign-in', { email, password });
  const ids = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
  const made = await jar.post('/desk/new', { ...typed, ...ids });
  expect([made.status, made.headers.get('location')]).toEqual([303, '/desk/the-river-rises']);
});

test('what is no form, or too much of one, is refused in a sentence with every header of the site', async ({
  site,
}) => {
  const { host, port } = new URL(site.url);
  const post = async (type: string, body: string) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `POST /sign-in HTTP/1.1\r\nhost: ${host}\r\norigin: ${site.url}\r\ncontent-type: ${type}\r\n` +
        `transfer-encoding: chunked\r\nconnection: close\r\n\r\n`,
    );
    // Without a length, so that only reading it can tell how much it is.
    socket.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    return text(socket);
  };
  const broken = await post('multipart/form-data; boundary=x', 'no parts');
  expect(broken).toMatch(/^HTTP\/1.1 422 /);
  expect(broken).toContain(errors.invalid);
  const large = await post('application/x-www-form-urlencoded', `email=${'a'.repeat(LARGEST_FORM_BYTES)}`);
  expect(large).toMatch(/^HTTP\/1.1 413 /);
  expect(large).toContain(errors.too_large);
  for (const answer of [broken, large]) {
    expect(answer.toLowerCase()).toContain('content-security-policy:');
    expect(answer.toLowerCase()).toContain('cache-control: no-store');
  }
  expect(site.errors()).not.toContain('Could not render');
});
