import { english } from './en/all.ts';
import { errorMessages as englishErrors } from './en/database-errors.ts';
import { spanish } from './es/all.ts';
import { errorMessages as spanishErrors } from './es/database-errors.ts';
import { type Language, supportedLanguage } from './language.ts';
import { addMessages, type Messages } from './messages.ts';
import { addErrorMessages } from './refusals.ts';

addMessages('es', spanish);
addErrorMessages('en', englishErrors);
addErrorMessages('es', spanishErrors);

const MESSAGES: Record<Language, Messages> = { en: english, es: spanish };

/**
 * Returns the messages of the first supported language; English if there is none.
 * @param tags BCP 47, such as the languages of a coverage and of the site
 */
export function messagesFor(...tags: (string | undefined)[]): Messages {
  for (const tag of tags) {
    const language = tag && supportedLanguage(tag);
    if (language) return MESSAGES[language];
  }
  return english;
}
