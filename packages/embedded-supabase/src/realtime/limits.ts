import { clientNetwork } from '../gateway/client-network.ts';
import { createLruCache, createTokenBucket, type TokenBucket } from '../gateway/rate-limits.ts';

/*
 * Limits per client of Realtime. They are those that Supabase documents for the free plan (its guides "Realtime limits"
 * and "Realtime settings"), so that code that works here also works there.
 */

/** Maximum number of joined channels per socket, as on Supabase. */
export const MAX_CHANNELS_PER_SOCKET = 100;

/** Rate limit for broadcasts and presence calls of one socket. On Supabase it applies to a whole project. */
export const EVENT_RATE = { capacity: 100, perSecond: 100 };

/**
 * Maximum payload of one message in bytes, as on Supabase: 256 KB through a socket, 3 MB through HTTP with the secret
 * key.
 */
export const MAX_PAYLOAD_BYTES = 256 * 1024;
export const MAX_SERVER_PAYLOAD_BYTES = 3 * 1024 * 1024;

/**
 * Maximum frame in bytes: a payload with its names, and a margin. Within the margin, a client gets a reply that its
 * payload is too large.
 */
export const MAX_FRAME_BYTES = MAX_PAYLOAD_BYTES + 64 * 1024;
/** Maximum number of fragments of one message. Real clients send such a message in fewer fragments. */
export const MAX_FRAGMENTS = 256;

/** Maximum bytes of a topic, event or reference: binary frames of the protocol have one byte for a length. */
export const MAX_NAME_BYTES = 255;

/** Rate limit for frames of any kind from one socket, including pings. Real clients send fewer. */
export const FRAME_RATE = { capacity: 1000, perSecond: 500 };

/** Maximum number of presence calls of one join, as on Supabase: 5 within 30 s. */
export const PRESENCE_CALL_LIMIT = { max: 5, windowMs: 30_000 };
/** Maximum bytes of one client's presence, as JSON. */
export const MAX_PRESENCE_BYTES = 4096;
/** Maximum number of present clients in one channel. Each of them receives the list of all. */
export const MAX_PRESENCES_PER_CHANNEL = 200;

/** Maximum silence of a socket in milliseconds, as in Phoenix. Clients send a heartbeat every 25 s. */
export const IDLE_TIMEOUT_MS = 60_000;

/** How long a client may take over a closing handshake, in ms. */
export const CLOSE_TIMEOUT_MS = 1000;

/**
 * Maximum number of unsent bytes of a socket, in addition to its largest queued message. Realtime drops a socket that
 * exceeds it, to save memory. The client reconnects and catches up.
 */
export const MAX_BACKLOG_BYTES = 1024 * 1024;

/**
 * Maximum number of sockets of one backend. Each takes about 25 KB with two joined channels (`npm run bench fanout`),
 * which is 500 MB in total.
 */
const MAX_SOCKETS = 20_000;

/** Limits per client network, for all its sockets together. A carrier may have a whole town behind one address. */
export const CLIENT_NETWORK_LIMITS = {
  maxSockets: 1000,
  socketRate: { capacity: 1000, perSecond: 50 },
  // A join that shares no query costs the database 3 to 4 ms. One network may use a tenth of a core.
  joinRate: { capacity: 1000, perSecond: 30 },
  /** Bytes that its messages cause to be sent. A message costs its size times the number of its receivers. */
  deliveryRate: { capacity: 32 * 1024 * 1024, perSecond: 8 * 1024 * 1024 },
};
/** Cost of a delivery in bytes, in addition to its payload. It stands for the work of writing a small message. */
export const DELIVERY_OVERHEAD_BYTES = 512;

/** Interval in milliseconds at which the permissions of subscribers are checked again. */
export const RECHECK_INTERVAL_MS = 30_000;
/** Maximum number of concurrent permission queries. The rest of the product needs the database too. */
export const MAX_AUTHORIZATION_QUERIES = 4;

/**
 * Maximum number of client networks whose limits are remembered. They are remembered after the last socket has closed,
 * so that closing a socket does not reset a limit.
 */
const MAX_CLIENT_NETWORKS = 50_000;

export type ClientLimitsByAddress = ReturnType<typeof openClientLimits>;
export type ClientLimits = ReturnType<ClientLimitsByAddress['forAddress']>;

type ClientState = {
  openSockets: number;
  socketBucket: TokenBucket;
  joinBucket: TokenBucket;
  deliveryBucket: TokenBucket;
};

/** Creates the limits of sockets per client network. */
export function openClientLimits() {
  const states = createLruCache<ClientState>(MAX_CLIENT_NETWORKS);
  let sockets = 0;

  const stateOf = (clientNetwork: string): ClientState => {
    const existing = states.get(clientNetwork);
    if (existing) return existing;
    const state: ClientState = {
      openSockets: 0,
      socketBucket: createTokenBucket(CLIENT_NETWORK_LIMITS.socketRate),
      joinBucket: createTokenBucket(CLIENT_NETWORK_LIMITS.joinRate),
      deliveryBucket: createTokenBucket(CLIENT_NETWORK_LIMITS.deliveryRate),
    };
    states.set(clientNetwork, state);
    return state;
  };

  return {
    /**
     * Returns the limits of one client.
     * @param address undefined for a client that is limited only by the total number of sockets
     */
    forAddress(address: string | undefined) {
      const network = address === undefined ? undefined : clientNetwork(address);
      const state = network === undefined ? undefined : stateOf(network);
      return {
        /** Client network; undefined for a client that is limited only by the total number of sockets. */
        network,
        /** Counts a new socket until `closeSocket` is called. @returns false if no more sockets may open */
        openSocket(): boolean {
          if (sockets >= MAX_SOCKETS) return false;
          if (state && (state.openSockets >= CLIENT_NETWORK_LIMITS.maxSockets || !state.socketBucket.take()))
            return false;
          sockets += 1;
          if (state) state.openSockets += 1;
          return true;
        },
        closeSocket(): void {
          sockets -= 1;
          if (state) state.openSockets -= 1;
        },
        /** Counts joins or permission queries for this many channels. @returns false if they exceed the limit */
        takeJoins: (channels = 1) => state?.joinBucket.take(channels) ?? true,
        /** Counts bytes that its messages cause to be sent. @returns false if they exceed the limit */
        takeBytes: (bytes: number) => state?.deliveryBucket.take(bytes) ?? true,
      };
    },
  };
}
