import { createHash } from 'node:crypto';
import { errors, importJWK, type JWK, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';

const DATABASE_ROLES = ['anon', 'authenticated', 'service_role'] as const;

/** The roles of PostgreSQL that a request may run as. */
export type DatabaseRole = (typeof DATABASE_ROLES)[number];

/** Claims of the caller for the database: those of an access token, or of an API key. */
export type Claims = JWTPayload & { role: DatabaseRole };

const isRole = (value: unknown): value is DatabaseRole => DATABASE_ROLES.includes(value as DatabaseRole);

/** Verified tokens to remember. A miss costs a signature check, about 0.2 ms. */
const MAX_CACHED_TOKENS = 1000;

/** The token is expired, or is not ours. */
export class InvalidTokenError extends Error {
  override name = 'InvalidTokenError';
  readonly expired: boolean;
  constructor(expired: boolean) {
    super(expired ? 'JWT expired' : 'No suitable key or wrong key type');
    this.expired = expired;
  }
}

export type Tokens = Awaited<ReturnType<typeof openTokens>>;

/** Creates functions that sign and verify access tokens. @param signing the private ES256 key with its `kid` */
export async function openTokens(signing: JWK) {
  const { d: _private, ...publicJwk } = signing;
  const privateKey = await importJWK(signing, 'ES256');
  const publicKey = await importJWK(publicJwk, 'ES256');
  const verified = new LRUCache<string, Claims>({ max: MAX_CACHED_TOKENS, ttlAutopurge: false });

  return {
    /** Public keys, for `/.well-known/jwks.json`. */
    jwks: { keys: [{ ...publicJwk, key_ops: ['verify'] }] },

    /** Signs an access token: ES256, with `kid`. */
    sign: (claims: Claims): Promise<string> =>
      new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: signing.kid }).sign(privateKey),

    /** Verifies an access token. @throws InvalidTokenError if the token is expired or another key signed it */
    async verify(token: string): Promise<Claims> {
      // The cache key is a digest, because a token is a secret, and long.
      const digest = createHash('sha256').update(token).digest('base64');
      const cached = verified.get(digest);
      if (cached) return cached;
      const claims = await verifyToken(token, publicKey);
      verified.set(digest, claims, { ttl: Math.max(1, (claims.exp ?? 0) * 1000 - Date.now()) });
      return claims;
    },
  };
}

async function verifyToken(token: string, key: Awaited<ReturnType<typeof importJWK>>): Promise<Claims> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['ES256'],
      requiredClaims: ['sub', 'exp', 'session_id'],
    });
    if (isRole(payload.role)) return { ...payload, role: payload.role };
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new InvalidTokenError(true);
    if (!(error instanceof errors.JOSEError)) throw error;
  }
  throw new InvalidTokenError(false);
}
