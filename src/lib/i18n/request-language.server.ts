import { AsyncLocalStorage } from 'node:async_hooks';
import { spanish } from './es/all.ts';
import { type Language, setLanguageSource, supportedLanguage } from './language.ts';
import { addMessages } from './messages.ts';

/** Language of the page being rendered. `isOwn`: set by the page itself, independent of the site's language. */
type PageLanguage = { language: Language; isOwn: boolean };

const pageLanguage = new AsyncLocalStorage<PageLanguage>();

addMessages('es', spanish);
setLanguageSource(() => pageLanguage.getStore()?.language ?? 'en');

/**
 * Renders a page in a language. `speak` may change it during rendering.
 * @param tag BCP 47
 */
export const withLanguage = <Result>(tag: string, make: () => Result): Result =>
  pageLanguage.run({ language: supportedLanguage(tag) ?? 'en', isOwn: false }, make);

/**
 * Sets the language of the current page if it is supported.
 * @param tag BCP 47
 */
export function setPageLanguage(tag: string): void {
  const page = pageLanguage.getStore();
  const language = supportedLanguage(tag);
  if (page && language) Object.assign(page, { language, isOwn: true });
}

/**
 * Sets the language of the current page to that of the site, unless the page has its own.
 * @param tag BCP 47
 */
export function setSiteLanguage(tag: string): void {
  const page = pageLanguage.getStore();
  if (page && !page.isOwn) page.language = supportedLanguage(tag) ?? 'en';
}
