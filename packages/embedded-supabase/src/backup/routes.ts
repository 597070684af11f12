import { Readable } from 'node:stream';
import { Hono } from 'hono';
import type { RequestVariables } from '../gateway/context.ts';
import { requireKey } from '../gateway/gateway.ts';
import type { Keys } from '../keys.ts';
import { BackupError, systemSentence } from './archive.ts';
import type { TakeBackup } from './backup.ts';

/**
 * `POST /backup`: the archive of this moment, for the command on this machine. The site's own server hands nothing
 * on to this path; whatever came over a line says so in its headers, and finds nothing here, whichever key it shows.
 */
export function backupRoutes(keys: Keys, takeBackup: TakeBackup): Hono<RequestVariables> {
  return new Hono<RequestVariables>().post('/', requireKey(keys), async (c) => {
    if (c.get('keyHolder') !== 'server' || c.get('address')) return c.notFound();
    try {
      const stream = await takeBackup();
      return c.body(Readable.toWeb(stream) as ReadableStream, 200, { 'content-type': 'application/gzip' });
    } catch (error) {
      const message = error instanceof BackupError ? error.message : systemSentence(error);
      if (message === undefined) throw error;
      return c.json({ code: 'unavailable', message }, 503);
    }
  });
}
