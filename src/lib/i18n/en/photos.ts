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
  added: (count: number) =>
    count === 1 ? 'One photo added. Write its alt text.' : `${count} photos added. Write alt text for each.`,
  fileRemoved: 'Removed.',
  noPreview: 'This browser cannot show a preview.',

  steps: {
    shrinking: 'Making it smaller',
    waiting: 'Waiting to be sent',
    checking: 'Sent. Being checked',
    ready: 'Uploaded',
    elsewhere: 'Another page or device is sending it',
    missing: 'It is not on this device any more. Choose it again.',
  },
  sending: (percent: number) => `${percent}% sent`,
  progress: 'Sent so far',
  /** Upload states. */
  holdUps: {
    line: 'You are offline. Photos continue when you are online and the desk is open.',
    session: 'Photos wait until you are signed in again.',
  },
  notKept: 'This browser cannot save photos. Keep this page open until they are uploaded.',

  /** Photos without alt text, which follow their update later. */
  waiting: {
    before: (count: number) =>
      count === 1
        ? '1 photo waits: add alt text. The text is sent now; the photo follows.'
        : `${count} photos wait: add alt text. The text is sent now; the photos follow.`,
    count: (count: number) =>
      count === 1 ? '1 photo waits: add alt text' : `${count} photos wait: add alt text`,
    arriving: (count: number) => (count === 1 ? '1 photo is being added' : `${count} photos are being added`),
    of: 'Left out of',
    add: 'Add to update',
    discard: 'Discard photo',
    follows: 'The photo is added when it is uploaded and you are online.',
    withdrawn: 'The update is no longer published, so the photo was not added. Discard it, or add it later.',
    added: (count: number, number: number | null) =>
      `${count === 1 ? 'Photo' : `${count} photos`} added${number === null ? '' : ` to update ${number}`}.`,
  },

  tray: {
    title: 'Photos being uploaded',
    about: (what: string, how: string) => `${what}: ${how}`,
    forNumber: (number: number) => `For update ${number}`,
    forDraft: 'For a draft',
    forJustSent: 'For the update just sent',
    forNone: 'For an update that is not in the list',
    takeOut: 'Remove',
    removedFromUpdate: 'Removed from the update.',
    putAside: 'Dismiss',
    unseen: 'Readers do not see it. The update is published without it.',
    allArrived: 'All photos are uploaded.',
  },

  /** In the list of updates. */
  row: {
    uploading: (count: number) =>
      count === 1 ? 'One photo is being uploaded.' : `${count} photos are being uploaded.`,
    refused: (count: number) =>
      count === 1
        ? 'One photo was refused: readers do not see it.'
        : `${count} photos were refused: readers do not see them.`,
  },

  tooLong: (index: number, field: string, length: number, most: number) =>
    `Photo ${index}, ${field.toLowerCase()}: ${length} characters. Shorten it to ${most}.`,
  noAlt: (index: number, count: number) =>
    `Write alt text for ${count === 1 ? 'the photo' : `photo ${index}`}, or write a text for the update.`,

  /** Why a photo was rejected, and what to do. */
  refusals: {
    too_large: 'It is too large: more than 20 MB, or more than 50 megapixels. Choose a smaller one.',
    unsupported_media: 'It is not a JPEG, PNG, WebP or AVIF file, or it is damaged. Choose another.',
    invalid: 'It is not a JPEG, PNG, WebP or AVIF file, or it is damaged. Choose another.',
    forbidden: 'You may not send photos to this coverage any more. Ask an editor.',
    gone: 'The upload took too long. Choose it again.',
    removed: 'The newsroom has removed it. Remove it here, or choose another.',
    internal: 'Something went wrong on our side. Choose it again.',
  } satisfies Partial<Record<ErrorCode | 'removed', string>>,
};

const updates = (n: number) => `${formatNumber(n, 'en')} ${plural(n, 'update', 'updates', 'en')}`;
/** Number of updates that use a photo, and of published ones. */
const changed = (n: number, published: number) => {
  if (published === n) return `${formatNumber(n, 'en')} published ${plural(n, 'update', 'updates', 'en')}`;
  if (published === 0) return `${updates(n)}, none of them published`;
  return `${updates(n)}, ${formatNumber(published, 'en')} of them published`;
};

/** Messages of the library and of choosing a photo. */
const common = {
  find: 'Find',
  noAlt: 'No alt text',
};

