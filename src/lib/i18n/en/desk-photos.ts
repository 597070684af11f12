import type { ErrorCode } from '../../domain/errors.ts';

/** Messages of photos at the desk. */
export const deskPhotos = {
  title: 'Photos',
  add: 'Add photos',
  addHelp: 'JPEG, PNG, WebP or AVIF. They are made smaller here, and where they were taken is left out.',
  item: (index: number, count: number) => `Photo ${index} of ${count}`,
  alt: 'What it shows',
  altHelp: 'For those who do not see it. Readers get the photo only with this.',
  caption: 'Caption',
  credit: 'Credit',
  more: 'Caption and credit',
  count: (length: number, most: number) => `${length} of ${most}`,
  earlier: 'Move up',
  later: 'Move down',
  takeAway: 'Take away',
  about: (action: string, index: number) => `${action}: photo ${index}`,
  added: (count: number) => (count === 1 ? 'One photo added.' : `${count} photos added.`),
  fileRemoved: 'Taken away.',
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
    line: 'The line is gone. Photos go on by themselves, while the desk is open here or when it is opened again.',
    session: 'Photos wait until you are signed in again.',
  },
  notKept:
    'This browser keeps no photos: they are on this page alone. Leave it open until they have arrived.',

  tray: {
    title: 'Photos on their way',
    about: (what: string, how: string) => `${what}: ${how}`,
    forNumber: (number: number) => `For number ${number}`,
    forDraft: 'For a draft',
    forJustSent: 'For the update just sent',
    forNone: 'For an update that is not in the list',
    takeOut: 'Take it out',
    removedFromUpdate: 'Taken out of the update.',
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
    `Say what ${count === 1 ? 'the photo' : `photo ${index}`} shows, for those who do not see it.`,

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
