import { languageSource, setLanguageSource, spokenLanguage } from './language.ts';

/**
 * Returns messages in a fixed language, such as reader messages at a desk in another language. Unsupported languages
 * get the language of the page.
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
