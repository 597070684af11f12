import type { Rate } from './bucket.ts';
import type { Claims } from './caller.ts';
import { KEY_CLAIMS, type Visit } from './house.ts';
import { network, tokenBuckets } from './limits.ts';
import type { Bound } from './rest-bounds.ts';
import { TokenRefused, type Tokens } from './tokens.ts';

/**
 * Requests of one line: strangers' is not the readers' path, and a newsroom may sit behind one address. Each
 * costs this process about 4 ms.
 */
const RATES = {
  stranger: { capacity: 60, perSecond: 10 },
  member: { capacity: 300, perSecond: 30 },
};

type Rates = Record<Exclude<Bound, 'none'>, Rate>;
type Asker = { claims: Claims; address: string | undefined };

/** The site's own server and the commands on this machine ask as anybody may, and are not bounded. */
export function boundOf({ claims, address }: Asker): Bound {
  if (claims.role === 'service_role' || !address) return 'none';
  return claims.role === 'anon' ? 'stranger' : 'member';
}

/** The same for whoever has not been asked yet who they are: a token that is not ours makes nobody a member. */
export async function boundUnasked(
  { token, keyHolder, address }: Partial<Visit['Variables']>,
  tokens: Pick<Tokens, 'verify'>,
): Promise<Bound> {
  try {
    const claims = token ? await tokens.verify(token) : KEY_CLAIMS[keyHolder ?? 'everybody'];
    return boundOf({ claims, address });
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    return address ? 'stranger' : 'none';
  }
}

/** The pace of one service. Takes a request of a line, and says the seconds to wait if there is none left. */
export function paceLines(rates: Rates = RATES): (address: string | undefined, bound: Bound) => number {
  const buckets = { stranger: tokenBuckets(rates.stranger), member: tokenBuckets(rates.member) };
  return (address, bound) => (address && bound !== 'none' ? buckets[bound].take(network(address)) : 0);
}

/** So many at once of each line; of this machine as many as come. */
export function countLines(most: number): { enter(address: string | undefined): (() => void) | undefined } {
  const underWay = new Map<string, number>();
  return {
    /** @returns what says that it is over, or nothing where there are too many */
    enter(address) {
      if (!address) return () => {};
      const line = network(address);
      const count = underWay.get(line) ?? 0;
      if (count >= most) return undefined;
      underWay.set(line, count + 1);
      return () => {
        const left = (underWay.get(line) ?? 1) - 1;
        if (left > 0) underWay.set(line, left);
        else underWay.delete(line);
      };
    },
  };
}
