import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Settings } from './settings.ts';

export type Keys = {
  /** API key of everybody: `sb_publishable_…` unless it was given. */
  publishable: string;
  /** API key of the server: `sb_secret_…` unless it was given. */
  secret: string;
  /** Signs the tokens that never leave this process. */
  internal: string;
  /** Private ES256 key, with its `kid`, that signs the access tokens people hold. */
  signing: JWK;
};

const random = (bytes: number) => randomBytes(bytes).toString('base64url');

/**
 * The keys of a data folder: read from `keys.json` (mode 0600), or made and kept there the first time.
 * API keys given from outside stand in for the kept ones and are not written down.
 */
export async function readKeys(settings: Settings): Promise<Keys> {
  const path = join(settings.data, 'keys.json');
  const kept = (await readKept(path)) ?? (await keep(path, await makeKeys()));
  return {
    ...kept,
    publishable: settings.publishableKey ?? kept.publishable,
    secret: settings.secretKey ?? kept.secret,
  };
}

async function makeKeys(): Promise<Keys> {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(pair.privateKey);
  return {
    publishable: `sb_publishable_${random(24)}`,
    secret: `sb_secret_${random(32)}`,
    internal: random(48),
    signing: { ...jwk, alg: 'ES256', use: 'sig', kid: await calculateJwkThumbprint(jwk) },
  };
}

async function readKept(path: string): Promise<Keys | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Keys;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Written whole or not at all: half a key file would lock everybody out. */
async function keep(path: string, keys: Keys): Promise<Keys> {
  await writeFile(`${path}.new`, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
  return keys;
}
