import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import { clientAddress, isFromServer } from '../client-address.ts';
import { type Keys, keyHolder } from '../keys.ts';
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
  return { version, who: { key, holder }, address: addressOf(request, holder, keys) };
}

/** As `clientAddress`; undefined also for visitors on this machine that come through the website. */
function addressOf(
  { headers }: IncomingMessage,
  holder: KeyHolder['holder'],
  keys: Keys,
): string | undefined {
  if (holder === 'server') return undefined;
  const header = (name: string) => headers[name]?.toString();
  const address = clientAddress(header, keys);
  return address && isFromServer(header, keys) && isLoopback(address) ? undefined : address;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
const isLoopback = (address: string) => loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

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
