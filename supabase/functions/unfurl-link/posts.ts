import { Parser } from 'htmlparser2';
import { type HttpResponse, readBytes } from '../_shared/http-client.ts';
import { LIMITS } from '../_shared/limits.ts';
import type { NetworkAccess } from '../_shared/network.ts';
import { openAddress, PAGE_LIMITS, requireAnswer } from '../_shared/open-address.ts';
import { Refused } from '../_shared/refusals.ts';
import { cleanLine } from './unfurl.ts';

/** A post as a quoted block has it, without the times of the newsroom. */
type PublicPost = {
  url: string;
  author: string;
  handle: string;
  network: string;
  /** Lines of plain text. Empty for a post with nothing but pictures. */
  text: string;
  /** UTC, whole seconds. */
  posted_at?: string;
};

const BLUESKY_API = 'https://public.api.bsky.app/xrpc';

/**
 * Reads a post of Bluesky or Mastodon through the public interface of its network.
 * @throws Refused `invalid` for an address or answer that is no such post, `gone` if the post is no longer there,
 * `too_large`, `unavailable`
 */
export async function readPost(link: string, net: NetworkAccess, limits = PAGE_LIMITS): Promise<PublicPost> {
  const url = new URL(link);
  const fetchJson = (address: string) =>
    openAddress(
      { link: address, accept: 'application/json', read: (response) => readJson(response, limits.bytes) },
      net,
      limits,
    );
  const [, name = '', key = ''] =
    /^\/profile\/([\w.:-]{1,300})\/post\/(\w{1,40})\/?$/.exec(url.pathname) ?? [];
  if (url.hostname === 'bsky.app' && key) return readBlueskyPost(name, key, fetchJson);
  const [, account = '', id = ''] =
    /^(?:\/web|\/deck)?\/(?:@([\w.@-]{1,300})|users\/[\w.-]{1,100}\/statuses)\/(\d{1,40})\/?$/.exec(
      url.pathname,
    ) ?? [];
  if (url.protocol === 'https:' && id) return readMastodonPost(url, account, id, fetchJson);
  throw notAPost();
}

type Answer = { status: number; value: unknown };
type FetchJson = (address: string) => Promise<Answer>;

/** The address with the account's permanent id, because its handle can change. */
async function readBlueskyPost(name: string, key: string, fetchJson: FetchJson): Promise<PublicPost> {
  let did = name;
  if (!name.startsWith('did:')) {
    const query = new URLSearchParams({ handle: name });
    const { value } = await fetchJson(`${BLUESKY_API}/com.atproto.identity.resolveHandle?${query}`);
    did = stringAt(value, 'did');
    if (!/^did:[\w.:-]{1,300}$/.test(did)) throw notAPost();
  }
  const query = new URLSearchParams({
    uri: `at://${did}/app.bsky.feed.post/${key}`,
    depth: '0',
    parentHeight: '0',
  });
  const { status, value } = await fetchJson(`${BLUESKY_API}/app.bsky.feed.getPostThread?${query}`);
  const thread = objectAt(value, 'thread');
  if (stringAt(thread, '$type').endsWith('#notFoundPost')) throw gone();
  if (status === 400 && stringAt(value, 'error') === 'NotFound') throw gone();
  const post = objectAt(thread, 'post');
  const author = objectAt(post, 'author');
  const handle = stringAt(author, 'handle');
  const record = objectAt(post, 'record');
  if (status !== 200 || !handle || typeof record.text !== 'string') throw notAPost();
  // Authors choose the time of a post freely. The network saw it at the other time.
  const times = [stringAt(record, 'createdAt'), stringAt(post, 'indexedAt')];
  return postOf({
    url: `https://bsky.app/profile/${did}/post/${key}`,
    author: stringAt(author, 'displayName') || handle,
    handle,
    network: 'Bluesky',
    text: record.text,
    at: times.flatMap(timeOf).sort()[0],
  });
}

