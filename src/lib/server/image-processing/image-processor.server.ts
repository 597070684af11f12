import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Mutex, Semaphore } from 'async-mutex';
import { adminClient } from '../../data/admin-client.server.ts';
import { imageProcessorBridge, type PhotoStatus, type ProcessResult } from '../../data/image-processor.ts';
import { log } from '../../data/log.ts';
import {
  deleteUnusedPhotos,
  downloadObject,
  type PhotoBucket,
  removeObjects,
  renditionPath,
  storeRendition,
} from '../../data/photo-objects.server.ts';
import { dataOf } from '../../data/result.ts';
import { network } from '../../http/request.ts';
import { SERVER } from '../../i18n/cli.ts';
import { Refused, refusal } from '../../i18n/refusals.ts';
import { developApart } from './process-photo.server.ts';

/** Who sent a photo. `held_tip`: a tip that exceeded a limit. */
export type Sender = 'newsroom' | 'tip' | 'held_tip';

/** Photos processed at once. Each process can take 1 GB of memory and a whole core. */
const AT_ONCE = 2;

/**
 * A queue with two slots. One is reserved for the newsroom, which also has priority in the other, because everyone can
 * send tips. Photos of held tips run last.
 * @returns runs a job when a slot is free
 */
export function openTurns(): (sender: Sender, work: () => Promise<void>) => Promise<void> {
  const turns = new Semaphore(AT_ONCE);
  const tipTurn = new Mutex();
  return (sender, work) =>
    sender === 'newsroom'
      ? turns.runExclusive(work, 1, 1)
      : tipTurn.runExclusive(() => turns.runExclusive(work), sender === 'tip' ? 1 : 0);
}

/** An uploaded photo that is not processed yet. */
type Sent = { id: string; bucket: PhotoBucket; path: string; held: boolean };

/** Attempts for a file that crashes the image worker. The first crash may be the machine's fault. */
const MOST_TRIES = 2;

const FOLDERS = 'stoppress-photo-';
/** An older folder belongs to a server that was killed. In milliseconds. */
const LEFT_MS = 3_600_000;

export type Darkroom = ReturnType<typeof openDarkroom>;

/**
 * Processes uploaded photos: downloads the file, converts it in a worker process, stores the renditions, updates the
 * database, and removes the upload. An interrupted run starts again from the beginning, and two servers that process
 * the same photo produce the same result.
 */
