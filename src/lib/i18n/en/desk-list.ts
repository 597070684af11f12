import type { UpdateFilter } from '../../domain/updates.ts';
import { plural } from '../plural.ts';

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
  searchHelp: 'Searches texts, names, notes and places of all updates.',
  resultCount: (count: number, isWhole: boolean) =>
    count === 0
      ? 'No results.'
      : `${number.format(count)}${isWhole ? '' : ' or more'} ${plural(count, 'result', 'results', 'en')}.`,
  clearSearch: 'Show all again',
  filed: {
    by: (channel: string) => `By ${channel}`,
    original: 'Original message',
    gone: 'The message is no longer stored.',
    changes: 'Changes since then',
  },
  attribution: 'Source',
  dateline: 'Dateline',

  waiting: (count: number) =>
    count === 1 ? 'Show 1 new update' : `Show ${number.format(count)} new updates`,
  somebodyEdits: (names: string, count: number) =>
    `${names} ${count === 1 ? 'is' : 'are'} editing this too. If they save first, you can compare both versions here.`,
  newerSaved: 'Another person saved a newer version while you were writing.',
  newerSavedBy: (name: string) => `${name} saved a newer version while you were writing.`,
  newerSavedByYou: 'You saved a newer version on another page.',
  compare: 'Compare',

  keys: {
    next: 'Next update in the list',
    previous: 'Previous update in the list',
    edit: 'Edit the update',
    publish: 'Publish the update',
    submit: 'Submit the update',
    spike: 'Spike the update',
    pin: 'Pin or unpin the update',
    withdraw: 'Withdraw the update',
    find: 'Find in the list',
    news: 'Show new updates',
  },

  /** Tips about the coverage, shown at its desk. */
  tips: {
    title: 'Tips',
    open: (count: number) => (count === 0 ? 'none open' : `${number.format(count)} open`),
    all: 'Open the tip queue',
  },

  /** Waiting work, shown on every page of the desk. */
  waits: {
    label: 'Waiting',
    submitted: (count: number) => (count === 1 ? '1 submission' : `${number.format(count)} submissions`),
    tips: (count: number) => (count === 1 ? '1 new tip' : `${number.format(count)} new tips`),
    in: (what: string, where: string) => `${what} in ${where}`,
    begun: 'New work is waiting at the desk.',
  },
};
