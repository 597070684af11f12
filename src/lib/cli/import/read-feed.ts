import { readAtom } from './atom.ts';
import type { Feed } from './feed.ts';
import { readJsonFeed } from './json-feed.ts';

/**
 * Reads the text of a JSON Feed 1.1 or of an Atom feed: which, its first sign says.
 * @throws BadFeed naming every item that is wrong
 */
export function readFeed(text: string): Feed {
  const written = text.replace(/^\uFEFF/, '').trimStart();
  return written.startsWith('<') ? readAtom(written) : readJsonFeed(written);
}
