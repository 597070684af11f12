import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, existsSync, rmSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { dirname, join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Cron } from 'croner';
import { Hono } from 'hono';
import {
  FolderInUseError,
  lockFolder,
  readPrivateJson,
  syncEntries,
  undefinedIfMissing,
} from '../data-folder.ts';
import type { Engine } from '../engine/engine.ts';
import { checkEngineRecord, engineKind, openEngine } from '../engine/open.ts';
import type { RequestVariables } from '../gateway/context.ts';
import { requireApiKey } from '../gateway/gateway.ts';
import type { Keys } from '../keys.ts';
import { backendLog } from '../log/log.ts';
import { counters } from '../metrics/counters.ts';
import type { BackupSettings, Settings } from '../settings.ts';
import { logStartFailure } from '../start-error.ts';
import type { Files } from '../storage/files.ts';
import {
  ARCHIVE_FORMAT_VERSION,
  type ArchiveContents,
  type ArchiveSource,
  BackupError,
  dataPartName,
  describeSystemError,
  filePartName,
  isValidPartName,
  type Manifest,
  packArchive,
  readArchive,
} from './archive.ts';
import { rejectInterruptedRestore } from './restore-target.ts';
import { takeSnapshot } from './snapshot.ts';

const unfinishedPath = (data: string) => join(data, 'unfinished');

/** Creates the folder for unfinished backups and restores: on the disk of the data, readable by its owner only. */
export async function createUnfinishedFolder(data: string): Promise<string> {
  const folder = unfinishedPath(data);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Deletes leftovers of a process that was killed. The caller must have locked the data folder. */
export async function deleteUnfinished(data: string): Promise<void> {
  await rm(unfinishedPath(data), { recursive: true, force: true });
}

/** Takes a backup; its stream is the archive. */
type TakeBackup = () => Promise<Readable>;

/**
 * Returns a function that makes backups, one at a time. The rows are read before its promise resolves. The files are
 * read while the stream is consumed.
 * @param settings.data the data folder, which the caller has locked
 * @param files prevents the deletion of files during a backup
 */
export function createTakeBackup(
  engine: Pick<Engine, 'kind' | 'transaction'>,
  { data, program }: Pick<Settings, 'data' | 'program'>,
  files?: Pick<Files, 'deferDeletions'>,
): TakeBackup {
  let isBusy = false;
  return async () => {
    if (isBusy) throw new BackupError('Another backup is being made: try again when it is done.');
    isBusy = true;
    const releaseFiles = files?.deferDeletions();
    let folder: string | undefined;
    // Deletes synchronously, because the process may exit as soon as the stream ends.
    const finish = () => {
      isBusy = false;
      if (folder) rmSync(folder, { recursive: true, force: true });
      // The next sweep deletes the remaining files.
      releaseFiles?.().catch((error: unknown) =>
        backendLog.error('Files without a row could not be deleted.', { error }),
      );
    };
    try {
      folder = await mkdtemp(join(await createUnfinishedFolder(data), 'backup-'));
      const manifest: Manifest = {
        format: ARCHIVE_FORMAT_VERSION,
        program,
        madeAt: new Date().toISOString(),
        ...(await takeSnapshot(engine, folder)),
      };
      const stream = packArchive(manifest, archiveSources(manifest, folder, join(data, 'files')));
      stream.once('close', finish);
      return stream;
    } catch (error) {
      finish();
      throw error;
    }
  };
}

async function* archiveSources(
  { tables }: Manifest,
  folder: string,
  files: string,
): AsyncGenerator<ArchiveSource> {
  for (const { table } of tables)
    yield { part: dataPartName(table), path: join(folder, dataPartName(table)) };
  for (const path of await listFiles(files)) {
    const part = filePartName(relative(files, path).split(sep).join('/'));
    if (!isValidPartName(part))
      throw new BackupError(`${path} has a name that a backup cannot hold: rename it.`);
    yield { part, path };
  }
}

/**
 * Returns the paths of all files in a folder and its subfolders, sorted. Returns none if the folder does not exist.
 * @throws BackupError if the folder contains anything else, such as a symbolic link
 */
async function listFiles(folder: string): Promise<string[]> {
  const entries = (await undefinedIfMissing(readdir(folder, { recursive: true, withFileTypes: true }))) ?? [];
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile()) throw new BackupError(`${path} is not a file: take it out of the folder.`);
      return path;
    })
    .sort();
}

