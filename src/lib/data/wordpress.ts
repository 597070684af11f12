import { type BackendClient, dataOf, functionData, runCommand } from './result.ts';

/* The WordPress site of the newsroom. The edge function `wordpress` makes the requests to it. */

/** Whether WordPress is connected, and the links of the drafts of a coverage by the id of their update. */
export type WordPressDrafts = { is_connected: boolean; links: Record<string, string> };

/** Returns the drafts of a coverage; null for people who may not make any. */
export async function readWordPressDrafts(
  backend: BackendClient,
  coverage_id: string,
): Promise<WordPressDrafts | null> {
  const listed = await dataOf(backend.rpc('list_wordpress_drafts', { coverage_id }));
  // The generated types do not know the shape of the JSON.
  return listed as WordPressDrafts | null;
}

/** A draft at WordPress. `missingPhotos`: how many photos could not be added, and are links in the draft. */
type WordPressDraft = { link: string; isNew: boolean; missingPhotos: number };

/**
 * Makes a draft of a published update, or returns the one that was made before.
 * @throws Refused
 */
export async function makeWordPressDraft(backend: BackendClient, update: string): Promise<WordPressDraft> {
  const call = backend.functions.invoke('wordpress', { body: { act: 'draft', update } });
  return (await functionData(call)) as WordPressDraft;
}

/** The site as owners see it. */
export type WordPressSettings = { url: string; username: string; saved_at: string };

/** Returns the connected site; null without one. */
export async function readWordPress(backend: BackendClient): Promise<WordPressSettings | null> {
  return (await dataOf(backend.rpc('read_wordpress'))) as WordPressSettings | null;
}

/** Values that an owner enters. */
export type WordPressForm = { url: string; username: string; password: string };

/**
 * Saves the site. The password is stored encrypted.
 * @throws Refused
 */
export async function saveWordPress(backend: BackendClient, form: WordPressForm): Promise<void> {
  await functionData(backend.functions.invoke('wordpress', { body: { act: 'save', ...form } }));
}

/** The user of WordPress, and whether the user may upload photos. */
export type WordPressUser = { name: string; hasUploads: boolean };

/**
 * Checks the connection.
 * @throws Refused that says what is wrong
 */
export async function testWordPress(backend: BackendClient): Promise<WordPressUser> {
  return (await functionData(
    backend.functions.invoke('wordpress', { body: { act: 'test' } }),
  )) as WordPressUser;
}

/** Forgets the site and its password. */
export async function removeWordPress(backend: BackendClient): Promise<void> {
  await runCommand(backend, 'remove_wordpress', {});
}
