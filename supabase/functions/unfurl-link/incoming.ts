/** The response is too large. */
export class TooMuch extends Error {
  override name = 'TooMuch';
}

/** The response is not HTTP or is incomplete. */
export class NotHttp extends Error {
  override name = 'NotHttp';
}

/** Reads a connection by lines and byte counts, up to `most` bytes in total. */
export function incoming(stream: ReadableStream<Uint8Array>, most: number) {
  const reader = stream.getReader();
  let held: Uint8Array = new Uint8Array();
  let taken = 0;

  /** Waits for more bytes; false at the end. */
  async function more(): Promise<boolean> {
    const { value, done } = await reader.read();
    if (done) return false;
    taken += value.length;
    if (taken > most) throw new TooMuch();
    const joined = new Uint8Array(held.length + value.length);
    joined.set(held);
    joined.set(value, held.length);
    held = joined;
    return true;
  }

  function cut(length: number): Uint8Array {
    const part = held.subarray(0, length);
    held = held.subarray(length);
    return part;
  }

  return {
    /** Returns the next line without its line break, decoded as Latin-1. */
    async line(longest: number): Promise<string> {
      for (let from = 0; ; ) {
        const end = held.indexOf(LINE_FEED, from);
        if (end > longest || (end < 0 && held.length > longest)) throw new NotHttp();
        if (end >= 0) return latin1(cut(end + 1)).replace(/\r?\n$/, '');
        from = held.length;
        if (!(await more())) throw new NotHttp();
      }
    },

    /** Yields `count` bytes. */
    async *take(count: number): AsyncGenerator<Uint8Array> {
      for (let left = count; left > 0; ) {
        if (held.length === 0 && !(await more())) throw new NotHttp();
        const part = cut(Math.min(left, held.length));
        left -= part.length;
        yield part;
      }
    },

    /** Yields all remaining bytes. */
    async *rest(): AsyncGenerator<Uint8Array> {
      while (held.length > 0 || (await more())) yield cut(held.length);
    },
  };
}

export type Incoming = ReturnType<typeof incoming>;

const LINE_FEED = 10;

const latin1 = (bytes: Uint8Array) => String.fromCharCode(...bytes);
