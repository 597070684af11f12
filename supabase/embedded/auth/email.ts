import { invalid } from './refused.ts';

/** Octets of an address, RFC 5321, section 4.5.3.1.3, without its brackets. */
const LONGEST = 254;

/** HTML's own rule for `<input type="email">`, so that a page and this agree; nothing in it can break a mail's header. */
const ADDRESS =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * @param email in lower case
 * @throws AuthRefused
 */
export function checkEmail(email: string): void {
  if (email.length > LONGEST || !ADDRESS.test(email)) {
    throw invalid('Unable to validate email address: invalid format');
  }
}
