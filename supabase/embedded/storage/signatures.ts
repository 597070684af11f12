import { createHmac } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { Keys } from '../keys.ts';
import { StorageRefused } from './storage-refused.ts';

/** What a signed address lets whoever holds it do. */
export type Permit = {
  scope: 'download' | 'upload';
  /** The bucket and the name: `photos/incoming/1`. */
  url: string;
  /** Of an upload: in whose name, and whether it may take another's place. */
  owner?: string | undefined;
  upsert?: boolean | undefined;
};

export type Signatures = {
  /** @param seconds for which it is good */
  sign(permit: Permit, seconds: number): Promise<string>;
  /** @throws StorageRefused unless it was signed for this, and is not over */
  verify(token: string, scope: Permit['scope'], url: string): Promise<Permit & { exp: number }>;
};

export function openSignatures({ internal }: Pick<Keys, 'internal'>): Signatures {
  const secret = createHmac('sha256', internal).update('storage: signed addresses').digest();
  return {
    sign: (permit, seconds) =>
      new SignJWT({ ...permit })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuedAt()
        .setExpirationTime(Math.floor(Date.now() / 1000) + seconds)
        .sign(secret),
    async verify(token, scope, url) {
      const permit = await read(token, secret);
      if (permit.scope !== scope) throw invalidSignature(`Token is not scoped for ${scope}`);
      if (permit.url !== url) throw invalidSignature('Invalid signature');
      return permit;
    },
  };
}

const invalidSignature = (message: string) => new StorageRefused(400, 'InvalidSignature', message);

async function read(token: string, secret: Uint8Array): Promise<Permit & { exp: number }> {
  try {
    const { payload } = await jwtVerify<Permit & { exp: number }>(token, secret, {
      algorithms: ['HS256'],
      requiredClaims: ['exp', 'url', 'scope'],
    });
    return payload;
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    throw new StorageRefused(400, 'InvalidJWT', error.message);
  }
}