/** Messages of the photo library. */
export const photoLibrary = {
  ...common,
  title: 'Photos',
  notYours: 'Your account has no access to the desk and its photos.',
  search: 'Search captions, coverages and people',
  filters: 'Show',
  filter: {
    all: 'All',
    mine: 'Mine',
    unused: 'Not used',
    uploading: 'Uploading',
    refused: 'Refused',
    removed: 'Removed',
  } satisfies Record<LibraryFilter, string>,
  within: (headline: string) => `Of the coverage ${headline}`,
  everywhere: 'Of all coverages',
  none: 'No photos found.',
  noneYet: 'No photos yet. Add one to an update, and it appears here.',
  newest: 'Newest',
  older: 'Older',
  states: {
    uploading: 'Uploading',
    ready: 'Uploaded',
    refused: 'Refused',
    removed: 'Removed',
  } satisfies Record<PhotoState, string>,
  uses: (n: number, published: number) =>
    n === 0 ? 'Not used' : published === n ? `In ${updates(n)}` : `In ${changed(n, published)}`,
  withdrawn: (n: number) => `In ${updates(n)} that ${plural(n, 'was', 'were', 'en')} withdrawn`,

  one: {
    back: 'All photos',
    title: 'Photo',
    by: (name: string) => `Sent by ${name}`,
    pixels: (width: number, height: number) =>
      `${formatNumber(width, 'en')} × ${formatNumber(height, 'en')} pixels`,
    bytes: (bytes: number) => `${formatNumber(Math.max(1, Math.round(bytes / 1000)), 'en')} KB`,
    removedBy: (name: string) => `Removed by ${name}`,
    removed: 'This photo was removed for readers and for the desk.',
    uploading: 'It is being uploaded. Readers do not see it yet.',
    words: 'Alt text, caption and credit',
    saveWords: 'Save texts',
    saved: 'The texts are saved.',
    notYours: 'Updates of other people show it. Ask an editor to change it.',
    where: 'Used in',
    nowhere: 'No update shows it.',
    update: (number: number) => `Update ${formatNumber(number, 'en')}`,
    atDesk: 'At the desk',
    noWords: 'No text, only the photo',
    wordsKept: 'Its text is in its history at the desk',
    of: (name: string) => `by ${name}`,
    earlier: (versions: string, count: number) =>
      `${plural(count, 'Version', 'Versions', 'en')} ${versions} showed it.`,
    forReaders: 'View update',
    open: 'Open the desk of the coverage',
  },

  changes: (n: number, published: number) =>
    n === 0 ? 'No update shows it now.' : `Changes ${changed(n, published)}.`,
  note: 'Note for readers',
  tell: 'Tell readers?',
  correction: 'Yes, as a correction with this note',
  revision: 'No: it was a duplicate, or this is a better photo of the same scene',

  replace: {
    title: 'Replace photo',
    help: 'The new photo replaces it in all of these updates. At the desk, earlier versions keep the old one.',
    file: 'New photo',
    fileHelp: 'JPEG, PNG, WebP or AVIF, up to 20 MB. Its location is removed.',
    arrived: 'The new photo is uploaded. Choose a file only to replace it.',
    open: 'Choose a new photo',
    press: 'Replace',
    done: (n: number, published: number) =>
      n === 0
        ? 'The new photo is uploaded. No update showed the old one.'
        : `Replaced in ${changed(n, published)}.`,
  },
  remove: {
    title: 'Remove photo',
    help: 'The photo and its smaller copies are deleted at once, for readers and for the desk. Versions show that there was a photo. This cannot be undone.',
    open: 'Remove this photo',
    press: 'Remove permanently',
    done: (n: number, published: number) =>
      n === 0 ? 'Removed. No update showed it.' : `Removed from ${changed(n, published)}.`,
  },

  problems: {
    file: 'Choose the new photo.',
    alt: 'Write alt text for people who cannot see it.',
    note: 'Tell readers what was wrong, or choose not to tell them.',
    still: 'The new photo is still being checked. Press again in a moment.',
    tell: 'Choose whether readers see a note.',
  },
};

/** Messages of choosing a photo for an update. */
export const photoPicker = {
  ...common,
  open: 'Photos of this coverage',
  title: 'Photos of this coverage',
  search: 'Search captions',
  choose: 'Add',
  chosen: (n: number, alt: string) => `Photo ${formatNumber(n, 'en')} added: ${alt}`,
  none: 'No photos to add.',
  more: 'More',
  loading: 'Loading photos.',
  photoCount: (n: number) => `${formatNumber(n, 'en')} ${plural(n, 'photo', 'photos', 'en')}`,
};
