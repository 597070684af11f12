import { formatNumber, plural } from '../plural.ts';

/** Messages of the search page and its links. */
export const search = {
  title: 'Search',
  titleOf: (query: string) => `${query}: search`,
  description: (name: string) => `Search everything that ${name} has published.`,
  here: 'Search this coverage',
  query: 'What are you looking for?',
  submit: 'Search',
  help: 'Every coverage and every update is searched. “Words in quotation marks” stay together; a minus sign before a word leaves out what has it.',
  topics: 'Or go by topic:',

  narrow: 'Narrow it down',
  any: { coverage: 'In all coverages', topic: 'On any topic', person: 'By anybody' },
  fields: { coverage: 'Coverage', topic: 'Topic', person: 'By', from: 'From', to: 'To' },
  chosen: 'Only what fits this is shown',
  remove: 'Remove',
  removeOf: (what: string, value: string) => `Remove ${what}: ${value}`,

  results: 'Results',
  resultCount: (total: number) => `${formatNumber(total, 'en')} ${plural(total, 'result', 'results', 'en')}`,
  minResultCount: (total: number) => `${formatNumber(total, 'en')} or more results`,
  meant: (words: string) => `Showing results for “${words}”`,
  coverage: 'Coverage',
  updateOf: 'in',
  corrected: 'Corrected',
  pages: 'Pages of results',
  page: (page: number) => `Page ${page}`,
  previous: 'Previous',
  next: 'Next',
  noMore: 'There are more results than shown. Add a word, or use the filters.',

  none: (query: string) => `No results for “${query}”.`,
  nonePage: 'There is no more of it.',
  noneNext: 'Try fewer words, or others that mean the same.',
  everywhere: 'Search everywhere',
  first: 'To the first results',

  noWord:
    'There is no word in this to look for. Small words that are in every text find nothing: type one that stands out.',
  noDay: (text: string) => `“${text}” is no day. Write one as 2026-11-22.`,
  noSpan: 'The first day is after the last one.',
};
