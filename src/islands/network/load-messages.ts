import { documentLanguage } from '../../lib/i18n/language.ts';
import { addMessages } from '../../lib/i18n/messages.ts';

/**
 * Loads the messages of the page's language unless it is English. The desk always loads Spanish, because previews are
 * in the language of the coverage.
 */
export async function loadMessages(): Promise<void> {
  if (document.body.classList.contains('desk'))
    addMessages('es', (await import('../../lib/i18n/es/desk-islands.ts')).spanish);
  else if (documentLanguage() === 'es')
    addMessages('es', (await import('../../lib/i18n/es/reader-islands.ts')).spanish);
}
