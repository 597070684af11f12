import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Mutex, Semaphore } from 'async-mutex';
import { clientNetwork } from 'embedded-supabase';
import { adminClient } from '../../data/admin-client.server.ts';
import { log } from '../../data/log.ts';
import { deleteUnusedMediaFiles } from '../../data/media-objects.server.ts';
import {
  deleteUnusedPhotos,
  downloadObject,
  type PhotoBucket,
  removePhotoObjects,
  renditionPath,
  storeRendition,
} from '../../data/photo-objects.server.ts';
import { dataOf } from '../../data/result.ts';
import { type ProcessingStatus, type ProcessResult, serverBridge } from '../../data/server-bridge.ts';
import { SERVER } from '../../i18n/cli.ts';
import { Refused, refusal } from '../../i18n/refusals.ts';
import type { ProcessedPhoto, RefusedPhoto, WorkerReport } from './image-worker.ts';

const PROGRAM = resolve(import.meta.dirname, 'image-worker.ts');

/** Wall-clock limit in milliseconds. The worker limits its CPU time itself, and it runs at low priority. */
const TIMEOUT_MS = 180_000;

/**
 * Creates the renditions of a photo in a worker process of its own.
 * @param folder receives the renditions
 * @param timeoutMs timeout in milliseconds
 * @returns `crashed` when the worker crashed over the photo; `interrupted` when the machine is at fault: the worker did
 * not start, was killed, timed out, or could not write its result
 */
export async function runImageWorker(
  file: string,
  folder: string,
  timeoutMs = TIMEOUT_MS,
): Promise<ProcessedPhoto | RefusedPhoto | 'crashed' | 'interrupted'> {
  const { PATH, TMPDIR } = process.env;
  const timeout = AbortSignal.timeout(timeoutMs);
  const child = fork(PROGRAM, [file, folder], {
    // Without the keys and addresses of this process.
    env: { PATH, TMPDIR },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    signal: timeout,
    killSignal: 'SIGKILL',
  });
  let report: WorkerReport | undefined;
  child.on('message', (message) => {
    report = message as WorkerReport;
  });
  // An abort emits an error before `close`.
  child.on('error', () => {});
  await once(child, 'close').catch(() => once(child, 'close'));
  if (typeof report === 'object') return report;
  // A killed worker and one that timed out end by SIGKILL.
  return report === 'started' && child.signalCode !== 'SIGKILL' ? 'crashed' : 'interrupted';
}

/** Who sent a photo. `held_tip`: a tip that exceeded a limit. */
export type PhotoSender = 'newsroom' | 'tip' | 'held_tip';

/** Photos processed at once. Each process can take 1 GB of memory and a whole core. */
const CONCURRENCY = 2;

/**
 * A queue with two slots. One is reserved for the newsroom, which also has priority in the other, because everyone can
 * send tips. Photos of held tips run last.
 * @returns runs a job when a slot is free
 */
export function createImageQueue(): (sender: PhotoSender, work: () => Promise<void>) => Promise<void> {
  const slots = new Semaphore(CONCURRENCY);
  const tipSlot = new Mutex();
  return (sender, work) =>
    sender === 'newsroom'
      ? slots.runExclusive(work, 1, 1)
      : tipSlot.runExclusive(() => slots.runExclusive(work), sender === 'tip' ? 1 : 0);
}

/** An uploaded photo that is not processed yet. */
type UploadedPhoto = { id: string; bucket: PhotoBucket; path: string; held: boolean };

/**
 * Attempts for a file whose worker does not end well. A crash is probably the file's fault. An interruption is probably
 * the machine's: it kills image workers first when memory is short, and an upgrade replaces their program.
 */
const MAX_ATTEMPTS = { crashed: 2, interrupted: 20 };

const FOLDERS = 'stoppress-photo-';
/** An older folder belongs to a server that was killed. In milliseconds. */
const ABANDONED_MS = 3_600_000;

/**
 * Processes uploaded photos: downloads the file, converts it in a worker process, stores the renditions, updates the
 * database, and removes the upload. An interrupted run starts again from the beginning, and two servers that process
 * the same photo produce the same result.
 */
