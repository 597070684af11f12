import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** An answer as it came over the wire; `status` is 0 where the connection ended without one. */
export type RawAnswer = { status: number; headers: Headers; text: string; all: string };

/** Whoever is not answered within this, in ms, hangs. */
const HANGS_MS = 10_000;

/** Sends bytes that no client would send, and reads until the server ends the connection. */
export async function sendRaw(url: string, bytes: string | Buffer): Promise<RawAnswer> {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  const pieces: Buffer[] = [];
  const over = new Promise<void>((resolve) => {
    socket.on('data', (piece) => void pieces.push(piece)).on('error', () => resolve());
    socket.on('close', () => resolve());
  });
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  const enough = new AbortController();
  const late = pause(HANGS_MS, 'late', { signal: enough.signal, ref: false }).catch(() => undefined);
  const hangs = (await Promise.race([over, late])) === 'late';
  enough.abort();
  socket.destroy();
  if (hangs) throw new Error(`no end of an answer to ${JSON.stringify(String(bytes).slice(0, 100))}`);
  return read(Buffer.concat(pieces).toString('latin1'));
}

function read(all: string): RawAnswer {
  const [head = '', ...rest] = all.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Headers();
  for (const line of lines)
    headers.append(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1));
  return { status: Number(first.split(' ')[1] ?? 0), headers, text: rest.join('\r\n\r\n'), all };
}

/** A request in its lines, with a Host and a length where nothing else is said, ended by itself. */
export function request(
  url: string,
  path: string,
  { method = 'GET', headers = [], body = '' }: { method?: string; headers?: string[]; body?: string } = {},
): string {
  const says = (name: string) => headers.some((line) => line.toLowerCase().startsWith(name));
  const lines = [`${method} ${path} HTTP/1.1`, 'Connection: close', ...headers];
  if (!says('host:')) lines.push(`Host: ${new URL(url).host}`);
  if (body && !says('content-length:') && !says('transfer-encoding:'))
    lines.push(`Content-Length: ${body.length}`);
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
