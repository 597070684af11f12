import { runProgram } from './program.ts';
import { restore } from './restore.ts';

/* Puts the archive of the first argument in the place that the environment names, over what is there if it says so. */
const [path = '', overwrite] = process.argv.slice(2);
await runProgram(
  async (settings) => ({ path, ...(await restore(settings, path, overwrite === 'overwrite')) }),
  'Nothing was restored',
);
