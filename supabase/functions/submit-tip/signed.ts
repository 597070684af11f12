/** What only the server can have made of a text: 32 bytes. */
export async function hmac(text: string, secret: string): Promise<Uint8Array> {
  const key = await keyOf(secret, 'sign');
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, bytesOf(text)));
}

/** Whether these bytes are what the server made of a text; how long it takes tells nothing of where they differ. */
export async function isHmac(signature: Uint8Array<ArrayBuffer>, text: string, secret: string) {
  return crypto.subtle.verify('HMAC', await keyOf(secret, 'verify'), signature, bytesOf(text));
}

export function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** @returns null for what is written in other characters */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null;
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

function keyOf(secret: string, use: 'sign' | 'verify') {
  return crypto.subtle.importKey('raw', bytesOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
}
