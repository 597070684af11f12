import type { TablePreset } from '../../domain/body/table-presets.ts';
import type { CommandKind, Verification } from '../../domain/updates.ts';
import { formatNumber } from '../plural.ts';

/** Messages of the composer. */
export const composer = {
  title: 'New update',
  readOnly: 'Your role lets you read this desk, not write updates.',
  notYet: 'You can save drafts now and publish once the coverage is live.',
  over: 'This coverage accepts no more updates.',
  offline: 'No connection. Keep writing.',
  body: 'What happened',
  placeholder: 'Write an update…',
  /** @param text beginning of the draft */
  continueDraft: (text: string) => `Continue: ${text}`,
  headline: 'Headline',
  headlineHelp: 'Optional. Helps people find it.',
  key_event: 'Key event',
  urgency: 'Urgency',
  verification: 'Verification',
  verifications: {
    confirmed: 'Confirmed',
    developing: 'Developing',
    unverified: 'Not verified',
  } satisfies Record<Verification, string>,
  attribution: 'Source',
  attributionHelp: 'Source of the information, shown to readers.',
  dateline: 'Dateline',
  datelineHelp: 'The place you write from, such as Harrow Bridge. It stays filled in for your next update.',
  occurred_at: (zone: string) => `When it happened (${zone})`,
  occurredHelp: 'Only if it did not happen just now.',
  desk_note: 'Desk note',
  deskNoteHelp: 'For staff. Readers never see it.',
  more: 'More',
  preview: 'Preview',
  count: (length: number, most: number) =>
    `${formatNumber(length, 'en')} of ${formatNumber(most, 'en')} characters`,
  clear: 'Discard',
  /** Restores the saved text of an update. */
  clearChanges: 'Revert',

  /** Summary of folded fields. */
  filled: {
    source: (text: string) => `Source: ${text}`,
    happened: (time: string) => `Happened ${time}`,
    by: (names: string) => `By ${names}`,
    desk_note: (text: string) => `Desk note: ${text}`,
  },

  bylines: {
    title: 'Byline',
    self: 'Your name, unless you choose another.',
    author: 'The writer’s name, unless you choose another.',
    choose: 'Another person',
    chooseName: 'Choose a name',
    add: 'Add name',
    earlier: 'Move up',
    takeOut: 'Remove',
    about: (action: string, name: string) => `${action}: ${name}`,
    unknown: 'Unknown name',
    notNow: 'The names are not available offline. Try again when you are online.',
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
    table: 'Table',
  },

  map: {
    title: 'Map',
    name: 'Name of the place',
    coordinates: 'Coordinates or map address',
    coordinatesHelp: 'Such as 53.69, -0.44, or an address copied from OpenStreetMap or Google Maps.',
    add: 'Add map',
    added: (name: string) => `Map of ${name} added to the text.`,
    nameMissing: 'Name the place.',
    noCoordinates:
      'There are no coordinates in this. Enter two numbers such as 53.69, -0.44, or copy the address of a marked place.',
  },

  media: {
    title: 'Video or audio file',
    file: 'File',
    fileHelp:
      'MP4 or WebM video, MP3 or M4A audio, at most 100 MB. The place of the recording is removed from MP4 and M4A files, other data such as the device is not.',
    name: 'Title',
    description: 'Description or transcript',
    descriptionHelp: 'For people who cannot see or hear it. Readers see it below the title.',
    cancel: 'Cancel upload',
    /** `percent`: uploaded part. */
    sending: (percent: number) => `Uploading, ${percent}%. You can publish text meanwhile.`,
    waiting: (percent: number) =>
      `Waiting for the connection, ${percent}% uploaded. The upload continues automatically. After a reload, choose the same file again.`,
    signedOut: 'Sign in again in another tab. The upload then continues.',
    checking: 'Checking the file.',
    ready: 'Uploaded. Add it to the text.',
    cancelled: 'The upload was cancelled.',
    add: 'Add to text',
    added: (title: string) => `“${title}” added to the text.`,
    /** Alt text of the picture that is taken from a video. */
    still: (title: string) => `Picture from the video “${title}”`,
    nameMissing: 'Write a title.',
    descriptionMissing: 'Describe what can be seen or heard, or write a transcript.',
    tooLarge: 'This file is larger than 100 MB. Choose a shorter or smaller version.',
    unsupported: 'This file is not MP4, WebM, MP3 or M4A. Convert it, then choose it again.',
  },

  /** Below the text when it contains a video or recording. */
  mediaHelp:
    'Below the address of a video or recording, a line that begins with “: ” is its title. More such lines are its description or transcript.',
  tables: {
    title: 'Tables',
    insert: 'Insert a prepared table',
    /** Names of the columns of a new table. */
    columns: {
      results: ['Candidate', 'Votes', 'Share'],
      score: ['Home', 'Score', 'Away'],
      closures: ['Place', 'Status', 'Detour'],
      shelters: ['Place', 'Free places', 'Address'],
    } satisfies Record<TablePreset, string[]>,
    help: {
      results: 'A share such as 41.2% gets a bar.',
      score: 'Both sides and the score are shown large.',
      closures: 'The words closed and restricted stand out.',
      shelters: 'The word full stands out.',
    } satisfies Record<TablePreset, string>,
    kind: 'Kind',
    plain: 'Table',
    table: (index: number) => `Table ${index}`,
    caption: 'Caption',
    source: 'Source of the data',
    asOf: (zone: string) => `Time of the data (${zone})`,
    now: 'Now',
    csv: {
      label: 'Read from a CSV address',
      help: 'While the coverage is live, the cells are read from this https address once a minute. The address is public.',
      notAnAddress: 'Enter an address that begins with https://.',
      readNow: 'Read now',
      reading: 'Reading…',
      read: (rows: number) => (rows === 1 ? 'Read: 1 row.' : `Read: ${rows} rows.`),
      lastRead: (time: string) => `Last read: ${time}.`,
      failed: (why: string) => `The last reading failed, and the table kept its cells. ${why}`,
    },
    /** Name of a column without a name. */
    column: (index: number) => `Column ${index}`,
    columnName: (index: number) => `Name of column ${index}`,
    cell: (column: string, row: number) => `${column}, row ${row}`,
    keys: 'Enter and the arrow keys move up and down, Tab moves to the next cell.',
    actions: {
      addRow: 'Add row',
      removeRow: 'Remove row',
      addColumn: 'Add column',
      removeColumn: 'Remove column',
    },
    /** Labels of these actions begin with their names. */
    addRow: (row: number) => `Add row below row ${row}`,
    removeRow: (row: number) => `Remove row ${row}`,
    addColumn: (column: string) => `Add column after ${column}`,
    removeColumn: (column: string) => `Remove column ${column}`,
    rowAdded: (row: number) => `Row ${row} added.`,
    rowRemoved: (row: number) => `Row ${row} removed.`,
    columnAdded: (index: number) => `Column ${index} added.`,
    columnRemoved: (column: string) => `Column ${column} removed.`,
  },

  /** Photo marker in the text. */
  photoLine: (index: number) => `[photo ${index}]`,
  photoPlaces: {
    into: 'Put into the text',
    out: 'Put after the text',
    stands: (line: string) => `Shown in the text at the line ${line}. Move that line to move the photo.`,
    moved: (line: string) => `The photo is at the line ${line} now.`,
    after: 'The photo is after the text now.',
  },

  shortcuts: {
    title: 'Keyboard shortcuts',
    open: 'Shortcuts',
    keys: 'Key',
    does: 'Action',
    on: 'Use keys without Ctrl or ⌘ outside of text fields',
    write: 'Write a new update',
    show: 'Show keyboard shortcuts',
    help: [
      '**bold**',
      '*italic*',
      '[text](address)',
      '- list',
      '1. numbered list',
      '> quote',
      '> — who said it',
    ],
    helpTitle: 'In the text',
    helpAddress: 'An address alone on a line becomes a link. To link text, select it and paste an address.',
    helpPlain: 'Ctrl or ⌘ with Shift and V pastes plain text.',
  },

  clocks: {
    skipped: (time: string) => `This time does not exist, because the clocks change. ${time} is used.`,
    twice: (time: string) => `This time occurs twice, because the clocks change. The first is used: ${time}.`,
  },

  notYetHappened: 'Enter a time in the past, or leave it empty.',
  tooManyNames: (most: number) => `Choose at most ${most} people.`,
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
    spike: 'Spike',
    unschedule: 'Unscheduling',
    pin: 'Pin',
    summary: 'Summary',
  } satisfies Record<CommandKind, string>,
  steps: {
    on_device: 'On this device',
    sending: 'Sending',
    with_desk: 'Saved at the desk',
    live: 'Published',
    needs_you: 'Not saved',
  },
  number: (number: number) => `update ${number}`,
  /** Sending status. */
  kept: 'Saved. Will be sent when the newsroom can be reached.',
  keptToPublish: 'Saved. Will publish when the newsroom can be reached.',
  /** Pause reasons. */
  holdUps: {
    line: 'Saved on this device. Will be sent when the newsroom can be reached.',
    session: 'Your session has ended. Your text is saved on this device. Sign in to send it.',
  },
  keptHere: 'Saved on this device. Keep this page open until it is sent.',
  needsYou: 'Not saved. See the outbox.',
  withdrawn: 'Withdrawn. Readers see that it was published by mistake.',
  someoneElse: 'Another person is signed in here now. Your text is saved; sign in again to send it.',
  view: 'View',
  undo: 'Undo',
  /** Describes the undo button. */
  undoHelp: 'Undo withdraws it and tells readers why.',
  takeBack: 'Cancel sending',
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
    waits: 'Some of your work is on this device and has not been sent yet.',
    send: 'Send first, then sign out',
    sending: 'Sending. You are signed out afterwards.',
    notSent: 'It cannot be sent now. It is kept here.',
    needsYou:
      'Some texts were not published or were refused. They are kept on this device. Open the desk to finish them.',
    keep: 'Sign out and keep it on this device',
    throwAway: 'Discard it and sign out',
    stay: 'Stay signed in',
  },
};

