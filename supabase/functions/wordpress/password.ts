import { base64Url, fromBase64Url } from '../_shared/base64.ts';

/** Bytes of the nonce of AES-GCM. */
const NONCE_BYTES = 12;

const utf8 = (text: string) => new TextEncoder().encode(text);

/**
 * Encrypts an application password. Only the holder of the key can read it, and only for this address.
 * @param key secret key of the backend
 * @returns base64url
 */
export async function encryptPassword(password: string, url: string, key: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const algorithm = { name: 'AES-GCM', iv, additionalData: utf8(url) };
  const encrypted = await crypto.subtle.encrypt(algorithm, await cipherKey(key), utf8(password));
  return base64Url(new Uint8Array([...iv, ...new Uint8Array(encrypted)]));
}

/** Decrypts an application password. @returns undefined if it was encrypted with another key or for another address */
export async function decryptPassword(stored: string, url: string, key: string): Promise<string | undefined> {
  try {
    const bytes = fromBase64Url(stored);
    if (!bytes) return undefined;
    const iv = bytes.slice(0, NONCE_BYTES);
    const algorithm = { name: 'AES-GCM', iv, additionalData: utf8(url) };
    const password = await crypto.subtle.decrypt(algorithm, await cipherKey(key), bytes.slice(NONCE_BYTES));
    return new TextDecoder().decode(password);
  } catch {
    return undefined;
  }
}

/** Derives the key of this purpose from the secret key, by HKDF. */
async function cipherKey(key: string): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey('raw', utf8(key), 'HKDF', false, ['deriveKey']);
  const salt = new Uint8Array();
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt, info: utf8('stoppress wordpress password') };
  const algorithm = { name: 'AES-GCM', length: 256 };
  return crypto.subtle.deriveKey(derivation, secret, algorithm, false, ['encrypt', 'decrypt']);
}
