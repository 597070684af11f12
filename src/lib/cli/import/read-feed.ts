import { readAtom } from './atom.ts';
import type { Feed } from './feed.ts';
import { readJsonFeed } from './json-feed.ts';

/**
 * Parses a JSON Feed 1.1 or an Atom feed. The first character decides which.
 * @throws BadFeed with a mistake for every invalid item
 */
export function readFeed(text: string): Feed {
  const written = text.replace(/^\uFEFF/, '').trimStart();
  return written.startsWith('<') ? readAtom(written) : readJsonFeed(written);
}
