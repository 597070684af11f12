/** Languages of the interface. */
export const LANGUAGES = ['en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Returns the interface language for a BCP 47 tag; undefined if it is not supported. */
export function supportedLanguage(tag: string): Language | undefined {
  const [primary = ''] = tag.toLowerCase().split('-');
  return LANGUAGES.find((language) => language === primary);
}

/**
 * Returns the language of the current page. In a browser it is that of the document, or the one in its `data-words`.
 */
export let languageSource = (): Language => {
  if (typeof document === 'undefined') return 'en';
  const { lang, dataset } = document.documentElement;
  return supportedLanguage(dataset.words ?? lang) ?? 'en';
};

/** Returns the language of the current page. */
export const currentLanguage = (): Language => languageSource();

/** Replaces how the language is determined. A server renders pages in several languages at once. */
export function setLanguageSource(source: () => Language): void {
  languageSource = source;
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
 */
export function messagesLang(page: string): string | undefined {
  return supportedLanguage(page) ? undefined : currentLanguage();
}
