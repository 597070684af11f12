import { clientNetwork, openBucket, remembered, type TokenBucket } from '../gateway/rate-limits.ts';
import { PER_CLIENT, SOCKETS } from './limits.ts';

/** Lines remembered after their last socket closed, so that closing one is no way to be forgiven. */
const REMEMBERED = 50_000;

/** One line that sockets come over: an address, as far as it tells visitors apart. */
export type ClientLimits = {
  /** Its client network; undefined for one that only the number of all sockets bounds. */
  readonly client: string | undefined;
  /** Whether one more socket may open; if so it counts as open until `closed`. */
  open(): boolean;
  closed(): void;
  join(): boolean;
  /** Whether it may have others sent so many bytes more. */
  deliver(bytes: number): boolean;
};

export type ClientLimitsByAddress = {
  /** @param address undefined for a client that only the number of all sockets bounds */
  of(address: string | undefined): ClientLimits;
};

type State = { open: number; opened: TokenBucket; joins: TokenBucket; delivered: TokenBucket };

export function openClientLimits(): ClientLimitsByAddress {
  const states = remembered<State>(REMEMBERED);
  let sockets = 0;

  const stateOf = (clientNetwork: string): State => {
    const known = states.get(clientNetwork);
    if (known) return known;
    const state = {
      open: 0,
      opened: openBucket(PER_CLIENT.opened),
      joins: openBucket(PER_CLIENT.joins),
      delivered: openBucket(PER_CLIENT.delivered),
    };
    states.set(clientNetwork, state);
    return state;
  };

  return {
    of(address) {
      const client = address === undefined ? undefined : clientNetwork(address);
      const state = client === undefined ? undefined : stateOf(client);
      return {
        client,
        open() {
          if (sockets >= SOCKETS) return false;
          if (state && (state.open >= PER_CLIENT.sockets || !state.opened.take())) return false;
          sockets += 1;
          if (state) state.open += 1;
          return true;
        },
        closed() {
          sockets -= 1;
          if (state) state.open -= 1;
        },
        join: () => state?.joins.take() ?? true,
        deliver: (bytes) => state?.delivered.take(bytes) ?? true,
      };
    },
  };
}
