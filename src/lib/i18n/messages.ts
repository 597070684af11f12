import { currentLanguage, type Language } from './language.ts';

/** Loaded messages by language and part. English is always available. */
const loadedMessages: Partial<Record<Language, Record<string, object>>> = {};

/**
 * Returns the messages of a part in the language of the current page. Read them where they are used: stored texts
 * would keep the language of the page that read them first. Messages that are not loaded are in English. The types of
 * the other languages require the same shape.
 */
export const localized = <Messages extends object>(name: string, english: Messages): Messages =>
  new Proxy(english, {
    get: (_, key) => Reflect.get(loadedMessages[currentLanguage()]?.[name] ?? english, key),
  });

/** Adds messages of a language. */
export function addMessages(language: Language, messages: Record<string, object>): void {
  loadedMessages[language] = { ...loadedMessages[language], ...messages };
}
