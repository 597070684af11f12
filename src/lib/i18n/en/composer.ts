import type { CommandKind, Verification } from '../../domain/updates.ts';
import { formatNumber } from '../plural.ts';

/** Messages of the composer. */
export const composer = {
  title: 'New update',
  readOnly: 'Your role reads this desk. It does not write updates.',
  notYet: 'Nothing is published into this coverage until it is live. Drafts can be saved.',
  over: 'This coverage takes no more updates.',
  offline: 'You are offline. Keep writing.',
  body: 'What happened',
  placeholder: 'Write an update…',
  /** @param text beginning of the draft */
  continueDraft: (text: string) => `Continue: ${text}`,
  headline: 'Headline',
  headlineHelp: 'Optional',
  key_event: 'Key event',
  urgency: 'Urgency',
  verification: 'Verification',
  verifications: {
    confirmed: 'Confirmed',
    developing: 'Developing',
    unverified: 'Not verified',
  } satisfies Record<Verification, string>,
  attribution: 'Attribution',
  attributionHelp: 'Who says so. Readers see it.',
  dateline: 'Dateline',
  datelineHelp: 'The place you write from, such as Harrow Bridge. The next update starts with it.',
  occurred_at: (zone: string) => `When it happened (${zone})`,
  occurredHelp: 'Only where that is not now.',
  desk_note: 'Desk note',
  deskNoteHelp: 'For the desk. Readers never see it.',
  more: 'More',
  preview: 'Preview',
  count: (length: number, most: number) =>
    `${formatNumber(length, 'en')} of ${formatNumber(most, 'en')} characters`,
  clear: 'Discard',

  /** Summary of folded fields. */
  filled: {
    source: (text: string) => `Source: ${text}`,
    happened: (time: string) => `Happened ${time}`,
    by: (names: string) => `By ${names}`,
    desk_note: (text: string) => `Desk note: ${text}`,
  },

  bylines: {
    title: 'Byline',
    self: 'Your own name, unless you choose another.',
    author: 'The writer’s name, unless you choose another.',
    choose: 'Another person',
    nobody: 'Choose a name',
    add: 'Add name',
    earlier: 'Move up',
    takeOut: 'Take out',
    about: (action: string, name: string) => `${action}: ${name}`,
    unknown: 'A name that is not known here',
    notNow: 'The names cannot be read now. Try again when the line is back.',
    added: (name: string) => `${name} added.`,
    removed: (name: string) => `${name} removed.`,
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
    does: 'Action',
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

/** Messages of the outbox. */
export const outbox = {
  title: 'Outbox',
  /** Name of a command whose update has no text. */
  kinds: {
    auto: 'Draft',
    save: 'Draft',
    submit: 'Submission',
    schedule: 'Scheduled update',
    publish: 'Update',
    change: 'Change',
    withdraw: 'Withdrawal',
    spike: 'Spiked',
    unschedule: 'Unscheduled',
    pin: 'Pin',
    summary: 'Summary',
  } satisfies Record<CommandKind, string>,
  steps: {
    on_device: 'On this device',
    sending: 'Sending',
    with_desk: 'With the desk',
    live: 'Live',
    needs_you: 'Not saved',
  },
  number: (number: number) => `number ${number}`,
  /** Sending status. */
  kept: 'Saved. Will be sent when you are online.',
  keptToPublish: 'Saved. Will publish when you are online.',
  /** Pause reasons. */
  holdUps: {
    line: 'Saved on this device. Will be sent when you are online.',
    session: 'Your session has ended. Your text is saved on this device. Sign in to send it.',
  },
  keptHere: 'Saved on this device. Keep this page open: it is sent when you are online.',
  needsYou: 'Not saved. See the outbox.',
  withdrawn: 'Withdrawn. Readers see that it was published by mistake.',
  someoneElse: 'Another person is signed in here now. Your text is saved; sign in again to send it.',
  view: 'View',
  undo: 'Undo',
  /** Describes the undo button. */
  undoHelp: 'Undo withdraws it and tells readers why.',
  takeBack: 'Take back',
  open: 'Open',
  again: 'Send again',
  throwAway: 'Discard',
  sure: 'Discard this text?',
  keep: 'Keep it',
  /** Public reason of an undo, in the language of the coverage. */
  undoReason: 'Published by mistake and withdrawn at once.',
  tookBack: 'Undone. Your text is in the editor again.',
  signOut: {
    title: 'Not everything is sent',
    waits: 'Some of your work is on this device and not with the desk yet.',
    send: 'Send first, then sign out',
    sending: 'Sending. Then you are signed out.',
    notSent: 'It cannot be sent now. It is kept here.',
    needsYou:
      'The rest waits for you at the desk: words you have not pressed, or a press that was refused. It is kept here.',
    keep: 'Sign out and keep it here for when I am back',
    throwAway: 'Throw it away and sign out',
    stay: 'Stay signed in',
  },
};

/** Messages of the composer's link field. */
export const deskLinks = {
  title: 'Link',
  address: 'Address of a page',
  addressHelp: 'It stands in the text on a line of its own, with what the page says of itself.',
  add: 'Add link',
  addPlain: 'Add it without a description',
  looking: 'Looking at the page…',
  added: 'Added to the text, like this:',
  addedPlain: 'Added to the text without a description.',
  takeOut: 'Take it out again',
  removed: 'Removed from the text.',
  notAnAddress: 'This is no address of a web page.',
  offline: 'The page could not be read: there is no connection, or it does not respond.',
};
