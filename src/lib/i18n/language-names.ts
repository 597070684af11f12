import type { Messages } from './messages.ts';

/** Languages to choose from. */
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

/** Returns the name of a language in the language of the messages; the tag if it is unknown. */
export function languageName({ language }: Pick<Messages, 'language'>, tag: string): string {
  try {
    return new Intl.DisplayNames([language], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
