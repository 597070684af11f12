import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { readPrivateJson, writePrivateJson } from './data-folder.ts';
import type { Settings } from './settings.ts';

export type Keys = {
  /** API key of clients: `sb_publishable_…`, unless it was configured. */
  publishable: string;
  /** API key of the server: `sb_secret_…`, unless it was configured. */
  secret: string;
  /** HMAC key of the stored digests of mailed codes, and of the server token. */
  internal: string;
  /**
   * Server token, which the website's own server sends (gateway/rate-limits.ts). It grants only the exemption from limits.
   */
  serverToken: string;
  /** Private ES256 key, with its `kid`, that signs people's access tokens. */
  signing: JWK;
};

/** Contents of `keys.json`. */
type StoredKeys = Omit<Keys, 'serverToken'>;

/** The publishable key of clients, or the secret key of the server. */
export type ApiKeyType = 'publishable' | 'secret';

/** Returns the type of an API key, or undefined for an unknown key. */
export function apiKeyTypeOf(keys: Keys, candidate: string): ApiKeyType | undefined {
  if (isSameKey(candidate, keys.secret)) return 'secret';
  return isSameKey(candidate, keys.publishable) ? 'publishable' : undefined;
}

/** Compares two keys in constant time. */
export function isSameKey(candidate: string, key: string): boolean {
  const [a, b] = [Buffer.from(candidate), Buffer.from(key)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const random = (bytes: number) => randomBytes(bytes).toString('base64url');

/**
 * Reads `keys.json` (mode 0600) of the data folder, or creates it. Configured API keys take precedence and are not
 * stored.
 */
export async function readKeys(settings: Settings): Promise<Keys> {
  const path = join(settings.data, 'keys.json');
  const storedKeys = (await readPrivateJson(path)) as StoredKeys | undefined;
  const keys = storedKeys ?? (await makeKeys());
  if (!storedKeys) await writePrivateJson(path, keys);
  return {
    ...keys,
    publishable: settings.publishableKey ?? keys.publishable,
    secret: settings.secretKey ?? keys.secret,
    // The token stays the same when the backend restarts, because the website keeps running meanwhile.
    serverToken: createHmac('sha256', keys.internal).update('server token').digest('base64url'),
  };
}

async function makeKeys(): Promise<StoredKeys> {
  const keyPair = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(keyPair.privateKey);
  return {
    publishable: `sb_publishable_${random(24)}`,
    secret: `sb_secret_${random(32)}`,
    internal: random(48),
    signing: { ...jwk, alg: 'ES256', use: 'sig', kid: await calculateJwkThumbprint(jwk) },
  };
}
