import type { ErrorMessages } from './en/database-errors.ts';
import { documentLanguage, type Language } from './language.ts';

const load: Record<Language, () => Promise<{ errorMessages: ErrorMessages }>> = {
  en: () => import('./en/database-errors.ts'),
  es: () => import('./es/database-errors.ts'),
};
const loaded: Partial<Record<Language, ErrorMessages>> = {};

/** Adds the sentences for reasons of errors. Servers and commands have those of all languages. */
export function addErrorMessages(language: Language, messages: ErrorMessages): void {
  loaded[language] = messages;
}

/**
 * In a browser, loads the sentences for reasons of errors in the language of the page. Readers' scripts load them with
 * the first error. If they cannot be loaded, the sentence of the error code is shown.
 */
export async function loadErrorMessages(): Promise<void> {
  if (typeof document === 'undefined') return;
  const language = documentLanguage();
  try {
    loaded[language] ??= (await load[language]()).errorMessages;
  } catch {
    // Offline, or the page is of an earlier build.
  }
}

/**
 * The sentence for a reason.
 * @param details parameters of the sentence, as the database sent them
 * @returns undefined for an unknown reason, or before `loadErrorMessages()`
 */
export function reasonSentence(reason: unknown, details: object, language: Language): string | undefined {
  const messages = loaded[language];
  if (!messages || typeof reason !== 'string' || !Object.hasOwn(messages, reason)) return undefined;
  const message = messages[reason as keyof ErrorMessages] as string | ((parameters: object) => string);
  return typeof message === 'string' ? message : message(details);
}
