import type { Kysely } from 'kysely';
import type { RequestContext } from '../request-context.ts';
import type { Files } from './files.ts';

/** What the parts of the storage share. */
export type Storage = {
  db: Kysely<unknown>;
  context: RequestContext;
  files: Files;
  /** Most bytes of any object, whatever its bucket allows. */
  fileSizeLimit: number;
};
