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
