import type { OwnTip } from '../../domain/tips.ts';

/** Messages of the list of a person's own tips. */
export const ownTips = {
  title: 'My tips',
  none: 'None yet. Tips that you send while you are signed in are listed here with their status.',
  send: 'Send a tip',
  sent: 'Sent',
  about: 'About',
  whole: 'Show all',
  /** The photo of a tip, or why it is not shown. */
  photo: {
    alt: 'Your photo',
    uploading: 'The photo has not arrived yet.',
    refused: 'The photo could not be used: the file is damaged, too large or not a photo.',
  },
  /** Tip states. */
  states: {
    new: 'Received, not read yet.',
    in_review: 'Read by the newsroom.',
    used: 'Used in our coverage. Thank you.',
    declined: 'Read by the newsroom and not used. Thank you.',
  } satisfies Record<OwnTip['state'], string>,
  /** Used in an update that is not public. */
  unseen: 'Used by the newsroom. A link appears here while the update is published.',
  see: 'Read the update',
  /**
   * Announced when a tip changes while the page is open.
   * @param tip its first words
   */
  news: {
    new: (tip: string) => `Your tip “${tip}” is back in the queue.`,
    in_review: (tip: string) => `The newsroom has read your tip “${tip}”.`,
    used: (tip: string) => `Your tip “${tip}” was used.`,
    declined: (tip: string) => `Your tip “${tip}” was read and not used.`,
  } satisfies Record<OwnTip['state'], (tip: string) => string>,
  newsUnseen: (tip: string) =>
    `The newsroom used your tip “${tip}”. Once it is published, this list links to it.`,
  /** When the list was last updated. */
  asOf: 'Status at',
  current: 'Changes appear here automatically. Page checked',
  behind: 'The newsroom is not available right now. Trying again. Status at',
  signedOut: 'Your session has ended. Status at',
  signIn: 'Sign in again',
  follow: 'Update this list automatically',
  following: 'Loading…',
};
