import { clientNetwork, openBucket, remembered, type TokenBucket } from '../gateway/rate-limits.ts';

/*
 * Limits per client of Realtime. They are those that Supabase documents for the free plan (its guides "Realtime limits"
 * and "Realtime settings"), so that code that works here also works there.
 */

/** Channels that one socket may have joined. Supabase's. */
export const CHANNELS_PER_SOCKET = 100;

/** Broadcasts and presence calls of one socket. Supabase's, which counts those of a whole project. */
export const EVENTS = { capacity: 100, perSecond: 100 };

/** Most bytes of one message's payload. Supabase's: 256 KB by socket, 3 MB by HTTP with the secret key. */
export const PAYLOAD_BYTES = 256 * 1024;
export const SERVER_PAYLOAD_BYTES = 3 * 1024 * 1024;

/** Most bytes of one frame: a payload with its names, and some more for an answer that says that it is too large. */
export const FRAME_BYTES = PAYLOAD_BYTES + 64 * 1024;
/** Real clients send such a message in fewer fragments. */
export const FRAGMENTS = 256;

/** Longest topic, event and reference, in bytes: the protocol's binary frames have one byte for a length. */
export const NAME_BYTES = 255;

/** Frames of any kind from one socket, pings included. Real clients send fewer. */
export const FRAMES = { capacity: 1000, perSecond: 500 };

/** Presence calls of one join. Supabase's: 5 within 30 s. */
export const PRESENCE_CALLS = { most: 5, withinMs: 30_000 };
/** Most bytes of what one client says of itself. */
export const PRESENCE_BYTES = 4096;
/** Clients of one room that say who they are; each of them is sent the list of all. */
export const PRESENCES_PER_CHANNEL = 200;

/** A silent socket is dead. Phoenix's own number; clients send a heartbeat every 25 s. */
export const SILENCE_MS = 60_000;

/** How long a client may take over a closing handshake, in ms. */
export const CLOSE_TIMEOUT_MS = 1000;

/** A reader's socket that has more than this waiting, beside one message that is larger, is dropped before it costs memory: it comes back and catches up. */
export const BACKLOG_BYTES = 1024 * 1024;

/** Sockets of one backend. Each takes about 25 KB with two channels joined (`npm run bench fanout`): 500 MB. */
const SOCKETS = 20_000;

/** Limits per client network, whatever its number of sockets: a carrier may have a whole town behind one address. */
export const PER_CLIENT = {
  sockets: 1000,
  opened: { capacity: 1000, perSecond: 50 },
  // A join that shares no query costs the database 3 to 4 ms. One network may use a tenth of a core.
  joins: { capacity: 1000, perSecond: 30 },
  /** Bytes that its messages have others sent: a message costs its size times those who hear it. */
  delivered: { capacity: 32 * 1024 * 1024, perSecond: 8 * 1024 * 1024 },
};
/** Cost of a delivery besides its payload, in bytes: as much work as writing a small message. */
export const DELIVERY_BYTES = 512;

/** Interval at which the permissions of subscribers are checked again. */
export const RECHECK_MS = 30_000;
/** Questions about rights that are with the database at once: the rest of the product has a use for it too. */
export const AUTHORIZATION_QUERIES = 4;

/** Lines remembered after their last socket closed, so that closing one is no way to be forgiven. */
const REMEMBERED = 50_000;

export type ClientLimitsByAddress = ReturnType<typeof openClientLimits>;
export type ClientLimits = ReturnType<ClientLimitsByAddress['of']>;

type State = { open: number; opened: TokenBucket; joins: TokenBucket; delivered: TokenBucket };

/** Limits of sockets per client network. */
export function openClientLimits() {
  const states = remembered<State>(REMEMBERED);
  let sockets = 0;

  const stateOf = (clientNetwork: string): State => {
    const known = states.get(clientNetwork);
    if (known) return known;
    const state: State = {
      open: 0,
      opened: openBucket(PER_CLIENT.opened),
      joins: openBucket(PER_CLIENT.joins),
      delivered: openBucket(PER_CLIENT.delivered),
    };
    states.set(clientNetwork, state);
    return state;
  };

  return {
    /** @param address undefined for a client that only the number of all sockets limits */
    of(address: string | undefined) {
      const client = address === undefined ? undefined : clientNetwork(address);
      const state = client === undefined ? undefined : stateOf(client);
      return {
        /** Client network; undefined for a client that only the number of all sockets limits. */
        client,
        /** @returns whether one more socket may open; it counts until `closed` */
        open(): boolean {
          if (sockets >= SOCKETS) return false;
          if (state && (state.open >= PER_CLIENT.sockets || !state.opened.take())) return false;
          sockets += 1;
          if (state) state.open += 1;
          return true;
        },
        closed(): void {
          sockets -= 1;
          if (state) state.open -= 1;
        },
        /** Whether it may join, or ask about, so many channels. */
        join: (channels = 1) => state?.joins.take(channels) ?? true,
        /** Whether its messages may cause this many more bytes to be sent. */
        deliver: (bytes: number) => state?.delivered.take(bytes) ?? true,
      };
    },
  };
}
