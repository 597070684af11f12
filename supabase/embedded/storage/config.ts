import type { ConfigKeys } from '../config.ts';
import { StartError } from '../start-error.ts';
import type { BucketSettings } from './buckets.ts';
import { readBinarySize } from './size.ts';

export type StorageConfig = {
  /** Most bytes of any object. */
  fileSizeLimit: number;
  buckets: ({ id: string } & BucketSettings)[];
};

/**
 * `[storage]` and `[storage.buckets.*]` of config.toml.
 * @throws StartError naming the key that is wrong
 */
export function readStorageConfig(keys: ConfigKeys): StorageConfig {
  return {
    fileSizeLimit: sizeAt(keys, 'storage.file_size_limit'),
    buckets: keys.namesIn('storage.buckets').map((id) => {
      const key = (name: string) => `storage.buckets.${id}.${name}`;
      return {
        id,
        public: keys.has(key('public')) ? keys.flag(key('public')) : false,
        file_size_limit: keys.has(key('file_size_limit')) ? sizeAt(keys, key('file_size_limit')) : null,
        allowed_mime_types: keys.has(key('allowed_mime_types'))
          ? keys.texts(key('allowed_mime_types'))
          : null,
      };
    }),
  };
}

function sizeAt(keys: ConfigKeys, key: string): number {
  const size = readBinarySize(keys.text(key));
  if (size === undefined) throw new StartError(`${key} of config.toml must be a size such as "20MiB".`);
  return size;
}
