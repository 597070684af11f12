import { formatNumber, plural } from '../plural.ts';

/** Messages of paged lists, the archive and the timeline. */
export const archive = {
  title: 'Archive',
  what: (name: string) => `All coverage by ${name}, by the month in which it began.`,
  description: (name: string) => `Every coverage by ${name}, by year and month.`,
  none: 'No coverages yet.',
  coverages: (n: number) => `${formatNumber(n, 'en')} ${plural(n, 'coverage', 'coverages', 'en')}`,
  /** Link on the front page to the archive. */
  olderCoverage: 'Older coverage',

  month: {
    title: (month: string) => `Coverage that began in ${month}`,
    pageOf: (title: string, page: number) => `${title}, page ${page}`,
    page: (page: number, pages: number) => `Page ${page} of ${pages}`,
    description: (month: string, name: string) => `Coverage by ${name} that began in ${month}, day by day.`,
    pages: 'Pages of this month',
    previous: 'Previous page',
    next: 'Next page',
    neighbours: 'Other months',
  },

  /** Links between the pages of a list. */
  pages: 'Older and newer',
  newest: 'Newest',
  older: 'Older',
  /** Title of a page with the days that it covers. */
  pageOf: (title: string, days: string) => `${title}, ${days}`,

  timeline: {
    title: 'Timeline',
    of: (headline: string) => `Timeline: ${headline}`,
    description: (headline: string) => `${headline}, day by day, with its key events.`,
    days: (n: number) => `${formatNumber(n, 'en')} ${plural(n, 'day', 'days', 'en')}`,
    events: (n: number) => `${formatNumber(n, 'en')} ${plural(n, 'key event', 'key events', 'en')}`,
    more: 'Only the newest key events are listed.',
    /** Link from a day to its place in the list. */
    read: (updates: string, day: string) => `${updates}: read from the start of ${day}`,
  },
};

/** Messages of the search page and its links. */
export const search = {
  title: 'Search',
  titleOf: (query: string) => `${query}: search`,
  description: (name: string) => `Search everything that ${name} has published.`,
  here: 'Search this coverage',
  query: 'What are you looking for?',
  submit: 'Search',
  help: 'Searches all coverages and updates. Use “quotation marks” for an exact phrase, and a minus sign before a word to exclude it.',
  topics: 'Topics:',

  narrow: 'Filters',
  any: { coverage: 'All coverages', topic: 'All topics', person: 'All authors' },
  fields: { coverage: 'Coverage', topic: 'Topic', person: 'Author', from: 'From', to: 'To' },
  chosen: 'Active filters',
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
  nonePage: 'There are no more results.',
  noneNext: 'Try fewer or different words.',
  everywhere: 'Search everywhere',
  first: 'First page',

  noWord: 'These words are too common to search for. Enter a more specific word.',
  noDay: (text: string) => `“${text}” is not a date. Enter one such as 2026-11-22.`,
  noSpan: 'The start date is after the end date.',
};
