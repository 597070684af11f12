import { compare, hash } from 'bcryptjs';
import { unavailable } from '../engine/errors.ts';
import { currentWork } from '../engine/work.ts';
import { FairSemaphore } from '../fair-semaphore.ts';
import type { GatewayContext } from '../gateway/context.ts';
import { AuthError, validationFailed } from './errors.ts';

/** bcrypt's work, as GoTrue sets it: about 80 ms of this process. */
const COST = 10;

/**
 * One hash at a time, because hashes that are made together keep this process from everything else until the last of
 * them is ready. Clients take turns.
 */
const hashing = new FairSemaphore({
  size: 1,
  longestWaitMs: 10_000,
  rejection: () => unavailable('Too many passwords are being checked.'),
});

/** bcrypt reads no more, in bytes. */
const LONGEST = 72;

/** A hash of no password. Checking it costs as much as a real one. */
const NOBODYS = `$2b$${COST}$Nobody.has.this.one..7vJ2mQxK5tRbW9cYhLdN3pFgAsEuZiX.`;

export const hashPassword = (password: string): Promise<string> =>
  hashing.run(currentWork().client, () => hash(password, COST));

/** Whether this is the account's password. It costs the same where there is no account, or one without a password. */
export async function isPassword(
  password: string,
  user: { encrypted_password: string | null } | undefined,
): Promise<boolean> {
  const kept = user?.encrypted_password;
  const matches = await hashing.run(currentWork().client, () => compare(password, kept || NOBODYS));
  return Boolean(kept) && matches;
}

/**
 * @param email the account's address, which is easy to guess
 * @throws AuthError
 */
export function checkPassword({ config }: GatewayContext, password: string, email: string): void {
  if (Buffer.byteLength(password) > LONGEST) {
    throw validationFailed(`Password cannot be longer than ${LONGEST} characters`);
  }
  const least = config.auth.minimumPasswordLength;
  if (password.length < least) {
    throw weak(`Password should be at least ${least} characters.`, 'length');
  }
  if (password.toLowerCase() === email) {
    throw weak('The password must not be the e-mail address.', 'characters');
  }
}

const weak = (message: string, reason: 'length' | 'characters') =>
  new AuthError(422, 'weak_password', message, { weakness: [reason] });
