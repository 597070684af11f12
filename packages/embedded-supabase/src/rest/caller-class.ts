import { KEY_CLAIMS, type RequestVariables } from '../gateway/context.ts';
import { clientNetwork, type Rate, tokenBuckets } from '../gateway/rate-limits.ts';
import { type Claims, TokenRefused, type Tokens } from '../tokens.ts';
import type { CallerClass } from './query-limits.ts';

/** The classes whose requests are counted by client address. */
export type LimitedClass = Extract<CallerClass, 'visitor' | 'signed_in'>;

type Caller = { claims: Claims; address: string | undefined };

export function classOf({ claims, address }: Caller): CallerClass {
  if (claims.role === 'service_role') return 'server';
  if (!address) return 'website';
  return claims.role === 'anon' ? 'visitor' : 'signed_in';
}

/** The class of a request whose token has not been checked yet. A token that is not valid counts as none. */
export async function classBeforeToken(
  { token, keyHolder, address }: Partial<RequestVariables['Variables']>,
  tokens: Pick<Tokens, 'verify'>,
): Promise<CallerClass> {
  try {
    const claims = token ? await tokens.verify(token) : KEY_CLAIMS[keyHolder ?? 'everybody'];
    return classOf({ claims, address });
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    return address ? 'visitor' : 'website';
  }
}

/**
 * Requests of one client address. Readers do not need this interface, and a newsroom may share one address. A request
 * takes about 4 ms of this process.
 */
const RATES: Record<LimitedClass, Rate> = {
  visitor: { capacity: 60, perSecond: 10 },
  signed_in: { capacity: 300, perSecond: 30 },
};

/** Takes tokens for one request. @returns 0, or the seconds to wait until there are enough */
export type TakeRequest = (address: string | undefined, caller: CallerClass, cost?: number) => number;

/** The rate limit of one service, by client address. Each class has buckets of its own. */
export function rateLimit(rates: Record<LimitedClass, Rate> = RATES): TakeRequest {
  const buckets = { visitor: tokenBuckets(rates.visitor), signed_in: tokenBuckets(rates.signed_in) };
  return (address, caller, cost = 1) => {
    if (!address || caller === 'website' || caller === 'server') return 0;
    return buckets[caller].take(clientNetwork(address), cost);
  };
}

/** Limits how many requests of one client address are open at once. The website's own are not counted. */
export function concurrencyLimit(most: number): {
  enter(address: string | undefined): (() => void) | undefined;
} {
  const open = new Map<string, number>();
  return {
    /** @returns a function to call when the request has ended; undefined when too many are open */
    enter(address) {
      if (!address) return () => {};
      const client = clientNetwork(address);
      const count = open.get(client) ?? 0;
      if (count >= most) return undefined;
      open.set(client, count + 1);
      return () => {
        const left = (open.get(client) ?? 1) - 1;
        if (left > 0) open.set(client, left);
        else open.delete(client);
      };
    },
  };
}
