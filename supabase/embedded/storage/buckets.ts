import { sql } from 'kysely';
import type { Storage } from './storage.ts';
import { noBucket } from './storage-refused.ts';

export type Bucket = {
  id: string;
  name: string;
  owner: string;
  public: boolean;
  /** In bytes; null is the project's own. */
  file_size_limit: number | null;
  allowed_mime_types: string[] | null;
  created_at: string;
  updated_at: string;
  type: string;
};

/** What a bucket takes: what uploads are held against before anybody's rights are asked. */
export type BucketRules = Pick<Bucket, 'id' | 'public'> & {
  /** In bytes: the smaller of its own limit and the project's. */
  sizeLimit: number;
  allowedTypes: string[] | null;
};

/**
 * The rules of a bucket, whoever asks: what is in it is another question.
 * @throws StorageRefused when there is none
 */
export async function bucketRules(storage: Storage, id: string): Promise<BucketRules> {
  const { rows } = await sql<{ id: string; public: boolean; most: number | null; types: string[] | null }>`
    select id, public, file_size_limit::float8 as most, to_json(allowed_mime_types) as types
    from storage.buckets where id = ${id}`.execute(storage.db);
  const [bucket] = rows;
  if (!bucket) throw noBucket();
  return {
    id: bucket.id,
    public: bucket.public,
    sizeLimit: Math.min(storage.fileSizeLimit, bucket.most ?? Number.POSITIVE_INFINITY),
    allowedTypes: bucket.types,
  };
}
