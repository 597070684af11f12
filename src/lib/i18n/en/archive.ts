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
