import { atom } from 'nanostores';
import { beforeEach, expect, test } from 'vitest';
import { makePostQuoter, type PostQuoter } from '../../../src/islands/editor/PostFields.tsx';
import type { EditedUpdate } from '../../../src/islands/outbox/entries.ts';
import type { BackendClient } from '../../../src/lib/data/result.ts';
import { EMPTY_POST_FORM, type FetchedPost, isPostThere, typedPost } from '../../../src/lib/data/unfurl.ts';
import { EMPTY_FORM, formBody } from '../../../src/lib/data/update-form.ts';
import type { Post } from '../../../src/lib/domain/body/blocks.ts';
import { withPostAnswers } from '../../../src/lib/domain/posts.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { deskPosts as words } from '../../../src/lib/i18n/en/composer.ts';
import { spanish } from '../../../src/lib/i18n/es/all.ts';
import { Refused, refusal } from '../../../src/lib/i18n/refusals.ts';

const URL_ = 'https://social.example/@ana/1';
const STATUS = 'https://x.com/ostley/status/1541815603606036480';
const post: FetchedPost = {
  url: URL_,
  author: 'Ana',
  handle: '@ana@social.example',
  network: 'Mastodon',
  text: 'The bridge is closed.\n\nTake Mill Lane.',
  posted_at: '2026-11-28T13:58:10Z',
};

let $edited = atom<EditedUpdate>({ id: 'a', version: null, form: EMPTY_FORM });
let answer: () => Promise<FetchedPost>;
let quoter: PostQuoter;
let requests: string[];
let isSending = false;

beforeEach(() => {
  $edited = atom<EditedUpdate>({ id: 'a', version: null, form: { ...EMPTY_FORM, body: '- one\n- two' } });
  isSending = false;
  requests = [];
  answer = async () => post;
  const fetchPost = (url: string) => {
    requests.push(url);
    return answer();
  };
  quoter = makePostQuoter(english, fetchPost, 'Asia/Kolkata', {
    $edited: $edited,
    change: (part) => {
      const work = $edited.get();
      if (!isSending) $edited.set({ ...work, form: { ...work.form, ...part } });
    },
  });
});
const body = () => formBody($edited.get().form, 'Asia/Kolkata');

test('a post that was read becomes a block, and can be removed without a trace', async () => {
  quoter.typeAddress('social.example/@ana/1');
  await quoter.add();
  expect(body()).toEqual([
    expect.objectContaining({ type: 'list' }),
    { type: 'post', ...post, quoted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) },
  ]);
  expect(quoter.$status.get()).toMatchObject({ step: 'added', body: [{ type: 'post' }] });
  expect(quoter.$address.get()).toBe('');
  $edited.set({
    ...$edited.get(),
    form: { ...$edited.get().form, body: `${$edited.get().form.body}\nMore` },
  });
  quoter.remove();
  expect($edited.get().form.body).toBe('- one\n- two\n\nMore');
  expect(quoter.$address.get()).toBe(URL_);
});

test.for([
  ['not_found', 'Not here.'],
  ['unavailable', words.offline],
] as const)('a post that is refused as %s can be typed', async ([code, sentence]) => {
  answer = () => Promise.reject(new Refused(refusal(code, { message: () => 'Not here.' })));
  quoter.typeAddress(URL_);
  await quoter.add();
  expect(quoter.$status.get()).toEqual({ step: 'fields', sentence, problems: [] });
  await quoter.add();
  expect(quoter.$status.get()).toEqual({
    step: 'fields',
    sentence: words.incomplete,
    problems: ['author', 'text'],
  });
  quoter.type({ author: ' Ana ', text: ' Closed. ' });
  // A corrected address keeps the words.
  quoter.typeAddress(`${URL_}2`);
  await quoter.add();
  expect(body().at(-1)).toMatchObject({ url: `${URL_}2`, author: 'Ana', text: 'Closed.' });
  expect(quoter.$form.get()).toEqual(EMPTY_POST_FORM);
  expect(requests).toEqual([URL_]);
});

