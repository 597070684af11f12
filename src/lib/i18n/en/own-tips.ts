import type { OwnTip } from '../../domain/tips.ts';

/** Words of the list of somebody's own tips. */
export const ownTips = {
  title: 'My tips',
  none: 'None yet. What you send while you are signed in is listed here, with what becomes of it.',
  send: 'Send a tip',
  sent: 'Sent',
  about: 'About',
  whole: 'All of it',
  /** How a tip stands. */
  states: {
    new: 'Waiting to be read.',
    in_review: 'Somebody in the newsroom is looking at it.',
    used: 'Used in our coverage. Thank you.',
    declined: 'Read, and not used. Thank you all the same.',
  } satisfies Record<OwnTip['state'], string>,
  /** Used in an update that readers do not see, not yet or no more. */
  unseen: 'Used by the newsroom. While it is published, this list says where.',
  see: 'Read it there',
  /** Said when it has changed while the page was open. @param tip its first words */
  news: {
    new: (tip: string) => `Your tip “${tip}” waits to be read again.`,
    in_review: (tip: string) => `Somebody is looking at your tip “${tip}” now.`,
    used: (tip: string) => `Your tip “${tip}” was used.`,
    declined: (tip: string) => `Your tip “${tip}” was read, and not used.`,
  } satisfies Record<OwnTip['state'], (tip: string) => string>,
  newsUnseen: (tip: string) =>
    `Your tip “${tip}” was used by the newsroom. Once it is published, this list says where.`,
  /** How fresh the list is. */
  asOf: 'As it stood at',
  current: 'Changes appear here by themselves. Looked at',
  behind: 'The newsroom cannot be reached. It is tried again by itself. As it stood at',
  signedOut: 'Your session has ended. As it stood at',
  signIn: 'Sign in again',
  follow: 'Keep this list up to date',
  following: 'One moment…',
};
