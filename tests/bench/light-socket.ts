import { connect } from 'node:net';
import { clientFrame, frameReader } from './frames.ts';

/*
 * A socket with little overhead, so that thousands of them do not slow the machine down. All share one read buffer,
 * and only frame lengths are parsed.
 */

export type LightSocket = {
  send(payload: string | Buffer, opcode?: number): void;
  close(): void;
};

type Handlers = {
  /** A message. Its bytes are valid until the handler returns. */
  message(payload: Buffer): void;
  /** The socket closed unexpectedly. */
  lost(why: string): void;
};

const shared = Buffer.alloc(256 * 1024);

/** Opens a socket. Resolves after the handshake. @param url with ws:, host, path and query */
export function openLightSocket(
  url: string,
  { message, lost }: Handlers,
  headers: Record<string, string> = {},
): Promise<LightSocket> {
  const { hostname, port, host, pathname, search } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<LightSocket>();
  let closed = false;
  let agreed = false;

  const end = (why: string) => {
    if (closed) return;
    closed = true;
    line.destroy();
    if (agreed) lost(why);
    else reject(new Error(why));
  };
  const read = frameReader({
    message,
    answer: (frame) => line.write(frame),
    closed: () => end('The server closed the socket.'),
  });
  const line = connect({
    host: hostname,
    port: Number(port),
    noDelay: true,
    onread: {
      buffer: shared,
      callback(length, buffer) {
        const bytes = (buffer as Buffer).subarray(0, length);
        if (agreed) read(bytes);
        else agree(bytes);
        return true;
      },
    },
  });
  // The handshake response arrives in one piece, perhaps with the first frame.
  function agree(bytes: Buffer) {
    const head = bytes.indexOf('\r\n\r\n');
    const [status = ''] = bytes.toString('latin1', 0, 200).split('\r\n');
    if (!/^HTTP\/1\.1 101 /.test(status) || head < 0) return end(`No socket: ${status}`);
    agreed = true;
    resolve({
      send: (payload, opcode) => line.write(clientFrame(payload, opcode)),
      close() {
        closed = true;
        line.destroy();
      },
    });
    if (bytes.length > head + 4) read(bytes.subarray(head + 4));
  }
  line.on('error', (error) => end(error.message));
  line.on('close', () => end('The line has ended.'));
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  line.write(
    `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: c3RvcHByZXNzIGJlbmNoIQ==\r\n${more.join('')}\r\n`,
  );
  return promise;
}