test('asks for the words of a post of a network without a public interface, without a request', async () => {
  quoter.typeAddress(STATUS);
  await quoter.add();
  expect(quoter.$status.get()).toEqual({ step: 'fields', sentence: words.unreadable, problems: [] });
  quoter.type({ author: 'Ostley', handle: '@ ostley', text: '> a\n**b**\n— c' });
  await quoter.add();
  expect(body().at(-1)).toMatchObject({
    type: 'post',
    url: STATUS,
    handle: '@ostley',
    network: 'X',
    text: '> a\n**b**\n— c',
    posted_at: '2022-06-28T16:07:40Z',
  });
  expect(requests).toEqual([]);
});

test('asks for a description of a post of pictures', async () => {
  answer = async () => ({ ...post, text: '' });
  quoter.typeAddress(URL_);
  await quoter.add();
  expect(quoter.$status.get()).toMatchObject({ step: 'fields', sentence: words.noText });
  expect(quoter.$form.get()).toMatchObject({ author: 'Ana', handle: '@ana@social.example' });
});

test('refuses what is no address', async () => {
  quoter.typeAddress('javascript:alert(1)');
  await quoter.add();
  expect(quoter.$status.get()).toEqual({ step: 'refused', sentence: words.notAnAddress });
});

test('ignores a late answer after the address, the update or its state has changed', async () => {
  for (const meanwhile of [
    () => quoter.typeAddress('https://other.example'),
    () => $edited.set({ ...$edited.get(), id: 'b' }),
    () => {
      isSending = true;
    },
  ]) {
    const late = Promise.withResolvers<FetchedPost>();
    answer = () => late.promise;
    quoter.typeAddress(URL_);
    const adding = quoter.add();
    meanwhile();
    late.resolve(post);
    await adding;
    expect($edited.get().form.body).toBe('- one\n- two');
    expect(quoter.$status.get().step).not.toBe('added');
    expect(quoter.$address.get()).not.toBe('');
  }
});

test.for<[string, string, string | undefined]>([
  [URL_, '2026-11-28T19:28', '2026-11-28T13:58:00Z'],
  [URL_, '', undefined],
  [STATUS, '2022-06-28T10:00', '2022-06-28T04:30:00Z'],
  ['https://twitter.com/jack/status/20', '', undefined],
  ['https://news.example/status/1541815603606036480', '', undefined],
])('%s with the time %j was posted at %s', ([url, posted, posted_at]) => {
  expect(typedPost(url, { ...EMPTY_POST_FORM, posted }, 'Asia/Kolkata').posted_at).toBe(posted_at);
});

test('asks the network whether a post is there, and no network that does not say', async () => {
  const answering = (status: number, json: object) => {
    const invoke = async () =>
      status === 200
        ? { data: json, error: null }
        : { data: null, error: new Error(), response: Response.json(json, { status }) };
    return { functions: { invoke } } as unknown as BackendClient;
  };
  const refusing = (code: string, status: number) => answering(status, { code, reason: 'post_gone' });
  expect(await isPostThere(answering(200, post), URL_)).toBe(true);
  expect(await isPostThere(refusing('gone', 410), URL_)).toBe(false);
  expect(await isPostThere(refusing('invalid', 422), URL_)).toBeUndefined();
  expect(await isPostThere(refusing('gone', 410), STATUS)).toBeUndefined();
  await expect(isPostThere(refusing('unavailable', 503), URL_)).rejects.toThrow(Refused);
});

test('marks a post that is gone at the first check, and removes the mark when it is there again', () => {
  const [first, second] = ['2026-11-28T15:10:00Z', '2026-11-28T16:10:00Z'];
  const quoted: Post = { type: 'post', ...post, quoted_at: '2026-11-28T14:02:00Z' };
  const body = [quoted, { ...quoted, url: STATUS }];
  const gone = withPostAnswers(body, new Map([[URL_, false]]), first);
  expect(gone).toEqual([{ ...quoted, gone_at: first }, body[1]]);
  expect(withPostAnswers(gone, new Map([[URL_, false]]), second)[0]).toBe(gone[0]);
  expect(withPostAnswers(gone, new Map([[URL_, true]]), second)).toEqual(body);
  expect(withPostAnswers(body, new Map([[URL_, true]]), second)[0]).toBe(quoted);
});

test.each([english, spanish])('names the handle of a post as that of a person, in $language', (messages) => {
  const { handle } = messages.people.one;
  expect(messages.deskPosts.handle).toContain(handle);
  expect(messages.desk.problems.post(300)).toContain(handle.toLowerCase());
});
