import { join } from 'node:path';
import { Cron } from 'croner';
import { sql } from 'kysely';
import { readConfigKeys } from '../config.ts';
import type { Keys } from '../keys.ts';
import type { Lite } from '../lite.ts';
import { ensureBuckets } from './buckets.ts';
import { readStorageConfig } from './config.ts';
import { openFiles } from './files.ts';
import { openResumable, type Resumable } from './resumable.ts';
import { openSignatures, type Signatures } from './signatures.ts';
import type { Storage } from './storage.ts';

/** Every hour, away from the minutes at which backups are made. */
const WHEN = '37 * * * *';

export type OpenStorage = {
  storage: Storage;
  signatures: Signatures;
  resumable: Resumable;
  stop(): Promise<void>;
};

/**
 * Opens the files of a data folder, which the caller has taken; to be called when the migrations have run.
 * @throws StartError naming the key of config.toml that is wrong
 */
export async function openStorage(data: string, lite: Lite, keys: Keys): Promise<OpenStorage> {
  const { fileSizeLimit, buckets } = readStorageConfig(await readConfigKeys());
  const files = await openFiles(data);
  const storage = { db: lite.db, context: lite.context, files, fileSizeLimit };
  await ensureBuckets(storage, buckets);
  // Apart from the files, so that no backup takes what is not finished.
  const resumable = await openResumable(storage, join(data, 'resumable'));
  const sweeping = sweepHourly(storage);
  return {
    storage,
    signatures: openSignatures(keys),
    resumable,
    async stop() {
      resumable.stop();
      await sweeping.stop();
    },
  };
}

/** Sweeps now and every hour. A time that fails is said on the log, and the next one comes. */
function sweepHourly({ db, files }: Storage): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const hasRow = async (versions: string[]) => {
    const { rows } = await sql<{ version: string }>`select version from storage.objects
      where version in (select jsonb_array_elements_text(${JSON.stringify(versions)}::jsonb))`.execute(db);
    return new Set(rows.map(({ version }) => version));
  };
  const run = () => {
    running = files.sweep(hasRow).catch((error: unknown) => {
      console.error('Files without a row were not looked for. The next try is in an hour.', error);
    });
    return running;
  };
  const job = new Cron(WHEN, { protect: true }, run);
  void run();
  return {
    async stop() {
      job.stop();
      await running;
    },
  };
}