/** Messages of the composer's link field. */
export const deskLinks = {
  title: 'Link to a page',
  address: 'Address of a page',
  addressHelp:
    'The link appears with the title and description of the page. A video or recording at YouTube, Vimeo, TikTok or SoundCloud gets a button that plays it.',
  add: 'Add link',
  addPlain: 'Add it without a description',
  looking: 'Reading the page…',
  added: 'Added to the text, like this:',
  addedPlain: 'Added to the text without a description.',
  takeOut: 'Remove link',
  removed: 'Removed from the text.',
  notAnAddress: 'This is not the address of a web page.',
  offline: 'The page could not be read: you are offline, or it does not respond.',
};

/** Messages of the composer's field for quoted posts, and of checking whether they are still there. */
export const deskPosts = {
  title: 'Quote a post',
  address: 'Address of the post',
  addressHelp: 'Posts of Bluesky and Mastodon are read automatically.',
  add: 'Quote post',
  addTyped: 'Add post',
  looking: 'Reading the post…',
  unreadable: 'Posts of this network cannot be read automatically. Copy the post into the fields.',
  noText: 'This post has only pictures. Describe them in the text.',
  offline:
    'The post could not be read: you are offline, or its network does not respond. Copy it into the fields.',
  notAnAddress: 'This is not the address of a post.',
  author: 'Author of the post',
  handle: 'Handle, such as @name',
  text: 'Text of the post',
  posted: (zone: string) => `When it was posted (${zone})`,
  postedHelp: 'Optional.',
  missing: 'Fill in this field.',
  incomplete: 'A post needs an author and a text.',
  added: 'Added to the text, like this:',
  takeOut: 'Remove post',
  removed: 'Removed from the text.',
  check: 'Check quoted post',
  there: 'The post is still there.',
  /** After a check that changed the update. */
  saved: 'Checked. Readers see the result now.',
  unknown: 'This post cannot be checked automatically. Open it to see whether it is still there.',
  open: 'Open post',
  markGone: 'It is no longer there',
  markThere: 'It is still there',
};
