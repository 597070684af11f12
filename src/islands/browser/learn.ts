import { currentLanguage } from '../../lib/text/language.ts';
import { learn } from '../../lib/text/spoken.ts';

/**
 * Learns what the islands of this page say, where that is not English: nobody pays for words of another language than
 * their page's. A desk learns all: its coverage may speak otherwise than the desk, and is previewed as its readers will
 * see it.
 */
export async function loadMessages(): Promise<void> {
  if (document.body.classList.contains('desk'))
    learn('es', (await import('../../lib/text/es/all.ts')).spanish);
  else if (currentLanguage() === 'es') learn('es', (await import('../../lib/text/es/followers.ts')).spanish);
}
