import { sql } from 'kysely';
import { validate as isUuid } from 'uuid';
import type { ConfigReader } from '../config.ts';
import { StartError } from '../start-error.ts';
import { runAsCaller, type Storage, type StorageCaller, withUtcTimes } from './context.ts';
import { bucketNotFound } from './errors.ts';

type Bucket = {
  id: string;
  name: string;
  owner: string;
  public: boolean;
  type: string;
  /** In bytes; null means the project's limit. */
  file_size_limit: number | null;
  allowed_mime_types: string[] | null;
  created_at: string;
  updated_at: string;
};

/** Settings of a bucket. Undefined leaves a setting unchanged. */
export type BucketSettings = {
  [key in 'public' | 'file_size_limit' | 'allowed_mime_types']: Bucket[key] | undefined;
};

/** Rules for uploads, checked before the caller's rights. */
export type BucketRules = {
  public: boolean;
  /** In bytes: the smaller of the bucket's limit and the project's. */
  sizeLimit: number;
  allowedTypes: string[] | null;
};

const COLUMNS = sql`id, name, coalesce(owner_id, owner::text, '') as owner, public, type::text as type,
  file_size_limit::float8 as file_size_limit, to_json(allowed_mime_types) as allowed_mime_types, created_at, updated_at`;

/**
 * Returns the rules of a bucket. Does not check the caller's rights.
 * @throws StorageError if there is no such bucket
 */
export async function readBucketRules(storage: Storage, id: string): Promise<BucketRules> {
  const { rows } = await sql<Bucket>`select ${COLUMNS} from storage.buckets where id = ${id}`.execute(
    storage.db,
  );
  const [bucket] = rows;
  if (!bucket) throw bucketNotFound();
  return {
    public: bucket.public,
    sizeLimit: Math.min(storage.fileSizeLimit, bucket.file_size_limit ?? Number.POSITIVE_INFINITY),
    allowedTypes: bucket.allowed_mime_types,
  };
}

/**
 * Returns a bucket.
 * @throws StorageError if there is no such bucket, or the caller may not see it
 */
export async function findBucket(storage: Storage, caller: StorageCaller, id: string): Promise<Bucket> {
  const { rows } = await runAsCaller(storage, caller, (transaction) =>
    sql<Bucket>`select ${COLUMNS} from storage.buckets where id = ${id}`.execute(transaction),
  );
  if (!rows[0]) throw bucketNotFound();
  return withUtcTimes(rows[0]);
}

type ListBucketsOptions = {
  search: string;
  limit: number;
  offset: number;
  column: 'id' | 'name' | 'created_at' | 'updated_at';
  descending: boolean;
};

export async function listBuckets(
  storage: Storage,
  caller: StorageCaller,
  { search, limit, offset, column, descending }: ListBucketsOptions,
): Promise<Bucket[]> {
  const direction = descending ? sql`desc` : sql`asc`;
  const { rows } = await runAsCaller(storage, caller, (transaction) =>
    sql<Bucket>`select ${COLUMNS} from storage.buckets where strpos(name, ${search}) > 0
      order by ${sql.ref(column)} ${direction} limit ${limit}::int offset ${offset}::int`.execute(
      transaction,
    ),
  );
  return rows.map(withUtcTimes);
}

export async function createBucket(
  storage: Storage,
  caller: StorageCaller,
  { id, name, ...settings }: BucketSettings & { id: string; name: string },
): Promise<void> {
  const ownerId = caller.claims.sub ?? null;
  const owner = ownerId !== null && isUuid(ownerId) ? ownerId : null;
  await runAsCaller(storage, caller, (transaction) =>
    sql`insert into storage.buckets (id, name, owner, owner_id, public, file_size_limit, allowed_mime_types)
      values (${id}, ${name}, ${owner}, ${ownerId}, ${settings.public ?? false}, ${settings.file_size_limit ?? null},
        ${typeList(settings.allowed_mime_types)})`.execute(transaction),
  );
}

/**
 * Changes the settings of a bucket.
 * @throws StorageError if there is no such bucket, or the caller may not change it
 */
