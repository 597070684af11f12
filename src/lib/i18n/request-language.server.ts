import { AsyncLocalStorage } from 'node:async_hooks';
import { spanish } from './es/all.ts';
import { type Language, setLanguageSource, spokenLanguage } from './language.ts';
import { learn } from './messages.ts';

/** The language of the page that is being made; `isOwn`: it is the page's, whatever the site speaks. */
type Speaking = { language: Language; isOwn: boolean };

const speaking = new AsyncLocalStorage<Speaking>();

learn('es', spanish);
setLanguageSource(() => speaking.getStore()?.language ?? 'en');

/** Makes something in a language, unless `speak` says otherwise on the way. @param tag BCP 47 */
export const speakingIn = <Made>(tag: string, make: () => Made): Made =>
  speaking.run({ language: spokenLanguage(tag) ?? 'en', isOwn: false }, make);

/** From here on the page that is being made speaks this language, if the product does. @param tag BCP 47 */
export function speak(tag: string): void {
  const page = speaking.getStore();
  const language = spokenLanguage(tag);
  if (page && language) Object.assign(page, { language, isOwn: true });
}

/** The site's language, as it was just read: the page's, unless it has its own. @param tag BCP 47 */
export function speakAsSite(tag: string): void {
  const page = speaking.getStore();
  if (page && !page.isOwn) page.language = spokenLanguage(tag) ?? 'en';
}
