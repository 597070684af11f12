import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { admin } from '../supabase/admin.server.ts';
import { dataOf } from '../supabase/answer.ts';
import type { Standing } from './darkroom-door.ts';
import { developApart } from './develop-apart.server.ts';
import { type Bucket, fetchObject, keepPrint, printPath, removeObjects } from './objects.server.ts';
import { openTurns } from './turns.ts';

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
