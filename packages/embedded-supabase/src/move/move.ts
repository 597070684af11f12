import { createHash, hash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { dataPartName, filePartName, readArchive } from '../backup/archive.ts';
import { type BackedUpData, backupFileName, openBackupStream, writeBackup } from '../backup/backup.ts';
import {
  markMoved,
  markMoving,
  readMoveTarget,
  readPrivateJson,
  unmarkMoving,
  writePrivateJson,
} from '../data-folder.ts';
import type { DatabaseSession } from '../engine/engine.ts';
import { StartError } from '../start-error.ts';
import {
  compareProject,
  type MovedTable,
  moveRows,
  openProject,
  readCopyRows,
  type UnpackedArchive,
} from './project-rows.ts';

/** A Supabase project that data is moved to. */
export type MoveTarget = {
  /** API URL, without a slash at the end. */
  url: string;
  secretKey: string;
  /** Connection string of the database, as the role `postgres`. */
  databaseUrl: string;
};

export type MoveReport = {
  /** `filesCopied`: only files, because the backend is running. `alreadyMoved`: an earlier run moved the rows. */
  outcome: 'filesCopied' | 'moved' | 'alreadyMoved';
  tables: MovedTable[];
  files?: MovedFiles | undefined;
  /** The last backup of the data that was moved. */
  backup?: string | undefined;
};

/**
 * Moves the data to an empty project. While the backend is running, this copies only files, and may be repeated.
 * Otherwise it also moves all rows, in one transaction, and the backend does not start here again.
 * @param backups folder for the last backup
 * @throws StartError; a later run continues
 */
export async function move(source: BackedUpData, target: MoveTarget, backups: string): Promise<MoveReport> {
  await using resources = new AsyncDisposableStack();
  const previousTarget = await readMoveTarget(source.data);
  if (previousTarget !== undefined && previousTarget !== target.url) {
    throw new StartError(
      `The newsroom of ${source.data} was already moved to ${previousTarget}, or its move has started.`,
    );
  }
  const { stream, running } = await openBackupStream(source, resources);
  await mkdir(backups, { recursive: true, mode: 0o700 });
  const unfinished = await mkdtemp(join(backups, '.moving-'));
  resources.defer(() => rm(unfinished, { recursive: true, force: true }));
  const path = join(running ? unfinished : backups, backupFileName(`${source.backupPrefix}-moved`));
  await writeBackup(stream, path);
  const folder = join(unfinished, 'unpacked');
  await mkdir(folder, { mode: 0o700 });
  const { manifest } = await readArchive(path, folder);
  const unpacked = { manifest, folder };

  const project = await openProject(target.databaseUrl);
  resources.defer(() => project.close());
  if ((await compareProject(project, unpacked)) === 'ours') {
    // The files were uploaded before the rows. They are not compared, because the project may have changed them since.
    if (running || previousTarget === undefined) {
      throw new StartError('The project has the rows of this newsroom already: nothing was touched.');
    }
    await markMoved(source.data, target.url);
    return { outcome: 'alreadyMoved', tables: [], backup: path };
  }
  const files = await moveFiles(project, target, unpacked, join(source.data, 'moved-ahead.json'));
  if (running) return { outcome: 'filesCopied', tables: [], files };
  // If the process is killed between commit and final mark, the first mark prevents a second live copy.
  let isMarked = false;
  const markBeforeCommit = async () => {
    await markMoving(source.data, target.url);
    isMarked = true;
  };
  const tables = await moveRows(project, unpacked, markBeforeCommit).catch(async (error: unknown) => {
    if (!isMarked) await unmarkMoving(source.data);
    throw error;
  });
  await markMoved(source.data, target.url);
  return { outcome: 'moved', tables, files, backup: path };
}

/** A stored object of the newsroom, and the path of its unpacked file. */
type LocalFile = {
  bucket: string;
  name: string;
  path: string;
  eTag: string;
  size: number;
  mimetype: string;
  cacheControl: string;
};

type MovedFiles = { files: number; bytes: number; uploaded: number; digest: string };

/** Concurrent uploads. A photo has some hundred kilobytes, so a few at once use the whole bandwidth. */
const CONCURRENT_UPLOADS = 4;
const MAX_ATTEMPTS = 3;

/**
 * Uploads missing files, and compares all by size and MD5. Files of an earlier run that were deleted or replaced here
 * since then are deleted first.
 * @param session of the project's database
 * @param recordPath path of the record of uploaded files
 */
async function moveFiles(
  session: DatabaseSession,
  target: { url: string; secretKey: string },
  unpacked: UnpackedArchive,
  recordPath: string,
): Promise<MovedFiles> {
  const client = createClient(target.url, target.secretKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  await checkAccess(client);
  const expected = await listFiles(unpacked);
  const existing = await listProjectFiles(session);
  const recordedKeys = new Set(((await readPrivateJson(recordPath)) as string[] | undefined) ?? []);
  const files = new Map(expected.map((file) => [keyOf(file), file]));
  for (const [key, projectFile] of existing) {
    const { bucket, name } = projectFile;
    const file = files.get(key);
    if (file && (await isUploaded(client, file, projectFile))) continue;
    if (!recordedKeys.has(key)) {
      throw new StartError("The project's storage contains files of something else: name an empty project.");
    }
    const { error } = await client.storage.from(bucket).remove([name]);
    if (error) throw refusal(bucket, error);
    existing.delete(key);
  }
  await writePrivateJson(recordPath, [...new Set([...recordedKeys, ...files.keys()])]);
  const missing = expected.filter((file) => !existing.has(keyOf(file)));
  const queue = missing.values();
  const worker = async () => {
    for (const file of queue) await upload(client, file);
  };
  await Promise.all(Array.from({ length: CONCURRENT_UPLOADS }, worker));

  const uploaded = await listProjectFiles(session);
  for (const file of expected) {
    if (await isUploaded(client, file, uploaded.get(keyOf(file)))) continue;
    throw new StartError(
      `A file of the bucket ${file.bucket} differs in the project, or MOVE_DATABASE_URL is of another project: check both, then try again.`,
    );
  }
  const lines = expected.map((file) => `${file.eTag} ${file.size} ${keyOf(file)}\n`).sort();
  const digest = hash('sha256', lines.join(''));
  const bytes = expected.reduce((sum, { size }) => sum + size, 0);
  return { files: expected.length, bytes, uploaded: missing.length, digest };
}

/** Checks the access to a project. @throws StartError if the URL is not a project's, or the key not its secret key */
async function checkAccess(client: SupabaseClient): Promise<void> {
  const { data, error } = await client.storage.listBuckets();
  if (error || !['photos', 'tips', 'media'].every((id) => data.some((bucket) => bucket.id === id))) {
    throw new StartError(
      `The project's storage does not respond as expected${error ? ` (${error.message})` : ''}: is MOVE_SECRET_KEY the secret key of that address?`,
    );
  }
}

const refusal = (bucket: string, error: Error) =>
  new StartError(
    `The project's storage refuses a file of the bucket ${bucket}: ${error.message}. Run this again to continue.`,
  );

const keyOf = ({ bucket, name }: Pick<LocalFile, 'bucket' | 'name'>) => `${bucket}/${name}`;

async function listFiles({ manifest, folder }: UnpackedArchive): Promise<LocalFile[]> {
  const columns = manifest.tables.find(({ table }) => table === 'storage.objects')?.columns ?? [];
  const objects: LocalFile[] = [];
  for (const row of await readCopyRows(join(folder, dataPartName('storage.objects')), columns)) {
    const { bucket_id: bucket, name, version } = row;
    const metadata = JSON.parse(row.metadata ?? 'null') as Record<string, string | number> | null;
    // An unfinished upload has no file yet.
    if (!bucket || !name || !version || typeof metadata?.eTag !== 'string') continue;
    const path = join(folder, filePartName(`${version.slice(0, 2)}/${version}`));
    const [mimetype, cacheControl] = [String(metadata.mimetype), String(metadata.cacheControl)];
    objects.push({
      bucket,
      name,
      path,
      eTag: metadata.eTag,
      size: Number(metadata.size),
      mimetype,
      cacheControl,
    });
  }
  return objects;
}

type ProjectFile = { bucket: string; name: string; eTag: string; size: number };

async function listProjectFiles(session: DatabaseSession): Promise<Map<string, ProjectFile>> {
  const { rows } = await session.query<ProjectFile>(
    `select bucket_id as bucket, name, coalesce(metadata ->> 'eTag', '') as "eTag", (metadata ->> 'size')::float8 as size
     from storage.objects`,
  );
  return new Map(rows.map((file) => [keyOf(file), file]));
}

async function upload(client: SupabaseClient, file: LocalFile): Promise<void> {
  // Read from the disk as it is sent, because a file may be larger than the memory.
  const content = await openAsBlob(file.path, { type: file.mimetype });
  const seconds = /^max-age=(\d+)$/.exec(file.cacheControl)?.[1];
  for (let attempt = 1; ; attempt++) {
    const { error } = await client.storage
      .from(file.bucket)
      .upload(file.name, content, seconds ? { cacheControl: seconds } : {});
    // Another run may have uploaded it meanwhile; the final comparison covers it.
    if (!error || ('statusCode' in error && String(error.statusCode) === '409')) return;
    const isTemporary =
      !('statusCode' in error) || Number(error.statusCode) >= 500 || Number(error.statusCode) === 429;
    if (!isTemporary || attempt === MAX_ATTEMPTS) {
      throw refusal(file.bucket, error);
    }
  }
}

/**
 * Returns true if the project has the same file. On a project, the ETag of a large file is not an MD5, so such a file
 * is downloaded and hashed.
 */
async function isUploaded(
  client: SupabaseClient,
  file: LocalFile,
  projectFile: ProjectFile | undefined,
): Promise<boolean> {
  if (projectFile?.size !== file.size) return false;
  const withoutQuotes = (eTag: string) => eTag.replaceAll('"', '');
  if (withoutQuotes(projectFile.eTag) === withoutQuotes(file.eTag)) return true;
  if (!projectFile.eTag.includes('-')) return false;
  const { data } = await client.storage.from(file.bucket).download(file.name).asStream();
  if (!data) return false;
  const digest = createHash('md5');
  for await (const chunk of data) digest.update(chunk);
  return digest.digest('hex') === withoutQuotes(file.eTag);
}
