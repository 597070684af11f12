import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SupabaseClient } from '@supabase/supabase-js';
import { Refused, refusal } from '../http/errors.ts';
import { speak, speakingIn } from '../http/speaking.server.ts';
import type { Database } from '../supabase/database.types.ts';
import { EXPORT } from '../text/commands.ts';
import { writeData } from './data.server.ts';
import { type Source, writePages } from './folder.ts';
import { PhotoMissing } from './rewrite.ts';
import { isSame, readSubject, type Subject } from './subject.ts';

/** What was written. */
export type Written = { slug: string; pages: number; updates: number; at: Date };

type Wanted = Omit<Source, 'subject' | 'photos'> & {
  service: SupabaseClient<Database>;
  slug: string;
  /** The folder, absolute: there is none yet, or an empty one. */
  to: string;
};

/** How often a coverage may change under our hands before we give up. */
const ATTEMPTS = 3;

/**
 * Writes a coverage as a folder of files. It stands under another name until it is whole, and then all at once; what
 * ends it before leaves nothing by that name.
 * @throws Refused
 */
export async function writeFolder(wanted: Wanted): Promise<Written> {
  const { to } = wanted;
  await refuseTaken(to);
  const unfinished = `${to}.unfinished-${randomUUID().slice(0, 8)}`;
  await mkdir(dirname(to), { recursive: true });
  try {
    const written = await writeSame(unfinished, wanted);
    // Whoever has filled it meanwhile keeps what is there: neither of these touches a folder with something in it.
    await rmdir(to).catch(() => undefined);
    await rename(unfinished, to).catch(() => {
      throw taken(to);
    });
    return written;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** @throws Refused where there is something already: a folder is never written over */
async function refuseTaken(to: string): Promise<void> {
  const there = await readdir(to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    const isFile = await lstat(to).catch(() => undefined);
    throw isFile ? taken(to) : error;
  });
  if (there.length > 0) throw taken(to);
}

const taken = (to: string) => new Refused(refusal('bad_state', { sentence: EXPORT.taken(to) }));

/** Writes until nothing has changed from the first page to the last: data and pages say the same. */
async function writeSame(folder: string, wanted: Wanted): Promise<Written> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    const subject = await readSubject(wanted.slug);
    const pages = await writeOnce(folder, wanted, subject);
    if (pages !== undefined && isSame(subject, await readSubject(wanted.slug)))
      return { slug: subject.slug, pages, updates: subject.update_count, at: subject.at };
  }
  throw new Refused(refusal('conflict', { sentence: EXPORT.changing }));
}

/** @returns how many pages; undefined where the coverage was found to be another one meanwhile */
async function writeOnce(folder: string, wanted: Wanted, subject: Subject): Promise<number | undefined> {
  try {
    const { photos } = await writeData(wanted.service, subject.slug, folder);
    return await speakingIn(subject.site.language, () => {
      speak(subject.coverage.language);
      return writePages(folder, { ...wanted, subject, photos });
    });
  } catch (error) {
    if (error instanceof PhotoMissing) return undefined;
    if (error instanceof Refused && error.refusal.code === 'conflict') return undefined;
    throw error;
  }
}
