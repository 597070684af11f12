import type { Code } from '../../lib/domain/errors.ts';
import { refusalOf } from '../desk/task.ts';
import type { PhotoAnswer, PhotoLine } from './photo-backend.ts';
import type { PhotoStatus } from './photo-status.ts';
import type { ShelvedPhoto } from './photo-store.ts';

/** What became of a try: over for good, further than before, or nowhere. */
export type Tried = 'over' | 'further' | 'nowhere';

export type Queue = {
  add(id: string): void;
  drop(id: string): void;
  /** What waits for its next try is tried now: the line is back. */
  wake(): void;
  /** What is under way is stopped and nothing is begun until what is returned is called. */
  hold(): () => void;
};

/** Before the first try again, and the longest pause. */
const FIRST_MS = 1000;
const LONGEST_MS = 60_000;

/**
 * Does one thing after another, in the order in which they came, and tries again without end what did not work: at once
 * the others, then after pauses that grow as long as nothing moves.
 * @param attempt never rejects; `signal` tells it to stop
 */
export function makeQueue(attempt: (id: string, signal: AbortSignal) => Promise<Tried>): Queue {
  const waiting = new Map<string, { tries: number; notBefore: number }>();
  let running: { id: string; stop: AbortController } | undefined;
  let holds = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function next(): void {
    clearTimeout(timer);
    if (running || holds > 0 || waiting.size === 0) return;
    const now = performance.now();
    for (const [id, { notBefore }] of waiting) {
      if (notBefore <= now) return void run(id);
    }
    const soonest = Math.min(...[...waiting.values()].map(({ notBefore }) => notBefore));
    timer = setTimeout(next, soonest - now);
  }

  async function run(id: string): Promise<void> {
    const stop = new AbortController();
    running = { id, stop };
    const tried = await attempt(id, stop.signal);
    running = undefined;
    const place = waiting.get(id);
    if (tried === 'over') waiting.delete(id);
    else if (place && !stop.signal.aborted) {
      place.tries = tried === 'further' ? 1 : place.tries + 1;
      place.notBefore = performance.now() + pauseAfter(place.tries);
    }
    next();
  }

  return {
    add(id) {
      if (!waiting.has(id)) waiting.set(id, { tries: 0, notBefore: 0 });
      next();
    },
    drop(id) {
      waiting.delete(id);
      if (running?.id === id) running.stop.abort();
    },
    wake() {
      for (const place of waiting.values()) Object.assign(place, { tries: 0, notBefore: 0 });
      next();
    },
    hold() {
      holds += 1;
      running?.stop.abort();
      let isHeld = true;
      return () => {
        if (isHeld) holds -= 1;
        isHeld = false;
        next();
      };
    },
  };
}

function pauseAfter(tries: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - 1)) * (0.5 + Math.random() / 2);
}

type Around = {
  line: PhotoLine;
  /** Another tab has brought it, or taken it away. */
  isGone(): Promise<boolean>;
  /** Tells the desk of the photo. @throws Refused */
  tell(): Promise<PhotoAnswer>;
  /** To keep how far it has come. */
  change(part: Partial<ShelvedPhoto>): void;
  show(part: Partial<PhotoStatus>): void;
};

/** Refusals that mean nothing for the photo: it is tried again. */
const FOR_NOW: Code[] = ['unavailable', 'internal', 'rate_limited', 'signed_out'];

/** So many times in a row something uploaded may be unmade before it is thought lost and uploaded again. */
const PATIENCE = 5;

/**
 * Brings a photo to the newsroom, on from where it is: tells the desk of it, uploads it, has it made. What was done is
 * never done twice, also when the answer was lost: then it is looked up.
 * @returns how it ended, or how far this try came
 */
export async function bringPhoto(
  photo: ShelvedPhoto,
  signal: AbortSignal,
  { line, isGone, tell, change, show }: Around,
): Promise<PhotoAnswer | Tried> {
  const { id } = photo;
  let hasMoved = false;
  const tried = (): Tried => (hasMoved ? 'further' : 'nowhere');

  async function bring(): Promise<PhotoAnswer | Tried> {
    if (await isGone()) return ended((await line.look([id]))[0]) ?? 'over';
    const told = photo.isKnown ? undefined : ended(await tell());
    return told ?? (photo.isSent ? undefined : await send()) ?? develop();
  }

  /** @returns undefined once it is there */
  async function send(): Promise<PhotoAnswer | Tried | undefined> {
    show({ step: 'sending', holdUp: null });
    let percent = -1;
    const ears = {
      begun: (uploadUrl: string) => change({ uploadUrl }),
      progress(share: number) {
        const now = Math.floor(share * 100);
        if (now === percent) return;
        hasMoved ||= percent >= 0;
        percent = now;
        show({ sent: now });
      },
    };
    const { blob, uploadUrl } = photo;
    try {
      await line.upload({ blob, uploadUrl, name: `incoming/${id}` }, ears, signal);
    } catch (error) {
      const answer = await lookedUp(error);
      if (answer) return answer;
    }
    hasMoved = true;
    change({ isSent: true });
    return undefined;
  }

  /** Why it cannot be uploaded: perhaps it is there, and the answer to an earlier try was lost. @throws the error, else */
  async function lookedUp(error: unknown): Promise<PhotoAnswer | Tried | undefined> {
    const { code } = refusalOf(error);
    if (code !== 'conflict' && code !== 'forbidden') throw error;
    const [row] = await line.look([id]);
    if (ended(row) || (row && code === 'conflict')) return ended(row);
    if (row || !photo.isKnown) throw error;
    // The newsroom forgets what does not arrive in a day. Here it was kept, so it begins anew.
    change({ uploadUrl: undefined });
    await tell();
    return 'further';
  }

  async function develop(): Promise<PhotoAnswer | Tried> {
    show({ step: 'checking', sent: 100, holdUp: null });
    const answer = ended(await line.develop(id));
    if (answer) return answer;
    const unmade = photo.unmade + 1;
    change(unmade < PATIENCE ? { unmade } : { unmade: 0, isSent: false, uploadUrl: undefined });
    return tried();
  }

  try {
    const result = await line.alone(id, bring);
    if (result !== 'elsewhere') return result;
    show({ step: 'elsewhere' });
    return 'further';
  } catch (error) {
    const { code } = refusalOf(error);
    if (!FOR_NOW.includes(code)) return { state: 'refused', refusal: code };
    // Stopped by the page itself, it goes on at once.
    if (!signal.aborted) show({ holdUp: code === 'signed_out' ? 'session' : 'line' });
    return tried();
  }
}

/**
 * Tells the desk that a photo will not come, for others wait for it. Where the desk knows nothing of it, or the photo is
 * not this person's any more, there is nobody to tell.
 */
export async function giveUp(id: string, line: PhotoLine): Promise<Tried> {
  try {
    await line.giveUp(id);
    return 'over';
  } catch (error) {
    return FOR_NOW.includes(refusalOf(error).code) ? 'nowhere' : 'over';
  }
}

/** The answer of a photo that is not arriving any more. */
function ended(answer: PhotoAnswer | undefined): PhotoAnswer | undefined {
  if (answer?.state === 'removed') return { state: 'refused', refusal: 'removed' };
  return answer && answer.state !== 'arriving' ? answer : undefined;
}
