import type { Post } from '../domain/body/blocks.ts';
import { utcFromLocal } from '../domain/local-time.ts';
import { hasPublicInterface, networkOf, statusTime } from '../domain/posts.ts';
import { machineTime } from '../domain/time.ts';
import { isErrorCode, type Refusal, Refused, refusal, refusalWithDetails } from '../i18n/refusals.ts';
import { type BackendClient, dataOf, functionData } from './result.ts';

/**
 * Reads the cells of the CSV file at an address, by row. All rows have the same number of cells. A cell is plain text
 * and may be empty.
 * @throws Refused
 */
export async function readCsvCells(backend: BackendClient, url: string): Promise<string[][]> {
  const call = backend.functions.invoke('unfurl-link', { body: { url, isTable: true } });
  return (await functionData(call)) as string[][];
}

/** The last reading of an address: when it succeeded, or why it failed. Neither before the first one. */
export type TableReading = { csv: string; readAt: string | null; problem: Refusal | null };

/**
 * Returns the readings of the addresses that the tables of a published update are read from.
 * @throws Refused
 */
export async function listTableReadings(backend: BackendClient, update: string): Promise<TableReading[]> {
  const rows = (await dataOf(backend.rpc('list_table_readings', { update_id: update }))) as {
    csv: string;
    read_at: string | null;
    error: Record<string, unknown> | null;
  }[];
  return Promise.all(
    rows.map(async ({ csv, read_at, error }) => ({
      csv,
      readAt: read_at,
      problem: error && (await refusalOf(error)),
    })),
  );
}

const refusalOf = ({ code, ...details }: Record<string, unknown>): Promise<Refusal> | Refusal =>
  isErrorCode(code) ? refusalWithDetails(code, details) : refusal('unavailable');

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
