import type { ErrorCode } from '../../domain/errors.ts';
import type { LibraryFilter, PhotoState } from '../../domain/photos.ts';
import { formatNumber, plural } from '../plural.ts';

/** Messages of photos at the desk. */
export const deskPhotos = {
  title: 'Photos',
  add: 'Add photos',
  addHelp: 'JPEG, PNG, WebP or AVIF. Photos are made smaller on this device, and their location is removed.',
  item: (index: number, count: number) => `Photo ${index} of ${count}`,
  alt: 'Alt text',
  altHelp: 'Describe the photo for people who cannot see it. Readers see the photo once it has alt text.',
  caption: 'Caption',
  credit: 'Credit',
  more: 'Caption and credit',
  count: (length: number, most: number) => `${length} of ${most}`,
  earlier: 'Move up',
  later: 'Move down',
  takeAway: 'Remove photo',
  about: (action: string, index: number) => `${action}: photo ${index}`,
  added: (count: number) => (count === 1 ? 'One photo added.' : `${count} photos added.`),
  fileRemoved: 'Removed.',
  noPreview: 'This browser cannot show it.',

  steps: {
    shrinking: 'Making it smaller',
    waiting: 'Waiting its turn',
    checking: 'Sent. Being checked',
    ready: 'Arrived',
    elsewhere: 'Another page or device is sending it',
    missing: 'It is not on this device any more. Choose it again.',
  },
  sending: (percent: number) => `${percent} % sent`,
  progress: 'Sent so far',
  /** Upload states. */
  holdUps: {
    line: 'You are offline. Photos continue when you are online and the desk is open.',
    session: 'Photos wait until you are signed in again.',
  },
  notKept:
    'This browser keeps no photos: they are on this page alone. Leave it open until they have arrived.',

  /** Photos without alt text, which follow their update later. */
  waiting: {
    before: (count: number) =>
      count === 1
        ? '1 photo waits: add alt text. Publish sends the text now.'
        : `${count} photos wait: add alt text. Publish sends the text now.`,
    count: (count: number) =>
      count === 1 ? '1 photo waits: add alt text' : `${count} photos wait: add alt text`,
    arriving: (count: number) => (count === 1 ? '1 photo is being added' : `${count} photos are being added`),
    of: 'Left out of',
    add: 'Add to update',
    discard: 'Discard photo',
    follows: 'The photo is added when it is uploaded and you are online.',
    withdrawn: 'The update is no longer published, so the photo was not added. Discard it, or add it later.',
    added: (count: number, number: number | null) =>
      `${count === 1 ? 'Photo' : `${count} photos`} added${number === null ? '' : ` to number ${number}`}.`,
  },

  tray: {
    title: 'Photos being uploaded',
    about: (what: string, how: string) => `${what}: ${how}`,
    forNumber: (number: number) => `For number ${number}`,
    forDraft: 'For a draft',
    forJustSent: 'For the update just sent',
    forNone: 'For an update that is not in the list',
    takeOut: 'Take it out',
    removedFromUpdate: 'Removed from the update.',
    putAside: 'Put aside',
    unseen: 'Readers do not see it. The update stands without it.',
    allArrived: 'All photos have arrived.',
  },

  /** In the list of updates. */
  row: {
    uploading: (count: number) =>
      count === 1 ? 'One photo is on its way.' : `${count} photos are on their way.`,
    refused: (count: number) =>
      count === 1
        ? 'One photo was refused: readers do not see it.'
        : `${count} photos were refused: readers do not see them.`,
  },

  tooLong: (index: number, field: string, length: number, most: number) =>
    `Photo ${index}, ${field.toLowerCase()}: ${length} characters are too many. At most ${most}.`,
  noAlt: (index: number, count: number) =>
    `Write alt text for ${count === 1 ? 'the photo' : `photo ${index}`}, or write a text for the update.`,

  /** Why a photo was rejected, and what to do. */
  refusals: {
    too_large: 'It is too large: more than 20 MB, or more than 50 megapixels. Choose a smaller one.',
    unsupported_media: 'It is not a JPEG, PNG, WebP or AVIF picture, or it is damaged. Choose another.',
    invalid: 'It is not a JPEG, PNG, WebP or AVIF picture, or it is damaged. Choose another.',
    forbidden: 'You may not send photos to this coverage any more. Ask an editor.',
    gone: 'It took too long to arrive. Choose it again.',
    removed: 'The newsroom has removed it. Take it out, or choose another.',
    internal: 'Something went wrong on our side. Choose it again.',
  } satisfies Partial<Record<ErrorCode | 'removed', string>>,
};

const updates = (n: number) => `${formatNumber(n, 'en')} ${plural(n, 'update', 'updates', 'en')}`;
/** Number of updates that use a photo, and of published ones. */
const changed = (n: number, published: number) =>
  published === 0
    ? `${updates(n)}, none of them published`
    : `${updates(n)}, ${formatNumber(published, 'en')} of them published`;

