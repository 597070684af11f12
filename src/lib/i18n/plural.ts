import { currentLanguage, type Language } from './language.ts';

/** British English, which has no comma before the last `and`. */
const LISTING = { en: 'en-GB', es: 'es' } satisfies Record<Language, string>;

const rules = new Map<Language, Intl.PluralRules>();
const numbers = new Map<Language, Intl.NumberFormat>();
const lists = new Map<Language, Intl.ListFormat>();

/** Returns a cached formatter, because creating one takes longer than using it. */
function made<Made>(all: Map<Language, Made>, language: Language, make: () => Made): Made {
  const known = all.get(language) ?? make();
  all.set(language, known);
  return known;
}

/** Formats a number: 1,383 or 1383. */
export function written(count: number, language: Language = currentLanguage()): string {
  return made(numbers, language, () => new Intl.NumberFormat(language)).format(count);
}

/** Selects the plural form for a number. The supported languages have only `one` and `other` for integers. */
export function plural(count: number, one: string, other: string, language: Language = currentLanguage()) {
  const rule = made(rules, language, () => new Intl.PluralRules(language)).select(count);
  return rule === 'one' ? one : other;
}

/** Formats a list of names: `Ana, Ben and Eve`. */
export function listed(names: string[], language: Language = currentLanguage()): string {
  return made(lists, language, () => new Intl.ListFormat(LISTING[language])).format(names);
}

/** Like `listed`, in parts: text between names has the type `literal`. */
export function listedParts(names: string[], language: Language = currentLanguage()) {
  return made(lists, language, () => new Intl.ListFormat(LISTING[language])).formatToParts(names);
}
