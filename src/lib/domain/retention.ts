import { LIMITS } from './limits.ts';

/** How long things are kept, as `/privacy` tells it. A test holds these against what sets them. */
export const KEEPING = {
  /** Days after which a session that nobody came back to is over. */
  sessionDays: LIMITS.session_days,
  /** Days after which it is forgotten who sent a tip that was handled, and where any tip came from. */
  contactDays: LIMITS.contact_days,
  senderDays: LIMITS.sender_days,
  /** Days after which tips are gone whole: that nobody dealt with; that were held and not let in, or put aside as spam. */
  unhandledDays: LIMITS.tip_unhandled_days,
  heldDays: Math.max(LIMITS.tip_held_days, LIMITS.tip_spam_days),
  /** Days after which it is forgotten which alert went to whom, and which link stopped something. */
  deliveriesDays: LIMITS.deliveries_days,
  stopsDays: LIMITS.stops_days,
  /** Minutes for which the link or the code of a mail is good. */
  linkMinutes: 60,
  /** Backups of each kind that a newsroom with a backend of its own keeps, unless it is told another number. */
  backups: 14,
};

/** How many backups this newsroom keeps; undefined where somebody else makes them, or nobody. Read at run time. */
export function backupsKept(): number | undefined {
  return Number(process.env.STOPPRESS_BACKUPS_KEPT) || undefined;
}
