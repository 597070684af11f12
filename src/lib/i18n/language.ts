/** Languages of the interface. */
export const LANGUAGES = ['en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Returns the interface language for a BCP 47 tag; undefined if it is not supported. */
export function supportedLanguage(tag: string): Language | undefined {
  const [primary = ''] = tag.toLowerCase().split('-');
  return LANGUAGES.find((language) => language === primary);
}

/** Returns the first supported language of an `Accept-Language` header, in the order of the header. */
export function acceptedLanguage(header: string): Language | undefined {
  return header
    .split(',')
    .map((range) => supportedLanguage(range.split(';', 1)[0]?.trim() ?? ''))
    .find(Boolean);
}

/** In a browser, returns the interface language of the page: that of the document, or the one in its `data-words`. */
export function documentLanguage(): Language {
  const { lang, dataset } = document.documentElement;
  return supportedLanguage(dataset.words ?? lang) ?? 'en';
}

/** Returns the writing direction of a language; left to right for languages that Intl does not know. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  try {
    const script = new Intl.Locale(language).maximize().script;
    return script && RIGHT_TO_LEFT.has(script) ? 'rtl' : 'ltr';
  } catch {
    return 'ltr';
  }
}

/** ISO 15924 codes of right-to-left scripts. */
const RIGHT_TO_LEFT = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa']);

/** Returns the attributes of text in another language than the text around it; none if the languages are the same. */
export function languageAttributes(language: string, around: string): { lang?: string; dir?: 'ltr' | 'rtl' } {
  return language === around ? {} : { lang: language, dir: directionOf(language) };
}

/**
 * Returns the `lang` of interface texts on a page in an unsupported language; undefined if the page's own `lang`
 * applies.
 * @param language of the messages
 */
export function messagesLang(page: string, language: Language): string | undefined {
  return supportedLanguage(page) ? undefined : language;
}

/** Returns the props that give an island its language. Without them it is in English, which saves bytes. */
export function islandLanguage(language: Language): { language?: Language } {
  return language === 'en' ? {} : { language };
}

/** Returns the name of a language in the language of the messages; the tag if it is unknown. */
export function languageName({ language }: { language: Language }, tag: string): string {
  try {
    return new Intl.DisplayNames([language], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
