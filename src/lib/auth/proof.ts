import { KEEPING } from '../site/keeping.ts';

/** How a session was begun, as its access token says: `amr`. Seconds since 1970. */
type Method = string | { method: string; timestamp: number };

/** What only somebody who reads the account's mail can begin a session with, in GoTrue's words. */
const BY_MAIL = ['otp', 'magiclink', 'recovery', 'invite', 'email/signup', 'email_change'];

/** As long as a mailed link lives. */
const PROOF_LASTS_S = KEEPING.linkMinutes * 60;

/**
 * Whether whoever holds a session has shown within the hour that the account's mail reaches them: then a new password
 * may be chosen without the old one.
 * @param now seconds since 1970
 */
export function provedMailbox(methods: Method[] | undefined, now = Date.now() / 1000): boolean {
  return (methods ?? []).some(
    (one) =>
      typeof one === 'object' &&
      BY_MAIL.includes(one.method) &&
      Math.abs(now - one.timestamp) <= PROOF_LASTS_S,
  );
}
