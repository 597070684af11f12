import { currentLanguage, type Language } from './language.ts';

/** Lists in English without a comma before `and`, as its newspapers outside America have them. */
const LISTING = { en: 'en-GB', es: 'es' } satisfies Record<Language, string>;

const rules = new Map<Language, Intl.PluralRules>();
const numbers = new Map<Language, Intl.NumberFormat>();
const lists = new Map<Language, Intl.ListFormat>();

/** What is made once for each language: making it costs more than using it. */
function made<Made>(all: Map<Language, Made>, language: Language, make: () => Made): Made {
  const known = all.get(language) ?? make();
  all.set(language, known);
  return known;
}

/** A number as a language writes it: 1,383 or 1383. */
export function written(count: number, language: Language = currentLanguage()): string {
  return made(numbers, language, () => new Intl.NumberFormat(language)).format(count);
}

/** The form of a phrase for a number; `one` and `other` are all that these languages count with in whole numbers. */
export function plural(count: number, one: string, other: string, language: Language = currentLanguage()) {
  const rule = made(rules, language, () => new Intl.PluralRules(language)).select(count);
  return rule === 'one' ? one : other;
}

/** Names as in a sentence: `Ana, Ben and Eve`. */
export function listed(names: string[], language: Language = currentLanguage()): string {
  return made(lists, language, () => new Intl.ListFormat(LISTING[language])).format(names);
}

/** As `listed`, in its parts: what stands between the names is a `literal`. */
export function listedParts(names: string[], language: Language = currentLanguage()) {
  return made(lists, language, () => new Intl.ListFormat(LISTING[language])).formatToParts(names);
}
