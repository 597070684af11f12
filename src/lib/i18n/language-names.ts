import { directionOf } from './language.ts';
import type { Messages } from './messages.ts';

/** Languages to choose from. Other tags can be typed. */
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

/** Returns the name and writing direction of a language; '' if it is unknown. */
export function languageHelp(messages: Pick<Messages, 'language' | 'settings'>, tag: string): string {
  const name = languageName(messages, tag);
  return tag === '' || name === tag ? '' : messages.settings.language(name, directionOf(tag));
}