export async function updateBucket(
  storage: Storage,
  caller: StorageCaller,
  id: string,
  settings: BucketSettings,
): Promise<void> {
  const changed = await runAsCaller(storage, caller, (transaction) =>
    sql`update storage.buckets set updated_at = now(),
        public = ${settings.public === undefined ? sql`public` : sql`${settings.public}`},
        file_size_limit = ${settings.file_size_limit === undefined ? sql`file_size_limit` : sql`${settings.file_size_limit}`},
        allowed_mime_types = ${settings.allowed_mime_types === undefined ? sql`allowed_mime_types` : typeList(settings.allowed_mime_types)}
      where id = ${id}`.execute(transaction),
  );
  if (!changed.numAffectedRows) throw bucketNotFound();
}

/** Creates the buckets of config.toml. Updates the settings of those that exist already. */
export async function ensureBuckets(
  { db }: Storage,
  buckets: ({ id: string } & BucketSettings)[],
): Promise<void> {
  for (const {
    id,
    public: isPublic = false,
    file_size_limit: sizeLimit = null,
    allowed_mime_types: types,
  } of buckets) {
    await sql`insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
      values (${id}, ${id}, ${isPublic}, ${sizeLimit}, ${typeList(types)})
      on conflict (id) do update set public = excluded.public, file_size_limit = excluded.file_size_limit,
        allowed_mime_types = excluded.allowed_mime_types, updated_at = now()
      where (buckets.public, buckets.file_size_limit, buckets.allowed_mime_types)
        is distinct from (excluded.public, excluded.file_size_limit, excluded.allowed_mime_types)`.execute(
      db,
    );
  }
}

/** Converts a list to SQL. Passes it as JSON, because the drivers of the two engines serialize lists differently. */
const typeList = (types: string[] | null | undefined) =>
  types ? sql`array(select jsonb_array_elements_text(${JSON.stringify(types)}::jsonb))` : sql`null::text[]`;

/** Parses a size. @returns bytes; undefined for text that is not a size */
function parseSize(text: string, pattern: RegExp, base: 1000 | 1024): number | undefined {
  const [, number, unit] = pattern.exec(text.trim()) ?? [];
  if (number === undefined || unit === undefined) return undefined;
  return Math.round(Number(number) * base ** ['', 'k', 'm', 'g'].indexOf(unit.toLowerCase()));
}

/** Parses a size of an API call: `20MB`, in powers of 1000. */
export const parseDecimalSize = (text: string) => parseSize(text, /^(\d+(?:\.\d+)?)([kmg]?)b$/i, 1000);

/** Parses a size as the Supabase CLI does in config.toml: in powers of 1024, `20MB` as `20MiB`. */
export const parseBinarySize = (text: string) => parseSize(text, /^(\d+(?:\.\d+)?) ?([kmg]?)i?b?$/i, 1024);

/** Default of the Supabase CLI: 50 MiB. */
const DEFAULT_SIZE_LIMIT = 50 * 1024 * 1024;

/**
 * Reads `[storage]` and `[storage.buckets.*]` of config.toml.
 * @throws StartError naming the invalid key
 */
export function readStorageConfig(keys: ConfigReader) {
  return {
    /** Maximum bytes of any object. */
    fileSizeLimit: keys.has('storage.file_size_limit')
      ? sizeAt(keys, 'storage.file_size_limit')
      : DEFAULT_SIZE_LIMIT,
    buckets: keys.tableKeys('storage.buckets').map((id) => {
      const key = (name: string) => `storage.buckets.${id}.${name}`;
      return {
        id,
        public: keys.has(key('public')) ? keys.boolean(key('public')) : false,
        file_size_limit: keys.has(key('file_size_limit')) ? sizeAt(keys, key('file_size_limit')) : null,
        allowed_mime_types: keys.has(key('allowed_mime_types'))
          ? keys.strings(key('allowed_mime_types'))
          : null,
      };
    }),
  };
}

function sizeAt(keys: ConfigReader, key: string): number {
  const size = parseBinarySize(keys.string(key));
  if (size === undefined) throw new StartError(`${key} of config.toml must be a size such as "20MiB".`);
  return size;
}
