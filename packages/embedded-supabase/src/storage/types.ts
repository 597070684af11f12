import type { Kysely } from 'kysely';
import type { GatewayContext } from '../gateway/context.ts';
import type { RequestContext } from '../gateway/request-context.ts';
import type { Files } from './files.ts';

/** Context of the object routes. */
export type StorageContext = {
  context: Pick<GatewayContext, 'tokens'>;
  storage: Storage;
  signatures: Signatures;
};

/** What the parts of the storage share. */
export type Storage = {
  db: Kysely<unknown>;
  context: RequestContext;
  files: Files;
  /** Most bytes of any object, whatever its bucket allows. */
  fileSizeLimit: number;
};

/** Permission of a signed URL. */
export type Permit = {
  scope: 'download' | 'upload';
  /** The bucket and the name: `photos/incoming/1`. */
  url: string;
  /** Of an upload: in whose name, and whether it may take another's place. */
  owner?: string | undefined;
  upsert?: boolean | undefined;
};

export type Signatures = {
  /** @param seconds for which it is good */
  sign(permit: Permit, seconds: number): Promise<string>;
  /** @throws StorageError unless it was signed for this, and is not over */
  verify(token: string, scope: Permit['scope'], url: string): Promise<Permit & { exp: number }>;
};
