import { base64Url, hmac } from './signed.ts';

/**
 * The receipt of a tip: what only its sender is told, by which they see later what became of it. Made of the tip's id
 * and a key of the server's, so that a second try of the same tip gets the same.
 * @returns 43 characters of A-Z, a-z, 0-9, _ and -
 */
export async function receiptOf(tip: string, secret: string): Promise<string> {
  return base64Url(await hmac(`tip receipt ${tip}`, secret));
}
