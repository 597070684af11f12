import { backUp } from './backup.ts';
import { runProgram } from './program.ts';

/* Takes a backup of the newsroom that the environment names, to the place of the first argument. */
const [to = ''] = process.argv.slice(2);
await runProgram((settings) => backUp(settings, to), 'No backup was made');
