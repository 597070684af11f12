import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { dataPart, filePart } from '../backup/archive.ts';
import { readPrivate, writePrivate } from '../data-folder.ts';
import type { DatabaseSession } from '../engine/session.ts';
import { StartError } from '../start-error.ts';
import { copiedRows, type UnpackedArchive } from './project-rows.ts';

/** A stored object of the newsroom, and the path of its unpacked file. */
type Moving = {
  bucket: string;
  name: string;
  path: string;
  eTag: string;
  size: number;
  mimetype: string;
  cacheControl: string;
};

export type MovedFiles = { files: number; bytes: number; uploaded: number; digest: string };

/** Concurrent uploads. A photo has some hundred kilobytes, so a few at once use the whole bandwidth. */
const AT_ONCE = 4;
const TRIES = 3;

/**
 * Uploads missing files, compares all by size and MD5, and deletes those of an earlier run that no longer exist here.
 * @param session of the project's database
 * @param ahead path of the record of uploaded files
 */
export async function moveFiles(
  session: DatabaseSession,
  to: { url: string; secretKey: string },
  unpacked: UnpackedArchive,
  ahead: string,
): Promise<MovedFiles> {
  const client = createClient(to.url, to.secretKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  await checkAccess(client);
  const expected = await listFiles(unpacked);
  const before = await listThere(session);
  const noted = new Set(((await readPrivate(ahead)) as string[] | undefined) ?? []);
  const keys = new Set(expected.map(keyOf));
  for (const [key, { bucket, name }] of before) {
    if (keys.has(key)) continue;
    if (!noted.has(key)) {
      throw new StartError(
        "The project's storage holds files that are not this newsroom's: name an empty project.",
      );
    }
    const { error } = await client.storage.from(bucket).remove([name]);
    if (error) throw refused(bucket, error);
  }
  await writePrivate(ahead, [...new Set([...noted, ...keys])]);
  const missing = expected.filter((one) => !before.has(keyOf(one)));
  const queue = missing.values();
  const worker = async () => {
    for (const one of queue) await upload(client, one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));

  const there = await listThere(session);
  for (const one of expected) {
    if (await isThere(client, one, there.get(keyOf(one)))) continue;
    throw new StartError(
      `A file of the bucket ${one.bucket} is not in the project as it is here, or MOVE_DATABASE_URL is another project's: look there, then try again.`,
    );
  }
  const lines = expected.map((one) => `${one.eTag} ${one.size} ${keyOf(one)}\n`).sort();
  const digest = hash('sha256', lines.join(''));
  const bytes = expected.reduce((sum, { size }) => sum + size, 0);
  return { files: expected.length, bytes, uploaded: missing.length, digest };
}

/** Checks the access to a project. @throws StartError if the URL is not a project's, or the key not its secret key */
async function checkAccess(client: SupabaseClient): Promise<void> {
  const { data, error } = await client.storage.listBuckets();
  if (error || !['photos', 'tips'].every((id) => data.some((bucket) => bucket.id === id))) {
    throw new StartError(
      `The project's storage does not answer as it should${error ? ` (${error.message})` : ''}: is MOVE_SECRET_KEY the secret key of that address?`,
    );
  }
}

const refused = (bucket: string, error: Error) =>
  new StartError(
    `The project's storage refuses a file of the bucket ${bucket}: ${error.message}. Run this again to go on.`,
  );

const keyOf = ({ bucket, name }: Pick<Moving, 'bucket' | 'name'>) => `${bucket}/${name}`;

async function listFiles({ manifest, folder }: UnpackedArchive): Promise<Moving[]> {
  const columns = manifest.tables.find(({ table }) => table === 'storage.objects')?.columns ?? [];
  const objects: Moving[] = [];
  for (const row of await copiedRows(join(folder, dataPart('storage.objects')), columns)) {
    const { bucket_id: bucket, name, version } = row;
    const facts = JSON.parse(row.metadata ?? 'null') as Record<string, string | number> | null;
    // An unfinished upload has no file yet.
    if (!bucket || !name || !version || typeof facts?.eTag !== 'string') continue;
    const path = join(folder, filePart(`${version.slice(0, 2)}/${version}`));
    const [mimetype, cacheControl] = [String(facts.mimetype), String(facts.cacheControl)];
    objects.push({ bucket, name, path, eTag: facts.eTag, size: Number(facts.size), mimetype, cacheControl });
  }
  return objects;
}

type There = { bucket: string; name: string; eTag: string; size: number };

async function listThere(session: DatabaseSession): Promise<Map<string, There>> {
  const { rows } = await session.query<There>(
    `select bucket_id as bucket, name, coalesce(metadata ->> 'eTag', '') as "eTag", (metadata ->> 'size')::float8 as size
     from storage.objects`,
  );
  return new Map(rows.map((one) => [keyOf(one), one]));
}

async function upload(client: SupabaseClient, one: Moving): Promise<void> {
  const bytes = await readFile(one.path);
  const seconds = /^max-age=(\d+)$/.exec(one.cacheControl)?.[1];
  for (let tried = 1; ; tried++) {
    const { error } = await client.storage.from(one.bucket).upload(one.name, bytes, {
      contentType: one.mimetype,
      ...(seconds && { cacheControl: seconds }),
    });
    // Another run may have uploaded it meanwhile; the final comparison covers it.
    if (!error || ('statusCode' in error && String(error.statusCode) === '409')) return;
    const passing =
      !('statusCode' in error) || Number(error.statusCode) >= 500 || Number(error.statusCode) === 429;
    if (!passing || tried === TRIES) {
      throw refused(one.bucket, error);
    }
  }
}

/**
 * Returns true if the project has the same file. On a project, the ETag of a large file is not an MD5, so such a file
 * is downloaded and hashed.
 */
async function isThere(client: SupabaseClient, one: Moving, there: There | undefined): Promise<boolean> {
  if (there?.size !== one.size) return false;
  const bare = (eTag: string) => eTag.replaceAll('"', '');
  if (bare(there.eTag) === bare(one.eTag)) return true;
  if (!there.eTag.includes('-')) return false;
  const { data } = await client.storage.from(one.bucket).download(one.name);
  if (!data) return false;
  return hash('md5', Buffer.from(await data.arrayBuffer())) === bare(one.eTag);
}
