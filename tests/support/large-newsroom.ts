import type { Engine } from '../../packages/embedded-supabase/src/engine/engine.ts';
import { openEngine } from '../../packages/embedded-supabase/src/engine/open.ts';
import { newDataFolder } from './data-template.ts';
import { whereIs } from './engine.ts';
import { fill, openSeeded, type Seeded } from './rows/seed.ts';

/** A newsroom with a long coverage, many short ones, and one whose updates are as long as an update may be. */
export type LargeNewsroom = {
  long: Seeded;
  /** 200 updates of 10,000 characters. */
  wordy: Seeded;
  short: Seeded[];
};

const LONG = 13_800;
const SHORT = { coverages: 20, updates: 300 };
const WORDY = 200;
/** Updates by one script: the engine ends one that takes longer than 5 s. */
const STEP = 1_500;

/** Loads 20,000 updates by SQL, in seconds. */
export async function fillLarge(engine: Engine): Promise<LargeNewsroom> {
  const seed = async (name: string, count: number) => {
    let seeded = await engine.transaction((session) => openSeeded(session, name));
    while (seeded.count < count) {
      const upTo = Math.min(count, seeded.count + STEP);
      const begun = seeded;
      seeded = await engine.transaction((session) => fill(session, begun, upTo));
    }
    return seeded;
  };
  const long = await seed('long', LONG);
  const wordy = await seed('wordy', WORDY);
  await engine.exec(`
    set session_replication_role = replica;
    update public.updates u set body = jsonb_build_array(jsonb_build_object('type', 'paragraph', 'runs',
      jsonb_build_array(jsonb_build_object('text', (
        select left(string_agg(translate(md5(u.number::text || n), 'abcdef', 'éèêëàâ'), ' '), 10000)
        from generate_series(1, 310) n)))))
    where coverage_id = '${wordy.id}' and state = 'published';
    set session_replication_role = origin;`);
  const short: Seeded[] = [];
  for (let n = 0; n < SHORT.coverages; n++) short.push(await seed(`short-${n}`, SHORT.updates));
  await engine.execOutsideTransaction('analyze');
  return { long, wordy, short };
}

/** A new data folder with a large newsroom in it, for a backend to start on. */
export async function newLargeFolder(): Promise<LargeNewsroom & { data: string }> {
  const data = await newDataFolder();
  const engine = await openEngine({ data, databaseUrl: whereIs(data).DATABASE_URL }, () => {});
  try {
    return { data, ...(await fillLarge(engine)) };
  } finally {
    await engine.close();
  }
}
