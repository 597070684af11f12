import type { Code } from '../../lib/http/errors.ts';
import type { PhotoAnswer, PhotoLine } from '../browser/photo-line.ts';
import type { ShelvedPhoto } from '../browser/photo-shelf.ts';
import type { PhotoStatus } from './photo-status.ts';
import type { Tried } from './queue.ts';
import { refusalOf } from './refusal-of.ts';

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
