/**
 * The receipt of a tip: what only its sender is told, by which they see later what became of it. Made of the tip's id
 * and a key of the server's, so that a second try of the same tip gets the same.
 * @returns 43 characters of A-Z, a-z, 0-9, _ and -
 */
export async function receiptOf(tip: string, secret: string): Promise<string> {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes(secret), hmac, false, ['sign']);
  const signed = new Uint8Array(await crypto.subtle.sign(hmac, key, bytes(`tip receipt ${tip}`)));
  return btoa(String.fromCharCode(...signed))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
