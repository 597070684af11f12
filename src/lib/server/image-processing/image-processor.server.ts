import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Mutex, Semaphore } from 'async-mutex';
import { admin } from '../../data/admin-client.server.ts';
import { darkroomDoor, type Looked, type Standing } from '../../data/image-processor.ts';
import { log } from '../../data/log.ts';
import {
  type Bucket,
  fetchObject,
  forgetPhotos,
  keepPrint,
  printPath,
  removeObjects,
} from '../../data/photo-objects.server.ts';
import { dataOf } from '../../data/result.ts';
import { network } from '../../http/request.ts';
import { SERVER } from '../../i18n/cli.ts';
import { Refused, refusal } from '../../i18n/refusals.ts';
import { developApart } from './process-photo.server.ts';

/** Whose photo it is. Of a held tip: of one of very many that came from one place. */
export type Sender = 'newsroom' | 'tip' | 'held_tip';

/** Each has a process that may take a GB of memory and all of a core. */
const AT_ONCE = 2;

/**
 * The turns at the darkroom. One is the newsroom's alone and the other takes it first, because anybody can send tips;
 * those that are held come when no others wait.
 * @returns runs work at its turn
 */
export function openTurns(): (sender: Sender, work: () => Promise<void>) => Promise<void> {
  const turns = new Semaphore(AT_ONCE);
  const tipTurn = new Mutex();
  return (sender, work) =>
    sender === 'newsroom'
      ? turns.runExclusive(work, 1, 1)
      : tipTurn.runExclusive(() => turns.runExclusive(work), sender === 'tip' ? 1 : 0);
}

/** A photo that was sent and not looked at yet. */
type Sent = { id: string; bucket: Bucket; path: string; held: boolean };

/** Of a file that breaks the process that looks at it. Once may be the machine's fault. */
const MOST_TRIES = 2;

const FOLDERS = 'stoppress-photo-';
/** Nobody has worked in a folder for so long: its server was killed. */
const LEFT_MS = 3_600_000;

export type Darkroom = ReturnType<typeof openDarkroom>;

/**
 * Makes photos of what was sent: fetches it, has it developed in a process of its own, puts the prints into storage,
 * tells the database, and removes what was sent. Whatever breaks off half way is done again from its beginning, and
 * what two servers do at once comes out the same.
 */
export function openDarkroom() {
  const atItsTurn = openTurns();
  const underWay = new Map<string, Promise<void>>();
  const broken = new Map<string, number>();

  async function develop({ id, bucket, path }: Sent): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), FOLDERS));
    try {
      const file = join(folder, 'sent');
      const fetched = await fetchObject(bucket, path, file);
      // Another server was faster.
      if (fetched === 'missing') return;
      const result = fetched === 'too_large' ? { refusal: fetched } : await developApart(file, folder);
      if (result === null && countBroken(id) < MOST_TRIES) return;
      if (result === null || 'refusal' in result) {
        const code = result?.refusal ?? 'unsupported_media';
        await dataOf(admin().rpc('photo_refused', { photo_id: id, code }));
      } else {
        const { prints, colour } = result;
        for (const { width } of prints) {
          await keepPrint(bucket, id, width, await readFile(join(folder, String(width))));
        }
        const said = await dataOf(admin().rpc('photo_developed', { photo_id: id, prints, colour }));
        // Whoever sent it may not any more, or it was removed meanwhile.
        if ((said as Standing).state !== 'ready') {
          await removeObjects(
            bucket,
            prints.map(({ width }) => printPath(id, width)),
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
    /** Waits until this photo has been looked at, which whoever asks for it shares. */
    develop(sent: Sent): Promise<void> {
      const known = underWay.get(sent.id);
      if (known) return known;
      const sender = sent.bucket === 'photos' ? 'newsroom' : sent.held ? 'held_tip' : 'tip';
      const done = atItsTurn(sender, () => develop(sent)).finally(() => underWay.delete(sent.id));
      underWay.set(sent.id, done);
      return done;
    },

    /** What was sent: all of it, or this one photo. */
    async sent(wanted?: string): Promise<Sent[]> {
      const rows = await dataOf(admin().rpc('photos_to_develop', wanted ? { wanted } : {}));
      return rows.map((row) => ({ ...row, bucket: row.bucket as Bucket }));
    },

    /** Removes what servers that were killed have left of photos that they were sent. */
    async tidyUp(): Promise<void> {
      for (const name of await readdir(tmpdir())) {
        const folder = join(tmpdir(), name);
        if (!name.startsWith(FOLDERS) || Date.now() - (await stat(folder)).mtimeMs < LEFT_MS) continue;
        await rm(folder, { recursive: true, force: true });
      }
    },

    /** How far a photo has come; null when there is none. */
    standing(id: string): Promise<Standing | null> {
      return dataOf(admin().from('photos').select('state, refusal').eq('id', id).maybeSingle());
    },
  };
}

/** How soon a photo is seen whose sender has gone away after the last byte. In milliseconds. */
const EVERY_MS = 30_000;
/** Whoever asks waits no longer: the photo comes all the same. */
const LONGEST_WAIT_MS = 25_000;
/** More photos than this at once are not asked for, of all and of one network: anybody may make up ids. */
const MOST_ASKED = 50;
const MOST_OF_ONE = 20;
/** Who is turned away may come again after so many seconds. */
const BUSY_S = 5;

/**
 * Attends to the darkroom for as long as the server runs: has photos looked at when somebody knocks at its door, and
 * looks round every so often for what nobody asked for, and for what may be forgotten.
 * @returns a function that ends it
 */
export function attendDarkroom(every = EVERY_MS): () => void {
  const darkroom = openDarkroom();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let failed = false;
  const asked = new Map<string, { line: string; looked: Promise<Looked> }>();

  async function lookRound(): Promise<void> {
    try {
      for (const sent of await darkroom.sent()) void darkroom.develop(sent).catch(tell);
      await forgetPhotos();
      failed = false;
    } catch (error) {
      tell(error);
    }
    if (!stopped) timer = setTimeout(lookRound, every);
  }

  /** Once, until it goes well again. */
  function tell(error: unknown): void {
    if (!failed && !stopped)
      log.warn(SERVER.darkroomFailed(error instanceof Error ? error.message : String(error)));
    failed = true;
  }

  /** However many ask for a photo, it is asked for once. */
  function develop(id: string, address: string): Promise<Looked> {
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

  async function look(id: string): Promise<Looked> {
    try {
      const [sent] = await darkroom.sent(id);
      if (sent) {
        const done = darkroom.develop(sent).catch(tell);
        await Promise.race([done, pause(LONGEST_WAIT_MS, undefined, { ref: false })]);
      }
      return { standing: await darkroom.standing(id) };
    } catch (error) {
      if (error instanceof Refused) return { refusal: error.refusal };
      tell(error);
      return { refusal: refusal('internal') };
    }
  }

  darkroomDoor.develop = develop;
  // Another server may be tidying up too, and take a folder from under our eyes.
  void darkroom.tidyUp().catch(() => undefined);
  void lookRound();
  return () => {
    stopped = true;
    clearTimeout(timer);
    darkroomDoor.develop = undefined;
  };
}
