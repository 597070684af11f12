import type { Duplex } from 'node:stream';

/** Why a socket is closed (RFC 6455, section 7.4.1). */
export const CLOSE = { goingAway: 1001, serviceRestart: 1012 } as const;

/** What is known of a socket that is passed on: where its upstream's bytes come from, and whether a frame is whole. */
type Passed = { upstream: Duplex; frames: Frames };

const passed = new WeakMap<Duplex, Passed>();

/** How long who is sent away may take to go. */
const LAST_WORD_MS = 1_000;

/**
 * Keeps count of the frames that are passed on to a client, so that one of our own can be put between two of them.
 * @param upstream what has just been opened: nothing of it has been read yet
 */
export function countFrames(upstream: Duplex, socket: Duplex): void {
  const frames = openFrames();
  passed.set(socket, { upstream, frames });
  upstream.on('data', frames.read);
}

/** Says to a client that its socket ends here, and why, so that it comes back by itself; then ends the socket. */
export function sendAway(socket: Duplex, code: number): void {
  const known = passed.get(socket);
  if (socket.destroyed || !known?.frames.whole()) return void socket.destroy();
  known.upstream.unpipe(socket);
  const frame = Buffer.from([0x88, 2, 0, 0]);
  frame.writeUInt16BE(code, 2);
  socket.end(frame);
  setTimeout(() => socket.destroy(), LAST_WORD_MS).unref();
}

type Frames = { read(chunk: Buffer): void /** Between two frames. */; whole(): boolean };

/** Reads no more of a server's frames than where each ends. */
export function openFrames(): Frames {
  /** Bytes of a payload that are still to come. */
  let left = 0;
  /** What has come of a head, of at most ten bytes: a server masks nothing. */
  let head: number[] = [];

  function payload(): number | undefined {
    const [, length = -1] = head;
    if (length < 0) return undefined;
    const short = length & 0x7f;
    const more = short === 127 ? 8 : short === 126 ? 2 : 0;
    if (head.length < 2 + more) return undefined;
    return more === 0 ? short : head.slice(2).reduce((sum, byte) => sum * 256 + byte, 0);
  }

  return {
    read(chunk) {
      for (let at = 0; at < chunk.length; ) {
        if (left > 0) {
          const taken = Math.min(left, chunk.length - at);
          left -= taken;
          at += taken;
          continue;
        }
        head.push(chunk[at++] as number);
        const length = payload();
        if (length === undefined) continue;
        left = length;
        head = [];
      }
    },
    whole: () => left === 0 && head.length === 0,
  };
}
