import type { Language } from './language.ts';

/** British English, which has no comma before the last `and`. */
const LISTING = { en: 'en-GB', es: 'es' } satisfies Record<Language, string>;

const rules = new Map<Language, Intl.PluralRules>();
const numbers = new Map<Language, Intl.NumberFormat>();
const lists = new Map<Language, Intl.ListFormat>();

/** Returns a cached formatter, because creating one takes longer than using it. */
function cached<Formatter>(
  all: Map<Language, Formatter>,
  language: Language,
  create: () => Formatter,
): Formatter {
  const known = all.get(language) ?? create();
  all.set(language, known);
  return known;
}

/** Formats a number: 1,383 or 1383. */
export function formatNumber(count: number, language: Language): string {
  return cached(numbers, language, () => new Intl.NumberFormat(language)).format(count);
}

/** Selects the plural form for a number. The supported languages have only `one` and `other` for integers. */
export function plural(count: number, one: string, other: string, language: Language) {
  const rule = cached(rules, language, () => new Intl.PluralRules(language)).select(count);
  return rule === 'one' ? one : other;
}

/** Formats a list of names: `Ana, Ben and Eve`. */
export function formatList(names: string[], language: Language): string {
  return cached(lists, language, () => new Intl.ListFormat(LISTING[language])).format(names);
}

/** Like `formatList`, in parts: text between names has the type `literal`. */
export function formatListParts(names: string[], language: Language) {
  return cached(lists, language, () => new Intl.ListFormat(LISTING[language])).formatToParts(names);
}
