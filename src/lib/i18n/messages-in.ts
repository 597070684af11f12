import { languageSource, setLanguageSource, supportedLanguage } from './language.ts';

/**
 * Returns messages in a fixed language, such as reader messages at a desk in another language. Unsupported languages
 * get the language of the page.
 */
export function messagesIn<Messages extends object>(messages: Messages, tag: string): Messages {
  const language = supportedLanguage(tag);
  if (!language) return messages;
  return new Proxy(messages, {
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
