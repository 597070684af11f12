import { randomBytes } from 'node:crypto';

/** Presence of one client in Phoenix's format. `phx_ref` identifies this update of it. */
type Meta = Record<string, unknown> & { phx_ref: string; phx_ref_prev?: string };

/** Presences by key. Clients may share a key, such as the tabs of a person. */
export type PresenceState = Record<string, { metas: Meta[] }>;

export type Diff = { joins: PresenceState; leaves: PresenceState };

/** Presence of a channel, in the format of Phoenix. */
export type ChannelPresence = {
  /** How many clients say that they are there. */
  readonly size: number;
  everybody(): PresenceState;
  /** Approximate size of the list of all presences. */
  readonly bytes: number;
  /** Whether this client says that it is there. */
  has(client: object): boolean;
  /**
   * A client says something of itself, in place of what it said before.
   * @param client stands for one join
   * @returns what has changed, or undefined when it says the same again
   */
  track(client: object, key: string, said: Record<string, unknown>): Diff | undefined;
  /** @returns what has changed, or undefined when the client was not there */
  untrack(client: object): Diff | undefined;
};

/** A client that comes back after a restart still knows the refs of before, and takes the same ref for the same words. */
const process = randomBytes(6).toString('base64url');
let updates = 0;

export function openPresence(): ChannelPresence {
  const clients = new Map<object, { key: string; meta: Meta; said: string; bytes: number }>();
  let bytes = 0;
  return {
    get size() {
      return clients.size;
    },
    get bytes() {
      return bytes;
    },
    has: (client) => clients.has(client),
    everybody() {
      const metas = new Map<string, Meta[]>();
      for (const { key, meta } of clients.values()) {
        const others = metas.get(key);
        if (others) others.push(meta);
        else metas.set(key, [meta]);
      }
      return Object.fromEntries([...metas].map(([key, all]) => [key, { metas: all }]));
    },
    track(client, key, said) {
      const before = clients.get(client);
      const text = JSON.stringify(said);
      if (before?.said === text) return undefined;
      updates += 1;
      const meta: Meta = { ...said, phx_ref: `${process}.${updates.toString(36)}` };
      if (before) meta.phx_ref_prev = before.meta.phx_ref;
      const own = Buffer.byteLength(key) + Buffer.byteLength(text);
      bytes += own - (before?.bytes ?? 0);
      clients.set(client, { key, meta, said: text, bytes: own });
      return { joins: one(key, meta), leaves: before ? one(before.key, before.meta) : {} };
    },
    untrack(client) {
      const before = clients.get(client);
      if (!before) return undefined;
      clients.delete(client);
      bytes -= before.bytes;
      return { joins: {}, leaves: one(before.key, before.meta) };
    },
  };
}

/** Made of entries, because a key may be called `__proto__`. */
const one = (key: string, meta: Meta): PresenceState => Object.fromEntries([[key, { metas: [meta] }]]);
