import { AsyncLocalStorage } from 'node:async_hooks';
import { spanish } from './es/all.ts';
import { type Language, setLanguageSource, spokenLanguage } from './language.ts';
import { learn } from './messages.ts';

/** Language of the page being rendered. `isOwn`: set by the page itself, independent of the site's language. */
type Speaking = { language: Language; isOwn: boolean };

const speaking = new AsyncLocalStorage<Speaking>();

learn('es', spanish);
setLanguageSource(() => speaking.getStore()?.language ?? 'en');

/**
 * Renders a page in a language. `speak` may change it during rendering.
 * @param tag BCP 47
 */
export const speakingIn = <Made>(tag: string, make: () => Made): Made =>
  speaking.run({ language: spokenLanguage(tag) ?? 'en', isOwn: false }, make);

/**
 * Sets the language of the current page if it is supported.
 * @param tag BCP 47
 */
export function speak(tag: string): void {
  const page = speaking.getStore();
  const language = spokenLanguage(tag);
  if (page && language) Object.assign(page, { language, isOwn: true });
}

/**
 * Sets the language of the current page to that of the site, unless the page has its own.
 * @param tag BCP 47
 */
export function speakAsSite(tag: string): void {
  const page = speaking.getStore();
  if (page && !page.isOwn) page.language = spokenLanguage(tag) ?? 'en';
}
