import { E_TIMEOUT, Semaphore, withTimeout } from 'async-mutex';
import { clientNetwork } from '../gateway/client-network.ts';
import { KEY_CLAIMS, type RequestVariables } from '../gateway/context.ts';
import { createLruCache, createTokenBuckets, type Rate } from '../gateway/rate-limits.ts';
import { type Claims, InvalidTokenError, type Tokens } from '../tokens.ts';
import type { CallerClass } from './query-limits.ts';

/** The classes whose requests are counted per client network. */
type LimitedClass = Extract<CallerClass, 'visitor' | 'signed_in'>;

type Caller = { claims: Claims; address: string | undefined };

export function callerClassOf({ claims, address }: Caller): CallerClass {
  if (claims.role === 'service_role') return 'server';
  if (!address) return 'website';
  return claims.role === 'anon' ? 'visitor' : 'signed_in';
}

/** Returns the class of a request whose token is not verified yet. An invalid token counts as none. */
export async function requestCallerClass(
  { token, apiKeyType, address }: Partial<RequestVariables['Variables']>,
  tokens: Pick<Tokens, 'verify'>,
): Promise<CallerClass> {
  try {
    const claims = token ? await tokens.verify(token) : KEY_CLAIMS[apiKeyType ?? 'publishable'];
    return callerClassOf({ claims, address });
  } catch (error) {
    if (!(error instanceof InvalidTokenError)) throw error;
    return address ? 'visitor' : 'website';
  }
}

/**
 * Rate limits of one client network. Readers do not need this interface, and a newsroom may share one address. A
 * request takes about 4 ms of this process.
 */
const RATES: Record<LimitedClass, Rate> = {
  visitor: { capacity: 60, perSecond: 10 },
  signed_in: { capacity: 300, perSecond: 30 },
};

/** Takes tokens for one request. @returns 0, or the seconds to wait until there are enough */
type TakeRequest = (address: string | undefined, callerClass: CallerClass, cost?: number) => number;

/** Creates the rate limit of one service, per client network. Each class has its own buckets. */
export function rateLimitByClient(rates: Record<LimitedClass, Rate> = RATES): TakeRequest {
  const buckets = {
    visitor: createTokenBuckets(rates.visitor),
    signed_in: createTokenBuckets(rates.signed_in),
  };
  return (address, callerClass, cost = 1) => {
    if (!address || callerClass === 'website' || callerClass === 'server') return 0;
    return buckets[callerClass].take(clientNetwork(address), cost);
  };
}

/** Creates semaphores, one for each client network. @param size requests that may hold one at once */
export function semaphoreByClient(size: number): (address: string) => Semaphore {
  const semaphores = createLruCache<Semaphore>();
  return (address) => {
    const client = clientNetwork(address);
    const semaphore = semaphores.get(client) ?? new Semaphore(size);
    semaphores.set(client, semaphore);
    return semaphore;
  };
}

/** Maximum number of concurrent requests of one client network. A request counts until its response has been sent. */
const CONCURRENT_REQUESTS: Record<LimitedClass, number> = { visitor: 4, signed_in: 12 };

/** How long a request may wait for earlier ones. */
const MAX_WAIT_MS = 10_000;

/**
 * Creates a queue that lets a few requests of each client network through at once, in order. A response stays in memory
 * until the client has read it, so a slow client holds only a few responses.
 * @returns a function that waits for a place. It returns a function to call after the response was sent, or undefined
 * if the wait took too long
 */
export function queueByClient(maxWaitMs = MAX_WAIT_MS) {
  const { visitor, signed_in } = CONCURRENT_REQUESTS;
  const semaphores = { visitor: semaphoreByClient(visitor), signed_in: semaphoreByClient(signed_in) };
  return async (address: string | undefined, callerClass: CallerClass): Promise<(() => void) | undefined> => {
    if (!address || callerClass === 'website' || callerClass === 'server') return () => {};
    try {
      const [, release] = await withTimeout(semaphores[callerClass](address), maxWaitMs).acquire();
      return release;
    } catch (error) {
      if (error !== E_TIMEOUT) throw error;
      return undefined;
    }
  };
}
