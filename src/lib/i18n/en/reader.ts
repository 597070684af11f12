import type { Omitted } from '../../domain/body/fold.ts';
import type { MediaFile } from '../../domain/media-files.ts';
import { formatMeasures } from '../measures.ts';
import { formatList, formatListParts, formatNumber, plural } from '../plural.ts';

/** Messages of public pages. Numbers, names and times are parameters. Plain text, no HTML. */

/** Names of the content that only the update's own page has. */
const OMITTED: Record<Omitted, string> = {
  table: 'a table',
  rows: 'the whole table',
  media: 'a video or recording',
  map: 'a map',
  post: 'a quoted post',
  photo: 'a photo',
};

const withOmitted = (omitted: Omitted[]): string =>
  omitted.length > 0
    ? `, with ${formatList(
        omitted.map((part) => OMITTED[part]),
        'en',
      )}`
    : '';

export const reader = {
  skip: 'Skip to the news',
  home: 'Front page',
  siteNavigation: 'Site',
  tip: 'Tip',
  alerts: 'Alerts',
  account: 'Account',
  /** Above the link to the account. */
  signedIn: 'Signed in',
  pageAsOf: 'Page as of',
  timesIn: (zone: string) => `All times in ${zone}`,
  about: 'About',
  signIn: 'Sign in',

  status: {
    updated: 'Updated',
    newest: 'Updated',
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
  /** @param omitted what the box of the pinned update leaves out besides text */
  pinnedPlace: (omitted: Omitted[] = []) => `View in the list${withOmitted(omitted)}`,
  keyEvents: 'Key events',
  allKeyEvents: 'All key events',

  updateCount: (n: number) => `${formatNumber(n, 'en')} ${plural(n, 'update', 'updates', 'en')}`,
  views: 'Order of updates',
  newestFirst: 'Newest first',
  oldestFirst: 'Oldest first',
  keyEventsOnly: 'Key events only',
  pages: 'Older and newer updates',
  older: 'Older',
  newer: 'Newer',
  noUpdates: 'No updates yet. The first will appear here.',
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
  /** Before the time of a table's data. */
  asOf: 'As of',
  /** Around that time, when the table's CSV address cannot be read. */
  stale: { before: 'Data as of', after: '; not updated since' },
  happened: (time: string) => `Happened ${time}`,
  revised: (time: string) => `Revised ${time}`,
  note: { correction: 'Correction', clarification: 'Clarification' },
  share: 'Share',
  shareUpdate: (number: number) => `Share update ${number}`,
  linkCopied: 'Link copied',
  readOn: 'Read more',
  /** @param omitted what an excerpt leaves out besides text */
  readOnOf: (number: number, omitted: Omitted[] = []) =>
    `Read all of update ${number}${withOmitted(omitted)}`,
  summaryMore: 'Read the whole summary',
  player: {
    /** On the button. The host learns nothing before it is pressed. */
    play: (host: string) => `Play from ${host} (loads its scripts)`,
    open: (site: string) => `Open on ${site}`,
    /** On the button of a file of the newsroom. */
    playFile: (file: MediaFile) => `Play ${file.kind}, ${formatMeasures(file, 'en')}`,
    /** Below the title of a file. */
    file: (file: MediaFile) => `${file.format.toUpperCase()}, ${formatMeasures(file, 'en')}`,
  },
  showPhoto: (bytes: number) => `Show photo, ${formatNumber(Math.max(1, Math.round(bytes / 1000)), 'en')} KB`,
  photoBy: (credit: string) => `Photo: ${credit}`,
  /** Coordinates in degrees; negative ones are south and west. */
  coordinates: (latitude: number, longitude: number) =>
    `${Math.abs(latitude)}° ${latitude < 0 ? 'south' : 'north'}, ${Math.abs(longitude)}° ${longitude < 0 ? 'west' : 'east'}`,
  mapOf: (name: string) => `Map of ${name}`,
  showMap: 'Show map',
  mapApp: 'Open in a map app',
  post: {
    link: (network: string) => `Post on ${network}`,
    /** Before a time. */
    quoted: 'as quoted at',
    gone: 'No longer there, checked at',
  },
  withdrawn: 'Withdrawn',
  partOf: 'Part of',
  inPlace: 'View in the coverage',
  previousUpdate: 'Earlier',
  nextUpdate: 'Later',
  publishedAt: (time: string) => `Published ${time}`,
  revisedAt: (time: string) => `Last revised ${time}`,
  withdrawnAt: (time: string) => `Withdrawn ${time}`,

  waiting: 'Updates will appear here automatically.',

  front: {
    alsoLive: 'Also live',
    coming: 'Coming up',
    recent: 'Recent coverage',
    empty: 'Nothing has been published yet.',
    /** Link after `empty`. */
    emptyTip: 'Do you know something? Send the newsroom a tip.',
    starts: (time: string) => `Starts ${time}`,
    title: (name: string, tagline: string) => (tagline ? `${name}: ${tagline}` : name),
    description: (name: string) =>
      `Live coverage by ${name}, update by update, and the record of it afterwards.`,
  },
  person: {
    label: 'Byline',
    updates: (name: string) => `Newest updates by ${name}`,
    none: 'No published updates.',
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
      `${name} reports events as they happen. Each coverage is one page of timed updates. It stays here as a record afterwards.`,
    standards: 'How we work',
    standardsList: [
      'Every update shows when it was published. Its number and address never change.',
      'We mark everything that we have not verified.',
      'A corrected update says what was wrong and when it was corrected. A withdrawn update keeps its place, with our reason.',
      'All readers get the same pages. Reading sets no cookies and needs no JavaScript.',
    ],
    contact: 'Contact',
    publisher: 'Publisher',
  },

  errors: {
    not_found: {
      title: 'Page not found',
      say: 'Check the address. The page may have moved, or it was never published.',
    },
    gone: {
      title: 'This coverage was withdrawn',
      say: 'We published this coverage and later withdrew it. It is no longer available.',
    },
    goneUpdate: {
      title: (number: number) => `Update ${number} was withdrawn`,
      say: 'We published this update and later withdrew it.',
      reason: 'Reason',
    },
    unavailable: {
      title: 'This page is not available right now',
      say: 'The newsroom’s database does not respond. Nothing is lost. Try again in a minute.',
    },
    internal: {
      title: 'Something went wrong on our side',
      say: 'Try again in a minute, or start from the front page.',
    },
    quote: (id: string) => `If you contact us about this, quote ${id}.`,
    again: 'Try again',
  },
};
