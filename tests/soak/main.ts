import { parseArgs } from 'node:util';
import { onStop } from '../../src/lib/server/program.ts';
import { Endings } from '../bench/endings.ts';
import { isKept, table } from '../bench/figures.ts';
import { WHOLE } from './crowds.ts';
import { soak } from './soak.ts';

/*
 * npm run soak [-- --minutes N]: everyone at a newsroom together, and then more than it can serve. The exit code is
 * 1 if a limit was exceeded.
 */

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '15' } } });
const seconds = Number(values.minutes) * 60;
const endings = new Endings();
onStop(() => endings.run());

try {
  const { findings, wrong } = await soak(endings, seconds, WHOLE);
  console.log([...table('', findings), ...wrong.slice(0, 40)].join('\n'));
  process.exitCode = findings.every(isKept) ? 0 : 1;
} finally {
  await endings.run();
}
process.exit();