export function openDarkroom() {
  const atItsTurn = openTurns();
  const underWay = new Map<string, Promise<void>>();
  const broken = new Map<string, number>();

  async function develop({ id, bucket, path }: Sent): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), FOLDERS));
    try {
      const file = join(folder, 'sent');
      const fetched = await downloadObject(bucket, path, file);
      // Another server has processed it.
      if (fetched === 'missing') return;
      const result = fetched === 'too_large' ? { refusal: fetched } : await developApart(file, folder);
      if (result === null && countBroken(id) < MOST_TRIES) return;
      if (result === null || 'refusal' in result) {
        const code = result?.refusal ?? 'unsupported_media';
        await dataOf(adminClient().rpc('refuse_photo', { photo_id: id, code }));
      } else {
        const { prints, colour } = result;
        for (const { width } of prints) {
          await storeRendition(bucket, id, width, await readFile(join(folder, String(width))));
        }
        const said = await dataOf(adminClient().rpc('mark_photo_ready', { photo_id: id, prints, colour }));
        // The sender lost the permission meanwhile, or the photo was removed.
        if ((said as PhotoStatus).state !== 'ready') {
          await removeObjects(
            bucket,
            prints.map(({ width }) => renditionPath(id, width)),
          );
        }
      }
      broken.delete(id);
      await removeObjects(bucket, [path]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  function countBroken(id: string): number {
    const times = (broken.get(id) ?? 0) + 1;
    broken.set(id, times);
    return times;
  }

  return {
    /** Processes a photo. Concurrent calls for the same photo share one run. */
    develop(sent: Sent): Promise<void> {
      const known = underWay.get(sent.id);
      if (known) return known;
      const sender = sent.bucket === 'photos' ? 'newsroom' : sent.held ? 'held_tip' : 'tip';
      const done = atItsTurn(sender, () => develop(sent)).finally(() => underWay.delete(sent.id));
      underWay.set(sent.id, done);
      return done;
    },

    /** The uploaded photos that wait: all, or this one. */
    async sent(wanted?: string): Promise<Sent[]> {
      const rows = await dataOf(adminClient().rpc('list_photos_to_process', wanted ? { wanted } : {}));
      return rows.map((row) => ({ ...row, bucket: row.bucket as PhotoBucket }));
    },

    /** Removes temporary folders of servers that were killed. */
    async tidyUp(): Promise<void> {
      for (const name of await readdir(tmpdir())) {
        const folder = join(tmpdir(), name);
        if (!name.startsWith(FOLDERS) || Date.now() - (await stat(folder)).mtimeMs < LEFT_MS) continue;
        await rm(folder, { recursive: true, force: true });
      }
    },

    /** State of a photo; null when it does not exist. */
    standing(id: string): Promise<PhotoStatus | null> {
      return dataOf(adminClient().from('photos').select('state, refusal').eq('id', id).maybeSingle());
    },
  };
}

/** Interval of the search for photos whose sender did not request processing, in milliseconds. */
const EVERY_MS = 30_000;
/** How long a request waits for its photo. Processing continues afterwards. In milliseconds. */
const LONGEST_WAIT_MS = 25_000;
/** Limits of concurrent requests, in all and per client network, because clients can make up ids. */
const MOST_ASKED = 50;
const MOST_OF_ONE = 20;
/** `Retry-After` above these limits, in seconds. */
const BUSY_S = 5;

/**
 * Processes photos while the server runs: on request of a page, and at an interval for photos that no page requested.
 * It also deletes the files of removed photos.
 * @returns a function that stops it
 */
export function attendDarkroom(every = EVERY_MS): () => void {
  const darkroom = openDarkroom();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let failed = false;
  const asked = new Map<string, { line: string; looked: Promise<ProcessResult> }>();

  async function lookRound(): Promise<void> {
    try {
      for (const sent of await darkroom.sent()) void darkroom.develop(sent).catch(tell);
      await deleteUnusedPhotos();
      failed = false;
    } catch (error) {
      tell(error);
    }
    if (!stopped) timer = setTimeout(lookRound, every);
  }

  /** Logs only the first failure in a row. */
  function tell(error: unknown): void {
    if (!failed && !stopped)
      log.warn(SERVER.darkroomFailed(error instanceof Error ? error.message : String(error)));
    failed = true;
  }

  /** Concurrent requests for a photo share one run. */
  function develop(id: string, address: string): Promise<ProcessResult> {
    const known = asked.get(id);
    if (known) return known.looked;
    const line = network(address);
    const ofOne = [...asked.values()].filter((other) => other.line === line).length;
    if (asked.size >= MOST_ASKED || ofOne >= MOST_OF_ONE) {
      return Promise.resolve({ refusal: refusal('rate_limited', { retryAfter: BUSY_S }) });
    }
    const looked = look(id).finally(() => asked.delete(id));
    asked.set(id, { line, looked });
    return looked;
  }

  async function look(id: string): Promise<ProcessResult> {
    try {
      const [sent] = await darkroom.sent(id);
      if (sent) {
        const done = darkroom.develop(sent).catch(tell);
        await Promise.race([done, pause(LONGEST_WAIT_MS, undefined, { ref: false })]);
      }
      return { status: await darkroom.standing(id) };
    } catch (error) {
      if (error instanceof Refused) return { refusal: error.refusal };
      tell(error);
      return { refusal: refusal('internal') };
    }
  }

  imageProcessorBridge.processPhoto = develop;
  // Another server may remove the same folder at the same time.
  void darkroom.tidyUp().catch(() => undefined);
  void lookRound();
  return () => {
    stopped = true;
    clearTimeout(timer);
    imageProcessorBridge.processPhoto = undefined;
  };
}