/**
 * Writes an archive under a temporary name, reads it back to check it, and renames it.
 * @param path must not exist
 * @throws BackupError; nothing is left then
 */
export async function writeBackup(
  stream: Readable,
  path: string,
  signal?: AbortSignal,
): Promise<ArchiveContents> {
  const partial = `${path}.${randomBytes(4).toString('hex')}.partial`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await pipeline(stream, createWriteStream(partial, { mode: 0o600, flags: 'wx', flush: true }), { signal });
    const contents = await readArchive(partial);
    if (existsSync(path)) throw new BackupError(`There is a file ${path} already: name another one.`);
    await rename(partial, path);
    await syncEntries(dirname(path));
    return contents;
  } catch (error) {
    stream.destroy();
    await rm(partial, { force: true });
    throw asBackupError(error);
  }
}

/** Returns the file name of a backup. The names of one kind sort by time. */
export const backupFileName = (kind: string, now = new Date()) => `${kind}-${timestampOf(now)}.tar.gz`;

/** Returns a timestamp in UTC: `20261121-041500`. */
export function timestampOf(now: Date): string {
  const [date, time] = now.toISOString().replace(/[-:]/g, '').split(/[T.]/);
  return `${date}-${time}`;
}

function asBackupError(error: unknown): unknown {
  const sentence = error instanceof BackupError ? undefined : describeSystemError(error);
  return sentence ? new BackupError(sentence, { cause: error }) : error;
}

/** The settings that a backup depends on. */
export type BackedUpData = Pick<Settings, 'data' | 'databaseUrl' | 'backupPrefix' | 'program'>;

type BackupResult = ArchiveContents & { path: string };

/**
 * Writes a backup, whether the backend is running or not.
 * @param target a new file, or a folder
 * @throws StartError; nothing is left then
 */
export async function backUp(source: BackedUpData, target: string): Promise<BackupResult> {
  const path = isFolder(target) ? join(target, backupFileName(source.backupPrefix)) : target;
  await using resources = new AsyncDisposableStack();
  const { stream } = await openBackupStream(source, resources);
  return { ...(await writeBackup(stream, path)), path };
}

const isFolder = (target: string) =>
  target.endsWith('/') || statSync(target, { throwIfNoEntry: false })?.isDirectory();

/**
 * Opens a backup of the data, through the running backend or with an engine of its own.
 * @param resources releases the folder and the engine; dispose of it after the archive was read
 * @throws StartError if there is no data
 */
export async function openBackupStream(
  source: BackedUpData,
  resources: AsyncDisposableStack,
): Promise<{ stream: Readable; running: boolean }> {
  const { data } = source;
  if (!existsSync(join(data, 'engine.json'))) throw new BackupError(`There is no newsroom in ${data}.`);
  try {
    resources.defer(lockFolder(data));
  } catch (error) {
    if (error instanceof FolderInUseError) return { stream: await requestBackup(data, error), running: true };
    throw error;
  }
  rejectInterruptedRestore(data);
  await deleteUnfinished(data);
  resources.defer(() => deleteUnfinished(data));
  await checkEngineRecord(data, engineKind(source));
  const engine = await openEngine(source, () => {});
  resources.defer(() => engine.close());
  return { stream: await createTakeBackup(engine, source)(), running: false };
}

/** No backup takes this long, so older partial files are leftovers. */
const FORGET_PARTIAL_AFTER_MS = 24 * 60 * 60 * 1000;

/**
 * Deletes the oldest backups of one kind. Ignores other file names.
 * @param keep number of backups to keep, at least one
 */
