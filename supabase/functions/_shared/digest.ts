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
