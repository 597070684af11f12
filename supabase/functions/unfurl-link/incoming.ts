/** More was sent than anybody wants to read. */
export class TooMuch extends Error {
  override name = 'TooMuch';
}

/** What comes is not HTTP, or ends before it should. */
export class NotHttp extends Error {
  override name = 'NotHttp';
}

/** The bytes of a connection, taken by lines and by counts, never more of them than `most`. */
export function incoming(stream: ReadableStream<Uint8Array>, most: number) {
  const reader = stream.getReader();
  let held: Uint8Array = new Uint8Array();
  let taken = 0;

  /** Waits for more; false at the end. */
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
    /** The next line without its end, as Latin-1. */
    async line(longest: number): Promise<string> {
      for (let from = 0; ; ) {
        const end = held.indexOf(LINE_FEED, from);
        if (end > longest || (end < 0 && held.length > longest)) throw new NotHttp();
        if (end >= 0) return latin1(cut(end + 1)).replace(/\r?\n$/, '');
        from = held.length;
        if (!(await more())) throw new NotHttp();
      }
    },

    /** So many bytes, as they come. */
    async *take(count: number): AsyncGenerator<Uint8Array> {
      for (let left = count; left > 0; ) {
        if (held.length === 0 && !(await more())) throw new NotHttp();
        const part = cut(Math.min(left, held.length));
        left -= part.length;
        yield part;
      }
    },

    /** All that comes until the other side ends it. */
    async *rest(): AsyncGenerator<Uint8Array> {
      while (held.length > 0 || (await more())) yield cut(held.length);
    },
  };
}

export type Incoming = ReturnType<typeof incoming>;

const LINE_FEED = 10;

const latin1 = (bytes: Uint8Array) => String.fromCharCode(...bytes);
