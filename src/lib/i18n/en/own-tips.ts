import type { OwnTip } from '../../domain/tips.ts';

/** Messages of the list of a person's own tips. */
export const ownTips = {
  title: 'My tips',
  none: 'None yet. Tips that you send while you are signed in are listed here with their status.',
  send: 'Send a tip',
  sent: 'Sent',
  about: 'About',
  whole: 'All of it',
  /** Tip states. */
  states: {
    new: 'Received, not read yet.',
    in_review: 'The newsroom is reading it.',
    used: 'Used in our coverage. Thank you.',
    declined: 'Read, and not used. Thank you all the same.',
  } satisfies Record<OwnTip['state'], string>,
  /** Used in an update that is not public. */
  unseen: 'Used by the newsroom. While it is published, this list says where.',
  see: 'Read it there',
  /**
   * Announced when a tip changes while the page is open.
   * @param tip its first words
   */
  news: {
    new: (tip: string) => `Your tip “${tip}” waits to be read again.`,
    in_review: (tip: string) => `Somebody is looking at your tip “${tip}” now.`,
    used: (tip: string) => `Your tip “${tip}” was used.`,
    declined: (tip: string) => `Your tip “${tip}” was read, and not used.`,
  } satisfies Record<OwnTip['state'], (tip: string) => string>,
  newsUnseen: (tip: string) =>
    `Your tip “${tip}” was used by the newsroom. Once it is published, this list says where.`,
  /** When the list was last updated. */
  asOf: 'As it stood at',
  current: 'Changes appear here automatically. Page checked',
  behind: 'The newsroom is not available right now. Trying again. Status of',
  signedOut: 'Your session has ended. As it stood at',
  signIn: 'Sign in again',
  follow: 'Keep this list up to date',
  following: 'One moment…',
};
