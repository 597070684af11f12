import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { DEMO } from '../text/commands.ts';
import { nightUpdate, SECOND_LOOK } from './flood-night.ts';
import type { Staff } from './hire.ts';
import { contentOf, type Writing } from './writing.ts';

/** Whoever opens the demo sees it move before they look away. */
const FIRST_PAUSE_MS = 8_000;
const SHORTEST_PAUSE_MS = 20_000;
const LONGEST_PAUSE_MS = 40_000;

/** After so many new updates, the newest one is looked at again. */
const REVISE_EVERY = 5;

export type NightShift = {
  /** Ends the shift when what is under way is done. */
  end(): Promise<void>;
};

/** Lets the reporter extend a live coverage until told to stop, through the interface that every reporter has. */
export function nightShift(staff: Staff, coverageId: string): NightShift {
  const over = new AbortController();
  const pauseFor = (ms: number) => wait(ms, undefined, { signal: over.signal }).catch(() => undefined);
  const pause = () => pauseFor(SHORTEST_PAUSE_MS + Math.random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS));

  /** One press, made again until it is answered: ids and op stay, so it cannot count twice. */
  const press = async (send: () => Promise<unknown>) => {
    while (!over.signal.aborted) {
      try {
        return await send();
      } catch (error) {
        console.error(DEMO.retrying((error as Error).message));
        await pause();
      }
    }
    return undefined;
  };

  const publish = (id: string, writing: Writing) => {
    const args = {
      op: randomUUID(),
      coverage_id: coverageId,
      update_id: id,
      content: contentOf(writing, staff.ids),
    };
    return press(async () => staff.clients.reporter.rpc('publish_update', args).throwOnError());
  };

  const revise = (id: string, writing: Writing) => {
    const content = contentOf({ ...writing, body: [...writing.body, SECOND_LOOK] }, staff.ids);
    const args = { op: randomUUID(), update_id: id, version: 1, content };
    return press(async () => staff.clients.reporter.rpc('revise_update', args).throwOnError());
  };

  const work = async () => {
    for (let n = 0; !over.signal.aborted; n++) {
      await (n === 0 ? pauseFor(FIRST_PAUSE_MS) : pause());
      if (over.signal.aborted) return;
      const id = randomUUID();
      const writing = nightUpdate(n);
      await publish(id, writing);
      if (n % REVISE_EVERY !== REVISE_EVERY - 1) continue;
      await pause();
      if (!over.signal.aborted) await revise(id, writing);
    }
  };
  const worked = work();
  return {
    end() {
      over.abort();
      return worked;
    },
  };
}
