/** The languages that every word of the product is written in. */
export const LANGUAGES = ['en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language of the product's words for a BCP 47 tag, or nothing where it does not speak that language. */
export function spokenLanguage(tag: string): Language | undefined {
  const [primary = ''] = tag.toLowerCase().split('-');
  return LANGUAGES.find((language) => language === primary);
}

/** How the language of the page is learnt. In a browser its words are in one for as long as it is open: its own, or the one that it names. */
export let languageSource = (): Language => {
  if (typeof document === 'undefined') return 'en';
  const { lang, dataset } = document.documentElement;
  return spokenLanguage(dataset.words ?? lang) ?? 'en';
};

/** The language that words are read in here and now: that of the page. */
export const currentLanguage = (): Language => languageSource();

/** Tells how to learn the language of the page that is being made: a server makes many at once. */
export function setLanguageSource(source: () => Language): void {
  languageSource = source;
}

/** Which way a language is written, for a `dir` attribute. What Intl does not know is taken to run left to right. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  try {
    const script = new Intl.Locale(language).maximize().script;
    return script && RIGHT_TO_LEFT.has(script) ? 'rtl' : 'ltr';
  } catch {
    return 'ltr';
  }
}

/** ISO 15924 codes of the scripts in use that run from right to left. */
const RIGHT_TO_LEFT = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa']);

/** The attributes of what is in a language of its own, in the middle of another; none where both are the same. */
export function tongue(language: string, around: string): { lang?: string; dir?: 'ltr' | 'rtl' } {
  return language === around ? {} : { lang: language, dir: directionOf(language) };
}

/** The `lang` of the product's own words on a page in a language that it may not speak; none where that is said already. */
export function wordsLang(page: string): string | undefined {
  return spokenLanguage(page) ? undefined : currentLanguage();
}
