/** What one client says of itself, as Phoenix hands it on: `phx_ref` names this very saying of it. */
type Meta = Record<string, unknown> & { phx_ref: string; phx_ref_prev?: string };

/** Who is there, by key. Several clients may share one: the tabs of a person. */
export type Present = Record<string, { metas: Meta[] }>;

export type Diff = { joins: Present; leaves: Present };

/** Who is in a room, in the shapes of Phoenix's presence. */
export type Presence = {
  /** How many clients say that they are there. */
  readonly size: number;
  everybody(): Present;
  /**
   * A client says something of itself, in place of what it said before.
   * @param client stands for one join
   * @returns what has changed, or undefined when it says the same again
   */
  track(client: object, key: string, said: Record<string, unknown>): Diff | undefined;
  /** @returns what has changed, or undefined when the client was not there */
  untrack(client: object): Diff | undefined;
};

let sayings = 0;

export function openPresence(): Presence {
  const clients = new Map<object, { key: string; meta: Meta; said: string }>();
  return {
    get size() {
      return clients.size;
    },
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
      sayings += 1;
      const meta: Meta = { ...said, phx_ref: sayings.toString(36) };
      if (before) meta.phx_ref_prev = before.meta.phx_ref;
      clients.set(client, { key, meta, said: text });
      return { joins: one(key, meta), leaves: before ? one(before.key, before.meta) : {} };
    },
    untrack(client) {
      const before = clients.get(client);
      if (!before) return undefined;
      clients.delete(client);
      return { joins: {}, leaves: one(before.key, before.meta) };
    },
  };
}

/** Made of entries, because a key may be called `__proto__`. */
const one = (key: string, meta: Meta): Present => Object.fromEntries([[key, { metas: [meta] }]]);
