import { base64Url, hmac } from './signed.ts';

/**
 * Returns the receipt of a tip, the secret with which its sender can see its status. Derived from the tip's id and a
 * server key, so that a repeated submission gets the same receipt.
 * @returns 43 characters of A-Z, a-z, 0-9, _ and -
 */
export async function receiptOf(tip: string, secret: string): Promise<string> {
  return base64Url(await hmac(`tip receipt ${tip}`, secret));
}
