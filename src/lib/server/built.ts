import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { SERVER } from '../text/commands.ts';

export const ROOT = resolve(import.meta.dirname, '../../..');
export const DIST = resolve(ROOT, 'dist');
/** What answers for the pages. */
export const ENTRY = resolve(DIST, 'server/entry.mjs');

/** The site cannot be started as it is; the message is one sentence for the owner. */
export class NotBuilt extends Error {
  override name = 'NotBuilt';
}

/** Its pages cannot be made at the moment: the one that has them goes on. */
export class NotWarm extends Error {
  override name = 'NotWarm';
}

/** @throws NotBuilt */
export function mustBeBuilt(): void {
  if (!existsSync(ENTRY)) throw new NotBuilt(SERVER.notBuilt);
}
