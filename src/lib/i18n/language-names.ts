import { currentLanguage, directionOf } from './language.ts';
import { settings } from './settings.ts';

/** Tags to choose from; any other can be typed. */
export const LANGUAGES_AT_HAND = [
  ...[
    'en',
    'es',
    'ar',
    'bn',
    'ca',
    'cs',
    'da',
    'de',
    'el',
    'eu',
    'fa',
    'fi',
    'fr',
    'gl',
    'he',
    'hi',
    'hu',
    'id',
    'it',
  ],
  ...[
    'ja',
    'ko',
    'nb',
    'nl',
    'pl',
    'pt',
    'pt-BR',
    'ro',
    'ru',
    'sv',
    'sw',
    'th',
    'tr',
    'uk',
    'ur',
    'vi',
    'zh-Hans',
    'zh-Hant',
  ],
];

/** What a language is called in the language of the page; the tag where nobody knows it. */
export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames([currentLanguage()], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** What a tag stands for and which way that is written; '' of what is no tag. */
export function languageHelp(tag: string): string {
  const name = languageName(tag);
  return tag === '' || name === tag ? '' : settings.language(name, directionOf(tag));
}
