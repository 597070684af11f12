import { base64Url, fromBase64Url, hmac, isHmac } from './signed.ts';

/*
 * Token that identifies a device that has sent a tip: `<id>.<signature>`. It contains no information about the device
 * and cannot be forged.
 */

const FORM = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([A-Za-z0-9_-]{43})$/;

const meant = (id: string) => `tip device ${id}`;

/** @returns the device id of a token; null if the signature is wrong */
export async function readDevice(token: string | null, secret: string): Promise<string | null> {
  const [, id, signed] = FORM.exec(token ?? '') ?? [];
  const signature = signed === undefined ? null : fromBase64Url(signed);
  if (id === undefined || signature === null) return null;
  return (await isHmac(signature, meant(id), secret)) ? id : null;
}

export const tokenOf = async (id: string, secret: string): Promise<string> =>
  `${id}.${base64Url(await hmac(meant(id), secret))}`;

/**
 * Returns the device id for a first tip. A repeated submission of the tip gets the same id. A UUID (RFC 9562, version
 * 8).
 */
export async function newDevice(tip: string, secret: string): Promise<string> {
  const made = await hmac(`tip device of ${tip}`, secret);
  const hex = [...made.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}
