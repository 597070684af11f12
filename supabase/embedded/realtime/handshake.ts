import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Keys, keyHolder } from '../keys.ts';
import { addressOf } from '../limits.ts';
import type { KeyHolder } from './access.ts';
import { VERSIONS, type Version } from './wire.ts';

const PATH = '/realtime/v1/websocket';
/** What Phoenix takes a client to speak that does not say. */
const UNSAID: Version = '1.0.0';

export type Handshake = { version: Version; who: KeyHolder; address: string | undefined };

/** A status and a sentence for whoever may not open a socket. */
export type Turned = { status: number; error: string };

/** Reads who wants a socket, and turns away who may not have one. */
export function readHandshake(request: IncomingMessage, keys: Keys): Handshake | Turned {
  const url = URL.parse(request.url ?? '', 'http://inside');
  if (url?.pathname !== PATH) return { status: 404, error: 'There is nothing here.' };
  const key = url.searchParams.get('apikey') ?? String(request.headers.apikey ?? '');
  const holder = keyHolder(keys, key);
  if (!holder) return { status: 401, error: 'Invalid API key' };
  const version = url.searchParams.get('vsn') ?? UNSAID;
  if (!isVersion(version))
    return { status: 403, error: `Protocol version ${VERSIONS.join(' or ')} is needed.` };
  const address = addressOf(String(request.headers['x-forwarded-for'] ?? ''));
  return { version, who: { key, holder }, address };
}

const isVersion = (text: string): text is Version => VERSIONS.includes(text as Version);

/** Answers a request for a socket with none. */
export function turnAway(socket: Duplex, { status, error }: Turned): void {
  const body = JSON.stringify({ error });
  // Not left half open, for the client to close or not.
  socket.once('finish', () => socket.destroy());
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'connection: close',
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
}
