import type { Body, Post } from './body/blocks.ts';

/** Social networks by host name. */
const NETWORKS: Record<string, string> = {
  'bsky.app': 'Bluesky',
  'x.com': 'X',
  'twitter.com': 'X',
  'instagram.com': 'Instagram',
  'facebook.com': 'Facebook',
  'fb.com': 'Facebook',
  'threads.com': 'Threads',
  'threads.net': 'Threads',
  'linkedin.com': 'LinkedIn',
  'tiktok.com': 'TikTok',
  't.me': 'Telegram',
  'reddit.com': 'Reddit',
};

/** Returns the name of the network of a post; undefined for a host that is not known, as those of Mastodon. */
export function networkOf(url: string): string | undefined {
  return NETWORKS[new URL(url).hostname.replace(/^(?:www|m|mobile)\./, '')];
}

/** Whether the network of a post may have an interface that is open to everyone. */
export const hasPublicInterface = (url: string): boolean => [undefined, 'Bluesky'].includes(networkOf(url));

/** Epoch of the ids of X, in milliseconds. */
const STATUS_EPOCH = 1_288_834_974_657;
/** Lowest bit of the milliseconds in an id. */
const STATUS_TIME_BIT = 22n;
/** Ids have this form since November 2010. */
const FIRST_STATUS = 30_000_000_000n;

/** Returns the time at which X assigned the id in the address of a post, in milliseconds; undefined for other posts. */
export function statusTime(url: string): number | undefined {
  const id = BigInt(/\/status\/(\d{1,19})(?:\/|$)/.exec(new URL(url).pathname)?.[1] ?? 0);
  if (networkOf(url) !== 'X' || id < FIRST_STATUS) return undefined;
  return Number(id >> STATUS_TIME_BIT) + STATUS_EPOCH;
}

/** Whether posts are still there, by their addresses. A post without an answer is not in it. */
export type PostAnswers = ReadonlyMap<string, boolean>;

/**
 * Returns the body with answers about its posts. A post that is gone keeps the time of the first check that found it.
 */
export function withPostAnswers(body: Body, answers: PostAnswers, now: string): Body {
  return body.map((block) =>
    block.type === 'post' ? withAnswer(block, answers.get(block.url), now) : block,
  );
}

function withAnswer(post: Post, isThere: boolean | undefined, now: string): Post {
  if (isThere === undefined || isThere === !post.gone_at) return post;
  const { gone_at: _, ...rest } = post;
  return isThere ? rest : { ...rest, gone_at: now };
}
