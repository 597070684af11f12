import type { ErrorCode } from '../../domain/errors.ts';
import type { TipState } from '../../domain/tips.ts';

/** Messages of the tip form and the receipt page. */
export const tips = {
  title: 'Send us a tip',
  link: 'Send us a tip',
  say: (name: string) =>
    `Tell ${name} what you see or know. The newsroom reads your tip. It is not published automatically.`,
  description: (name: string) => `Tell ${name} what you see or know.`,
  about: 'About:',
  body: 'What is happening?',
  bodyHelp: 'What happened, where, when, and how you know.',
  name: 'Your name (optional)',
  mayName: 'You may publish my name',
  mayNameHelp: 'Only if the newsroom uses your tip.',
  contact: 'E-mail or telephone (optional)',
  contactHelp: 'Only the newsroom sees it. It is never published.',
  photo: 'Photo (optional)',
  photoChosen: 'The chosen photo',
  photoHelp: 'JPEG, PNG, WebP or AVIF, at most 20 MB.',
  photoShrinks: 'It is made smaller on this device, and its location is removed.',
  photoPlain: 'The whole file is sent. We remove its location and the data of the camera.',
  send: 'Send the tip',
  privacy: 'How long we keep it',
  photoAgain: 'Choose the photo again.',
  website: 'Leave this empty',
  mine: 'Add it to my tips',
  mineHelp: (name: string) =>
    `You are signed in as ${name}. Clear this to send the tip without your account.`,
  kept: 'Your text is saved on this device until it is sent, for up to a day.',
  isBack: 'Your earlier text was restored.',
  throwAway: 'Discard',
  throwPhotoAway: 'Discard the photo',

  problems: {
    empty: 'Write something first.',
    tooLong: (length: number, most: number) => `Your text has ${length} characters. Shorten it to ${most}.`,
    photoTooLarge: 'This photo is larger than 20 MB. Choose a smaller one.',
  },
  refused: {
    invalid: 'Part of the form is not valid. Change it, then send it again.',
    forbidden: 'This could not be sent. Reload the page, then send it again.',
    signed_out: 'This could not be sent. Reload the page, then send it again.',
    too_large: 'This is too large. Make it shorter, or choose a smaller photo.',
    unsupported_media: 'This kind of file cannot be used. Choose a JPEG, PNG, WebP or AVIF photo.',
    rate_limited: 'Your network has sent very many tips. Wait a while, then send it again.',
    unavailable: 'The newsroom is not available right now. Your text is still here. Try again in a moment.',
    internal: 'Something went wrong on our side. Your text is still here. Try again in a moment.',
  } satisfies Partial<Record<ErrorCode, string>>,

  /** Pages shown instead of the form. The form's text exists in the browser only. */
  plain: {
    tooLarge: {
      title: 'The photo is too large',
      say: 'The tip was not sent, because the photo is larger than 20 MB. Go back in your browser: your text is still there. Choose a smaller photo, or none, and send it again.',
    },
    unavailable: {
      title: 'The tip was not sent yet',
      say: 'The newsroom is receiving very many photos. Go back in your browser: your text is still there. Send it again in a minute, or now without the photo.',
    },
  },

  sending: 'Sending…',
  stop: 'Stop and edit',
  waiting: 'Not sent yet. Keep this page open: it is sent automatically.',
  waitsHere:
    'Not sent yet. It is saved on this device and sent when you are online. If you close this page, open it again within a day.',
  left: 'A tip from this device has not arrived yet. It is sent automatically.',
  leftRefused: 'It is kept here for up to a day. To change it, first empty the form.',
  changeIt: 'Edit it in the form',
  apart: 'You were signed out, so it is not among your tips.',
  photoGoing: 'We have your tip. The photo is being sent.',
  photoProgress: 'Upload of the photo',
  photoSent: (percent: number) => `${percent}% sent`,
  photoWaiting: 'We have your tip. The photo is sent when you are online: keep this page open.',
  photoWaitsHere:
    'We have your tip. The photo is saved on this device and sent when you are online. If you close this page, open it again within a day.',
  received: 'We have your tip. Thank you.',
  photoReceived: 'We have your tip and the photo. Thank you.',
  photoRefused:
    'We have your tip. The photo could not be used: the file is damaged, too large or not a photo.',
  photoLost: 'We have your tip. The photo did not arrive.',
  keepReceipt: 'To see later whether it was read and used, open:',
  receiptLink: 'Your receipt',
  another: 'Send another',
  receipts: {
    title: 'Tips from this device',
    of: (time: string) => `Sent ${time}`,
    forget: 'Remove from this device',
  },

  receipt: {
    title: 'Your tip',
    keep: 'Save the address of this page to follow your tip. Anyone with the address can see this page.',
    received: 'Received',
    sent: 'What you sent',
    looked: 'Page checked',
    look: 'Check again',
    follow: (kilobytes: number) => `Update automatically (${kilobytes} KB)`,
    following: 'Loading…',
    offline: 'No answer. Trying again.',
    read: 'Read the update',
    toCome: 'The newsroom is using your tip. Once it is published, this page links to it.',
    states: {
      new: 'Received, not read yet.',
      in_review: 'Read by the newsroom.',
      used: 'Used in our coverage. Thank you.',
      declined: 'Read by the newsroom and not used. Thank you.',
      // The database reports spam as declined to the sender.
      spam: 'Read by the newsroom and not used. Thank you.',
    } satisfies Record<TipState, string>,
    none: {
      title: 'Receipt not found',
      say: 'The address may be incomplete. Copy all of it.',
    },
    another: 'Send another tip',
  },
};
