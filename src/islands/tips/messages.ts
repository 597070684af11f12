import { tips } from '../../lib/i18n/en/tips.ts';
import type { Language } from '../../lib/i18n/language.ts';
import { islandMessages } from '../../lib/i18n/messages.ts';

const messagesOf = islandMessages({ tips });

export type TipMessages = typeof tips;

/** Returns the messages of the form for tips in a language. */
export const tipMessages = (language: Language): TipMessages => messagesOf(language).tips;
