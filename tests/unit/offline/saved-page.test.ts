import { expect, test } from 'vitest';
import {
  compareWithChanges,
  hasMoreThanNewUpdates,
  mayShow,
  navigationTarget,
  readSaved,
  showsUpdates,
  withCheckTime,
  withSavedNote,
} from '../../../src/islands/offline/saved-page.ts';
import * as english from '../../../src/lib/i18n/en/live-feed.ts';
import * as spanish from '../../../src/lib/i18n/es/live-feed.ts';

const MADE = '2026-07-20T20:12:00Z';
const LATER = Date.parse('2026-07-20T21:00:00Z');
const main = `<main id="coverage" class="coverage" data-seq="7" data-state="live" data-build="b1" data-made="${MADE}" data-follow="checks">`;
const html = `<header><p id="saved" hidden> Saved copy: <time>20:12</time></p></header>${main}<p hidden>no</p></main>`;
const followed = { seq: '7', build: 'b1', state: 'live', madeAt: Date.parse(MADE) };

const answer = (more = '', inside = '') =>
  `<div data-changes data-through="7" data-seq="7" data-state="live" data-build="b1"${more} data-follow="checks"> ${inside}</div>`;

const verdict = (...question: Parameters<typeof compareWithChanges>) =>
  compareWithChanges(...question).comparison;

test('reads the state of a saved page, and rejects pages of other sites', () => {
  expect(readSaved(html)).toEqual({ html, followed, newest: 0, withdrawn: [] });
  expect(readSaved(html.replace(main, '<main id="main">'))?.followed).toBeUndefined();
  expect(readSaved('<p hidden>Room number?</p>')).toBeUndefined();
});

test('shows the note of a saved page, and no other hidden element', () => {
  expect(withSavedNote(html, '/live/river')).toBe(html.replace('<p id="saved" hidden>', '<p id="saved">'));
});

test('a saved page does not claim to be live, and keeps final states', () => {
  const status = (is: string) =>
    `<p id="status" ><strong class="${is}">Word</strong><span>checked 20:12</span></p>`;
  for (const is of ['live', 'paused', 'scheduled'])
    expect(withSavedNote(status(is), '/live/river')).toBe(
      '<p id="status" ><strong class="offline">Offline</strong><span>saved copy</span><span>checked 20:12</span></p>',
    );
  expect(withSavedNote(status('ended'), '/live/river')).toBe(status('ended'));
});

test('a saved tip form says that nothing can be sent', () => {
  expect(withSavedNote(html, '/tips?coverage=river')).toContain(
    '<p id="saved">You are offline. Tips cannot be sent from this saved copy.',
  );
  expect(withSavedNote(html, '/')).not.toContain('sent');
});

test.for([
  ['a page in Spanish', '<html lang="es-419" dir="ltr">', '', spanish],
  [
    'a page in a language without messages, on a site in Spanish',
    '<html lang="ga" data-words="es">',
    ' lang="es"',
    spanish,
  ],
  [
    'a page in a language without messages, on a site in English',
    '<html lang="ga" data-words="en">',
    ' lang="en"',
    english,
  ],
] as const)('the notes of %s are in the language of its interface', ([, root, lang, { feed, offline }]) => {
  const page =
    `${root}<p id="saved" hidden${lang}>Word</p>` +
    `<p id="status"${lang}><strong class="live">Word</strong></p>`;
  const shown = withSavedNote(page, '/tips');
  expect(shown).toContain(
    `<p id="status"${lang}><strong class="offline">${feed.offline}</strong><span>${feed.savedCopy}</span></p>`,
  );
  expect(shown).toContain(`<p id="saved"${lang}>${offline.nothingSent} `);
});

test('new updates alone leave other saved pages valid', () => {
  const state = (seq: number, newest: number) => {
    const list = `<div id="updates" data-newest="${newest}"></div>`;
    const page = readSaved(html.replace('data-seq="7"', `data-seq="${seq}"`) + list);
    if (!page) throw new Error('The worker saves the page.');
    return page;
  };
  const was = state(7, 3);
  expect(hasMoreThanNewUpdates(was, state(7, 3))).toBe(false);
  expect(hasMoreThanNewUpdates(was, state(9, 5))).toBe(false);
  expect(hasMoreThanNewUpdates(was, state(8, 3))).toBe(true);
  expect(hasMoreThanNewUpdates(was, state(9, 4))).toBe(true);
});

