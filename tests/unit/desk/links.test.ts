import { atom } from 'nanostores';
import { beforeEach, expect, test } from 'vitest';
import { type LinkFetcher, makeLinkFetcher } from '../../../src/islands/editor/LinkField.tsx';
import type { EditedUpdate } from '../../../src/islands/outbox/entries.ts';
import {
  appendUrlLine,
  EMPTY_FORM,
  formBody,
  parseTypedUrl,
  removeUrlLine,
} from '../../../src/lib/data/update-form.ts';
import type { Link } from '../../../src/lib/domain/body/blocks.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { deskLinks as words } from '../../../src/lib/i18n/en/composer.ts';
import { Refused, refusal } from '../../../src/lib/i18n/refusals.ts';

const URL_ = 'https://news.example/story';
const link: Link = { type: 'link', url: URL_, title: 'The river rises', site: 'News' };

let $edited = atom<EditedUpdate>({ id: 'a', version: null, form: EMPTY_FORM });
let answer: () => Promise<Link>;
let fetcher: LinkFetcher;
let isSending = false;

beforeEach(() => {
  $edited = atom<EditedUpdate>({ id: 'a', version: null, form: { ...EMPTY_FORM, body: '- one\n- two' } });
  isSending = false;
  answer = async () => link;
  fetcher = makeLinkFetcher(english, () => answer(), {
    $edited: $edited,
    change: (part) => {
      const work = $edited.get();
      if (!isSending) $edited.set({ ...work, form: { ...work.form, ...part } });
    },
  });
});
const body = () => formBody($edited.get().form, 'UTC');

test.for([
  ['news.example/story', URL_],
  [' https://news.example/story ', URL_],
  ['http://news.example', 'http://news.example'],
  ['javascript:alert(1)', null],
  ['ftp://news.example', null],
  ['u:p@news.example', null],
  ['two words', null],
  ['https://not an address', null],
  ['word', null],
  ['https://.', null],
  ['localhost:3000/x', 'https://localhost:3000/x'],
  ['http://[2001:db8::1]/', 'http://[2001:db8::1]/'],
  ['', null],
] as const)('reads %s as %s', ([typed, url]) => {
  expect(parseTypedUrl(typed)).toBe(url);
});

test('a described link becomes a block, and can be removed without a trace', async () => {
  fetcher.type('news.example/story');
  await fetcher.add();
  expect(body()).toEqual([expect.objectContaining({ type: 'list' }), link]);
  expect(fetcher.$status.get()).toEqual({ step: 'added', url: URL_, link });
  expect(fetcher.$address.get()).toBe('');
  fetcher.remove();
  expect($edited.get().form).toMatchObject({ body: '- one\n- two', links: [] });
  expect(fetcher.$address.get()).toBe(URL_);
});

test('a refused link keeps its URL, shows the reason, and can be added anyway', async () => {
  for (const [code, sentence] of [
    ['invalid', 'Not on the open web.'],
    ['unavailable', words.offline],
  ] as const) {
    answer = () => Promise.reject(new Refused(refusal(code, { message: () => 'Not on the open web.' })));
    fetcher.type(URL_);
    await fetcher.add();
    expect(fetcher.$status.get()).toEqual({ step: 'refused', sentence, mayAdd: true });
    expect(fetcher.$address.get()).toBe(URL_);
  }
  fetcher.addPlain();
  expect(body().at(-1)).toEqual({ type: 'link', url: URL_, title: 'news.example/story' });
  fetcher.type('no address');
  fetcher.addPlain();
  expect(fetcher.$status.get()).toEqual({ step: 'refused', sentence: words.notAnAddress, mayAdd: false });
});

test('ignores a late description after the URL, the update or its state has changed', async () => {
  for (const meanwhile of [
    () => fetcher.type('https://other.example'),
    () => $edited.set({ ...$edited.get(), id: 'b' }),
    () => {
      isSending = true;
    },
  ]) {
    const late = Promise.withResolvers<Link>();
    answer = () => late.promise;
    fetcher.type(URL_);
    const adding = fetcher.add();
    meanwhile();
    late.resolve(link);
    await adding;
    expect($edited.get().form).toMatchObject({ body: '- one\n- two', links: [] });
    expect(fetcher.$status.get().step).not.toBe('added');
    expect(fetcher.$address.get()).not.toBe('');
  }
});

test('appends a URL as a line, and removes only such a line', () => {
  expect(appendUrlLine('', URL_)).toBe(`${URL_}\n`);
  expect(appendUrlLine('> quote\n\n', URL_)).toBe(`> quote\n\n${URL_}\n`);
  expect(removeUrlLine(`See ${URL_}\n\n${URL_}\nMore`, URL_)).toBe(`See ${URL_}\nMore`);
  expect(removeUrlLine(`See ${URL_}`, URL_)).toBe(`See ${URL_}`);
});
