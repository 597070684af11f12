import { setTimeout as pause } from 'node:timers/promises';
import { Refused, refusal } from '../http/errors.ts';
import { network } from '../http/network.ts';
import { log } from '../log/log.ts';
import { SERVER } from '../text/commands.ts';
import { openDarkroom } from './darkroom.server.ts';
import { darkroomDoor, type Looked } from './darkroom-door.ts';
import { forgetPhotos } from './forgetting.server.ts';

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