async function keepNewest(folder: string, kind: string, keep: number): Promise<void> {
  const kindPattern = new RegExp(`^${kind}-\\d{8}-\\d{6}\\.tar\\.gz(\\.[0-9a-f]{8}\\.partial)?$`);
  const names = (await readdir(folder)).filter((name) => kindPattern.test(name)).sort();
  const complete = names.filter((name) => !name.endsWith('.partial'));
  for (const name of complete.slice(0, -Math.max(1, keep))) await rm(join(folder, name));
  for (const name of names.filter((name) => name.endsWith('.partial'))) {
    const { mtimeMs } = await stat(join(folder, name));
    if (Date.now() - mtimeMs > FORGET_PARTIAL_AFTER_MS) await rm(join(folder, name));
  }
}

type BackendFile = { pid: number; url: string; secretKey: string };

/**
 * Requests a backup from the running backend.
 * @param inUse thrown if the holder of the folder is not a running backend
 * @throws FolderInUseError, BackupError
 */
async function requestBackup(data: string, inUse: FolderInUseError): Promise<Readable> {
  const backend = (await readPrivateJson(join(data, 'backend.json'))) as BackendFile | undefined;
  // A backend that was killed leaves its backend.json behind, and another program may use its port by now.
  if (!backend || backend.pid !== inUse.holderPid) throw inUse;
  const backupRequest = request(`${backend.url}/backup`, {
    method: 'POST',
    headers: { apikey: backend.secretKey },
  });
  backupRequest.end();
  // There is no timeout, because a large newsroom takes minutes before the first byte.
  const [response] = (await once(backupRequest, 'response').catch(() => {
    throw inUse;
  })) as [IncomingMessage];
  if (response.statusCode === 200) return response;
  const { message } = (await json(response)) as { message?: string };
  throw new BackupError(message ?? 'The backend made no backup: its log says why.');
}

/**
 * Writes a backup, and then deletes the oldest of its kind.
 * @param kind first part of the file name; retention deletes no other kinds
 * @throws BackupError; nothing is deleted then
 */
export async function writeScheduledBackup(
  kind: string,
  takeBackup: TakeBackup,
  { folder, keep }: BackupSettings,
  signal?: AbortSignal,
): Promise<void> {
  await writeBackup(await takeBackup(), join(folder, backupFileName(kind)), signal);
  await keepNewest(folder, kind, keep);
}

/** Makes a backup at each scheduled time. Logs an error and continues with the next one. */
export function scheduleBackups(takeBackup: TakeBackup, settings: BackupSettings, prefix: string) {
  const abortController = new AbortController();
  let running = Promise.resolve();
  const run = async () => {
    try {
      await writeScheduledBackup(`${prefix}-scheduled`, takeBackup, settings, abortController.signal);
    } catch (error) {
      if (abortController.signal.aborted) return;
      counters.backups_failed += 1;
      logStartFailure(error, 'The scheduled backup was not written');
    }
  };
  const job =
    settings.at &&
    new Cron(settings.at, { protect: true }, () => {
      running = run();
      return running;
    });
  return {
    /** Stops the schedule and cancels the backup that is being made. */
    async stop(): Promise<void> {
      if (job) job.stop();
      abortController.abort();
      await running;
    },
  };
}

/**
 * Creates `POST /backup`, which returns a backup to the command on this machine. Requests through the website's server
 * have an address and get 404.
 */
export function backupRoutes(keys: Keys, takeBackup: TakeBackup): Hono<RequestVariables> {
  return new Hono<RequestVariables>().post('/', requireApiKey(keys), async (c) => {
    if (c.get('apiKeyType') !== 'secret' || c.get('address')) return c.notFound();
    try {
      const stream = await takeBackup();
      return c.body(Readable.toWeb(stream) as ReadableStream, 200, { 'content-type': 'application/gzip' });
    } catch (error) {
      const message = error instanceof BackupError ? error.message : describeSystemError(error);
      if (message === undefined) throw error;
      return c.json({ code: 'unavailable', message }, 503);
    }
  });
}
