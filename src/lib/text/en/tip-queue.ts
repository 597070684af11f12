import type { TipAct } from '../../tips/acts.ts';
import type { QueueView } from '../../tips/queue.ts';
import type { TipState } from '../../tips/tip.ts';
import { written } from '../plural.ts';

/** Words of the queue of tips at the desk. */
export const tipQueue = {
  title: 'Tips',
  forbidden: 'Tips are read by moderators, editors and owners.',
  about: (headline: string) => `About ${headline}`,
  all: 'Tips about everything',
  views: {
    open: 'Open',
    mine: 'Mine',
    held: 'Held',
    used: 'Used',
    declined: 'Declined',
    spam: 'Spam',
  } satisfies Record<QueueView, string>,
  show: 'Show',
  none: {
    open: 'No tip waits.',
    mine: 'You have no tip.',
    held: 'No tip is held.',
    used: 'No tip was used yet.',
    declined: 'No tip was declined.',
    spam: 'Nothing was called spam.',
  } satisfies Record<QueueView, string>,
  waiting: (count: number) => (count === 1 ? '1 new: show it' : `${written(count, 'en')} new: show them`),
  older: 'Show older',
  only: 'This is one tip alone.',
  onlyGone: 'There is no such tip any more.',
  queue: 'Show the queue',

  search: 'Find',
  searchHelp: 'In what was sent and in names.',
  find: 'Find',

  connection: {
    hears: (time: string) => `Tips come by themselves. Checked ${time}`,
    looks: (seconds: number, time: string) => `Looked for every ${seconds} seconds. Checked ${time}`,
    noScript:
      'Without JavaScript this list can be read, as it was when the page was made. It cannot be worked on.',
  },

  states: {
    new: 'New',
    in_review: 'In review',
    used: 'Used',
    declined: 'Declined',
    spam: 'Spam',
  } satisfies Record<TipState, string>,
  with: {
    you: (since: string) => `with you since ${since}`,
    other: (name: string, since: string) => `with ${name} since ${since}`,
    by: (name: string) => `by ${name}`,
  },
  noCoverage: 'about no coverage',
  whole: 'Show all of it',
  less: 'Show less',
  sender: {
    none: 'No name given.',
    publish: '(the name may be published)',
    private: '(the name must not be published)',
    reach: 'Reach them:',
    noContact: 'No way to reach them.',
  },
  held: {
    flood: 'Held: very many came from there.',
    honeypot: 'Held: a field was filled in that people do not see.',
    haste: 'Held: it was written faster than people write.',
  },
  photo: {
    show: 'Show photo',
    alt: 'Photo sent with this tip, not reviewed',
    caution: 'Not reviewed. It may be disturbing.',
    arriving: 'A photo is on its way.',
    refused: 'A photo came with it that could not be used.',
  },
  used: {
    number: (number: number) => `Published as number ${number}`,
    draft: 'Its update waits at the desk',
    withdrawn: 'Its update was withdrawn',
  },

  acts: {
    take: 'Take',
    takeOver: 'Take over',
    use: 'Use',
    decline: 'Decline',
    spam: 'Spam',
    handOver: 'Hand over',
    release: 'Release',
    reopen: 'Reopen',
  } satisfies Record<TipAct, string>,
  said: {
    take: 'It is with you now.',
    takenOver: (name: string) => `It is with you now, and not with ${name} any more.`,
    takeOver: 'It is with you now.',
    release: 'Released. It is in the open queue.',
    decline: 'Declined.',
    spam: 'Called spam.',
    reopen: 'It is with you again.',
    handedOver: (name: string | null) => (name ? `It is with ${name} now.` : 'It is back in the queue.'),
    use: 'Handed in as an update.',
  },
  undo: 'Undo',
  undone: {
    decline: 'Declined',
    spam: 'Spam',
    use: 'Handed in',
  },
  itsDesk: 'See the update',

  handOver: {
    title: 'Hand over to',
    queue: 'Back to the queue',
    nobody: 'Nobody else handles tips here.',
  },
  reopen: {
    sure: 'The update that was made of it is spiked, and the tip is with you again.',
    confirm: 'Reopen the tip',
  },
  refused: {
    taken: (name: string) => `${name} has this tip now. Nothing was changed.`,
    stillTyped: 'What you have typed is kept here.',
  },

  use: {
    title: 'Use this tip',
    coverage: 'For the coverage',
    choose: 'Choose a coverage',
    noneTakes: 'No coverage takes updates now.',
    headline: 'Headline, if it needs one',
    intro: 'Your sentence before it, if it needs one',
    quote: 'The sender’s words',
    quoteHelp: 'Cut what is not wanted. Do not change what was said.',
    credit: (name: string) => `Credited to ${name}, as the sender allows.`,
    noCredit: 'No name stands beside it: the sender did not allow it.',
    noName: 'No name stands beside it: none was given.',
    photo: 'With the photo',
    photoUnseen: 'Look at the photo first.',
    photoCredit: (name: string) => `The photo is credited to ${name}.`,
    alt: 'What the photo shows',
    altHelp: 'For whoever cannot see it.',
    caption: 'Caption, if it needs one',
    asRead: 'As readers will see it',
    send: 'Hand in as an update',
    sendHelp: 'An editor decides on it. Nothing is published by this.',
    problems: {
      coverage: 'Choose the coverage that it belongs to.',
      quote: 'Leave something of what was sent.',
      alt: 'Say what the photo shows.',
    },
  },

  keys: {
    next: 'Next tip',
    previous: 'Tip before it',
    take: 'Take the tip, or take it over',
    use: 'Use it',
    decline: 'Decline it',
    spam: 'Call it spam',
    handOver: 'Hand it over',
    release: 'Release what was held',
    undo: 'Undo',
    photo: 'Show its photo',
    find: 'Find among the tips',
    news: 'Show what is new in the list',
  },
};