async function readMastodonPost(
  { origin, host }: URL,
  account: string,
  id: string,
  fetchJson: FetchJson,
): Promise<PublicPost> {
  const { status, value } = await fetchJson(`${origin}/api/v1/statuses/${id}`);
  // Without the error in JSON, the host may be another program.
  if ((status === 404 || status === 410) && stringAt(value, 'error')) throw gone();
  const writer = objectAt(value, 'account');
  const acct = stringAt(writer, 'acct');
  const content = (value as { content?: unknown } | null)?.content;
  if (status !== 200 || stringAt(value, 'id') !== id || !acct || typeof content !== 'string')
    throw notAPost();
  const warning = stringAt(value, 'spoiler_text');
  return postOf({
    url: `${origin}/@${account || acct}/${id}`,
    author: stringAt(writer, 'display_name') || stringAt(writer, 'username') || acct,
    handle: acct.includes('@') ? acct : `${acct}@${host}`,
    network: 'Mastodon',
    text: `${warning}\n\n${textOfHtml(content)}`,
    at: timeOf(stringAt(value, 'created_at'))[0],
  });
}

type RawPost = Omit<PublicPost, 'posted_at'> & { at: string | undefined };

function postOf({ url, author, handle, network, text, at }: RawPost): PublicPost {
  const lines = cleanText(text);
  if ([...lines].length > LIMITS.body_characters)
    throw new Refused('too_large', 'post_too_long', { field: 'url' });
  const account = handle.replace(/[^\p{L}\p{N}@._-]/gu, '').slice(0, LIMITS.attribution - 1);
  const post = {
    url,
    author: cleanLine(author, LIMITS.attribution),
    handle: `@${account}`,
    network,
    text: lines,
  };
  if (!post.author || !account) throw notAPost();
  return at ? { ...post, posted_at: at } : post;
}

/** Cleans each line. At most one empty line stays between two others. */
function cleanText(text: string): string {
  return text
    .split(/\r\n?|[\n\u2028\u2029]/)
    .map((line) => cleanLine(line, line.length))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Returns the time in UTC with whole seconds, or nothing for another text. */
function timeOf(text: string): string[] {
  if (!/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(Date.parse(text))) return [];
  return [new Date(text).toISOString().replace(/\.\d{3}Z$/, 'Z')];
}

const HIDDEN_ELEMENTS = new Set(['script', 'style', 'template', 'noscript', 'svg']);

/** Returns the text of a post's HTML, with the line breaks that readers see. */
function textOfHtml(html: string): string {
  let text = '';
  let hiddenDepth = 0;
  const parser = new Parser({
    onopentag(name) {
      if (HIDDEN_ELEMENTS.has(name)) hiddenDepth++;
      if (name === 'br') text += '\n';
      if (name === 'p') text += '\n\n';
      if (name === 'li' || name === 'blockquote') text += '\n';
    },
    ontext(part) {
      if (hiddenDepth === 0) text += part.replace(/\s+/g, ' ');
    },
    onclosetag(name) {
      if (HIDDEN_ELEMENTS.has(name)) hiddenDepth--;
    },
  });
  parser.end(html);
  return text;
}

async function readJson({ status, body }: HttpResponse, max: number): Promise<Answer> {
  requireAnswer(status);
  const text = new TextDecoder().decode(await readBytes(body, max));
  try {
    return { status, value: JSON.parse(text) };
  } catch {
    return { status, value: null };
  }
}

/** The object under a key; an empty one if there is none. */
function objectAt(value: unknown, key: string): Record<string, unknown> {
  const found = (value as Record<string, unknown> | null)?.[key];
  return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {};
}

/** The string under a key; empty if there is none. */
function stringAt(value: unknown, key: string): string {
  const found = (value as Record<string, unknown> | null)?.[key];
  return typeof found === 'string' ? found : '';
}

const notAPost = () => new Refused('invalid', 'not_a_post', { field: 'url' });
const gone = () => new Refused('gone', 'post_gone', { field: 'url' });
