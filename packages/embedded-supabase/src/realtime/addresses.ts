import { type Bucket, bucket, network, remembered } from '../gateway/rate-limits.ts';
import { LINE, SOCKETS } from './limits.ts';

/** Lines remembered after their last socket closed, so that closing one is no way to be forgiven. */
const REMEMBERED = 50_000;

/** One line that sockets come over: an address, as far as it tells visitors apart. */
export type Line = {
  /** Whether one more socket may open; if so it counts as open until `closed`. */
  open(): boolean;
  closed(): void;
  join(): boolean;
  /** Whether it may have others sent so many bytes more. */
  deliver(bytes: number): boolean;
};

export type Lines = {
  /** @param address undefined for a client that only the number of all sockets bounds */
  of(address: string | undefined): Line;
};

type State = { open: number; opened: Bucket; joins: Bucket; delivered: Bucket };

export function openLines(): Lines {
  const states = remembered<State>(REMEMBERED);
  let sockets = 0;

  const stateOf = (line: string): State => {
    const known = states.get(line);
    if (known) return known;
    const state = {
      open: 0,
      opened: bucket(LINE.opened),
      joins: bucket(LINE.joins),
      delivered: bucket(LINE.delivered),
    };
    states.set(line, state);
    return state;
  };

  return {
    of(address) {
      const state = address === undefined ? undefined : stateOf(network(address));
      return {
        open() {
          if (sockets >= SOCKETS) return false;
          if (state && (state.open >= LINE.sockets || !state.opened.take())) return false;
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
