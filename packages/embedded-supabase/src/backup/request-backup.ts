import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { type FolderInUse, readPrivate } from '../data-folder.ts';
import { BackupError } from './archive.ts';

type Announcement = { pid: number; url: string; secretKey: string };

/**
 * Asks the backend that has a data folder for an archive of this moment.
 * @param inUse why the folder cannot be had
 * @throws FolderInUse when what has it is no running backend
 * @throws BackupError with its own sentence when it cannot give one
 */
export async function requestBackup(data: string, inUse: FolderInUse): Promise<Readable> {
  const backend = (await readPrivate(join(data, 'backend.json'))) as Announcement | undefined;
  // One that was killed leaves its announcement behind, and its port may be another program's by now.
  if (!backend || backend.pid !== inUse.holder) throw inUse;
  const asked = request(`${backend.url}/backup`, { method: 'POST', headers: { apikey: backend.secretKey } });
  asked.end();
  // Without a limit of time: a large newsroom takes minutes before the first byte.
  const [answer] = (await once(asked, 'response').catch(() => {
    throw inUse;
  })) as [IncomingMessage];
  if (answer.statusCode === 200) return answer;
  const { message } = (await json(answer)) as { message?: string };
  throw new BackupError(message ?? 'The backend made no backup: its log says why.');
}
