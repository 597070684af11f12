/** Encodes bytes in base64. */
export const base64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

/** Encodes bytes in base64url, without padding. */
export const base64Url = (bytes: Uint8Array): string =>
  base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Decodes base64url. @returns null for text that is not base64url */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null;
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
}

/** Returns the SHA-256 of a text in hexadecimal, as the database stores it. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Whether a secret has this digest. Takes the same time for every wrong secret. */
export async function isSecret(secret: string, digest: string | undefined): Promise<boolean> {
  const sent = await sha256Hex(secret);
  const expected = digest ?? '';
  let difference = sent.length ^ expected.length;
  for (let index = 0; index < sent.length; index++)
    difference |= sent.charCodeAt(index) ^ expected.charCodeAt(index);
  return difference === 0;
}

/** Bytes of the nonce of AES-GCM. */
const NONCE_BYTES = 12;

const utf8 = (text: string) => new TextEncoder().encode(text);

/** The purpose of a stored secret, and its owner. A secret can be decrypted for the same purpose and owner only. */
export type SecretUse = {
  /** Has a key of its own. */
  purpose: 'wordpress password' | 'filing token';
  /** Address or name of the account that the secret gives access to. */
  owner: string;
};

/**
 * Encrypts a secret that this backend stores. Only the holder of the key can read it.
 * @param key secret key of the backend
 * @returns base64url
 */
export async function encryptSecret(
  secret: string,
  { purpose, owner }: SecretUse,
  key: string,
): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const algorithm = { name: 'AES-GCM', iv, additionalData: utf8(owner) };
  const encrypted = await crypto.subtle.encrypt(algorithm, await cipherKey(purpose, key), utf8(secret));
  return base64Url(new Uint8Array([...iv, ...new Uint8Array(encrypted)]));
}

/** Decrypts a secret. @returns undefined if it was encrypted with another key, or for another use */
export async function decryptSecret(
  stored: string,
  { purpose, owner }: SecretUse,
  key: string,
): Promise<string | undefined> {
  try {
    const bytes = fromBase64Url(stored);
    if (!bytes) return undefined;
    const iv = bytes.slice(0, NONCE_BYTES);
    const algorithm = { name: 'AES-GCM', iv, additionalData: utf8(owner) };
    const secret = await crypto.subtle.decrypt(
      algorithm,
      await cipherKey(purpose, key),
      bytes.slice(NONCE_BYTES),
    );
    return new TextDecoder().decode(secret);
  } catch {
    return undefined;
  }
}

const cipherKey = (purpose: SecretUse['purpose'], key: string): Promise<CryptoKey> =>
  deriveKey(purpose, key, { name: 'AES-GCM', length: 256 }, ['encrypt', 'decrypt']);

/**
 * Returns a digest that can be computed with the key only: HMAC with SHA-256.
 * @param purpose has a key of its own
 * @param key secret key of the backend
 */
export async function keyedDigest(purpose: string, text: string, key: string): Promise<Uint8Array> {
  const hmac = { name: 'HMAC', hash: 'SHA-256', length: 256 };
  const derived = await deriveKey(purpose, key, hmac, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', derived, utf8(text)));
}

/** Derives the key of a purpose from the secret key, by HKDF. */
async function deriveKey(
  purpose: string,
  key: string,
  algorithm: { name: string; length: number },
  usages: KeyUsage[],
): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey('raw', utf8(key), 'HKDF', false, ['deriveKey']);
  const salt = new Uint8Array();
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt, info: utf8(`stoppress ${purpose}`) };
  return crypto.subtle.deriveKey(derivation, secret, algorithm, false, usages);
}
