import { currentLanguage, type Language } from './language.ts';

/** Words by language and the name of their part, as far as they are at hand; English always is. */
const learnt: Partial<Record<Language, Record<string, object>>> = {};

/**
 * Words of a part of the product, in the language of the page that they are read for: so they are read where they are
 * used, and never kept. What was not learnt is said in English; the other languages' files are held to its shape.
 */
export const spoken = <Words extends object>(name: string, english: Words): Words =>
  new Proxy(english, {
    get: (_, key) => Reflect.get(learnt[currentLanguage()]?.[name] ?? english, key),
  });

/** Takes in words of a language. */
export function learn(language: Language, words: Record<string, object>): void {
  learnt[language] = { ...learnt[language], ...words };
}
