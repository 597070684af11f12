import { formatListParts, formatNumber, plural } from '../plural.ts';

/** Messages of public pages. Numbers, names and times are parameters. Plain text, no HTML. */

export const reader = {
  skip: 'Skip to the news',
  home: 'Front page',
  siteNavigation: 'Site',
  tip: 'Tip',
  alerts: 'Alerts',
  account: 'Account',
  pageAsOf: 'Page as of',
  timesIn: (zone: string) => `All times in ${zone}`,
  about: 'About',
  signIn: 'Sign in',

  status: {
    updated: 'Updated',
    newest: 'newest',
    starts: 'starts',
    noUpdates: 'no updates yet',
    check: 'Check for updates',
    follow: (kilobytes: number) => `Follow live (${kilobytes} KB)`,
    starting: 'Loading…',
    notFollowed: 'Live updates stopped. Reload',
  },

  summary: 'What we know',
  /** The summary of an ended coverage. */
  summaryEnded: 'What happened',
  /** Before the time of the newest update. */
  newest: 'Newest',
  pinned: 'Pinned',
  pinnedPlace: 'View in timeline',
  keyEvents: 'Key events',
  allKeyEvents: 'All key events',

  updateCount: (n: number) => `${formatNumber(n, 'en')} ${plural(n, 'update', 'updates', 'en')}`,
  views: 'Ways to read this',
  newestFirst: 'Newest first',
  oldestFirst: 'Oldest first',
  keyEventsOnly: 'Key events only',
  pages: 'Older and newer updates',
  older: 'Older',
  newer: 'Newer',
  noUpdates: 'No updates yet. The first one will stand here.',
  noKeyEvents: 'No key events yet.',
  coverageTopics: 'More on',
  range: (first: number, last: number) => `Updates ${first} to ${last}`,
  keyEventsOf: (headline: string) => `Key events: ${headline}`,
  pageOf: (headline: string, first: number, last: number) => `${headline}, updates ${first} to ${last}`,

  update: (number: number) => `Update ${number}`,
  updateOf: (number: number, headline: string) => `Update ${number} of ${headline}`,
  permalink: (number: number, time: string) => `Update ${number}, ${time}`,
  keyEvent: 'Key event',
  urgency: { normal: '', important: 'Important', urgent: 'Urgent' },
  verification: { confirmed: '', developing: 'Developing', unverified: 'Not verified' },
  by: 'By',
  people: (names: string[]) => formatListParts(names, 'en'),
  source: (name: string) => `Source: ${name}`,
  happened: (time: string) => `Happened ${time}`,
  revised: (time: string) => `Revised ${time}`,
  note: { correction: 'Correction', clarification: 'Clarification' },
  share: 'Share',
  shareUpdate: (number: number) => `Share update ${number}`,
  linkCopied: 'Link copied',
  readOn: 'Read on',
  readOnOf: (number: number) => `Read on: update ${number}`,
  summaryMore: 'Read all of it',
  showPhoto: (bytes: number) => `Show photo, ${formatNumber(Math.max(1, Math.round(bytes / 1000)), 'en')} KB`,
  photoBy: (credit: string) => `Photo: ${credit}`,
  withdrawn: 'Withdrawn',
  partOf: 'From',
  inPlace: 'See its place among the other updates',
  previousUpdate: 'Earlier',
  nextUpdate: 'Later',
  publishedAt: (time: string) => `Published ${time}`,
  revisedAt: (time: string) => `Last revised ${time}`,
  withdrawnAt: (time: string) => `Withdrawn ${time}`,

  waiting: 'Updates will appear here, the newest at the top.',

  front: {
    alsoLive: 'Also live',
    coming: 'Coming up',
    recent: 'Recent coverage',
    empty: 'Nothing has been published yet.',
    starts: (time: string) => `Starts ${time}`,
    title: (name: string, tagline: string) => (tagline ? `${name}: ${tagline}` : name),
    description: (name: string) =>
      `Live coverage by ${name}, update by update, and the record of it afterwards.`,
  },
  person: {
    label: 'Byline',
    updates: (name: string) => `Newest updates by ${name}`,
    none: 'Nothing published at the moment.',
    description: (name: string, site: string) => `Updates by ${name} for ${site}.`,
  },
  topic: {
    label: 'Topic',
    none: 'No coverage of this topic yet.',
    description: (topic: string, site: string) => `Live coverage of ${topic} by ${site}.`,
  },
  aboutPage: {
    title: (name: string) => `About ${name}`,
    what: (name: string) =>
      `${name} follows what is happening as it happens. Each coverage is one page of timed updates, which stays here as a record when it is over.`,
    standards: 'How we work',
    standardsList: [
      'Every update carries the time at which it was published. Its number and its address never change.',
      'What we could not verify is marked as such until we can.',
      'When we were wrong, the update says so, with what was corrected and when. When we take an update back, its place and our reason stay.',
      'Pages are the same for everybody who asks for them. Reading sets no cookies and needs no script.',
    ],
    contact: 'Contact',
    publisher: 'Publisher',
  },

  errors: {
    not_found: {
      title: 'There is no such page',
      say: 'The address may be mistyped, or what it names was never published.',
    },
    gone: {
      title: 'This coverage was withdrawn',
      say: 'We published it and withdrew it. It is no longer available.',
    },
    goneUpdate: {
      title: (number: number) => `Update ${number} was withdrawn`,
      say: 'We published it and withdrew it.',
      reason: 'Why',
    },
    unavailable: {
      title: 'We cannot fetch this page just now',
      say: 'The newsroom’s records do not answer. Nothing is lost. Try again in a minute: the same address will work.',
    },
    internal: {
      title: 'Something went wrong on our side',
      say: 'It is not your doing. Try again in a minute, or start from the front page.',
    },
    quote: (id: string) => `If you write to us about it, quote ${id}.`,
    again: 'Try again',
  },
};
