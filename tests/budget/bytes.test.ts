import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { bytesOf, bytesOfScripts, scriptsOf } from '../support/bytes.ts';
import { signInWithCookies } from '../support/http-client.ts';
import { call, callServer } from '../support/newsroom.ts';
import { test } from '../support/test.ts';
import budget from './pages.json' with { type: 'json' };

/*
 * Transfer sizes of each kind of page. Lower a budget when a page has become smaller. Raise it only with a reason. The
 * scripts of the desk have up to 300 bytes to spare, so that a changed name or sentence needs no new budget.
 */

const UPDATES = 19;

/**
 * The names of a newsroom are random, and on a slow machine the times of its updates differ more. So the compressed size
 * of its pages varies by some bytes.
 */
const CHANCE_BYTES = 80;

/** Fails with an explanation. @param kind of bytes, as the budget names them */
function expectWithin(kind: keyof typeof budget, page: string, bytes: number): void {
  const allowed = ((budget[kind] as Record<string, number>)[page] ?? 0) + CHANCE_BYTES;
  const over = `${page}: ${bytes} bytes are ${bytes - allowed} more than its budget (“${kind}”, tests/budget/pages.json).`;
  expect.soft(bytes, over).toBeLessThanOrEqual(allowed);
}

test('keeps pages and their scripts within their budgets', async ({ site, newsroom }) => {
  const { editor, reporter } = newsroom.people;
  const topic = `topic-${randomUUID().slice(0, 8)}`;
  await call(editor.client, 'save_topic', { slug: topic, name: 'Floods', description: 'High water.' });
  const coverage_id = newsroom.coverage.id;
  await call(editor.client, 'save_coverage', { coverage_id, version: 1, content: { topics: [topic] } });
  await Promise.all(
    Array.from({ length: UPDATES }, (_, n) =>
      newsroom.publish(n % 4 ? {} : { headline: `What report ${n} says`, key_event: true }),
    ),
  );

  const live = `/live/${newsroom.coverage.slug}`;
  const pages = {
    'front page': '/',
    'live page': live,
    'frame of another site': `${live}/embed`,
    'page of the list': `${live}/1`,
    brief: `${live}/brief`,
    topic: `/topics/${topic}`,
    person: `/people/${reporter.handle}`,
    alerts: '/follow',
    about: '/about',
    privacy: '/privacy',
    tips: '/tips',
    'sign-in': '/sign-in',
    'sign-up': '/sign-up',
  };
  for (const [page, path] of Object.entries(pages)) {
    expectWithin('pages, head and body, first copy', page, await bytesOf(site.url + path));
    const html = await (await fetch(site.url + path)).text();
    expectWithin('scripts that a page names', page, await bytesOfScripts(scriptsOf(html)));
  }
  const desk = await signInWithCookies(site.url, editor);
  for (const [page, path] of Object.entries({
    desk: '/desk',
    'desk of a coverage': `/desk/${newsroom.coverage.slug}`,
  })) {
    const html = await (await desk.get(path)).text();
    expectWithin('scripts that a page names', page, await bytesOfScripts(scriptsOf(html)));
  }

  await callServer(site.service, 'add_tip', {
    tip_id: randomUUID(),
    content: { body: 'The lower gate is closed.' },
    receipt: `${randomUUID()}${randomUUID()}`,
    sender: { person: newsroom.people.reader.id },
  });
  const account = await (await signInWithCookies(site.url, newsroom.people.reader)).get('/account');
  expectWithin('scripts that a page names', 'account', await bytesOfScripts(scriptsOf(await account.text())));

  const [, seq] = /data-seq="(\d+)"/.exec(await (await fetch(site.url + live)).text()) ?? [];
  const check = `${site.url}${live}/changes?after=${seq}`;
  expectWithin('answers', 'changes, and there are none', await bytesOf(check));
  const etag = (await fetch(check)).headers.get('etag') ?? '';
  expectWithin('answers', 'the same once more', await bytesOf(check, { 'if-none-match': etag }, 304));
});