test('recognises a page that shows a withdrawn update', () => {
  const stands = '<article id="update-3" class="update key" data-number="3">';
  const tombstone = '<article id="update-3" class="update withdrawn" data-number="3">';
  expect(readSaved(html + tombstone)?.withdrawn).toEqual([3]);
  expect(showsUpdates(stands, 'river', [2, 3])).toBe(true);
  expect(showsUpdates(`${tombstone}<a href="/live/river/3">`, 'river', [3])).toBe(false);
  const box = '<article class="box">';
  expect(showsUpdates(`${box}<a href="/live/river?before=11#update-3">`, 'river', [3])).toBe(true);
  expect(showsUpdates('<li><a href="/live/river/3">', 'river', [3])).toBe(true);
  expect(showsUpdates(`${box}<a href="/live/river#update-31"><a href="/live/other/3">`, 'river', [3])).toBe(
    false,
  );
});

test('sets the time of the check for an unchanged copy', () => {
  expect(withCheckTime(html, LATER)).toBe(html.replace(MADE, '2026-07-20T21:00:00.000Z'));
});

test('a copy is current only if the response contains nothing', () => {
  expect(verdict(answer(), LATER, followed)).toBe('current');
  for (const says of [' data-more="true"', ' data-reload="true"', ' data-settings="true"'])
    expect(verdict(answer(says), LATER, followed), says).toBe('changed');
  for (const [is, was] of [
    ['data-through="8"', 'data-through="7"'],
    ['data-build="b2"', 'data-build="b1"'],
    ['data-state="ended"', 'data-state="live"'],
  ] as const)
    expect(verdict(answer().replace(was, is), LATER, followed), is).toBe('changed');
  expect(verdict(answer('', '<section id="summary"></section>'), LATER, followed)).toBe('changed');
  expect(verdict(answer('', '<article class="update" id="update-3"></article>'), LATER, followed)).toBe(
    'changed',
  );
});

test('times without a date are invalid on another day', () => {
  expect(verdict(answer(), LATER + 24 * 3600_000, followed)).toBe('changed');
});

test('a copy with a withdrawn update must not be shown', () => {
  const gone = '<article id="update-3" class="update withdrawn" data-number="3"></article>';
  expect(verdict(answer('', gone), LATER, followed)).toBe('gone');
  expect(() => verdict('<p>Room number?</p>', LATER, followed)).toThrow();
});

test('a copy with an uncorrected update must not be shown', () => {
  const corrected =
    '<article class="update" id="update-3" data-number="3"><p class="note"><b>Correction</b> The gate is open.</p></article>';
  expect(verdict(answer('', corrected), LATER, followed)).toBe('gone');
});

test.for([
  ['/live/river?utm_source=x', { kind: 'page', key: '/live/river' }],
  ['/', { kind: 'page', key: '/' }],
  ['/tips?coverage=river', { kind: 'page', key: '/tips?coverage=river' }],
  ['/desk/river', { kind: 'other' }],
  ['/account', { kind: 'other' }],
  ['/sign-in', { kind: 'other' }],
  [`/tips/${'a1b2'.repeat(10)}`, { kind: 'other' }],
  ['/live/No_Slug', { kind: 'other' }],
  ['/live/river/changes?after=1', { kind: 'other' }],
  ['/live/river/part', { kind: 'other' }],
  ['/robots.txt', { kind: 'other' }],
  ['/auth/confirm?token_hash=x', null],
  ['/api/me', null],
  ['/api/coverages.json', null],
  ['/_astro/x.js', null],
  ['/offline', { kind: 'other' }],
  ['/offline/desk', { kind: 'other' }],
  ['/search?q=somebody', { kind: 'other' }],
] as const)('%s is to the worker: %o', ([path, visited]) => {
  expect(navigationTarget(new URL(path, 'http://site'))).toEqual(visited);
});

test('recognises pages that show something of a coverage', () => {
  for (const key of [
    '/live/river',
    '/live/river/3',
    '/live/river?before=11',
    '/',
    '/topics/floods',
    '/people/ada',
    '/tips?coverage=river',
  ])
    expect(mayShow(key, 'river'), key).toBe(true);
  for (const key of ['/live/riverside', '/live/other/3', '/about', '/tips', '/tips?coverage=other'])
    expect(mayShow(key, 'river'), key).toBe(false);
});
