import { Refused } from '../_shared/refused.ts';
import { base64Url, fromBase64Url, hmac, isHmac } from './signed.ts';
import { uuidOf } from './tip.ts';

/*
 * Token for requesting a new upload target for a photo. A photo may wait offline longer than its upload target is
 * valid (two hours). The token has the form `<until>.<signature>`, is valid for one photo, and was part of the
 * response to the tip. The tip itself need not be sent again.
 */

/** Validity in milliseconds: as long as a device stores an unsent photo. */
const GOOD_MS = 24 * 3_600_000;
const FORM = /^(\d{13})\.([A-Za-z0-9_-]{43})$/;

const meant = (photo: string, until: number) => `tip photo ${photo} until ${until}`;

export async function againOf(photo: string, secret: string, now = Date.now()): Promise<string> {
  const until = now + GOOD_MS;
  return `${until}.${base64Url(await hmac(meant(photo, until), secret))}`;
}

/**
 * @returns the id of the photo
 * @throws Refused `not_found` if the signature is wrong or the token has expired
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
