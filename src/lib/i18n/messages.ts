import { currentLanguage, type Language } from './language.ts';

/** Loaded messages by language and part. English is always available. */
const learnt: Partial<Record<Language, Record<string, object>>> = {};

/**
 * Returns the messages of a part in the language of the current page. Read them where they are used: stored texts
 * would keep the language of the page that read them first. Messages that are not loaded are in English. The types of
 * the other languages require the same shape.
 */
export const spoken = <Words extends object>(name: string, english: Words): Words =>
  new Proxy(english, {
    get: (_, key) => Reflect.get(learnt[currentLanguage()]?.[name] ?? english, key),
  });

/** Adds messages of a language. */
export function learn(language: Language, words: Record<string, object>): void {
  learnt[language] = { ...learnt[language], ...words };
}
