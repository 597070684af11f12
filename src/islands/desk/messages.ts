import { createContext, useContext } from 'react';
import { messagesIn } from '../../lib/i18n/messages-in.ts';
import { reader } from '../../lib/i18n/reader.ts';

/** Language of the readers' messages, if it differs from the page's, as in the desk's preview. */
export const ReadersLanguage = createContext<string | null>(null);

/** The readers' messages in their language. */
export function useReaderMessages(): typeof reader {
  const tag = useContext(ReadersLanguage);
  return tag ? messagesIn(reader, tag) : reader;
}
