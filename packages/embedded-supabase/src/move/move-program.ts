import { limitCompilerMemory, notifyParent } from '../process.ts';
import { readSettings } from '../settings.ts';
import { startFailure } from '../start-error.ts';
import { move } from './move.ts';

/* Moves the newsroom that the environment names to the project of the first argument; the second is the folder of backups. */
limitCompilerMemory();
const [url = '', backups = ''] = process.argv.slice(2);
const { MOVE_SECRET_KEY: secretKey = '', MOVE_DATABASE_URL: databaseUrl = '' } = process.env;
try {
  const settings = readSettings(process.env);
  await notifyParent({ type: 'done', ...(await move(settings, { url, secretKey, databaseUrl }, backups)) });
  process.exit(0);
} catch (error) {
  console.error(startFailure(error, 'The newsroom was not moved'));
  process.exit(1);
}
