import { parseArgs } from 'node:util';
import { onStop } from '../../src/lib/server/program.ts';
import { Endings } from '../bench/endings.ts';
import { isKept, table } from '../bench/figures.ts';
import { findPostgres, startCluster } from '../support/postgres-cluster.ts';
import { WHOLE } from './crowds.ts';
import { soak } from './soak.ts';

const USAGE = 'npm run soak [-- --minutes N --readers N --engine pglite|postgres]';

/*
 * Everyone at a newsroom together with one attacker of each kind, and then more than it can serve. Readers are visits
 * per second. The exit code is 1 if a limit was exceeded.
 */

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '15' },
    readers: { type: 'string', default: String(WHOLE.crowd.readers) },
    engine: { type: 'string', default: 'pglite' },
  },
});
const seconds = Number(values.minutes) * 60;
const readers = Number(values.readers);
if (!(seconds > 0) || !(readers > 0) || !['pglite', 'postgres'].includes(values.engine)) {
  console.error(USAGE);
  process.exit(2);
}
const endings = new Endings();
onStop(() => endings.run());

try {
  const environment = values.engine === 'postgres' ? { DATABASE_URL: await openDatabase() } : undefined;
  const { findings, wrong } = await soak(
    endings,
    seconds,
    { ...WHOLE, crowd: { ...WHOLE.crowd, readers } },
    environment,
  );
  console.log([...table('', findings), ...wrong.slice(0, 40)].join('\n'));
  process.exitCode = findings.every(isKept) ? 0 : 1;
} finally {
  await endings.run();
}
process.exit();

/** Starts a PostgreSQL server of its own. @returns its URL */
async function openDatabase(): Promise<string> {
  const bin = findPostgres();
  if (!bin) throw new Error('There is no PostgreSQL on this machine.');
  const cluster = endings.add(await startCluster(bin), (started) => started.end());
  return cluster.url();
}
