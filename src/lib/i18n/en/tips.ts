import type { ErrorCode } from '../../domain/errors.ts';
import type { TipState } from '../../domain/tips.ts';

/** Messages of the tip form and the receipt page. */
export const tips = {
  title: 'Send us a tip',
  link: 'Send us a tip',
  say: (name: string) =>
    `Tell ${name} what you see or know. It is read by the newsroom and not published as it is.`,
  description: (name: string) => `Tell ${name} what you see or know.`,
  about: 'About:',
  body: 'What is happening?',
  bodyHelp: 'What happened, where, when, and how you know.',
  name: 'Your name (if you like)',
  mayName: 'You may publish my name',
  mayNameHelp: 'With what I said, if you use it.',
  contact: 'How to reach you (if you like)',
  contactHelp: 'E-mail or telephone. Only the newsroom sees it; it is never published.',
  photo: 'A photo (if you have one)',
  photoHelp: 'JPEG, PNG, WebP or AVIF, at most 20 MB.',
  photoShrinks: 'It is made smaller before it is sent, and its location is removed.',
  photoPlain:
    'Without scripts the whole file is sent. We keep the picture only, without location and device.',
  send: 'Send the tip',
  privacy: 'How long it is kept',
  photoAgain: 'Choose the photo again.',
  website: 'Leave this empty',
  mine: 'Show it among my tips',
  mineHelp: (name: string) => `You are signed in as ${name}. Without this, the tip is tied to no account.`,
  kept: 'Your text is kept on this device until it arrives, at most for a day.',
  isBack: 'You wrote this here before.',
  throwAway: 'Throw it away',
  throwPhotoAway: 'Throw the photo away',

  problems: {
    empty: 'Write something first.',
    tooLong: (length: number, most: number) =>
      `This has ${length} characters; ${most} is the limit. Make it shorter.`,
    photoTooLarge: 'This photo is larger than 20 MB. Choose a smaller one.',
  },
  refused: {
    invalid: 'Something here is not valid. Change it, then send it again.',
    forbidden: 'This could not be sent. Reload the page, then send it again.',
    signed_out: 'This could not be sent. Reload the page, then send it again.',
    too_large: 'This is too large. Make it shorter, or choose a smaller photo.',
    unsupported_media: 'This kind of file cannot be used. Choose a JPEG, PNG, WebP or AVIF picture.',
    rate_limited: 'Very many tips come from where you are. Wait a while, then send it again.',
    unavailable: 'The newsroom is not available right now. Your text is still here. Try again in a moment.',
    internal: 'Something went wrong on our side. Your text is still here. Try again in a moment.',
  } satisfies Partial<Record<ErrorCode, string>>,

  /** Pages shown instead of the form. The form's text exists in the browser only. */
  plain: {
    tooLarge: {
      title: 'The photo is too large',
      say: 'The tip was not sent: with its photo it is larger than 20 MB. Go back in your browser: what you wrote is still there. Choose a smaller photo, or none, and send it again.',
    },
    unavailable: {
      title: 'The tip was not sent yet',
      say: 'Very many photos come at once. Go back in your browser: what you wrote is still there. Send it again in a minute, or without the photo now.',
    },
  },

  sending: 'Sending…',
  stop: 'Stop and change it',
  waiting: 'Not sent yet. Leave this page open: it is sent automatically.',
  waitsHere:
    'Not sent yet. It is saved on this device and sent automatically: now, or when you open this page again within a day.',
  left: 'A tip from this device has not arrived yet. It is sent automatically.',
  leftRefused: 'It is kept here until you change it, at most for a day: the form has to be empty for that.',
  changeIt: 'Change it in the form',
  apart: 'You were signed out meanwhile: it is not among your tips.',
  photoGoing: 'The tip is with us. The photo is on its way.',
  photoProgress: 'Sent of the photo',
  photoSent: (percent: number) => `${percent} % sent`,
  photoWaiting: 'The tip is with us. The photo waits for the line: leave this page open.',
  photoWaitsHere:
    'The tip is with us. The photo waits on this device and is tried again by itself: now, or when this page is next opened within a day.',
  received: 'We have your tip. Thank you.',
  photoReceived: 'We have your tip and the photo. Thank you.',
  photoRefused: 'We have your tip. The photo could not be used: it is damaged, too large, or no photo.',
  photoLost: 'We have your tip. The photo did not arrive.',
  keepReceipt: 'See later what became of it:',
  receiptLink: 'Your receipt',
  another: 'Send another',
  receipts: {
    title: 'Tips from this device',
    of: (time: string) => `Sent ${time}`,
    forget: 'Remove from this device',
  },

  receipt: {
    title: 'Your tip',
    keep: 'Keep the address of this page to see what becomes of your tip. Anyone who has the address sees this page.',
    received: 'Received',
    looked: 'Page checked',
    look: 'Look again',
    follow: (kilobytes: number) => `Keep looking by itself (${kilobytes} KB)`,
    following: 'Starting…',
    offline: 'No answer. Trying again.',
    read: 'Read what came of it',
    toCome: 'The newsroom is using it. Once it is published, this page links to it.',
    states: {
      new: 'Received, not read yet.',
      in_review: 'The newsroom is reading it.',
      used: 'Used in our coverage. Thank you.',
      declined: 'Read, and not used. Thank you all the same.',
      // The database reports spam as declined to the sender.
      spam: 'Read, and not used. Thank you all the same.',
    } satisfies Record<TipState, string>,
    none: {
      title: 'There is no such receipt',
      say: 'The address may be mistyped or cut off. Copy all of it.',
    },
    another: 'Send another tip',
  },
};