function createImageProcessor() {
  const enqueue = createImageQueue();
  const running = new Map<string, Promise<void>>();
  /** Failed attempts by photo and kind. */
  const attempts = new Map<string, Record<keyof typeof MAX_ATTEMPTS, number>>();

  async function processPhoto({ id, bucket, path }: UploadedPhoto): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), FOLDERS));
    try {
      const file = join(folder, 'sent');
      const fetched = await downloadObject(bucket, path, file);
      // Another server has processed it.
      if (fetched === 'missing') return;
      const result = fetched === 'too_large' ? { refusal: fetched } : await runImageWorker(file, folder);
      if (typeof result === 'string' && mayTryAgain(id, result)) return;
      if (typeof result === 'string' || 'refusal' in result) {
        const code = typeof result === 'string' ? 'unsupported_media' : result.refusal;
        await dataOf(adminClient().rpc('refuse_photo', { photo_id: id, code }));
      } else {
        const { renditions, placeholder_colour } = result;
        for (const { width } of renditions) {
          await storeRendition(bucket, id, width, await readFile(join(folder, String(width))));
        }
        const status = await dataOf(
          adminClient().rpc('mark_photo_ready', { photo_id: id, renditions, placeholder_colour }),
        );
        // The sender lost the permission meanwhile, or the photo was removed.
        if ((status as ProcessingStatus).state !== 'ready') {
          await removePhotoObjects(
            bucket,
            renditions.map(({ width }) => renditionPath(id, width)),
          );
        }
      }
      attempts.delete(id);
      await removePhotoObjects(bucket, [path]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Counts a failed attempt. */
  function mayTryAgain(id: string, outcome: keyof typeof MAX_ATTEMPTS): boolean {
    const counts = attempts.get(id) ?? { crashed: 0, interrupted: 0 };
    counts[outcome]++;
    attempts.set(id, counts);
    return counts[outcome] < MAX_ATTEMPTS[outcome];
  }

  return {
    /** Processes a photo. Concurrent calls for the same photo share one run. */
    processPhoto(upload: UploadedPhoto): Promise<void> {
      const known = running.get(upload.id);
      if (known) return known;
      const sender = upload.bucket === 'photos' ? 'newsroom' : upload.held ? 'held_tip' : 'tip';
      const done = enqueue(sender, () => processPhoto(upload)).finally(() => running.delete(upload.id));
      running.set(upload.id, done);
      return done;
    },

    /** The uploaded photos that wait: all, or this one. */
    async findUploads(photoId?: string): Promise<UploadedPhoto[]> {
      const rows = await dataOf(
        adminClient().rpc('list_photos_to_process', photoId ? { photo_id: photoId } : {}),
      );
      return rows.map((row) => ({ ...row, bucket: row.bucket as PhotoBucket }));
    },

    /** Removes temporary folders of servers that were killed. */
    async removeAbandonedFolders(): Promise<void> {
      for (const name of await readdir(tmpdir())) {
        const folder = join(tmpdir(), name);
        if (!name.startsWith(FOLDERS) || Date.now() - (await stat(folder)).mtimeMs < ABANDONED_MS) continue;
        await rm(folder, { recursive: true, force: true });
      }
    },

    /** State of a photo; null when it does not exist. */
    readState(id: string): Promise<ProcessingStatus | null> {
      return dataOf(adminClient().from('photos').select('state, refusal_code').eq('id', id).maybeSingle());
    },
  };
}

/** Interval of the search for photos whose sender did not request processing, in milliseconds. */
const SEARCH_MS = 30_000;
/** How long a request waits for its photo. Processing continues afterwards. In milliseconds. */
const WAIT_MS = 25_000;
/** Limits of concurrent requests, in all and per client network, because clients can make up ids. */
const MAX_REQUESTS = 50;
const MAX_PER_CLIENT = 20;
/** `Retry-After` above these limits, in seconds. */
const RETRY_AFTER_S = 5;

/**
 * Processes photos while the server runs: on request of a page, and at an interval for photos that no page requested.
 * It also deletes unused photos and media files.
 * @returns a function that stops it
 */
export function startImageProcessing(every = SEARCH_MS): () => void {
  const processor = createImageProcessor();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let failed = false;
  const requests = new Map<string, { client: string; result: Promise<ProcessResult> }>();

  async function processUploads(): Promise<void> {
    try {
      for (const upload of await processor.findUploads())
        void processor.processPhoto(upload).catch(logFailure);
      await deleteUnusedPhotos();
      await deleteUnusedMediaFiles();
      failed = false;
    } catch (error) {
      logFailure(error);
    }
    if (!stopped) timer = setTimeout(processUploads, every);
  }

  /** Logs only the first failure in a row. */
  function logFailure(error: unknown): void {
    if (!failed && !stopped)
      log.warn(SERVER.imageProcessingFailed(error instanceof Error ? error.message : String(error)));
    failed = true;
  }

  /** Concurrent requests for a photo share one run. */
  function processPhoto(id: string, address: string): Promise<ProcessResult> {
    const known = requests.get(id);
    if (known) return known.result;
    const client = clientNetwork(address);
    const perClient = [...requests.values()].filter((other) => other.client === client).length;
    if (requests.size >= MAX_REQUESTS || perClient >= MAX_PER_CLIENT) {
      return Promise.resolve({ refusal: refusal('rate_limited', { retryAfter: RETRY_AFTER_S }) });
    }
    const result = processNow(id).finally(() => requests.delete(id));
    requests.set(id, { client, result });
    return result;
  }

  async function processNow(id: string): Promise<ProcessResult> {
    try {
      const [upload] = await processor.findUploads(id);
      if (upload) {
        const done = processor.processPhoto(upload).catch(logFailure);
        await Promise.race([done, pause(WAIT_MS, undefined, { ref: false })]);
      }
      return { status: await processor.readState(id) };
    } catch (error) {
      if (error instanceof Refused) return { refusal: error.refusal };
      logFailure(error);
      return { refusal: refusal('internal') };
    }
  }

  serverBridge.processPhoto = processPhoto;
  // Another server may remove the same folder at the same time.
  void processor.removeAbandonedFolders().catch(() => undefined);
  void processUploads();
  return () => {
    stopped = true;
    clearTimeout(timer);
    serverBridge.processPhoto = undefined;
  };
}
