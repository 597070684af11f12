import type { english } from './en/all.ts';
import type { Language } from './language.ts';

/** Messages of the interface in one language, by part. `language` is theirs. */
export type Messages = typeof english;

/** Messages in other languages than English: all of them on a server, those of the page's islands in a browser. */
const loaded: Partial<Record<Language, Partial<Messages>>> = {};

/** Adds messages of a language. A browser does so before it hydrates the islands. */
export function addMessages(language: Language, messages: Partial<Messages>): void {
  loaded[language] = messages;
}

/**
 * Returns the function that chooses the messages of an island by language.
 * @param english the parts that the island uses. Its script contains them.
 */
export const islandMessages =
  <Parts extends Partial<Messages>>(english: Parts) =>
  (language: Language): Parts =>
    // The types of the other languages require the same shape.
    (loaded[language] ?? english) as Parts;
