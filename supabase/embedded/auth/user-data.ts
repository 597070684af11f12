import { invalid } from './refused.ts';
import type { UserData } from './users.ts';

/** Bytes, as JSON: all of it is in every token and cookie of the account, and anybody may make an account. */
const MOST = 2048;

/** @throws AuthRefused for more than people may hang on an account */
export function checkUserData(data: UserData): void {
  if (Buffer.byteLength(JSON.stringify(data)) > MOST) {
    throw invalid(`User data cannot be longer than ${MOST} bytes`);
  }
}
