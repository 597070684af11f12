import { onStop } from '../../src/lib/server/program.ts';
import { alerts } from './alerts.ts';
import type { Bench } from './bench.ts';
import { cache } from './cache.ts';
import { check } from './check.ts';
import { desk } from './desk.ts';
import { Endings } from './endings.ts';
import { evening } from './evening.ts';
import { fanout } from './fanout.ts';
import { isKept, table } from './figures.ts';
import { firstWords } from './first-words.ts';
import { growing } from './growing.ts';
import { idleHour } from './idle-hour.ts';
import { byLighthouse } from './lighthouse.ts';
import { live } from './live.ts';
import { memory } from './memory.ts';
import { oneUpdate } from './one-update.ts';
import { outbox } from './outbox.ts';
import { pageBytes } from './page-bytes.ts';
import { rendering } from './rendering.ts';
import { search } from './search.ts';
import { surge } from './surge.ts';
import { tips } from './tips.ts';

/* npm run bench [-- NAME …]: runs benches. The exit code is 1 if a limit was exceeded. */

const BENCHES: Record<string, Bench> = {
  'first-words': firstWords,
  'page-bytes': pageBytes,
  check,
  'one-update': oneUpdate,
  'idle-hour': idleHour,
  memory,
  rendering,
  growing,
  lighthouse: byLighthouse,
  surge,
  evening,
  cache,
  fanout,
  live,
  outbox,
  desk,
  tips,
  alerts,
  search,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}. There are: ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}

const endings = new Endings();
onStop(() => endings.run());

let missed = false;
for (const name of asked.length > 0 ? asked : Object.keys(BENCHES)) {
  missed = !(await measure(name, BENCHES[name] as Bench)) || missed;
}
process.exit(missed ? 1 : 0);

async function measure(name: string, { about, head, run }: Bench): Promise<boolean> {
  console.log(`\n${name}\n${about}\n`);
  try {
    const { findings, notes = [] } = await run(endings);
    console.log([...table(head, findings), ...notes].join('\n'));
    return findings.every(isKept);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return false;
  } finally {
    await endings.run();
  }
}
