import { parseArgs } from 'node:util';
import type { EngineKind } from './newsroom-process.ts';
import { type Rehearsal, rehearse } from './run.ts';

/*
 * npm run chaos [-- --times N --engine pglite|postgres|both --seed N]: kills processes under load with kill -9, and
 * verifies the data.
 */

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '100' },
    engine: { type: 'string', default: 'both' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    root: { type: 'string' },
  },
});
const times = Number(values.times);
const engines = (values.engine === 'both' ? ['pglite', 'postgres'] : [values.engine]) as EngineKind[];
if (!Number.isInteger(times) || times < 1 || engines.some((one) => !['pglite', 'postgres'].includes(one))) {
  console.error('npm run chaos [-- --times N --engine pglite|postgres|both --seed N]');
  process.exit(2);
}

let failed = false;
for (const engine of engines) {
  const came = await rehearse(engine, {
    times,
    seed: Number(values.seed),
    say: console.log,
    root: values.root,
  });
  console.log(figures(came));
  const wrong = [came.torn, came.lost, came.doubled, came.twice, came.refused].flat();
  for (const sentence of wrong.slice(0, 40)) console.error(sentence);
  failed ||= wrong.length > 0;
}
process.exit(failed ? 1 : 0);

function figures(came: Rehearsal): string {
  const { engine, kills, acknowledged, updates, tips, photos, mails, lost, doubled, torn, twice, refused } =
    came;
  const all = Object.values(kills).reduce((sum, n) => sum + n, 0);
  const who = Object.entries(kills)
    .map(([name, n]) => `${name} ${n}`)
    .join(', ');
  return [
    `${engine}: ${all} kills (${who}), ${acknowledged} writes acknowledged (${updates} updates, ${tips} tips, ${photos} photos; ${mails} mails, ${came.unmailed} sign-ups without theirs)`,
    `lost ${lost.length}, doubled ${doubled.length + twice.length}, torn ${torn.length}, refused ${refused.length}`,
    `longest until a write was accepted ${(came.longestToWrite / 1000).toFixed(1)} s, until a page showed all ${(came.longestToRead / 1000).toFixed(1)} s; seed ${values.seed}, ${Math.round(came.seconds)} s`,
  ].join('\n');
}
