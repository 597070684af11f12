import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readPrivate, writePrivate } from '../data-folder.ts';
import { StartError } from '../start-error.ts';

/** Record in the data folder that its data is being moved, or has been moved, to a project. */
type Mark = { to: string; at: string; done: boolean };

const markOf = (data: string) => join(data, 'moved.json');

/** From here on this newsroom does not start: of two that are live, people would write in both. */
export const markMoving = (data: string, to: string): Promise<void> =>
  writePrivate(markOf(data), { to, at: new Date().toISOString(), done: false } satisfies Mark);

export const markMoved = (data: string, to: string): Promise<void> =>
  writePrivate(markOf(data), { to, at: new Date().toISOString(), done: true } satisfies Mark);

/** For a move of which nothing has come. */
export const unmarkMoving = (data: string): Promise<void> => rm(markOf(data), { force: true });

/** Address of the project that the data was or is being moved to. */
export const movedTo = async (data: string): Promise<string | undefined> =>
  ((await readPrivate(markOf(data))) as Mark | undefined)?.to;

/** @throws StartError when the newsroom of this folder lives elsewhere, or may */
export async function refuseMoved(data: string): Promise<void> {
  const mark = (await readPrivate(markOf(data))) as Mark | undefined;
  if (!mark) return;
  const what = mark.done ? `moved to ${mark.to}` : `was being moved to ${mark.to}, which may have its rows`;
  throw new StartError(
    `The newsroom of ${data} ${what} (${mark.at}). ${mark.done ? 'Start the site with PUBLIC_SUPABASE_URL.' : 'Run `embedded-supabase move` again.'} To have it back here, delete ${markOf(data)}: what was written there meanwhile is not here.`,
  );
}
