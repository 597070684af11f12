import { setTimeout as wait } from 'node:timers/promises';
import type { Engine } from '../engine/engine.ts';

/** More than so many of a thing are not counted: the question stays as small as its answer is useful. */
const MOST = 10_000;
/** On PGlite a question waits for all before it. */
const LONGEST_MS = 5_000;

/** Each out of an index of its own. */
const counting = (from: string) =>
  `(select count(*)::integer from (select from ${from} limit ${MOST}) counted)`;

const QUESTION = `select
  ${counting('public.alerts where spread_at is null')} as alerts_waiting,
  ${counting("public.deliveries where state = 'queued'")} as deliveries_waiting,
  ${counting("public.deliveries where state = 'sending'")} as deliveries_sending,
  ${counting("public.photos where state <> 'ready' and state = 'arriving'")} as photos_arriving,
  ${counting("public.tips where state in ('new', 'in_review') and not held")} as tips_open,
  ${counting('public.tips where held')} as tips_held`;

export type Newsroom = Record<string, number>;

/**
 * What waits in the newsroom, with the seconds that the database took to say so, its wait for a turn among them.
 * @returns undefined when it does not answer
 */
export async function askNewsroom(
  engine: Engine,
): Promise<(Newsroom & { database_seconds: number }) | undefined> {
  const began = performance.now();
  const asked = engine.transaction((session) => session.query<Newsroom>(QUESTION, []));
  const answer = await Promise.race([
    asked.catch(() => undefined),
    wait(LONGEST_MS, undefined, { ref: false }),
  ]);
  const row = answer?.rows[0];
  return row && { ...row, database_seconds: (performance.now() - began) / 1000 };
}