/** Messages of the library and of choosing a photo. */
const common = {
  find: 'Find',
  noAlt: 'No alt text',
};

/** Messages of the photo library. */
export const photoLibrary = {
  ...common,
  title: 'Photos',
  notYours: 'Your account has no desk, and so no photos.',
  search: 'Words of the photo, its coverage or its sender',
  filters: 'Which photos',
  filter: {
    all: 'All',
    mine: 'Mine',
    unused: 'In no update',
    uploading: 'On their way',
    refused: 'Refused',
    removed: 'Removed',
  } satisfies Record<LibraryFilter, string>,
  within: (headline: string) => `Of the coverage ${headline}`,
  everywhere: 'Of all coverages',
  none: 'There are no such photos.',
  noneYet: 'No photos yet. Those that you add to an update are listed here.',
  newest: 'Newest',
  older: 'Older',
  states: {
    uploading: 'On its way',
    ready: 'Arrived',
    refused: 'Refused',
    removed: 'Removed',
  } satisfies Record<PhotoState, string>,
  uses: (n: number, published: number) =>
    n === 0 ? 'In no update' : published === n ? `In ${updates(n)}` : `In ${changed(n, published)}`,
  withdrawn: (n: number) => `In ${updates(n)} that ${plural(n, 'was', 'were', 'en')} withdrawn`,

  one: {
    back: 'All photos',
    title: 'Photo',
    by: (name: string) => `Sent by ${name}`,
    pixels: (width: number, height: number) =>
      `${formatNumber(width, 'en')} × ${formatNumber(height, 'en')} pixels`,
    bytes: (bytes: number) => `${formatNumber(Math.max(1, Math.round(bytes / 1000)), 'en')} KB`,
    removedBy: (name: string) => `Removed by ${name}`,
    removed: 'The photo was removed, for readers and for the desk. Its place is kept.',
    uploading: 'It is on its way. Until it has arrived readers do not see it.',
    words: 'Texts',
    saveWords: 'Save words',
    saved: 'The words are saved. Readers get them with the next look.',
    notYours: 'It stands in updates that are not yours. Ask an editor to change it.',
    where: 'Used in',
    nowhere: 'No update shows it.',
    update: (number: number) => `Number ${formatNumber(number, 'en')}`,
    atDesk: 'At the desk',
    noWords: 'No words but the photo',
    wordsKept: 'Its words are in its history, at the desk',
    of: (name: string) => `by ${name}`,
    earlier: (versions: string, count: number) =>
      `${plural(count, 'Version', 'Versions', 'en')} ${versions} showed it. It is not there any more.`,
    forReaders: 'As readers see it',
    open: 'At the desk of the coverage',
  },

  changes: (n: number, published: number) =>
    n === 0 ? 'No update shows it now.' : `Changes ${changed(n, published)}.`,
  note: 'Note for readers',
  tell: 'Readers of what is published',
  correction: 'see a correction with this note',
  revision: 'are not told: it was a duplicate, or only a better picture of the same',

  replace: {
    title: 'Replace it',
    help: 'Another picture takes its place in each of these updates. Earlier versions keep this one, at the desk.',
    file: 'The other picture',
    fileHelp: 'JPEG, PNG, WebP or AVIF, up to 20 MB. Its location is removed.',
    arrived: 'The other picture has arrived already. Choose a file only to send another.',
    open: 'Choose another picture',
    press: 'Replace',
    done: (n: number, published: number) =>
      n === 0
        ? 'It has arrived. No update showed the other one any more.'
        : `It is in its place now, in ${changed(n, published)}.`,
  },
  remove: {
    title: 'Remove it',
    help: 'The photo and its smaller copies are deleted at once, for readers and for the desk. Versions show that there was a photo. This cannot be undone.',
    open: 'Remove this photo',
    press: 'Remove for good',
    done: (n: number, published: number) =>
      n === 0 ? 'It is removed. No update showed it.' : `It is removed, from ${changed(n, published)}.`,
  },

  problems: {
    file: 'Choose the picture that takes its place.',
    alt: 'Say what it shows, for those who do not see it.',
    note: 'Tell readers what was wrong, or choose not to tell them.',
    still: 'The other picture has been sent and is still being looked at. Press again in a moment.',
    tell: 'Choose whether readers see a note.',
  },
};

/** Messages of choosing a photo for an update. */
export const photoPicker = {
  ...common,
  open: 'Photos of this coverage',
  title: 'Photos of this coverage',
  search: 'Words of the photo',
  choose: 'Put in',
  chosen: 'Put into the update.',
  none: 'No photos that you might put in.',
  more: 'More',
  loading: 'Looking for photos.',
  photoCount: (n: number) => `${formatNumber(n, 'en')} ${plural(n, 'photo', 'photos', 'en')}`,
};
