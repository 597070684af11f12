import { languageSource, setLanguageSource, spokenLanguage } from './language.ts';

/**
 * Words in a language of their own: readers' words at a desk that speaks otherwise. In the page's own where the product
 * does not speak that one.
 */
export function wordsIn<Words extends object>(words: Words, tag: string): Words {
  const language = spokenLanguage(tag);
  if (!language) return words;
  return new Proxy(words, {
    get(target, key) {
      const before = languageSource;
      setLanguageSource(() => language);
      try {
        return Reflect.get(target, key);
      } finally {
        setLanguageSource(before);
      }
    },
  });
}
