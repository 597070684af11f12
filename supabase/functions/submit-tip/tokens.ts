import { base64Url, fromBase64Url } from '../_shared/crypto.ts';
import { Refused } from '../_shared/refusals.ts';
import { uuidOf } from './tip.ts';

/** Returns the HMAC-SHA-256 of a text, 32 bytes. */
async function hmac(text: string, secret: string): Promise<Uint8Array> {
  const key = await keyOf(secret, 'sign');
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, bytesOf(text)));
}

/** Verifies an HMAC in constant time. */
async function isHmac(signature: Uint8Array<ArrayBuffer>, text: string, secret: string) {
  return crypto.subtle.verify('HMAC', await keyOf(secret, 'verify'), signature, bytesOf(text));
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

function keyOf(secret: string, use: 'sign' | 'verify') {
  return crypto.subtle.importKey('raw', bytesOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
}

/**
 * Returns the receipt of a tip, the secret with which its sender can see its status. Derived from the tip's id and a
 * server key, so that a repeated submission gets the same receipt.
 * @returns 43 characters of A-Z, a-z, 0-9, _ and -
 */
export async function receiptOf(tip: string, secret: string): Promise<string> {
  return base64Url(await hmac(`tip receipt ${tip}`, secret));
}

/*
 * Token that identifies a device that has sent a tip: `<id>.<signature>`. It contains no information about the device
 * and cannot be forged.
 */

const DEVICE_TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([A-Za-z0-9_-]{43})$/;

const deviceText = (id: string) => `tip device ${id}`;

/** Verifies a device token. @returns the device id; null if the signature is wrong */
export async function readDeviceToken(token: string | null, secret: string): Promise<string | null> {
  const [, id, signed] = DEVICE_TOKEN.exec(token ?? '') ?? [];
  const signature = signed === undefined ? null : fromBase64Url(signed);
  if (id === undefined || signature === null) return null;
  return (await isHmac(signature, deviceText(id), secret)) ? id : null;
}

export const deviceTokenOf = async (id: string, secret: string): Promise<string> =>
  `${id}.${base64Url(await hmac(deviceText(id), secret))}`;

/**
 * Returns the device id for a first tip. A repeated submission of the tip gets the same id. The id is a UUID (RFC 9562,
 * version 8).
 */
export async function deviceIdOf(tip: string, secret: string): Promise<string> {
  const bytes = await hmac(`tip device of ${tip}`, secret);
  const hex = [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/*
 * Token for requesting a new upload target for a photo. A photo may wait offline longer than its upload target is
 * valid (two hours). The token has the form `<until>.<signature>`, is valid for one photo, and was part of the
 * response to the tip. The tip itself need not be sent again.
 */

/** Validity in milliseconds: as long as a device stores an unsent photo. */
const UPLOAD_TOKEN_LIFETIME_MS = 24 * 3_600_000;
const UPLOAD_TOKEN = /^(\d{13})\.([A-Za-z0-9_-]{43})$/;

const uploadText = (photo: string, until: number) => `tip photo ${photo} until ${until}`;

export async function uploadTokenOf(photo: string, secret: string, now = Date.now()): Promise<string> {
  const until = now + UPLOAD_TOKEN_LIFETIME_MS;
  return `${until}.${base64Url(await hmac(uploadText(photo, until), secret))}`;
}

/**
 * Verifies an upload token.
 * @returns the id of the photo
 * @throws Refused `not_found` if the signature is wrong or the token has expired
 */
export async function readUploadToken(
  sent: Record<string, unknown>,
  secret: string,
  now = Date.now(),
): Promise<string> {
  const photo = uuidOf(sent, 'photo');
  const [, until, signed] = UPLOAD_TOKEN.exec(typeof sent.again === 'string' ? sent.again : '') ?? [];
  const signature = signed === undefined ? null : fromBase64Url(signed);
  const isOurs = signature !== null && (await isHmac(signature, uploadText(photo, Number(until)), secret));
  if (!isOurs || Number(until) < now) throw new Refused('not_found', 'photo_not_expected');
  return photo;
}
