import { createContext, useContext } from 'react';
import { currentLanguage } from '../../lib/i18n/language.ts';
import { learn } from '../../lib/i18n/messages.ts';
import { wordsIn } from '../../lib/i18n/messages-in.ts';
import { reader } from '../../lib/i18n/reader.ts';

/**
 * Loads the messages of the page's language unless it is English. The desk loads all of them, because a coverage's
 * language may differ from the desk's in previews.
 */
export async function loadMessages(): Promise<void> {
  if (document.body.classList.contains('desk'))
    learn('es', (await import('../../lib/i18n/es/all.ts')).spanish);
  else if (currentLanguage() === 'es') learn('es', (await import('../../lib/i18n/es/followers.ts')).spanish);
}

/** Language of the readers' messages, if it differs from the page's, as in the desk's preview. */
export const ReadersLanguage = createContext<string | null>(null);

/** The readers' messages in their language. */
export function useReaderMessages(): typeof reader {
  const tag = useContext(ReadersLanguage);
  return tag ? wordsIn(reader, tag) : reader;
}
