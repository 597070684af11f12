import { join } from 'node:path';
import { sql } from 'kysely';
import { readConfigKeys } from '../config.ts';
import type { Keys } from '../keys.ts';
import type { Lite } from '../rest/lite.ts';
import type { Settings } from '../settings.ts';
import { hourly, type RunningTimer } from '../timers.ts';
import { ensureBuckets, readStorageConfig } from './buckets.ts';
import { openFiles } from './files.ts';
import { openResumable, type Resumable } from './resumable.ts';
import { openSignatures } from './signed-urls.ts';
import type { Signatures, Storage } from './types.ts';

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
export async function openStorage(
  { data, config }: Pick<Settings, 'data' | 'config'>,
  lite: Lite,
  keys: Keys,
): Promise<OpenStorage> {
  const { fileSizeLimit, buckets } = readStorageConfig(await readConfigKeys(config));
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
      await Promise.all([resumable.stop(), sweeping.stop()]);
    },
  };
}

function sweepHourly({ db, files }: Storage): RunningTimer {
  const hasRow = async (versions: string[]) => {
    const { rows } = await sql<{ version: string }>`select version from storage.objects
      where version in (select jsonb_array_elements_text(${JSON.stringify(versions)}::jsonb))`.execute(db);
    return new Set(rows.map(({ version }) => version));
  };
  return hourly(47, () => files.sweep(hasRow), 'Files without a row were not looked for.');
}
