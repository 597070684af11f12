import { createContext, useContext } from 'react';
import { reader } from '../../lib/text/reader.ts';
import { wordsIn } from '../../lib/text/words-in.ts';

/** The language that readers' words are in, where that is not the page's own: in a preview at the desk. */
export const ReadersLanguage = createContext<string | null>(null);

/** Readers' words, in their language. */
export function useReaderMessages(): typeof reader {
  const tag = useContext(ReadersLanguage);
  return tag ? wordsIn(reader, tag) : reader;
}
