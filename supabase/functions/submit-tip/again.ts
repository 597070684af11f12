import { Refused } from '../_shared/refused.ts';
import { base64Url, fromBase64Url, hmac, isHmac } from './signed.ts';
import { uuidOf } from './tip.ts';

/*
 * A photo that waits for the line longer than its place is good for (two hours) gets another by a token that came with
 * that: `<until>.<signature>`, of this photo and no other. The tip's words are not needed, which the device has no more.
 */

/** As long as a device keeps what waits, in milliseconds. */
const GOOD_MS = 24 * 3_600_000;
const FORM = /^(\d{13})\.([A-Za-z0-9_-]{43})$/;

const meant = (photo: string, until: number) => `tip photo ${photo} until ${until}`;

export async function againOf(photo: string, secret: string, now = Date.now()): Promise<string> {
  const until = now + GOOD_MS;
  return `${until}.${base64Url(await hmac(meant(photo, until), secret))}`;
}

/**
 * @returns the id of the photo that a place is asked for
 * @throws Refused `not_found` where we have not signed that, or too long ago
 */
export async function readAgain(
  sent: Record<string, unknown>,
  secret: string,
  now = Date.now(),
): Promise<string> {
  const photo = uuidOf(sent, 'photo');
  const [, until, signed] = FORM.exec(typeof sent.again === 'string' ? sent.again : '') ?? [];
  const signature = signed === undefined ? null : fromBase64Url(signed);
  const isOurs = signature !== null && (await isHmac(signature, meant(photo, Number(until)), secret));
  if (!isOurs || Number(until) < now) throw new Refused('not_found', 'photo_not_expected');
  return photo;
}
