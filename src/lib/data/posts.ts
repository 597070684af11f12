import type { Post } from '../domain/body/blocks.ts';
import { utcFromLocal } from '../domain/local-time.ts';
import { hasPublicInterface, networkOf, statusTime } from '../domain/posts.ts';
import { machineTime } from '../domain/time.ts';
import { Refused } from '../i18n/refusals.ts';
import { type BackendClient, functionData } from './result.ts';

/** A post as its network shows it. Its text is empty if it has only pictures. */
export type FetchedPost = Omit<Post, 'type' | 'quoted_at' | 'gone_at'>;

/**
 * Reads a post through the public interface of its network.
 * @throws Refused: `gone` if it is no longer there
 */
export async function fetchPost(backend: BackendClient, url: string): Promise<FetchedPost> {
  const call = backend.functions.invoke('unfurl-link', { body: { url, isPost: true } });
  return (await functionData(call)) as FetchedPost;
}

/**
 * Whether a post is still there; undefined if its network does not say.
 * @throws Refused if the check could not be made
 */
export async function isPostThere(backend: BackendClient, url: string): Promise<boolean | undefined> {
  if (!hasPublicInterface(url)) return undefined;
  try {
    await fetchPost(backend, url);
    return true;
  } catch (error) {
    const code = error instanceof Refused ? error.refusal.code : undefined;
    if (code === 'gone') return false;
    if (code === 'invalid' || code === 'too_large') return undefined;
    throw error;
  }
}

/** What a writer types about a post. */
export type PostForm = {
  author: string;
  handle: string;
  text: string;
  /** Local time in the coverage's zone: `2026-11-28T13:58`. */
  posted: string;
};

export const EMPTY_POST_FORM: PostForm = { author: '', handle: '', text: '', posted: '' };

/** Makes a post of what a writer typed. */
export function typedPost(url: string, form: PostForm, timeZone: string): FetchedPost {
  const handle = form.handle.replace(/\s/g, '').replace(/^@+/, '');
  const network = networkOf(url);
  const posted_at = utcFromLocal(form.posted, timeZone) ?? statusTime(url);
  return {
    url,
    author: form.author.trim(),
    ...(handle && { handle: `@${handle}` }),
    ...(network && { network }),
    text: form.text.trim(),
    ...(posted_at && { posted_at: machineTime(new Date(posted_at)) }),
  };
}
