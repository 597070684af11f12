import { setTimeout as pause } from 'node:timers/promises';
import { Refused, refusal } from '../http/errors.ts';
import { SERVER } from '../text/commands.ts';
import { openDarkroom } from './darkroom.server.ts';
import { darkroomDoor, type Standing } from './darkroom-door.ts';
import { forgetPhotos } from './forgetting.server.ts';

/** How soon a photo is seen whose sender has gone away after the last byte. In milliseconds. */
const EVERY_MS = 30_000;
/** Whoever asks waits no longer: the photo comes all the same. */
const LONGEST_WAIT_MS = 25_000;
/** More questions than this at once are not asked: anybody may make up ids. */
const MOST_ASKING = 50;
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
  let asking = 0;

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
      console.error(SERVER.darkroomFailed(error instanceof Error ? error.message : String(error)));
    failed = true;
  }

  async function develop(id: string): Promise<Standing | null> {
    if (asking >= MOST_ASKING) throw new Refused(refusal('rate_limited', { retryAfter: BUSY_S }));
    asking++;
    try {
      const [sent] = await darkroom.sent(id);
      if (sent) {
        const looked = darkroom.develop(sent).catch(tell);
        await Promise.race([looked, pause(LONGEST_WAIT_MS, undefined, { ref: false })]);
      }
      return await darkroom.standing(id);
    } finally {
      asking--;
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
