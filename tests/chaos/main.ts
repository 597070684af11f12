import { parseArgs } from 'node:util';
import type { EngineKind } from './newsroom-process.ts';
import { type ChaosResult, runChaos } from './run.ts';

/* npm run chaos [-- --times N --engine pglite|postgres|both --seed N]: kills processes with SIGKILL under load and checks the data. */

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
  const result = await runChaos(engine, {
    times,
    seed: Number(values.seed),
    log: console.log,
    root: values.root,
  });
  console.log(summary(result));
  const problems = [
    result.inconsistent,
    result.lost,
    result.duplicated,
    result.repeatedMails,
    result.refused,
  ].flat();
  for (const sentence of problems.slice(0, 40)) console.error(sentence);
  failed ||= problems.length > 0;
}
process.exit(failed ? 1 : 0);

function summary(result: ChaosResult): string {
  const {
    engine,
    kills,
    acknowledged,
    updates,
    tips,
    photos,
    mails,
    lost,
    duplicated,
    inconsistent,
    repeatedMails,
    refused,
  } = result;
  const all = Object.values(kills).reduce((sum, n) => sum + n, 0);
  const targets = Object.entries(kills)
    .map(([name, n]) => `${name} ${n}`)
    .join(', ');
  return [
    `${engine}: ${all} kills (${targets}), ${acknowledged} writes acknowledged (${updates} updates, ${tips} tips, ${photos} photos; ${mails} mails, ${result.withoutMail} sign-ups without mail)`,
    `lost ${lost.length}, duplicated ${duplicated.length + repeatedMails.length}, inconsistent ${inconsistent.length}, refused ${refused.length}`,
    `longest until a write was accepted ${(result.longestToWrite / 1000).toFixed(1)} s, until a page showed all ${(result.longestToRead / 1000).toFixed(1)} s; seed ${values.seed}, ${Math.round(result.seconds)} s`,
  ].join('\n');
}
