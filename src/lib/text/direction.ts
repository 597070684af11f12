import { currentLanguage, spokenLanguage } from './language.ts';

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
