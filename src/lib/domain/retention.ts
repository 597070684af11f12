import { LIMITS } from './limits.ts';

/** Retention periods, as `/privacy` shows them. A test compares them with the code that applies them. */
export const RETENTION = {
  /** Days without a visit after which a session ends. */
  sessionDays: LIMITS.session_days,
  /** Days after which the sender of a handled tip, and the client network of any tip, are deleted. */
  contactDays: LIMITS.contact_days,
  senderDays: LIMITS.sender_days,
  /** Days after which tips are deleted: unhandled tips; held tips that were never released, and spam. */
  unhandledDays: LIMITS.tip_unhandled_days,
  heldDays: Math.max(LIMITS.tip_held_days, LIMITS.tip_spam_days),
  /** Days after which delivery records and unsubscribe links are deleted. */
  deliveriesDays: LIMITS.deliveries_days,
  unsubscribeLinkDays: LIMITS.unsubscribe_link_days,
  /** Hours after which a request to follow by mail is deleted, and days after the end of a coverage for follows without an account. */
  followRequestHours: LIMITS.follow_request_hours,
  followEndedDays: LIMITS.follow_ended_days,
  /** Minutes for which a mailed link or code is valid. */
  linkMinutes: 60,
  /** Default number of backups of each kind that are kept with an embedded backend. */
  backups: 14,
};

/** Returns the configured number of backups; undefined if this server makes none. Reads the environment at run time. */
export function backupsKept(): number | undefined {
  return Number(process.env.STOPPRESS_BACKUPS_KEPT) || undefined;
}
