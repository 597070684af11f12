/** Returns the HMAC-SHA-256 of a text, 32 bytes. */
export async function hmac(text: string, secret: string): Promise<Uint8Array> {
  const key = await keyOf(secret, 'sign');
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, bytesOf(text)));
}

/** Verifies an HMAC in constant time. */
export async function isHmac(signature: Uint8Array<ArrayBuffer>, text: string, secret: string) {
  return crypto.subtle.verify('HMAC', await keyOf(secret, 'verify'), signature, bytesOf(text));
}

export function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** @returns null for text that is not base64url */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null;
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

function keyOf(secret: string, use: 'sign' | 'verify') {
  return crypto.subtle.importKey('raw', bytesOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
}
