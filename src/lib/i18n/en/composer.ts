import type { Verification } from '../../domain/updates.ts';
import { formatNumber } from '../plural.ts';

/** Messages of the composer. */
export const composer = {
  title: 'New update',
  readOnly: 'Your role reads this desk. It does not write updates.',
  notYet: 'Nothing is published into this coverage until it is live. Drafts can be saved.',
  over: 'This coverage takes no more updates.',
  body: 'What happened',
  headline: 'Headline',
  headlineHelp: 'For what must be found again. Without one the words speak for themselves.',
  key_event: 'Key event',
  urgency: 'Urgency',
  verification: 'How sure it is',
  verifications: {
    confirmed: 'Confirmed',
    developing: 'Developing',
    unverified: 'Not verified',
  } satisfies Record<Verification, string>,
  attribution: 'Attribution',
  attributionHelp: 'Who says so. Readers see it.',
  dateline: 'Dateline',
  datelineHelp: 'Where this was written, as in: Harrow Bridge. The next update begins with it.',
  occurred_at: (zone: string) => `When it happened (${zone})`,
  occurredHelp: 'Only where that is not now.',
  desk_note: 'Desk note',
  deskNoteHelp: 'For the desk. Readers never see it.',
  more: 'More',
  preview: 'Preview',
  count: (length: number, most: number) =>
    `${formatNumber(length, 'en')} of ${formatNumber(most, 'en')} characters`,
  clear: 'Throw away',

  /** Summary of folded fields. */
  filled: {
    headline: (text: string) => `Headline: ${text}`,
    source: (text: string) => `Source: ${text}`,
    happened: (time: string) => `Happened ${time}`,
    by: (names: string) => `By ${names}`,
    desk_note: (text: string) => `Desk note: ${text}`,
  },

  bylines: {
    title: 'Byline',
    self: 'Your own name, if you choose nobody.',
    author: 'Whoever wrote it, if you choose nobody.',
    choose: 'Somebody else',
    nobody: 'Choose a name',
    add: 'Add name',
    earlier: 'Move up',
    takeOut: 'Take out',
    about: (action: string, name: string) => `${action}: ${name}`,
    unknown: 'A name that is not known here',
    notNow: 'The names cannot be read now. Try again when the line is back.',
    added: (name: string) => `${name} added.`,
    removed: (name: string) => `${name} taken out.`,
  },

  tools: {
    title: 'Formatting',
    bold: 'Bold',
    italic: 'Italic',
    link: 'Link',
    list: 'List',
    quote: 'Quote',
  },

  /** Photo marker in the text. */
  photoLine: (index: number) => `[photo ${index}]`,
  photoPlaces: {
    into: 'Put into the text',
    out: 'Put after the text',
    stands: (line: string) => `Stands in the text at the line ${line}. Move that line to move the photo.`,
    moved: (line: string) => `It stands at the line ${line} now.`,
    after: 'It stands after the text now.',
  },

  shortcuts: {
    title: 'Keys',
    open: 'Keys',
    keys: 'Key',
    does: 'What it does',
    on: 'Keys without Ctrl or ⌘ work while nothing is being typed',
    write: 'Write a new update',
    show: 'Show the keys',
    help: [
      '**bold**',
      '*italic*',
      '[words](address)',
      '- list',
      '1. numbered list',
      '> quote',
      '> — who said it',
    ],
    helpTitle: 'In the text',
    helpAddress: 'An address alone on a line is a link. Pasted over chosen words, it makes them one.',
    helpPlain: 'Ctrl or ⌘ with Shift and V pastes the words alone.',
  },

  clocks: {
    skipped: (time: string) => `The clocks skip that time there. ${time} is meant.`,
    twice: (time: string) => `The clocks show that time twice there. The first is meant: ${time}.`,
  },

  notYetHappened: 'Give a time that has passed, or leave it empty.',
  tooManyNames: (most: number) => `Name at most ${most} people.`,
};
