import type { UpdateFilter } from '../../domain/updates.ts';

const number = new Intl.NumberFormat('en');

/** Messages of the desk's list of updates: filters, search and waiting work. */
export const deskList = {
  filters: {
    work: 'All',
    submitted: 'Submitted',
    draft: 'Drafts',
    scheduled: 'Scheduled',
    published: 'Published',
    withdrawn: 'Withdrawn',
    spiked: 'Spiked',
    mine: 'Mine',
    key: 'Key events',
    corrected: 'Corrected',
    photos: 'With photos',
  } satisfies Record<UpdateFilter, string>,
  filter: 'Show',
  /** Most states are counted up to 100. */
  count: (count: number, isWhole: boolean) => `${number.format(count)}${isWhole ? '' : '+'}`,

  search: 'Find',
  searchHelp: 'In words, names, notes and places, of every state you see.',
  resultCount: (count: number, isWhole: boolean) =>
    count === 0 ? 'Nothing has these words.' : `${number.format(count)}${isWhole ? '' : ' or more'} found.`,
  clearSearch: 'Show all again',
  attribution: 'Attribution',
  dateline: 'Dateline',

  waiting: (count: number) => (count === 1 ? '1 new: show it' : `${number.format(count)} new: show them`),
  somebodyEdits: (names: string, count: number) =>
    `${names} ${count === 1 ? 'has' : 'have'} this open too. Whoever saves second is shown both versions.`,

  keys: {
    next: 'Next update in the list',
    previous: 'Update before it in the list',
    edit: 'Edit the update',
    publish: 'Publish it',
    submit: 'Submit it',
    spike: 'Spike it',
    pin: 'Pin it, or unpin it',
    withdraw: 'Withdraw it',
    find: 'Find in the list',
    news: 'Show what is new in the list',
  },

  /** Tips about the coverage, shown at its desk. */
  tips: {
    title: 'Tips',
    open: (count: number) => (count === 0 ? 'none open' : `${number.format(count)} open`),
    all: 'In the queue of tips',
  },

  /** Waiting work, shown on every page of the desk. */
  waits: {
    label: 'Waiting',
    submitted: (count: number) => (count === 1 ? '1 submission' : `${number.format(count)} submissions`),
    tips: (count: number) => (count === 1 ? '1 new tip' : `${number.format(count)} new tips`),
    in: (what: string, where: string) => `${what} in ${where}`,
    begun: 'Something waits for you at the desk.',
  },
};
